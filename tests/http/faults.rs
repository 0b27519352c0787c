//! Whatever a backend does, a call ends in time with an answer or an error that says nothing.

use std::sync::Arc;
use std::time::Duration;

use proofmark::executor::{BackendFault, Blame, ExecutionError};
use proofmark::http::{ApiKeyAuth, HttpCodeExecutor};
use rstest::rstest;
use serde_json::{Value, json};
use tokio::net::TcpSocket;

use crate::backend::{Backend, Step, ok, response};
use crate::subject::{CREDENTIAL, config, executor, said, send, with_auth};

fn raw(text: &str) -> Step {
    Step::Send(text.as_bytes().to_vec())
}

#[rstest]
#[case::object(ok("{\"a\":1}"), json!({"a": 1}))]
#[case::nothing(ok(""), json!(null))]
#[case::spaces(ok(" \r\n"), json!(null))]
#[case::no_content(raw("HTTP/1.1 204 No Content\r\n\r\n"), json!(null))]
#[case::created(response("201 Created", "[]"), json!([]))]
#[case::chunked(raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n[1,\r\n2\r\n2]\r\n0\r\n\r\n"), json!([1, 2]))]
#[case::informed(raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n7"), json!(7))]
#[tokio::test]
async fn a_sound_answer_is_returned(#[case] step: Step, #[case] expected: Value) {
    let backend = Backend::scripted(move |_, _| vec![step.clone()]).await;
    assert_eq!(
        send(&executor(&backend.url()), "GET", "/x", None).await,
        Ok(expected)
    );
}

#[rstest]
#[case(300)]
#[case(304)]
#[case(400)]
#[case(401)]
#[case(404)]
#[case(418)]
#[case(429)]
#[case(500)]
#[case(503)]
#[case(599)]
#[case(999)]
#[tokio::test]
async fn another_status_is_an_error_without_the_answer(#[case] status: u16) {
    let backend =
        Backend::scripted(move |_, _| vec![response(&format!("{status} No"), "\"canary4711\"")])
            .await;
    let error = send(&executor(&backend.url()), "GET", "/x", None)
        .await
        .unwrap_err();
    assert_eq!(error, ExecutionError::Status { status });
    assert_eq!(error.blame(), Blame::Backend);
}

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";

#[rstest]
#[case::not_json(vec![ok("<html>")], BackendFault::NotJson)]
#[case::not_utf8(vec![ok(b"\"\xFF\"")], BackendFault::NotJson)]
#[case::trailing(vec![ok("{} {}")], BackendFault::NotJson)]
#[case::cut_json(vec![ok("{\"a\":")], BackendFault::NotJson)]
#[case::deep(vec![ok("[".repeat(200_000))], BackendFault::NotJson)]
#[case::nothing(vec![Step::Close], BackendFault::Broken)]
#[case::reset(vec![Step::Reset], BackendFault::Broken)]
#[case::rubbish(vec![raw("\0\0\0 rubbish\r\n\r\n"), Step::Close], BackendFault::Broken)]
#[case::cut_body(vec![raw(HEAD), raw("[1"), Step::Close], BackendFault::Broken)]
#[case::reset_in_body(vec![raw(HEAD), raw("[1"), Step::Reset], BackendFault::Broken)]
#[case::two_lengths(vec![raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n77")], BackendFault::Broken)]
#[case::no_length(vec![raw("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n7")], BackendFault::Broken)]
#[case::bad_chunk(vec![raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")], BackendFault::Broken)]
#[case::announced(vec![raw("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n")], BackendFault::TooLarge)]
#[case::large(vec![ok(vec![b'1'; 11 << 20])], BackendFault::TooLarge)]
#[case::endless(vec![raw("HTTP/1.1 200 OK\r\n\r\n"), Step::Endless(vec![b' '; 1 << 16])], BackendFault::TooLarge)]
#[case::endless_chunks(vec![raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), Step::Endless(b"10\r\n0123456789abcdef\r\n".repeat(1000))], BackendFault::TooLarge)]
#[case::endless_head(vec![raw("HTTP/1.1 200 OK\r\n"), Step::Endless(b"X-Filler: y\r\n".repeat(1000))], BackendFault::Broken)]
#[case::endless_line(vec![raw("HTTP/1.1 200 OK\r\nX: "), Step::Endless(vec![b'y'; 1 << 16])], BackendFault::Broken)]
#[tokio::test]
async fn a_broken_answer_is_a_fault_of_the_backend(
    #[case] steps: Vec<Step>,
    #[case] expected: BackendFault,
) {
    let backend = Backend::scripted(move |_, _| steps.clone()).await;
    let result = send(&executor(&backend.url()), "POST", "/x", json!({})).await;
    assert_eq!(result, Err(expected.into()));
    assert_eq!(backend.requests().len(), 1);
}

