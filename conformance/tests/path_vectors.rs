//! Writes the vectors of values, targets and compositions, and judges the toolkit by them.
//!
//! After a change to the plan, `PROOFMARK_BLESS=1 cargo test -p proofmark-conformance --test
//! path_vectors` writes the files anew.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod path_plan;

use std::path::Path;

use proofmark_conformance::toolkit::path::{
    ResolvedPath, validate_path_placeholder, validate_resolved_path, validate_resolved_target,
};
use proofmark_conformance::vectors::file;
use proofmark_conformance::vectors::path::{Answer, RefusalRule, TargetVector, ValueVector};

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
