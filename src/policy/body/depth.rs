//! How deep a body may be nested to be looked at.

use serde_json::Value;

/// As deep as a JSON parser goes; what is deeper was built by a program, and could overflow the
/// stack of whoever walks it.
const MAX_DEPTH: usize = 128;

/// Whether a body is nested more than 128 deep.
pub(in crate::policy) fn is_too_deep(body: &Value) -> bool {
    !fits(body, MAX_DEPTH)
}

fn fits(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(items) => {
            (depth.checked_sub(1)).is_some_and(|depth| items.iter().all(|item| fits(item, depth)))
        }
        Value::Object(members) => (depth.checked_sub(1))
            .is_some_and(|depth| members.values().all(|member| fits(member, depth))),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(0, false)]
    #[case(128, false)]
    #[case(129, true)]
    #[case(4000, true)]
    fn what_no_parser_builds_is_too_deep(#[case] depth: usize, #[case] expected: bool) {
        let wrap = |wrap: fn(Value) -> Value| (0..depth).fold(Value::Null, |body, _| wrap(body));
        let arrays = wrap(|body| Value::Array(vec![Value::from(0), body]));
        let objects = wrap(|body| [("a", body), ("b", Value::Null)].into_iter().collect());

        assert_eq!(
            (is_too_deep(&arrays), is_too_deep(&objects)),
            (expected, expected)
        );
    }
}