#[rstest]
#[case::silent(vec![Step::Hang])]
#[case::after_the_head(vec![raw(HEAD), Step::Hang])]
#[case::within_the_body(vec![raw(HEAD), raw("[1"), Step::Hang])]
#[case::informing(vec![Step::Endless(b"HTTP/1.1 102 Processing\r\n\r\n".to_vec())])]
#[tokio::test]
async fn a_backend_that_does_not_end_is_left_in_time(#[case] steps: Vec<Step>) {
    let backend = Backend::scripted(move |_, _| steps.clone()).await;
    let config = config().with_timeout(Duration::from_millis(300));
    let executor =
        HttpCodeExecutor::with_config(&backend.url(), Arc::new(proofmark::http::NoAuth), config)
            .unwrap();
    let error = send(&executor, "GET", "/x", None).await.unwrap_err();
    assert_eq!(error, BackendFault::TimedOut.into());
}

/// An address where nobody listens, kept so that nobody begins to.
fn nobody() -> (TcpSocket, String) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}", socket.local_addr().unwrap());
    (socket, url)
}

#[tokio::test]
async fn a_backend_that_is_not_there_is_unreachable() {
    let (_kept, url) = nobody();
    let error = send(&executor(&url), "GET", "/x", None).await.unwrap_err();
    assert_eq!(error, BackendFault::Unreachable.into());
}

#[rstest]
#[tokio::test]
async fn a_backend_that_closes_at_any_byte_gives_an_error_and_hears_one_request(
    #[values(Step::Close, Step::Reset)] end: Step,
) {
    let whole =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{\"a\": 1}";
    for cut in 0..whole.len() {
        let end = end.clone();
        let backend = Backend::scripted(move |_, _| vec![raw(&whole[..cut]), end.clone()]).await;
        let result = send(&executor(&backend.url()), "GET", "/x", None).await;
        assert_eq!(result, Err(BackendFault::Broken.into()), "cut at {cut}");
        assert_eq!(backend.requests().len(), 1, "cut at {cut}");
    }
}

/// Canaries at every place of a request.
async fn fail_with_canaries(url: &str) -> ExecutionError {
    let executor = with_auth(
        &format!("{url}/canary-base"),
        ApiKeyAuth::in_query("canary-free-key", CREDENTIAL).unwrap(),
    );
    let body = json!({"field": "canary-value"});
    send(&executor, "GET", "/canary-path?q=canary-query", body)
        .await
        .unwrap_err()
}

#[rstest]
#[case::status(vec![response("500 canary-reason", "canary-answer")])]
#[case::redirect(vec![crate::backend::redirect(302, "http://canary-location/")])]
#[case::reset(vec![Step::Reset])]
#[case::rubbish(vec![raw("canary-rubbish\r\n\r\n"), Step::Close])]
#[case::not_json(vec![ok("canary-answer")])]
#[case::cut(vec![raw(HEAD), raw("canary"), Step::Close])]
#[case::bad_header(vec![raw("HTTP/1.1 200 OK\r\ncanary header\r\n\r\n")])]
#[tokio::test]
async fn no_error_holds_a_value(#[case] steps: Vec<Step>) {
    let backend = Backend::scripted(move |_, _| steps.clone()).await;
    let error = fail_with_canaries(&backend.url()).await;

    let request = backend.request().text();
    for place in [
        "canary-base",
        "canary-path",
        "canary-query",
        "canary-value",
        CREDENTIAL,
    ] {
        assert!(request.contains(place), "{place} was in use");
    }
    let said = said(&error);
    assert!(
        !said.contains("canary") && !said.contains(CREDENTIAL) && !said.contains("http:"),
        "{said}"
    );
    assert!(!said.contains(&backend.address.to_string()), "{said}");
}

#[tokio::test]
async fn an_unreachable_backend_is_not_named() {
    let (_kept, url) = nobody();
    let said = said(&fail_with_canaries(&url).await);
    assert!(
        !said.contains("canary") && !said.contains(CREDENTIAL) && !said.contains("127.0.0.1"),
        "{said}"
    );
}
