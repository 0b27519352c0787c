//! Each public fault that a row about resolvers is for, as a small resolver with that very fault:
//! the row convicts it, and not the resolver without the fault.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use proofmark::path::{PathTemplate, PlaceholderRules, validate_path_placeholder};
use proofmark_conformance::catalogue::{Catalogue, Family, RequirementId};
use proofmark_conformance::judge::judge_row;
use proofmark_conformance::outcome::{Outcome, RowOutcome};
use proofmark_conformance::profile::ResolverProfile;
use proofmark_conformance::seed::Seed;
use proofmark_conformance::subject::{Refused, ResolveCase, Resolved, ResolverSubject};
use proofmark_conformance::trial::{Settings, Watch};
use serde_json::Value;

type Answer = Result<Resolved, Refused>;
type Resolve = fn(&ResolveCase) -> Answer;

/// A fault, the row that is for it, and the resolver with and without it.
struct Case {
    fault: &'static str,
    row: u8,
    faulty: Resolve,
    sound: Resolve,
}

const CASES: &[Case] = &[
    refusing("B32", 19, takes_absolute_paths),
    refusing("B35", 19, begins_with_a_value),
    refusing("B52", 2, pasted),
    encoding("B54", 4, encodes_dots),
    refusing("B55", 3, decodes_and_compares),
    refusing("B55", 4, decodes_and_compares),
    refusing("B57", 4, strips_steps),
    encoding("B58", 3, keeps_escapes),
    refusing("B60", 12, expands_again),
    refusing("B61", 12, fills_the_first_match),
    refusing("B64", 1, admits_nothing),
    refusing("B64", 14, drops_null),
    refusing("B64", 25, drops_what_is_missing),
    refusing("B66", 2, strips_controls),
    refusing("B67", 22, normalises_afterwards),
    refusing("B69", 10, checks_before_composing),
];

const fn refusing(fault: &'static str, row: u8, faulty: Resolve) -> Case {
    Case {
        fault,
        row,
        faulty,
        sound: refuses,
    }
}

const fn encoding(fault: &'static str, row: u8, faulty: Resolve) -> Case {
    Case {
        fault,
        row,
        faulty,
        sound: encodes,
    }
}

fn judged(case: &Case, resolve: Resolve) -> RowOutcome {
    let profile = ResolverProfile::new().resolves();
    let profile = if std::ptr::fn_addr_eq(case.sound, encodes as Resolve) {
        profile.encodes()
    } else {
        profile
    };
    let subject = ResolverSubject::new("field", profile, move || resolve);
    let id = RequirementId::new(Family::Path, case.row);
    let requirement = Catalogue::shared().unwrap().get(id).unwrap();
    let mut settings = Settings::with_seed(Seed::new(7));
    settings.cases = 64;
    judge_row(requirement, &subject, settings, &Arc::new(Watch::default())).unwrap()
}

#[test]
fn each_public_fault_is_convicted_by_its_row_and_the_sound_twin_is_not() {
    for case in CASES {
        let faulty = judged(case, case.faulty);
        assert_eq!(faulty.outcome, Outcome::Fail, "{}: {faulty:#?}", case.fault);
        let found = faulty.counterexample.unwrap();
        assert!(!found.twin.is_empty() && !found.steps.is_empty());

        let sound = judged(case, case.sound);
        assert_eq!(sound.outcome, Outcome::Pass, "{}: {sound:#?}", case.fault);
    }
}

#[test]
fn every_fault_that_the_catalogue_names_is_among_the_cases() {
    let rows = Catalogue::shared().unwrap().family(Family::Path);
    let named: BTreeSet<(String, String)> = rows
        .flat_map(|row| {
            let faults = row.field.iter();
            faults.map(|fault| (fault.to_string(), row.id.to_string()))
        })
        .collect();
    let judged = CASES.iter().map(|case| {
        let row = RequirementId::new(Family::Path, case.row);
        (case.fault.to_owned(), row.to_string())
    });
    assert_eq!(judged.collect::<BTreeSet<_>>(), named);
}

/// Sound: refuses what is reserved.
fn refuses(asked: &ResolveCase) -> Answer {
    let resolution = PathTemplate::parse(&asked.template)?.resolve(
        &asked.method,
        |variable| asked.variables.get(variable.name()?).map(Cow::Borrowed),
        |method, template, param| asked.placeholder_rules(method, template, param),
        asked.body.clone(),
    )?;
    let (target, body) = resolution.into_parts();
    Ok(Resolved::new(target.as_str(), body))
}

/// Sound: encodes what is reserved, and refuses what no encoding makes harmless.
fn encodes(asked: &ResolveCase) -> Answer {
    let fits = |value: &str| !matches!(value, "" | "." | "..") && value.chars().count() <= 256;
    encoded(asked, fits, percent_encoded)
}

fn percent_encoded(value: &str) -> String {
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    utf8_percent_encode(value, ENCODED).to_string()
}

fn encoded(asked: &ResolveCase, fits: fn(&str) -> bool, write: fn(&str) -> String) -> Answer {
    let mut target = asked.template.clone();
    for (name, value) in members(asked) {
        let value = text(value);
        if !fits(&value) {
            return Err(Refused::new(format!("`{name}` must be one short segment")));
        }
        target = target.replace(&format!("{{{name}}}"), &write(&value));
    }
    Ok(Resolved::new(target, None))
}

