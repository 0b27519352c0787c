//! How much a value weighs and how deeply it nests.

use serde_json::Value;

/// What each value weighs beside its text, in bytes.
const VALUE: usize = 32;

/// The weight of a value and how many containers stand in each other.
///
/// Recursion is bounded: whatever enters a script nests at most as deeply as a body may, and an
/// expression adds at most its own depth.
pub(super) fn weigh(value: &Value) -> (usize, usize) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => (VALUE, 0),
        Value::String(text) => (VALUE.saturating_add(text.len()), 0),
        Value::Array(items) => contained(items.iter().map(weigh)),
        Value::Object(members) => contained(members.iter().map(|(key, member)| {
            let (weight, depth) = weigh(member);
            (
                weight.saturating_add(key.len()).saturating_add(VALUE),
                depth,
            )
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
