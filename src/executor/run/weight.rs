//! How much a value weighs and how deeply it nests.

use serde_json::Value;

use super::evaluate::MAX_EXPRESSION_DEPTH;
use crate::path::MAX_BODY_DEPTH;

/// What each value weighs beside its text, in bytes.
const VALUE: usize = 32;

/// How deeply a value can come to nest: as deeply as a body may, and as an expression adds to that.
pub(super) const MAX_VALUE_DEPTH: usize = MAX_BODY_DEPTH + MAX_EXPRESSION_DEPTH;

/// The weight of a value and how many containers stand in each other.
///
/// What is deeper than [`MAX_VALUE_DEPTH`] is not looked into, so recursion is bounded: a literal of
/// a plan may be of any depth.
pub(super) fn weigh(value: &Value) -> (usize, usize) {
    weigh_within(value, MAX_VALUE_DEPTH)
}

fn weigh_within(value: &Value, left: usize) -> (usize, usize) {
    let inside = |value| weigh_within(value, left - 1);
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => (VALUE, 0),
        Value::String(text) => (VALUE.saturating_add(text.len()), 0),
        Value::Array(_) | Value::Object(_) if left == 0 => (VALUE, 1),
        Value::Array(items) => contained(items.iter().map(inside)),
        Value::Object(members) => contained(members.iter().map(|(key, member)| {
            let (weight, depth) = inside(member);
            let key = key.len().saturating_add(VALUE);
            (weight.saturating_add(key), depth)
        })),
    }
}

fn contained(inside: impl Iterator<Item = (usize, usize)>) -> (usize, usize) {
    let (weight, depth) = inside.fold((VALUE, 0), |(weight, depth), (more, deeper)| {
        (weight.saturating_add(more), depth.max(deeper))
    });
    (weight, depth + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_weighs_what_is_in_it() {
        assert_eq!(weigh(&json!(1)), (32, 0));
        assert_eq!(weigh(&json!("abc")), (35, 0));
        assert_eq!(weigh(&json!([])), (32, 1));
        assert_eq!(weigh(&json!({"k": ["v"]})), (32 + 33 + 32 + 33, 2));
    }
}
