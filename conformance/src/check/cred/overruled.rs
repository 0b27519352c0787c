//! CRED-11: a caller cannot overrule or double the credential.

use serde_json::{Value, json};

use crate::check::exe::spy::{Spy, Verdict};
use crate::check::exe::stage::{Observed, Stage, has_pairs, sent_methods};
use crate::check::sur::scene::{Scene, env};
use crate::outcome::Counterexample;
use crate::profile::AuthScheme;
use crate::recorder::Recorded;
use crate::subject::{ExecutorSubject, ParameterSpec, SurfaceSubject, ToolCall, ToolSpec};
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
        let methods = sent_methods(trial, &stage, &executor)?;
        for call in calls(name, &own, &methods)? {
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

/// A surface's argument that is declared as the header in which the credential travels.
pub(super) fn by_header(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let mut cases = 1;
    let profile = trial.profile();
    for scheme in profile.schemes.iter().filter(|_| profile.header_parameters) {
        let name = match scheme {
            AuthScheme::HeaderKey(name) => name.as_str(),
            AuthScheme::QueryKey(_) => continue,
            _ => "authorization",
        };
        let harmless = sight_of(trial, scheme, "x-item-note", name)?;
        if !matches!(harmless, Some((1, 1, _))) {
            return Ok(Finding::Undecided(format!(
                "the control failed: under `{scheme}`, a call with another header does not carry the credential once"
            )));
        }
        for header in [name.to_owned(), name.to_ascii_uppercase()] {
            cases += 1;
            let sight = sight_of(trial, scheme, &header, name)?;
            let Some((values, carried, told)) = sight.filter(|seen| (seen.0, seen.1) != (1, 1))
            else {
                continue;
            };
            return Ok(Finding::broken(
                Counterexample::new(format!(
                    "an argument sets `{name}`, in which the credential travels"
                ))
                .step(format!("a tool whose argument `{header}` is a header"), told)
                .expected("the call is refused, or exactly one value travels under that name: the credential")
                .seen(format!("{values} values under `{name}`, {carried} of them the credential"))
                .twin("a call with another header carried the credential once"),
            ));
        }
    }
    Ok(Finding::held(cases))
}

/// How many values travel under `name`, and how many of them are the credential, where an argument
/// is declared to be this header. `None` where nothing is sent.
fn sight_of(
    trial: &Trial<'_, SurfaceSubject>,
    scheme: &AuthScheme,
    header: &str,
    name: &str,
) -> Result<Option<(usize, usize, String)>, Stop> {
    let stage = Stage::with(trial.rng(), Some(scheme.clone()))?;
    let spy = Spy::new(Verdict::Allow);
    let parameters = [ParameterSpec::header(header)];
    let tool = ToolSpec::operation("get_item", "GET", "/items/7", parameters);
    let env = env(&stage, &spy).with_tools([tool]);
    // A tool with such a parameter may be refused as a whole.
    let Some(surface) = trial.surface_unless_refused(&env)? else {
        return Ok(None);
    };
    let scene = Scene {
        stage,
        spy,
        surface,
    };
    let call = ToolCall::new("get_item", json!({header: scene.stage.canary()}));
    let sight = scene.see(&call)?;
    Ok(sight.requests.first().map(|request| {
        let values = request.values_of(name).count();
        (values, scene.stage.times_carried(request), sight.told())
    }))
}

/// Calls that bring along a value under the credential's name.
fn calls(name: &str, own: &str, methods: &[&str]) -> Result<Vec<Call>, Stop> {
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
        field(&mixed(name), json!(own))?,
        field(name, json!(7))?,
        field(name, json!(true))?,
    ];
    for method in methods.iter().filter(|method| has_pairs(method)) {
        calls.push(Call::new(method, "/items/7")?.with_body(json!({name: own})));
    }
    let queries = [
        format!("{name}={own}"),
        format!("{encoded}={own}"),
        format!("{upper}={own}"),
        format!("{}={own}", mixed(name)),
        format!("a=1&{name}={own}&{name}={own}"),
        name.to_owned(),
    ];
    for query in queries {
        for method in methods {
            // A name may hold what a query cannot.
            if let Ok(call) = Call::new(method, &format!("/items/7?{query}")) {
                calls.push(call);
            }
        }
    }
    Ok(calls)
}

/// The name with every other letter in upper case.
fn mixed(name: &str) -> String {
    let letters = name.chars().enumerate();
    letters
        .map(|(index, letter)| match index % 2 {
            0 => letter.to_ascii_uppercase(),
            _ => letter.to_ascii_lowercase(),
        })
        .collect()
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
