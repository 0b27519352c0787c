//! What the policy is shown is what is sent, for every method and field.

use proofmark::executor::{BaseUrl, Method, OutgoingRequest, RequestRefusal};
use proofmark::path::ResolvedPath;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Map, Value, json};
use url::form_urlencoded;

fn request(
    method: &str,
    path: &str,
    body: Option<Value>,
) -> Result<OutgoingRequest, RequestRefusal> {
    let base = BaseUrl::parse("https://api.example.test/v1").unwrap();
    OutgoingRequest::new(
        &base,
        method,
        ResolvedPath::from_checked(path).unwrap(),
        body,
    )
}

#[rstest]
fn a_get_like_request_has_pairs_and_no_body(#[values("GET", "head", "Options")] method: &str) {
    let request = request(method, "/x", Some(json!({"a": 1, "b": "two"}))).unwrap();
    let view = request.view("t");
    assert_eq!(view.method, method.to_ascii_uppercase());
    assert_eq!(
        view.query,
        [
            ("a".to_owned(), "1".to_owned()),
            ("b".to_owned(), "two".to_owned())
        ]
    );
    assert_eq!(view.body, None);
    assert_eq!(
        request.url().as_str(),
        "https://api.example.test/v1/x?a=1&b=two"
    );
}

#[rstest]
fn any_other_request_has_a_body_and_no_pairs(
    #[values("post", "PUT", "Patch", "DELETE")] method: &str,
) {
    let body = json!({"a": {"b": [1]}});
    let request = request(method, "/x?y=1", Some(body.clone())).unwrap();
    let view = request.view("t");
    assert_eq!((view.query.len(), view.body), (0, Some(&body)));
    assert_eq!(request.url().as_str(), view.path);
}

#[rstest]
#[case("/x", "x?a=1")]
#[case("/x?b=2", "x?b=2&a=1")]
#[case("/x?b", "x?b&a=1")]
#[case("/x?b=2&", "x?b=2&&a=1")]
fn an_authors_query_and_added_pairs_make_one(#[case] path: &str, #[case] sent: &str) {
    let request = request("GET", path, Some(json!({"a": 1}))).unwrap();
    assert_eq!(
        request.url().as_str(),
        format!("https://api.example.test/v1/{sent}")
    );
    assert_eq!(
        request.view("t").path,
        format!("https://api.example.test/v1{path}")
    );
}

#[rstest]
#[case::key(json!({"a\nb": 1}))]
#[case::value(json!({"a": "x\r\ny"}))]
#[case::nul(json!({"a": "\0"}))]
#[case::c1(json!({"a": "\u{85}"}))]
fn control_characters_are_refused(#[case] body: Value) {
    let refused = request("GET", "/x", Some(body));
    assert!(matches!(
        refused,
        Err(RequestRefusal::ControlCharacter { .. })
    ));
}

#[test]
fn a_target_of_a_hundred_thousand_keys_is_refused() {
    let many: Map<String, Value> = (0..100_000).map(|n| (format!("k{n}"), json!(n))).collect();
    assert_eq!(
        request("GET", "/x", Some(Value::Object(many))),
        Err(RequestRefusal::TargetTooLong)
    );
    let long = json!({"a": "x".repeat(10 << 20)});
    assert_eq!(
        request("GET", "/x", Some(long)),
        Err(RequestRefusal::TargetTooLong)
    );
    let escaped = json!({"a": "\u{1F600}".repeat(10_000)});
    assert_eq!(
        request("GET", "/x", Some(escaped)),
        Err(RequestRefusal::TargetTooLong)
    );
}

#[rstest]
#[case("GET")]
#[case("POST")]
#[case("poſt")]
fn a_body_that_would_overflow_the_stack_is_taken_apart(#[case] method: &str) {
    let deep = (1..200_000).fold(json!([]), |inner, _| Value::Array(vec![inner]));
    assert_eq!(
        request(method, "/x", Some(deep)),
        Err(RequestRefusal::BodyTooDeep)
    );
}

#[rstest]
#[case("/x", json!({"api_key": 1}))]
#[case("/x", json!({"API_KEY": 1}))]
#[case("/x", json!({" api_key ": 1}))]
#[case("/x?api_key=1", json!({}))]
#[case("/x?a=1&Api%5Fkey=1", json!({}))]
#[case("/x?%61pi_key", json!({}))]
#[case("/x?a=1;api_key=2", json!({}))]
#[case("/x?+api_key=2", json!({}))]
fn a_reserved_pair_is_refused_in_every_spelling(#[case] path: &str, #[case] body: Value) {
    let request = request("GET", path, Some(body)).unwrap();
    let key = "api_key".to_owned();
    assert_eq!(
        request.refuse_pairs_named(["api_key"]),
        Err(RequestRefusal::ReservedName { key })
    );
    assert_eq!(request.refuse_pairs_named(["token"]), Ok(()));
}

#[test]
fn debug_shows_no_value() {
    let request = request(
        "GET",
        "/canary4711",
        Some(json!({"canary4711": "canary4711"})),
    )
    .unwrap();
    assert!(!format!("{request:?}").contains("canary"));
}

proptest! {
    #[test]
    fn decoding_what_is_sent_gives_the_pairs_that_the_policy_was_shown(
        fields in proptest::collection::btree_map("[^\\p{C}]{1,8}", "[^\\p{C}]{0,12}", 0..6),
        query in "([a-z]=[a-z]{1,3})?",
    ) {
        let body = Value::Object(fields.iter().map(|(k, v)| (k.clone(), json!(v))).collect());
        let path = if query.is_empty() { "/x".to_owned() } else { format!("/x?{query}") };
        let request = request("GET", &path, Some(body)).unwrap();

        let sent = request.url().query().unwrap_or_default().as_bytes();
        let sent: Vec<(String, String)> = form_urlencoded::parse(sent).into_owned().collect();
        let authored = form_urlencoded::parse(query.as_bytes()).into_owned();
        let expected: Vec<_> = authored.chain(request.view("t").query.iter().cloned()).collect();
        prop_assert_eq!(sent, expected);
        prop_assert_eq!(request.view("t").query.len(), fields.len());
        prop_assert_eq!(request.method(), Method::Get);
    }
}
