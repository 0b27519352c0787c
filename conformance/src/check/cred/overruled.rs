//! CRED-11: a caller cannot overrule or double the credential.

use serde_json::{Value, json};

use crate::check::exe::stage::{Observed, Stage};
use crate::outcome::Counterexample;
use crate::profile::AuthScheme;
use crate::recorder::Recorded;
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Finding, Judged, Stop, Trial};

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let mut cases = 0;
    for scheme in &trial.profile().schemes {
        let (AuthScheme::QueryKey(name) | AuthScheme::HeaderKey(name)) = scheme else {
            continue;
        };
        let stage = Stage::of(trial, Some(scheme.clone()))?;
        let executor = trial.executor(&stage.env())?;
        let plain = Call::new("GET", "/items/7")?.with_body(json!({"proofmark_other": "x"}));
        let control = stage.observe(&executor, &plain)?;
        let sound = control.requests.iter().any(|request| {
            stage.times_carried(request) == 1
                && stage
                    .pairs(request)
                    .iter()
                    .any(|(key, _)| key == "proofmark_other")
        });
        if !sound {
            return Ok(Finding::Undecided(format!(
                "the control failed: `{plain}` does not arrive with its pair and the credential, once each: {}",
                control.told()
            )));
        }
        let own = stage.canary();
        for call in calls(name, &own)? {
            let observed = stage.observe(&executor, &call)?;
            cases += 1;
            if let Some((headline, seen)) = overruled(&stage, scheme, &observed, name) {
                return Ok(Finding::broken(
                    Counterexample::new(headline)
                        .step(call.to_string(), observed.told())
                        .expected("the call is refused, or exactly one value travels under that name: the credential")
                        .seen(seen)
                        .twin(format!("`{plain}` carried the credential once, and its own pair arrived")),
                ));
            }
        }
    }
    Ok(Finding::held(cases))
}

/// Calls that bring along a value under the credential's name.
fn calls(name: &str, own: &str) -> Result<Vec<Call>, Stop> {
    let first = name.bytes().next().unwrap_or_default();
    let encoded = format!("%{first:02x}{}", name.get(1..).unwrap_or_default());
    let upper = name.to_ascii_uppercase();
    let field = |key: &str, value: Value| -> Result<Call, Stop> {
        Ok(Call::new("GET", "/items/7")?.with_body(json!({key: value})))
    };
    let mut calls = vec![
        field(name, json!(own))?,
        field(name, json!(""))?,
        field(name, json!([own, own]))?,
        field(&upper, json!(own))?,
    ];
    let queries = [
        format!("{name}={own}"),
        format!("{encoded}={own}"),
        format!("{upper}={own}"),
        format!("a=1&{name}={own}&{name}={own}"),
        name.to_owned(),
    ];
    for query in queries {
        for method in ["GET", "POST"] {
            // A name may hold what a query cannot.
            if let Ok(call) = Call::new(method, &format!("/items/7?{query}")) {
                calls.push(call);
            }
        }
    }
    Ok(calls)
}

fn overruled(
    stage: &Stage,
    scheme: &AuthScheme,
    observed: &Observed,
    name: &str,
) -> Option<(&'static str, String)> {
    observed.requests.iter().find_map(|request| {
        let values = values_of(scheme, request, name);
        let credential = stage.on_wire();
        if values.len() == 1 && values[0] == credential {
            return None;
        }
        let shown: Vec<&str> = values
            .iter()
            .map(|value| {
                if value == credential {
                    "the credential"
                } else {
                    "the caller's"
                }
            })
            .collect();
        let headline = match values.len() {
            0 => "the credential is missing",
            1 => "the caller's value replaces the credential",
            _ => "several values travel under the credential's name",
        };
        Some((
            headline,
            format!("under `{name}` the wire carries: {}", shown.join(", ")),
        ))
    })
}

/// Every value under the name, in whatever letter case, where the scheme puts it.
fn values_of(scheme: &AuthScheme, request: &Recorded, name: &str) -> Vec<String> {
    match scheme {
        AuthScheme::QueryKey(_) => request
            .pairs()
            .into_iter()
            .filter(|(key, _)| key.trim().eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
            .collect(),
        _ => request
            .values_of(name)
            .map(|value| String::from_utf8_lossy(value).into_owned())
            .collect(),
    }
}
