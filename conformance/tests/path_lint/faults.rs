//! Resolvers with one fault each, which the vectors convict by the rows that forbid it.

use std::collections::BTreeSet;

use proofmark_conformance::toolkit::path::{PlaceholderRules, validate_path_placeholder};
use proofmark_conformance::vectors::path::{Answer, CompositionVector, ValueRules, ValueVector};
use rstest::rstest;
use serde_json::Value;

/// The numbers of the rows by which the value vectors convict a validator.
fn convicted(accepts: impl Fn(&str, &ValueRules) -> bool) -> BTreeSet<u8> {
    ValueVector::built_in()
        .unwrap()
        .into_iter()
        .filter(|vector| {
            match (
                vector.result,
                accepts(&vector.value.expand(), &vector.rules),
            ) {
                (Answer::Accept, accepted) => !accepted,
                (Answer::Refuse, accepted) => accepted,
                (Answer::Either, _) => false,
            }
        })
        .map(|vector| vector.requirement.number())
        .collect()
}

fn toolkit(value: &str, rules: &PlaceholderRules<'_>) -> bool {
    validate_path_placeholder("id", value, rules).is_ok()
}

fn sound(value: &str, rules: &ValueRules) -> bool {
    toolkit(value, &rules.as_toolkit())
}

#[rstest]
#[case::none(&|v: &str, r: &ValueRules| sound(v, r), &[])]
#[case::accepts_all(&|_: &str, _: &ValueRules| true, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 19, 22])]
#[case::refuses_all(&|_: &str, _: &ValueRules| false, &[3, 4, 5, 6, 7, 9, 14, 19, 22])]
#[case::lets_nothing_pass_as_something(&|v: &str, r: &ValueRules| v.is_empty() || sound(v, r), &[1])]
#[case::strips_controls(&|v: &str, r: &ValueRules| sound(&v.replace(char::is_control, ""), r), &[2, 6, 9])]
#[case::sees_upper_case_escapes_only(&|v: &str, r: &ValueRules| sound(&v.replace("%2f", "x"), r), &[3, 9, 19])]
#[case::takes_malformed_escapes(&|v: &str, r: &ValueRules| sound(&v.replace("%zz", "x"), r), &[3, 6, 9])]
#[case::looks_for_two_literal_dots(&|v: &str, r: &ValueRules| sound(&v.replace("%2e", "x"), r), &[4, 6, 7, 9])]
#[case::counts_bytes(&|v: &str, r: &ValueRules| v.len() <= 256 && sound(v, r), &[5, 6, 7])]
#[case::has_no_cap(&|v: &str, r: &ValueRules| sound(&v.chars().take(256).collect::<String>(), r), &[5, 6, 7, 9])]
#[case::ignores_patterns(&|v: &str, r: &ValueRules| sound(v, &ValueRules { pattern: None, ..r.clone() }), &[6, 8, 9])]
#[case::ignores_lengths(&|v: &str, r: &ValueRules| sound(v, &ValueRules { max_length: None, ..r.clone() }), &[6, 7, 9])]
#[case::never_allows_a_slash(&|v: &str, r: &ValueRules| sound(v, &ValueRules { allow_slash: false, ..r.clone() }), &[9])]
#[case::always_allows_a_slash(&|v: &str, r: &ValueRules| sound(v, &ValueRules { allow_slash: true, ..r.clone() }), &[2, 3, 6, 7, 9, 19])]
#[case::lets_a_pattern_decide(&|v: &str, r: &ValueRules| sound(v, r) || r.pattern.is_some() && sound("x", r), &[1, 6, 9])]
fn a_validator_with_one_fault_is_convicted_by_the_rows_that_forbid_it(
    #[case] accepts: &dyn Fn(&str, &ValueRules) -> bool,
    #[case] rows: &[u8],
) {
    assert_eq!(
        convicted(accepts),
        BTreeSet::from_iter(rows.iter().copied())
    );
}

/// A resolver that replaces one key after the other and checks each value for itself.
fn replaces(vector: &CompositionVector) -> Option<String> {
    let mut target = vector.template.clone();
    for (name, value) in &vector.variables {
        target = target.replace(&format!("${{{name}}}"), &checked(value)?);
    }
    for (name, value) in vector
        .arguments
        .as_ref()
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let placeholder = format!("{{{name}}}");
        if target.contains(&placeholder) {
            target = target.replace(&placeholder, &checked(value)?);
        }
    }
    Some(target)
}

fn checked(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    toolkit(&text, &PlaceholderRules::default()).then_some(text)
}

#[test]
fn a_resolver_that_replaces_key_after_key_is_convicted() {
    let convicted: BTreeSet<u8> = CompositionVector::built_in()
        .unwrap()
        .into_iter()
        .filter(|vector| {
            let (answer, expect) = vector.answer(false);
            match replaces(vector) {
                None => answer == Answer::Accept,
                Some(_) if answer == Answer::Refuse => true,
                Some(target) => expect.is_some_and(|expect| {
                    // It is not judged by the body, which it does not hand back.
                    let difference = expect.difference(&target, None);
                    difference.is_some_and(|part| part != "the body")
                }),
            }
        })
        .map(|vector| vector.requirement.number())
        .collect();
    // It refuses what single values may not be, and sees no more.
    assert_eq!(
        convicted,
        BTreeSet::from([
            6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 24, 25, 27
        ])
    );
}
