//! What goes over the wire, byte by byte.

use proofmark::executor::{ExecutionError, RequestRefusal};
use rstest::rstest;
use serde_json::{Value, json};
use url::form_urlencoded;

use crate::backend::Backend;
use crate::subject::{Recorder, executor, send, send_authored};

#[rstest]
#[case("", "/items/7", "/items/7")]
#[case("/", "/items/7", "/items/7")]
#[case("/v1", "/items/7", "/v1/items/7")]
#[case("/v1/", "/items/7", "/v1/items/7")]
#[case("/v1/", "/", "/v1/")]
#[case("/v1", "/items:batchGet", "/v1/items:batchGet")]
#[case("/v1", "/urn:x/@evil.test", "/v1/urn:x/@evil.test")]
#[case("/v1", "/:id/$id/%3Cid%3E", "/v1/:id/$id/%3Cid%3E")]
#[case("/v1", "/a%41%2f%7e~", "/v1/a%41%2f%7e~")]
#[case("/v1", "/!$&'()*+,;=:@-._~", "/v1/!$&'()*+,;=:@-._~")]
#[case("/v1", "/x?a=%41+b&c", "/v1/x?a=%41+b&c")]
#[case("/v1", "/x?next=https://evil.test/y", "/v1/x?next=https://evil.test/y")]
#[case("/v1", "/caf\u{e9} x", "/v1/caf%C3%A9%20x")]
#[tokio::test]
async fn the_target_is_the_bases_path_and_the_handed_one(
    #[case] prefix: &str,
    #[case] path: &str,
    #[case] target: &str,
) {
    let backend = Backend::answering("{}").await;
    let executor = executor(&format!("{}{prefix}", backend.url()));
    send(&executor, "GET", path, None).await.unwrap();
    assert_eq!(backend.request().target(), target);
    assert_eq!(
        backend.request().header("host"),
        [backend.address.to_string()]
    );
}

#[tokio::test]
async fn an_authors_doubled_slash_and_trailing_slash_reach_the_wire() {
    let backend = Backend::answering("{}").await;
    send_authored(&executor(&backend.url()), "/a//b/c/")
        .await
        .unwrap();
    assert_eq!(backend.request().target(), "/a//b/c/");
}

#[tokio::test]
async fn every_printable_character_is_itself_or_its_own_escape() {
    for byte in (0x20..0x7F_u8).filter(|byte| !b"/?#\\%{}.".contains(byte)) {
        let backend = Backend::answering("{}").await;
        let byte = char::from(byte);
        send(
            &executor(&backend.url()),
            "GET",
            &format!("/a{byte}b"),
            None,
        )
        .await
        .unwrap();
        let (plain, escaped) = (format!("/a{byte}b"), format!("/a%{:02X}b", u32::from(byte)));
        let target = backend.request().target().to_owned();
        let unreserved = byte.is_ascii_alphanumeric() || "-_~".contains(byte);
        assert!(
            target == plain || (!unreserved && target == escaped),
            "{byte:?}: {target}"
        );
    }
}

#[rstest]
#[tokio::test]
async fn get_like_methods_send_pairs_and_no_body(#[values("get", "HEAD", "Options")] method: &str) {
    let backend = Backend::answering("").await;
    let body = json!({"a": 1, "b": "x y", "tag": ["t", "s"]});
    send(&executor(&backend.url()), method, "/x", body)
        .await
        .unwrap();
    let request = backend.request();
    assert_eq!(request.method(), method.to_ascii_uppercase());
    assert_eq!(request.target(), "/x?a=1&b=x+y&tag=t&tag=s");
    assert_eq!(
        (request.body.len(), request.header("content-type").len()),
        (0, 0)
    );
    assert_eq!(request.header("content-length"), Vec::<&str>::new());
}

#[rstest]
#[tokio::test]
async fn other_methods_send_json_and_no_pairs(
    #[values("post", "PUT", "Patch", "DELETE")] method: &str,
) {
    let backend = Backend::answering("{}").await;
    let body = json!({"a": 1, "b": {"c": [null, "\u{e9}"]}});
    send(&executor(&backend.url()), method, "/x", body.clone())
        .await
        .unwrap();
    send(&executor(&backend.url()), method, "/x", None)
        .await
        .unwrap();
    let [with, without] = &backend.requests()[..] else {
        panic!("two requests")
    };
    assert_eq!(
        (with.method(), with.target()),
        (&*method.to_ascii_uppercase(), "/x")
    );
    assert_eq!(with.header("content-type"), ["application/json"]);
    assert_eq!(serde_json::from_slice::<Value>(&with.body).unwrap(), body);
    assert_eq!((without.target(), without.body.len()), ("/x", 0));
    assert_eq!(without.header("content-type"), Vec::<&str>::new());
}

#[rstest]
#[case("", RequestRefusal::Method)]
#[case("GET ", RequestRefusal::Method)]
#[case("GET\r\n", RequestRefusal::Method)]
#[case("GET /evil HTTP/1.1\r\nX: y\r\n\r\nGET", RequestRefusal::Method)]
#[case("poſt", RequestRefusal::Method)]
#[case("TRACE", RequestRefusal::Method)]
#[case("CONNECT", RequestRefusal::Method)]
#[tokio::test]
async fn an_unknown_method_is_refused_and_nothing_is_sent(
    #[case] method: &str,
    #[case] expected: RequestRefusal,
) {
    let backend = Backend::tripwire().await;
    let result = send(&executor(&backend.url()), method, "/x", json!({})).await;
    assert_eq!(result, Err(ExecutionError::Unsendable(expected)));
    assert_eq!(backend.connections(), 0);
}

