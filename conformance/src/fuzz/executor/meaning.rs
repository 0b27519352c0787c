//! What a call means on the wire, worked out from what was handed over alone.

use serde_json::Value;

use crate::profile::ArrayForm;

pub(super) type Pairs = Vec<(String, String)>;

/// What the body of a GET-like call means.
#[derive(Debug, PartialEq)]
pub(super) enum Meant {
    /// Pairs. Those of a `null` may be there or not.
    Pairs { certain: Pairs, nulls: Vec<String> },
    /// Nothing: a field holds what no pair can.
    Nested(String),
    /// Nothing: there are no fields.
    NoObject,
}

/// What the body means as pairs, in this form of arrays.
pub(super) fn meant(body: Option<&Value>, form: ArrayForm) -> Meant {
    let fields = match body {
        Some(Value::Object(fields)) => Some(fields),
        None | Some(Value::Null) => None,
        Some(_) => return Meant::NoObject,
    };
    let (mut certain, mut nulls) = (Pairs::new(), Vec::new());
    for (key, value) in fields.into_iter().flatten() {
        match value {
            Value::Null => nulls.push(key.clone()),
            Value::Object(_) => return Meant::Nested(key.clone()),
            Value::Array(items) => {
                let texts: Option<Vec<String>> = items.iter().map(text_of).collect();
                let Some(texts) = texts else {
                    return Meant::Nested(key.clone());
                };
                match form {
                    ArrayForm::Repeated => {
                        certain.extend(texts.into_iter().map(|text| (key.clone(), text)));
                    }
                    ArrayForm::Brackets => {
                        certain.extend(texts.into_iter().map(|text| (format!("{key}[]"), text)));
                    }
                    ArrayForm::Commas => certain.push((key.clone(), texts.join(","))),
                }
            }
            scalar => certain.extend(text_of(scalar).map(|text| (key.clone(), text))),
        }
    }
    Meant::Pairs { certain, nulls }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// What stands behind the handed bytes in the sent ones, if each was sent as itself or, unless it is
/// unreserved, `%`, `/` or the author's `?`, as its own escape.
pub(super) fn behind<'s>(handed: &str, sent: &'s [u8]) -> Option<&'s [u8]> {
    let mut left = sent;
    for &byte in handed.as_bytes() {
        let is_fixed = byte.is_ascii_alphanumeric() || b"-._~%/?".contains(&byte);
        left = match left {
            [first, rest @ ..] if *first == byte => rest,
            [b'%', high, low, rest @ ..] if !is_fixed && value_of(*high, *low) == Some(byte) => {
                rest
            }
            _ => return None,
        };
    }
    Some(left)
}

/// Each escape decoded once.
pub(super) fn decoded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut left = text;
    while let [first, rest @ ..] = left {
        match left {
            [b'%', high, low, rest @ ..] if value_of(*high, *low).is_some() => {
                out.extend(value_of(*high, *low));
                left = rest;
            }
            _ => {
                out.push(*first);
                left = rest;
            }
        }
    }
    out
}

fn value_of(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// Decodes a query.
pub(super) fn pairs_in(query: &[u8]) -> Pairs {
    url::form_urlencoded::parse(query).into_owned().collect()
}

/// The first key under which not the same values stand in the same order.
pub(super) fn difference(meant: &Pairs, sent: &Pairs) -> Option<String> {
    let values = |pairs: &Pairs, key: &str| -> Vec<String> {
        let own = pairs.iter().filter(|(k, _)| k == key);
        own.map(|(_, value)| value.clone()).collect()
    };
    let mut keys = meant.iter().chain(sent).map(|(key, _)| key);
    keys.find(|key| values(meant, key) != values(sent, key))
        .cloned()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case("/a:b", "/a%3Ab?x", Some("?x"))]
    #[case("/a:b", "/a:b", Some(""))]
    #[case("/é", "/%C3%a9", Some(""))]
    #[case("/%41", "/A", None)]
    #[case("/%41", "/%2541", None)]
    #[case("/a", "/%61", None)]
    #[case("/s?a=1", "/s?a=1&b=2", Some("&b=2"))]
    #[case("/s?a", "/s%3Fa", None)]
    #[case("/abc", "/ab", None)]
    fn bytes_are_laid_side_by_side(
        #[case] handed: &str,
        #[case] sent: &str,
        #[case] rest: Option<&str>,
    ) {
        assert_eq!(behind(handed, sent.as_bytes()), rest.map(str::as_bytes));
    }

    #[test]
    fn a_body_means_pairs_unless_a_field_is_nested_or_there_are_no_fields() {
        let form = ArrayForm::Repeated;
        let body = json!({"a": ["x", 1], "b": null, "c": true});
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let expected = Meant::Pairs {
            certain: vec![pair("a", "x"), pair("a", "1"), pair("c", "true")],
            nulls: vec!["b".to_owned()],
        };
        assert_eq!(meant(Some(&body), form), expected);
        let nested = json!({"a": [["x"]]});
        assert_eq!(meant(Some(&nested), form), Meant::Nested("a".to_owned()));
        assert_eq!(meant(Some(&json!([])), form), Meant::NoObject);
    }

    #[test]
    fn pairs_differ_where_values_of_a_key_do() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let meant = vec![pair("a", "1"), pair("b", "2")];
        let swapped = vec![pair("b", "2"), pair("a", "1")];
        assert_eq!(difference(&meant, &swapped), None);
        let more = vec![pair("b", "2"), pair("a", "1"), pair("a", "1")];
        assert_eq!(difference(&meant, &more), Some("a".to_owned()));
    }
}
