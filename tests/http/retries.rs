//! What is repeated, and what never is.

use std::sync::Arc;
use std::time::Duration;

use proofmark::executor::{BackendFault, ExecutionError};
use proofmark::http::HttpCodeExecutor;
use rstest::rstest;
use serde_json::json;

use crate::backend::{Backend, Request, Step, ok, response};
use crate::subject::{Recorder, bearer, config, send};

fn repeating(base: &str, retries: u32) -> HttpCodeExecutor {
    HttpCodeExecutor::with_config(base, bearer(), config().with_retries(retries)).unwrap()
}

/// Fails at first, and answers once it has failed so often.
async fn failing(times: usize, step: Step) -> Backend {
    Backend::scripted(move |number, _| match number {
        number if number < times => vec![step.clone(), Step::Close],
        _ => vec![ok("7")],
    })
    .await
}

fn passing_failures() -> Vec<Step> {
    vec![
        Step::Close,
        Step::Reset,
        response("429 Later", ""),
        response("502 Bad", ""),
        response("503 Busy", ""),
        response("504 Late", ""),
        Step::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[1".to_vec()),
    ]
}

#[rstest]
#[tokio::test]
async fn an_idempotent_request_is_repeated_as_it_was(
    #[values("GET", "HEAD", "OPTIONS", "PUT", "DELETE")] method: &str,
) {
    for failure in passing_failures() {
        let backend = failing(2, failure).await;
        let policy = Recorder::default();
        let executor = repeating(&backend.url(), 2).with_request_policy(Arc::new(policy.clone()));

        let answer = send(&executor, method, "/x?q=1", json!({"a": "b"})).await;

        assert!(answer.is_ok(), "{answer:?}");
        let requests = backend.requests();
        // A HEAD request has its answer once its head is there.
        assert!(requests.len() == 3 || method == "HEAD", "{requests:?}");
        assert!(requests.iter().all(|request| *request == requests[0]));
        assert_eq!(policy.views().len(), 1, "asked once");
    }
}

#[rstest]
#[tokio::test]
async fn a_request_that_may_have_acted_is_not_repeated(#[values("POST", "PATCH")] method: &str) {
    for failure in passing_failures() {
        let backend = failing(1, failure).await;
        let result = send(&repeating(&backend.url(), 5), method, "/x", json!({})).await;
        assert!(result.is_err());
        assert_eq!(backend.requests().len(), 1);
    }
}

#[rstest]
#[case(400)]
#[case(401)]
#[case(404)]
#[case(500)]
#[case(302)]
#[tokio::test]
async fn a_lasting_failure_is_not_repeated(#[case] status: u16) {
    let backend = failing(1, response(&format!("{status} No"), "")).await;
    let result = send(&repeating(&backend.url(), 5), "GET", "/x", None).await;
    assert_eq!(result, Err(ExecutionError::Status { status }));
    assert_eq!(backend.requests().len(), 1);
}

#[rstest]
#[tokio::test]
async fn a_request_on_a_kept_connection_is_not_sent_again(
    #[values("POST", "GET")] method: &str,
    #[values(Step::Close, Step::Reset)] end: Step,
) {
    let backend = Backend::scripted(move |number, _| match number {
        0 => vec![ok("7")],
        _ => vec![end.clone()],
    })
    .await;
    let executor = repeating(&backend.url(), 0);
    send(&executor, method, "/first", None).await.unwrap();

    let second = send(&executor, method, "/second", None).await;

    assert_eq!(second, Err(BackendFault::Broken.into()));
    assert_eq!((backend.requests().len(), backend.connections()), (2, 1));
}

#[tokio::test]
async fn repetitions_end() {
    let backend = failing(100, Step::Close).await;
    let result = send(&repeating(&backend.url(), 3), "GET", "/x", None).await;
    assert_eq!(result, Err(BackendFault::Broken.into()));
    assert_eq!(backend.requests().len(), 4);
}

#[tokio::test]
async fn repetitions_end_with_the_time_of_the_request() {
    let backend = failing(usize::MAX, Step::Close).await;
    let config = config()
        .with_retries(u32::MAX)
        .with_retry_backoff(Duration::from_secs(3600))
        .with_timeout(Duration::from_millis(300));
    let executor = HttpCodeExecutor::with_config(&backend.url(), bearer(), config).unwrap();
    let result = send(&executor, "GET", "/x", None).await;
    assert_eq!(result, Err(BackendFault::TimedOut.into()));
    assert!(backend.requests().len() <= 1);
}

#[tokio::test]
async fn a_call_that_is_dropped_between_attempts_sends_nothing_more() {
    let backend = Backend::scripted(|_, request| match request.target() {
        "/other" => vec![ok("7")],
        _ => vec![Step::Close],
    })
    .await;
    let config = config()
        .with_retries(5)
        .with_retry_backoff(Duration::from_secs(3600));
    let executor = HttpCodeExecutor::with_config(&backend.url(), bearer(), config).unwrap();
    {
        let mut call = std::pin::pin!(send(&executor, "GET", "/x", None));
        while backend.requests().is_empty() {
            let _ = tokio::time::timeout(Duration::from_millis(5), call.as_mut()).await;
        }
    }
    // Another call is made from end to end, so there was an occasion for more.
    send(&executor, "GET", "/other", None).await.unwrap();
    let requests = backend.requests();
    let targets: Vec<_> = requests.iter().map(Request::target).collect();
    assert_eq!(targets, ["/x", "/other"]);
}
