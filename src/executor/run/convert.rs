//! What a value is as a truth, a number or a text.

use std::borrow::Cow;

use serde_json::{Number, Value};

use crate::executor::ScriptError;

/// The largest integer up to which every integer is a number of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64().is_none_or(|number| number != 0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// The text that a scalar has beside other text.
pub(super) fn text_of<'v>(
    value: &'v Value,
    operation: &'static str,
) -> Result<Cow<'v, str>, ScriptError> {
    match value {
        Value::String(text) => Ok(Cow::Borrowed(text)),
        Value::Null => Ok(Cow::Borrowed("null")),
        Value::Bool(true) => Ok(Cow::Borrowed("true")),
        Value::Bool(false) => Ok(Cow::Borrowed("false")),
        Value::Number(number) => Ok(Cow::Owned(number.to_string())),
        Value::Array(_) | Value::Object(_) => Err(ScriptError::WrongType { operation }),
    }
}

/// The number that a number is.
pub(super) fn number_of(value: &Value, operation: &'static str) -> Result<f64, ScriptError> {
    value.as_f64().ok_or(ScriptError::WrongType { operation })
}

/// The number that a scalar can be read as.
pub(super) fn read_number(value: &Value) -> Result<Value, ScriptError> {
    match value {
        Value::Number(_) => Ok(value.clone()),
        Value::Null => Ok(Value::from(0)),
        Value::Bool(value) => Ok(Value::from(i32::from(*value))),
        Value::String(text) if text.trim().is_empty() => Ok(Value::from(0)),
        Value::String(text) => text
            .trim()
            .parse()
            .map_err(|_| ScriptError::NotFinite)
            .and_then(value_of),
        Value::Array(_) | Value::Object(_) => Err(ScriptError::WrongType {
            operation: "a conversion to a number",
        }),
    }
}

/// A calculated number as a value: an integer where it is one.
pub(super) fn value_of(number: f64) -> Result<Value, ScriptError> {
    if number.fract() == 0.0 && number.abs() <= EXACT {
        // In range, so nothing is cut off.
        return Ok(Value::from(number as i64));
    }
    Number::from_f64(number)
        .map(Value::Number)
        .ok_or(ScriptError::NotFinite)
}

/// Whether two values are of one kind and equal; numbers by what they amount to.
pub(super) fn are_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            if left.is_f64() || right.is_f64() {
                left.as_f64() == right.as_f64()
            } else {
                left == right
            }
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| are_equal(l, r))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, l)| right.get(key).is_some_and(|r| are_equal(l, r)))
        }
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case(1.0, json!(1))]
    #[case(-0.0, json!(0))]
    #[case(1.5, json!(1.5))]
    #[case(9_007_199_254_740_992.0, json!(9_007_199_254_740_992_u64))]
    fn a_whole_number_is_an_integer(#[case] number: f64, #[case] expected: Value) {
        assert_eq!(value_of(number).unwrap(), expected);
    }

    #[rstest]
    #[case(f64::NAN)]
    #[case(f64::INFINITY)]
    fn what_json_cannot_hold_is_an_error(#[case] number: f64) {
        assert_eq!(value_of(number), Err(ScriptError::NotFinite));
    }

    #[rstest]
    #[case(json!(1), json!(1.0), true)]
    #[case(json!(u64::MAX), json!(u64::MAX - 1), false)]
    #[case(json!("1"), json!(1), false)]
    #[case(json!([1, {"a": 2}]), json!([1.0, {"a": 2.0}]), true)]
    #[case(json!(null), json!(false), false)]
    fn equality_is_strict(#[case] left: Value, #[case] right: Value, #[case] equal: bool) {
        assert_eq!(are_equal(&left, &right), equal);
    }
}
