//! The query pairs that the fields of a GET-like request become.

use serde_json::Value;

use crate::executor::RequestRefusal;
use crate::executor::error::shown;

/// The pairs of a body: one for each scalar field, and one for each item of a list of scalars under
/// the same key, in order. `null` is the text `null`, as in a path.
pub(super) fn query_pairs(body: Option<Value>) -> Result<Vec<(String, String)>, RequestRefusal> {
    let fields = match body {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(fields)) => fields,
        Some(_) => return Err(RequestRefusal::NotAnObject),
    };
    let mut pairs = Vec::with_capacity(fields.len());
    for (key, value) in fields {
        push_field(&mut pairs, key, value)?;
    }
    Ok(pairs)
}

/// Adds the pairs of one field.
pub(crate) fn push_field(
    pairs: &mut Vec<(String, String)>,
    key: String,
    value: Value,
) -> Result<(), RequestRefusal> {
    let Value::Array(items) = value else {
        let text = text_of(&key, value)?;
        pairs.push((key, text));
        return Ok(());
    };
    // An empty list would leave no pair, and the request would ask for more than was meant.
    if items.is_empty() {
        return Err(RequestRefusal::NotScalar { key: shown(&key) });
    }
    for item in items {
        if item.is_null() {
            return Err(RequestRefusal::NotScalar { key: shown(&key) });
        }
        let text = text_of(&key, item)?;
        pairs.push((key.clone(), text));
    }
    Ok(())
}

/// The text of a scalar, as a path has it.
pub(crate) fn text_of(key: &str, value: Value) -> Result<String, RequestRefusal> {
    match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(value) => Ok(value.to_string()),
        Value::Null => Ok("null".to_owned()),
        Value::Array(_) | Value::Object(_) => Err(RequestRefusal::NotScalar { key: shown(key) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case(json!({"a": "x", "b": 1.5, "c": true, "d": null}), &[("a", "x"), ("b", "1.5"), ("c", "true"), ("d", "null")])]
    #[case(json!({"tag": ["beta", "alpha", 3]}), &[("tag", "beta"), ("tag", "alpha"), ("tag", "3")])]
    #[case(json!({}), &[])]
    #[case(json!(null), &[])]
    fn fields_become_pairs(#[case] body: Value, #[case] expected: &[(&str, &str)]) {
        let pairs = query_pairs(Some(body)).unwrap();
        let pairs: Vec<_> = pairs
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect();
        assert_eq!(pairs, expected);
    }

    #[rstest]
    #[case(json!({"filter": {"id": 1}}))]
    #[case(json!({"filter": [[1]]}))]
    #[case(json!({"filter": [{"id": 1}]}))]
    #[case(json!({"filter": [1, null]}))]
    #[case(json!({"filter": []}))]
    fn a_field_that_is_no_list_of_scalars_is_named(#[case] body: Value) {
        let key = "filter".to_owned();
        assert_eq!(
            query_pairs(Some(body)),
            Err(RequestRefusal::NotScalar { key })
        );
    }

    #[rstest]
    #[case(json!([1]))]
    #[case(json!("x"))]
    #[case(json!(1))]
    #[case(json!(true))]
    fn a_body_without_fields_is_refused(#[case] body: Value) {
        assert_eq!(query_pairs(Some(body)), Err(RequestRefusal::NotAnObject));
    }
}
