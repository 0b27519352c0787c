//! PATH-20 and PATH-24: what `${var}` contributes faces the floor, and never becomes a placeholder.

use serde_json::Value;

use super::beside::together;
use super::hostile::{self, PLAIN};
use super::ordeal::{Elsewhere, Ordeal, unmet_control};
use super::outline::decode_once;
use super::place::{PARAM, Place, VARIABLE};
use crate::check::pol::canary;
use crate::outcome::Counterexample;
use crate::subject::{Lookup, ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Reply, Stop, Trial};

/// PATH-20.
pub(super) fn floor(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let as_argument = |place: Place, value: &str| {
        let template = if place.template().contains('?') {
            "/items?q={id}"
        } else {
            "/items/{id}"
        };
        ResolveCase::new(template).argument(PARAM, value)
    };
    let elsewhere = Elsewhere {
        case: &as_argument,
        differing: "as the value of a placeholder",
    };
    let ordeal = Ordeal::new(trial).unless_elsewhere(elsewhere);
    let places = ordeal.open_places(&Place::of_variable(trial.profile()), PLAIN)?;
    let mut hostile = hostile::empty();
    hostile.extend(hostile::separators());
    hostile.extend(hostile::escaped());
    hostile.extend(hostile::dots());
    hostile.extend(hostile::too_long());
    let texts = hostile::reserved().into_iter().map(String::from);
    let texts = texts.chain(hostile::escapes()).collect();
    let plain = ordeal.judge_amid(&places, &hostile, texts);
    if !trial.profile().allow_slash {
        return plain;
    }
    // Rules are for placeholders: what is allowed in one of the same name counts for nothing here.
    let allow = |case: ResolveCase| case.allowing_slash(VARIABLE);
    let allowed = Ordeal::new(trial)
        .changing(&allow)
        .unless_elsewhere(elsewhere)
        .judge(&places, &hostile::slashes());
    together([plain, allowed])
}

/// A template whose variables bring braces along.
struct Braced {
    template: &'static str,
    values: &'static [(&'static str, &'static str)],
}

const BRACED: [Braced; 7] = [
    Braced {
        template: "/items/${v}",
        values: &[("v", "{secret}")],
    },
    Braced {
        template: "/items/x${v}y",
        values: &[("v", "{secret}")],
    },
    Braced {
        template: "/items/${v}/{id}",
        values: &[("v", "{secret}")],
    },
    Braced {
        template: "/items/${v}${w}",
        values: &[("v", "{sec"), ("w", "ret}")],
    },
    Braced {
        template: "/items/${v}secret${w}",
        values: &[("v", "{"), ("w", "}")],
    },
    Braced {
        template: "/items/${v}",
        values: &[("v", "${w}"), ("w", "{secret}")],
    },
    Braced {
        template: "/items/${v}",
        values: &[("v", "%7Bsecret%7D")],
    },
];

/// PATH-24.
pub(super) fn braces(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let secret = canary(&mut trial.rng());
    let body = |case: ResolveCase| {
        case.argument("secret", secret.as_str())
            .argument("other", 1)
            .argument(PARAM, "7")
    };
    let plain = body(ResolveCase::new("/items/${v}").variable("v", "plain"));
    let written = body(ResolveCase::new("/items/{secret}"));
    for control in [&plain, &written] {
        if let Some(reason) = unmet_control(trial, control)? {
            return Ok(Finding::Undecided(reason));
        }
    }
    if let Some(seen) = taken(trial, &plain, &secret)? {
        return Ok(Finding::Undecided(format!(
            "the control failed: `{plain}` already takes the key: {seen}"
        )));
    }
    let mut cases: Vec<ResolveCase> = BRACED
        .iter()
        .map(|braced| {
            let case = ResolveCase::new(braced.template);
            let values = braced.values.iter();
            body(values.fold(case, |case, (name, value)| case.variable(name, *value)))
        })
        .collect();
    if trial.profile().composes_query {
        let case = ResolveCase::new("/items?q=${v}").variable("v", "{secret}");
        cases.push(body(case));
    }
    for case in &cases {
        if let Some(seen) = taken(trial, case, &secret)? {
            return Ok(Finding::broken(
                Counterexample::new("a variable's braces become a placeholder")
                    .step(case.to_string(), "resolved")
                    .expected("refused, or sent with its braces encoded; the body keeps `secret`")
                    .seen(seen)
                    .twin(format!(
                        "`{plain}` resolves and keeps the body, `{written}` takes the key"
                    )),
            ));
        }
    }
    Ok(Finding::held(cases.len()))
}

/// In what the body's `secret` was taken for a placeholder's value, if it was.
fn taken(
    trial: &Trial<'_, ResolverSubject>,
    case: &ResolveCase,
    secret: &str,
) -> Result<Option<String>, Stop> {
    let (reply, lookups) = trial.fresh()?.ask_noting(case)?;
    let asked = |lookup: &&Lookup| lookup.param == "secret";
    if let Some(lookup) = lookups.iter().find(asked) {
        return Ok(Some(format!("a lookup of {lookup}")));
    }
    let Reply::Resolved(resolved) = &reply else {
        return Ok(None);
    };
    let target = &resolved.target;
    let decoded = decode_once(target).unwrap_or_default();
    let decoded = String::from_utf8_lossy(&decoded);
    let kept = resolved.body.as_ref().and_then(|body| body.get("secret"));
    Ok(if target.contains(secret) || decoded.contains(secret) {
        Some(format!("`{target}` holds its value"))
    } else if target.contains(['{', '}']) {
        Some(format!("`{target}`: a brace is sent as it is"))
    } else if kept != Some(&Value::from(secret)) {
        Some("the body has lost `secret`".to_owned())
    } else {
        None
    })
}