#[rstest]
#[case(json!({"filter": {"id": {"eq": 1}}}))]
#[case(json!({"filter": [[1]]}))]
#[case(json!({"filter": []}))]
#[tokio::test]
async fn a_container_in_a_query_is_refused_with_its_key(#[case] body: Value) {
    let backend = Backend::tripwire().await;
    let error = send(&executor(&backend.url()), "GET", "/x", body)
        .await
        .unwrap_err();
    assert!(
        error.is_refusal() && error.to_string().contains("'filter'"),
        "{error}"
    );
    assert_eq!(backend.connections(), 0);
}

#[rstest]
#[tokio::test]
async fn a_get_like_body_without_fields_is_refused(
    #[values(json!([1]), json!("x"), json!(1), json!(true))] body: Value,
) {
    let backend = Backend::tripwire().await;
    let error = send(&executor(&backend.url()), "GET", "/x", body)
        .await
        .unwrap_err();
    assert_eq!(error, RequestRefusal::NotAnObject.into());
    assert_eq!(backend.connections(), 0);
}

#[rstest]
#[case("/x", json!({"ctx": "abc&role=admin", "n": "1#x", "p": "a=b;c+d"}))]
#[case("/x?api=1", json!({"a&b": "=", "c d": "%41", "\u{e9}": "\u{1F600}"}))]
#[case("/x?a=1&", json!({"": "", "a": null}))]
#[tokio::test]
async fn what_the_policy_sees_is_what_is_decoded(#[case] path: &str, #[case] body: Value) {
    let (backend, policy) = (Backend::answering("{}").await, Recorder::default());
    let executor =
        executor(&backend.url()).with_request_policy(std::sync::Arc::new(policy.clone()));

    send(&executor, "GET", path, body.clone()).await.unwrap();

    let (view, request) = (policy.view(), backend.request());
    assert_eq!(view.path, format!("{}{path}", backend.url()));
    assert_eq!(view.query.len(), body.as_object().unwrap().len());
    let (_, sent) = request.target().split_once('?').unwrap();
    let sent: Vec<(String, String)> = form_urlencoded::parse(sent.as_bytes())
        .into_owned()
        .collect();
    let authored = path.split_once('?').map_or("", |(_, query)| query);
    let authored = form_urlencoded::parse(authored.as_bytes()).into_owned();
    let shown: Vec<_> = authored.chain(view.query).collect();
    assert_eq!(sent, shown);
    assert!(!request.target().contains('#'));
    assert_eq!(request.target().matches('?').count(), 1);
}

#[tokio::test]
async fn a_body_of_megabytes_and_a_hundred_thousand_keys_is_sent_whole() {
    let fields: serde_json::Map<_, _> = (0..100_000)
        .map(|n| (format!("k{n}"), json!("x".repeat(90))))
        .collect();
    let backend = Backend::answering("{}").await;
    let body = Value::Object(fields);
    send(&executor(&backend.url()), "POST", "/x", body.clone())
        .await
        .unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&backend.request().body).unwrap(),
        body
    );
}

#[tokio::test]
async fn a_body_larger_than_allowed_is_refused() {
    let backend = Backend::tripwire().await;
    let body = json!("x".repeat(17 << 20));
    let error = send(&executor(&backend.url()), "POST", "/x", body)
        .await
        .unwrap_err();
    assert_eq!(
        error,
        RequestRefusal::BodyTooLarge { limit: 16 << 20 }.into()
    );
    assert_eq!(backend.connections(), 0);
}

#[tokio::test]
async fn a_query_of_a_hundred_thousand_keys_is_refused() {
    let fields: serde_json::Map<_, _> = (0..100_000).map(|n| (format!("k{n}"), json!(n))).collect();
    let backend = Backend::tripwire().await;
    let error = send(
        &executor(&backend.url()),
        "GET",
        "/x",
        Value::Object(fields),
    )
    .await
    .unwrap_err();
    assert_eq!(error, RequestRefusal::TargetTooLong.into());
    assert_eq!(backend.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_calls_each_get_their_own_answer() {
    let backend =
        Backend::scripted(|_, request| vec![crate::backend::ok(format!("{:?}", request.target()))])
            .await;
    let executor = executor(&backend.url());
    let paths: Vec<String> = (0..100).map(|n| format!("/own/{n}")).collect();
    let calls = paths.iter().map(|path| send(&executor, "GET", path, None));
    let answers = futures_util::future::join_all(calls).await;
    for (path, answer) in paths.iter().zip(answers) {
        assert_eq!(answer, Ok(json!(path)));
    }
}

#[tokio::test]
async fn nothing_of_one_call_appears_in_the_next() {
    let backend = Backend::answering("{}").await;
    let executor = executor(&backend.url());
    send(
        &executor,
        "POST",
        "/first/canary4711",
        json!({"canary4711": "canary4711"}),
    )
    .await
    .unwrap();
    send(
        &executor,
        "GET",
        "/first",
        json!({"canary4711": "canary4711"}),
    )
    .await
    .unwrap();
    send(&executor, "POST", "/second", json!({"k": 1}))
        .await
        .unwrap();
    let last = backend.requests().pop().unwrap();
    assert!(!last.text().contains("canary"), "{}", last.text());
}

#[tokio::test]
async fn an_answer_that_nobody_asked_for_is_nobodys_answer() {
    let backend = Backend::scripted(|number, _| {
        let answer = crate::backend::ok(format!("{number}"));
        let unasked = crate::backend::ok("\"unasked\"");
        vec![answer, unasked]
    })
    .await;
    let executor = executor(&backend.url());
    for number in 0..20 {
        if let Ok(answer) = send(&executor, "GET", "/x", None).await {
            assert_ne!(answer, json!("unasked"), "call {number}");
        }
    }
}