fn members(asked: &ResolveCase) -> impl Iterator<Item = (&String, &Value)> {
    asked.body.iter().filter_map(Value::as_object).flatten()
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Values put into the template as they are, one after the other.
fn pasted(asked: &ResolveCase) -> Answer {
    let mut target = asked.template.clone();
    for (name, value) in members(asked) {
        target = target.replace(&format!("{{{name}}}"), &text(value));
    }
    Ok(Resolved::new(target, None))
}

fn any(asked: &ResolveCase, is: impl Fn(&str) -> bool) -> bool {
    members(asked).any(|(_, value)| is(&text(value)))
}

fn with_values(asked: &ResolveCase, change: impl Fn(&str) -> String) -> ResolveCase {
    members(asked).fold(asked.clone(), |changed, (name, value)| {
        changed.argument(name, change(&text(value)))
    })
}

fn pasted_if(when: bool, asked: &ResolveCase) -> Answer {
    if when { pasted(asked) } else { refuses(asked) }
}

/// What names a host of its own is taken for a path all the same.
fn takes_absolute_paths(asked: &ResolveCase) -> Answer {
    let absolute = asked.template.starts_with("//") || asked.template.contains("://");
    pasted_if(absolute, asked)
}

/// The first segment may come from a value, and then be a scheme.
fn begins_with_a_value(asked: &ResolveCase) -> Answer {
    pasted_if(asked.template.starts_with('{'), asked)
}

fn encodes_dots(asked: &ResolveCase) -> Answer {
    let fits = |value: &str| !value.is_empty() && value.chars().count() <= 256;
    encoded(asked, fits, |value| {
        percent_encoded(value).replace('.', "%2E")
    })
}

/// What looks escaped already is not escaped again.
fn keeps_escapes(asked: &ResolveCase) -> Answer {
    let fits = |value: &str| !matches!(value, "" | "." | "..") && value.chars().count() <= 256;
    encoded(asked, fits, |value| {
        let decoded = percent_decode_str(value).decode_utf8_lossy();
        if decoded == value {
            percent_encoded(value)
        } else {
            value.to_owned()
        }
    })
}

/// A value is decoded once and compared with the parent step, and with nothing longer.
fn decodes_and_compares(asked: &ResolveCase) -> Answer {
    let step = |value: &str| {
        let decoded = percent_decode_str(value).decode_utf8_lossy();
        decoded == ".." || decoded == "." || value.is_empty() || value.contains('/')
    };
    pasted_if(!any(asked, step), asked)
}

fn strips_steps(asked: &ResolveCase) -> Answer {
    refuses(&with_values(asked, |value| {
        value.replace("../", "").replace("..", "")
    }))
}

fn expands_again(asked: &ResolveCase) -> Answer {
    pasted_if(any(asked, |value| value.contains('{')), asked)
}

fn fills_the_first_match(asked: &ResolveCase) -> Answer {
    if !any(asked, |value| value.contains('{')) {
        return refuses(asked);
    }
    let mut target = asked.template.clone();
    for (name, value) in members(asked) {
        target = target.replacen(&format!("{{{name}}}"), &text(value), 1);
    }
    Ok(Resolved::new(target, None))
}

fn admits_nothing(asked: &ResolveCase) -> Answer {
    pasted_if(any(asked, str::is_empty), asked)
}

fn drops_null(asked: &ResolveCase) -> Answer {
    let null = |(_, value): (&String, &Value)| value.is_null();
    if members(asked).any(null) {
        return pasted(&with_values(asked, |value| value.replace("null", "")));
    }
    refuses(asked)
}

fn drops_what_is_missing(asked: &ResolveCase) -> Answer {
    refuses(asked).or_else(|refused| {
        if members(asked).any(|(name, _)| asked.template.contains(&format!("{{{name}}}"))) {
            return Err(refused);
        }
        Ok(Resolved::new(asked.template.replace("{id}", ""), None))
    })
}

fn strips_controls(asked: &ResolveCase) -> Answer {
    refuses(&with_values(asked, |value| {
        value.replace(['\t', '\r', '\n'], "")
    }))
}

/// Full-width forms are letters to the check, and made plain behind it.
fn normalises_afterwards(asked: &ResolveCase) -> Answer {
    let wide = ['\u{FF0E}', '\u{FF0F}', '\u{FF1F}', '\u{FF03}'];
    refuses(&with_values(asked, |value| value.replace(wide, "w")))?;
    let narrow = |value: &str| {
        let value = value.replace('\u{FF0E}', ".").replace('\u{FF0F}', "/");
        value.replace('\u{FF1F}', "?").replace('\u{FF03}', "#")
    };
    pasted(&with_values(asked, narrow))
}

/// Each value passes by itself, and nobody looks at what they make together.
fn checks_before_composing(asked: &ResolveCase) -> Answer {
    refuses(&asked.clone().template("/"))?;
    for (name, value) in members(asked) {
        validate_path_placeholder(name, &text(value), &PlaceholderRules::default())?;
    }
    pasted(asked)
}
