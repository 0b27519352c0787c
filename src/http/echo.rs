//! Finds the credential that was sent in the answer that came back.

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

/// Shorter secrets would be found where they are not.
const MIN_SEARCHED_BYTES: usize = 6;

/// How deeply JSON in the texts of JSON is looked into.
const MAX_NESTED_JSON: usize = 2;

/// Whether one of the secrets stands in the answer: as it is, reversed, in hexadecimal, in base64 of
/// either alphabet at any alignment, or percent-encoded; in a text or a key, with or without JSON's
/// escapes, in JSON within a text too.
pub(super) fn holds_secret(secrets: &[SecretString], raw: &[u8], answer: &Value) -> bool {
    let forms = secrets
        .iter()
        .flat_map(|secret| forms(secret.expose_secret()));
    let forms: Vec<Vec<u8>> = forms.collect();
    if forms.is_empty() {
        return false;
    }
    // Too many patterns to search for is treated as a find.
    let Ok(searcher) = AhoCorasick::new(&forms) else {
        return true;
    };
    searcher.is_match(raw) || holds(&searcher, answer, MAX_NESTED_JSON)
}

fn holds(searcher: &AhoCorasick, answer: &Value, nested: usize) -> bool {
    let mut left = vec![answer];
    while let Some(value) = left.pop() {
        let found = match value {
            Value::String(text) => holds_text(searcher, text, nested),
            Value::Array(items) => {
                left.extend(items);
                false
            }
            Value::Object(members) => {
                left.extend(members.values());
                members.keys().any(|key| holds_text(searcher, key, nested))
            }
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

fn holds_text(searcher: &AhoCorasick, text: &str, nested: usize) -> bool {
    if searcher.is_match(text) {
        return true;
    }
    if text.contains('%') {
        let decoded: Vec<u8> = percent_decode_str(text).collect();
        if searcher.is_match(&decoded) {
            return true;
        }
    }
    if nested > 0 && text.trim_start().starts_with(['{', '[', '"']) {
        return serde_json::from_str(text).is_ok_and(|inner| holds(searcher, &inner, nested - 1));
    }
    false
}

/// The spellings of a secret that are searched for.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    if secret.len() < MIN_SEARCHED_BYTES {
        return Vec::new();
    }
    let hex = |digits: fn(u8) -> String| secret.bytes().map(digits).collect::<String>();
    let mut forms = vec![
        secret.to_owned(),
        secret.chars().rev().collect(),
        hex(|byte| format!("{byte:02x}")),
        hex(|byte| format!("{byte:02X}")),
    ];
    for before in 0..3 {
        let padded = [&b"\0\0"[..before.min(2)], secret.as_bytes()].concat();
        // The characters that neighbours have a part in are left out.
        let start = (before * 8).div_ceil(6);
        let end = padded.len() * 8 / 6;
        for encoded in [
            STANDARD_NO_PAD.encode(&padded),
            URL_SAFE_NO_PAD.encode(&padded),
        ] {
            forms.extend(encoded.get(start..end).map(str::to_owned));
        }
    }
    forms.into_iter().map(String::into_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    use rstest::rstest;
    use serde_json::json;

    const SECRET: &str = "tok<FAKE>?~~9f3A";

    fn found(answer: &Value) -> bool {
        let raw = serde_json::to_vec(answer).unwrap();
        holds_secret(&[SecretString::from(SECRET)], &raw, answer)
    }

    #[rstest]
    #[case::raw(json!({"a": [{"b": format!("x{SECRET}y")}]}))]
    #[case::key(json!({SECRET: 1}))]
    #[case::base64(json!(STANDARD.encode(SECRET)))]
    #[case::base64_after_one(json!(STANDARD.encode(format!("u{SECRET}:x"))))]
    #[case::base64_after_two(json!(STANDARD.encode(format!("u:{SECRET}"))))]
    #[case::base64_url(json!(URL_SAFE.encode(format!("abc{SECRET}"))))]
    #[case::hex(json!("746f6b3c46414b453e3f7e7e39663341"))]
    #[case::reversed(json!(SECRET.chars().rev().collect::<String>()))]
    #[case::percent(json!("/x?k=tok%3CFAKE%3e%3f~~9f3A"))]
    #[case::nested(json!(json!({"inner": json!([SECRET]).to_string()}).to_string()))]
    fn a_secret_is_found(#[case] answer: Value) {
        assert!(found(&answer));
    }

    #[test]
    fn a_secret_is_found_behind_escapes() {
        let raw = br#"{"token":"tok\u003cFAKE\u003e\u003f~~\u0039f3A"}"#;
        let answer = serde_json::from_slice(raw).unwrap();
        assert!(holds_secret(&[SecretString::from(SECRET)], raw, &answer));
    }

    #[rstest]
    #[case(json!("tok<FAKE>?~~9f3"))]
    #[case(json!({"token": "another"}))]
    #[case(json!(null))]
    fn what_is_not_there_is_not_found(#[case] answer: Value) {
        assert!(!found(&answer));
    }

    #[test]
    fn a_short_secret_is_not_searched_for() {
        let answer = json!("admin");
        assert!(!holds_secret(
            &[SecretString::from("admin")],
            b"\"admin\"",
            &answer
        ));
    }
}
