//! How many bytes of text a request carries out.

use std::fmt::{self, Write as _};

use serde_json::Value;

use crate::policy::body::is_too_deep;
use crate::request::OutboundRequest;

/// The bytes a request is charged for, or `None` if its body is nested too deeply to be counted.
///
/// The path with an author-written query, every query key and value, and every text of the body
/// count their UTF-8 bytes, before any escaping; each value in the body counts one byte more.
pub(super) fn charged_bytes(request: &OutboundRequest<'_>) -> Option<u64> {
    let pairs = request
        .query
        .iter()
        .map(|(key, value)| bytes(key).saturating_add(bytes(value)));
    let target = pairs.fold(bytes(request.path), u64::saturating_add);
    let body = match request.body {
        Some(body) if is_too_deep(body) => return None,
        Some(body) => json_bytes(body),
        None => 0,
    };
    Some(target.saturating_add(body))
}

fn bytes(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

/// Recursion is bounded: a body that is too deep is not counted.
fn json_bytes(value: &Value) -> u64 {
    let inside = match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) => {
            let mut length = Length(0);
            // Counting never fails.
            let _ = write!(length, "{number}");
            length.0
        }
        Value::String(text) => bytes(text),
        Value::Array(items) => items.iter().map(json_bytes).fold(0, u64::saturating_add),
        Value::Object(members) => {
            let each = |(key, member): (&String, _)| bytes(key).saturating_add(json_bytes(member));
            members.iter().map(each).fold(0, u64::saturating_add)
        }
    };
    inside.saturating_add(1)
}

struct Length(u64);

impl fmt::Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.saturating_add(bytes(text));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn charged(path: &str, query: &[(&str, &str)], body: Option<&Value>) -> Option<u64> {
        let query: Vec<_> = query
            .iter()
            .map(|&(k, v)| (k.to_owned(), v.to_owned()))
            .collect();
        charged_bytes(&OutboundRequest::new("t", "POST", path, &query, body))
    }

    #[test]
    fn path_pairs_and_body_are_counted_in_utf8_bytes() {
        let body = json!({"k\u{e9}": ["v\u{20ac}", 12, true, null]});

        assert_eq!(charged("/p?q=\u{e9}", &[], None), Some(7));
        assert_eq!(
            charged("", &[("k\u{e9}", "v"), ("", "\u{1f600}")], None),
            Some(8)
        );
        // Two containers, four scalars, the key, the text, the number and two words.
        assert_eq!(charged("", &[], Some(&body)), Some(6 + 3 + 4 + 2 + 4 + 4));
    }

    #[rstest]
    #[case(128, true)]
    #[case(129, false)]
    fn a_body_nested_more_deeply_than_one_is_parsed_is_not_counted(
        #[case] depth: usize,
        #[case] counted: bool,
    ) {
        let body = (0..depth).fold(Value::Null, |body, _| json!([body]));

        assert_eq!(charged("", &[], Some(&body)).is_some(), counted);
    }

    fn json() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        scalar.prop_recursive(4, 32, 6, |inner| {
            let members = prop::collection::btree_map(any::<String>(), inner.clone(), 0..6);
            prop_oneof![
                prop::collection::vec(inner, 0..6).prop_map(Value::from),
                members.prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        /// Never less than the text, never more than the JSON that is sent, but for the newline
        /// that a lone number, word or text counts.
        #[test]
        fn a_body_counts_between_its_text_and_its_json(body in json(), text in any::<String>()) {
            let sent = serde_json::to_vec(&body).unwrap().len() as u64;
            prop_assert!(charged("", &[], Some(&body)).unwrap() <= sent + 1);

            let body = json!({"k": [body, text]});
            prop_assert!(charged("", &[], Some(&body)).unwrap() > text.len() as u64);
        }
    }
}
