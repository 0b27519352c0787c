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
    for (case, canary) in secretive(trial.profile(), &canaries) {
        let reply = trial.resolve(&case)?;
        let Some(refused) = reply.refused() else {
            continue;
        };
        cases += 1;
        if let Some(found) = leaking(refused, &case, [&canary]) {
            return Ok(Finding::broken(found));
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

/// A text of digits, which a number can hold.
const DIGITS: u64 = 8_231_749_560_128_347;

/// Cases that are refused for other reasons, each with a canary that must not be told whatever the
/// refusal is about.
fn secretive(profile: &ResolverProfile, canaries: &[String; 2]) -> Vec<(ResolveCase, String)> {
    let [canary, other] = canaries;
    let value = |value: Value| ResolveCase::new(TEMPLATE).argument(PARAM, value);
    let both = |template: &str| ResolveCase::new(template).argument("zq7other", other.as_str());
    let mut cases: Vec<ResolveCase> = [
        format!("{{{canary}}}"),
        format!("{canary}{{"),
        format!("{canary}\u{ff0f}g"),
        format!("\u{ff0e}\u{ff0e}{canary}"),
        format!("{canary}%c0%ae"),
    ]
    .map(|text| value(Value::from(text)))
    .into();
    if profile.resolves {
        cases.extend([json!({"k": canary}), json!({canary.as_str(): [canary]})].map(value));
        let long = format!("{canary}{}", "b".repeat(200));
        let joined = both("/items/{zq7param}{zq7other}").argument(PARAM, long.as_str());
        cases.push(joined.argument("zq7other", format!("{}{canary}", "b".repeat(200))));
        cases.push(both("/items/{zq7other}/{zq7param}"));
        for refused in ["..", "a/b", ""] {
            cases.push(both("/items/{zq7other}/{zq7param}").argument(PARAM, refused));
        }
    }
    if profile.composes_query {
        for text in ["&", "=", "#", "\t", "%26", "..", "{"] {
            let text = format!("{canary}{text}g");
            cases.push(ResolveCase::new("/items?q={zq7param}").argument(PARAM, text));
        }
    }
    if profile.interpolates {
        for text in ["..", "%2F", "{", "\n"] {
            let case = ResolveCase::new("/items/${zq7param}");
            cases.push(case.variable(PARAM, format!("{canary}{text}g")));
        }
    }
    let mut cases: Vec<(ResolveCase, String)> = cases
        .into_iter()
        .flat_map(|case| {
            canaries
                .iter()
                .map(move |canary| (case.clone(), canary.clone()))
        })
        .collect();
    if profile.patterns {
        let declared = Declared::new("GET", TEMPLATE, PARAM).pattern("^[a-z]+$");
        let number = value(json!(DIGITS)).declaring(declared);
        cases.push((number, DIGITS.to_string()));
    }
    cases
}

/// What one refusal tells that it must not, or keeps back.
fn told(
    refused: &Refused,
    case: &ResolveCase,
    canaries: &[String; 2],
    variable: bool,
) -> Option<Counterexample> {
    let found = leaking(refused, case, canaries);
    if found.is_some() || variable || refused.message().contains(PARAM) {
        return found;
    }
    let headline = "the refusal does not name the parameter".to_owned();
    Some(telling(case, headline, format!("`{}`", refused.message())))
}

/// The part of a value that a refusal holds.
fn leaking<'c>(
    refused: &Refused,
    case: &ResolveCase,
    canaries: impl IntoIterator<Item = &'c String>,
) -> Option<Counterexample> {
    let mut leaks = canaries
        .into_iter()
        .flat_map(|canary| refused.texts().map(move |text| (text, canary)))
        .filter_map(|(text, canary)| Some((text, leak(text, canary)?)));
    let (text, (form, part)) = leaks.next()?;
    let headline = line("the refusal holds `", &part, "` of the value", form, "");
    Some(telling(case, headline, format!("`{text}`")))
}

fn telling(case: &ResolveCase, headline: String, seen: String) -> Counterexample {
    Counterexample::new(headline)
        .step(case.to_string(), "refused")
        .expected(format!(
            "a message that names `{PARAM}` and holds nothing of the value"
        ))
        .seen(seen)
        .twin("the value without the offending character resolves under the same name")
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
