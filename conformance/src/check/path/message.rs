//! PATH-15: a refusal names the parameter and the rule, never the value.

use serde_json::{Value, json};

use super::ordeal::unmet_control;
use crate::check::pol::{canary, leak, line};
use crate::outcome::Counterexample;
use crate::profile::ResolverProfile;
use crate::subject::{Declared, Refused, ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Trial};

/// A name that no message holds by chance.
const PARAM: &str = "zq7param";
const TEMPLATE: &str = "/items/{zq7param}";

/// Values that break one rule, and the declarations they break it under.
struct Group {
    values: Vec<Value>,
    declared: Option<Declared>,
    variable: bool,
}

/// PATH-15.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let mut rng = trial.rng();
    let canaries = [canary(&mut rng), canary(&mut rng)];
    for canary in &canaries {
        let control = ResolveCase::new(TEMPLATE).argument(PARAM, canary.as_str());
        if let Some(reason) = unmet_control(trial, &control)? {
            return Ok(Finding::Undecided(reason));
        }
    }
    let mut cases = 0;
    for group in groups(trial.profile(), &canaries) {
        let mut first: Option<(ResolveCase, String)> = None;
        for value in &group.values {
            let case = group.case(value);
            let reply = trial.resolve(&case)?;
            let Some(refused) = reply.refused() else {
                continue;
            };
            cases += 1;
            let found = told(refused, &case, &canaries, group.variable).or_else(|| {
                let (earlier, message) = first.as_ref()?;
                (message != refused.message()).then(|| varied(earlier, message, &case, refused))
            });
            if let Some(found) = found {
                return Ok(Finding::broken(found));
            }
            first = first.or_else(|| Some((case, refused.message().to_owned())));
        }
    }
    if cases == 0 {
        return Ok(Finding::Undecided(
            "the control failed: no hostile value is refused, so there is no message".to_owned(),
        ));
    }
    Ok(Finding::Held { cases })
}

impl Group {
    fn case(&self, value: &Value) -> ResolveCase {
        let case = if self.variable {
            ResolveCase::new("/items/${zq7param}").variable(PARAM, value.clone())
        } else {
            ResolveCase::new(TEMPLATE).argument(PARAM, value.clone())
        };
        match &self.declared {
            Some(declared) => case.declaring(declared.clone()),
            None => case,
        }
    }
}

/// Each group breaks one rule; its members differ in the character, its place, or the canary.
fn groups(profile: &ResolverProfile, canaries: &[String; 2]) -> Vec<Group> {
    let plain = |values: Vec<String>| Group {
        values: values.into_iter().map(Value::from).collect(),
        declared: None,
        variable: false,
    };
    let mut groups = vec![plain(around(&["/", "\\"], canaries))];
    groups.extend(
        [
            &["?", "#"][..],
            &["\t", "\n", "\0", "\x1f", "\x7f"],
            &["%2F", "%5C", "%2f"],
            &["%3F", "%23"],
            &["%00", "%09", "%7F"],
            &["%zz", "%g", "%-"],
            &[".."],
            &["%2e%2E"],
        ]
        .map(|texts| plain(around(texts, canaries))),
    );
    let long = "b".repeat(300);
    groups.push(plain(
        canaries
            .iter()
            .flat_map(|canary| [format!("{canary}{long}"), format!("{long}{canary}")])
            .collect(),
    ));
    let declared = || Declared::new("GET", TEMPLATE, PARAM);
    if profile.patterns {
        groups.push(Group {
            declared: Some(declared().pattern("^[a-z0-9]+$")),
            ..plain(around(&["_", "-"], canaries))
        });
    }
    if profile.max_lengths {
        groups.push(Group {
            declared: Some(declared().max_length(4)),
            ..plain(canaries.to_vec())
        });
    }
    if profile.resolves {
        let containers = canaries.iter().map(|canary| json!([canary]));
        groups.push(Group {
            values: containers.collect(),
            ..plain(Vec::new())
        });
    }
    if profile.interpolates {
        groups.push(Group {
            variable: true,
            ..plain(around(&["/", "\\"], canaries))
        });
    }
    groups
}

fn around(texts: &[&str], canaries: &[String; 2]) -> Vec<String> {
    let mut values = Vec::new();
    for text in texts {
        for canary in canaries {
            let (head, tail) = canary.split_at(canary.len() / 2);
            values.extend([
                format!("{canary}{text}g"),
                format!("{head}{text}g{tail}"),
                format!("g{text}{canary}"),
            ]);
        }
    }
    values
}

/// What one refusal tells that it must not, or keeps back.
fn told(
    refused: &Refused,
    case: &ResolveCase,
    canaries: &[String; 2],
    variable: bool,
) -> Option<Counterexample> {
    let mut leaks = canaries
        .iter()
        .flat_map(|canary| refused.texts().map(move |text| (text, canary)))
        .filter_map(|(text, canary)| Some((text, leak(text, canary)?)));
    let (headline, seen) = if let Some((text, (form, part))) = leaks.next() {
        (
            line("the refusal holds `", &part, "` of the value", form, ""),
            format!("`{text}`"),
        )
    } else if !variable && !refused.message().contains(PARAM) {
        (
            "the refusal does not name the parameter".to_owned(),
            format!("`{}`", refused.message()),
        )
    } else {
        return None;
    };
    Some(
        Counterexample::new(headline)
            .step(case.to_string(), "refused")
            .expected(format!(
                "a message that names `{PARAM}` and holds nothing of the value"
            ))
            .seen(seen)
            .twin("the value without the offending character resolves under the same name"),
    )
}

/// A message that tells one value from another.
fn varied(
    earlier: &ResolveCase,
    message: &str,
    case: &ResolveCase,
    refused: &Refused,
) -> Counterexample {
    let stop: String = refused.message().chars().take(200).collect();
    Counterexample::new("the refusal changes with the character, its place or the value")
        .step(earlier.to_string(), format!("refused: {message}"))
        .step(case.to_string(), format!("refused: {stop}"))
        .expected("one message for one rule, wherever and by whatever character it is broken")
        .seen(format!("`{message}` and `{stop}`"))
        .twin("the value without the offending character resolves under the same name")
}
