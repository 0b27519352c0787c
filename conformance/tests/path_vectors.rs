//! Writes the vectors of values, targets and compositions, and judges the toolkit by them.
//!
//! After a change to the plan, `PROOFMARK_BLESS=1 cargo test -p proofmark-conformance --test
//! path_vectors` writes the files anew.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod path_lint;
mod path_plan;

use std::borrow::Cow;
use std::path::Path;

use proofmark_conformance::toolkit::path::{
    PathTemplate, ResolvedPath, validate_path_placeholder, validate_resolved_path,
    validate_resolved_target,
};
use proofmark_conformance::vectors::file;
use proofmark_conformance::vectors::path::{
    Answer, CompositionVector, RefusalRule, TargetVector, ValueRules, ValueVector,
};
use serde_json::Value;

/// Writes a file where that is asked for, and compares it otherwise.
fn settle(name: &str, planned: &str) {
    if std::env::var_os("PROOFMARK_BLESS").is_some() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("vectors")
            .join(name);
        std::fs::write(file, planned).unwrap();
        return;
    }
    assert!(
        planned == file(name).unwrap().text,
        "vectors/{name} is not what the plan says: run this test with PROOFMARK_BLESS=1"
    );
}

#[test]
fn the_values_are_what_the_plan_says() {
    settle("path_value.json", &path_plan::written(&path_plan::values()));
}

#[test]
fn the_targets_are_what_the_plan_says() {
    settle(
        "path_target.json",
        &path_plan::written(&path_plan::targets()),
    );
}

#[test]
fn the_compositions_are_what_the_plan_says() {
    settle(
        "path_composition.json",
        &path_plan::written(&path_plan::compositions()),
    );
}

/// What is wrong with an answer, if it is.
fn judged(expected: Answer, accepted: bool) -> bool {
    match expected {
        Answer::Accept => accepted,
        Answer::Refuse => !accepted,
        Answer::Either => true,
    }
}

#[test]
fn the_toolkit_answers_every_value_rightly() {
    let wrong: Vec<String> = ValueVector::built_in()
        .unwrap()
        .into_iter()
        .filter_map(|vector| {
            let value = vector.value.expand();
            let seen = validate_path_placeholder("id", &value, &vector.rules.as_toolkit());
            let rule = seen.as_ref().err().map(|refusal| refusal.rule);
            let right = judged(vector.result, seen.is_ok())
                && vector
                    .rule
                    .is_none_or(|expected| Some(name(expected)) == rule.map(str::to_owned));
            (!right).then(|| format!("{} {value:?}: {rule:?}, {}", vector.id, vector.reason))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn name(rule: RefusalRule) -> String {
    serde_json::to_value(rule)
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn the_toolkit_answers_every_target_rightly() {
    let wrong: Vec<String> = TargetVector::built_in()
        .unwrap()
        .into_iter()
        .filter(|vector| {
            let target = vector.target.expand();
            let as_target = validate_resolved_target(&target).is_ok();
            let as_path = validate_resolved_path(&target).is_ok();
            let built = ResolvedPath::from_checked(&target).is_ok();
            !judged(vector.result, as_target)
                || !judged(vector.path_only, as_path)
                || built != as_target
        })
        .map(|vector| format!("{} {:?}: {}", vector.id, vector.target, vector.reason))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What the toolkit makes of a template: the target and what is left of the body, or a refusal.
fn resolved(vector: &CompositionVector) -> Result<(String, Option<Value>), String> {
    let template = PathTemplate::parse(&vector.template).map_err(|error| error.to_string())?;
    template
        .resolve(
            &vector.method,
            |slot| vector.variables.get(slot.name()?).map(Cow::Borrowed),
            |method, template, param| {
                let declared = vector.declared(method, template, param);
                declared.map(ValueRules::as_toolkit).unwrap_or_default()
            },
            vector.arguments.clone(),
        )
        .map(|resolution| {
            let (target, body) = resolution.into_parts();
            (target.to_string(), body)
        })
        .map_err(|error| format!("{error} {error:?}"))
}

/// What is wrong with the toolkit's resolution, if something is.
fn fault(vector: &CompositionVector) -> Option<String> {
    let (answer, expect) = vector.answer(false);
    match resolved(vector) {
        Ok(_) if answer == Answer::Refuse => Some("accepted".to_owned()),
        Err(message) if answer == Answer::Accept => Some(message),
        Ok((target, body)) => expect
            .and_then(|expect| expect.difference(&target, body.as_ref()))
            .map(|part| format!("{part} in {target} with {body:?}")),
        Err(message) => {
            let named = vector
                .names
                .as_ref()
                .is_none_or(|name| message.contains(name));
            let told = vector
                .hides
                .as_ref()
                .is_some_and(|text| message.contains(text));
            (!named || told).then_some(message)
        }
    }
}

#[test]
fn the_toolkit_answers_every_composition_rightly() {
    let wrong: Vec<String> = CompositionVector::built_in()
        .unwrap()
        .iter()
        .filter_map(|vector| {
            let fault = fault(vector)?;
            let (id, template, reason) = (&vector.id, &vector.template, &vector.reason);
            Some(format!(
                "{id} {template} {:?}: {fault} ({reason})",
                vector.arguments
            ))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
