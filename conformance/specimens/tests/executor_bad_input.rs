//! The toolkit's executor against backends and bodies that are out to harm: it ends with an error
//! or a value within its deadline, without a panic, and sends nothing twice.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use proofmark::executor::{ExecutionError, HttpExecutor};
use proofmark::http::{BearerAuth, HttpCodeExecutor, HttpConfig};
use proofmark::path::ResolvedPath;
use proofmark_conformance::recorder::{Hostility, Recorded, Recorder, Reply, Script};
use rstest::rstest;
use serde_json::{Map, Value, json};
use tokio::runtime::{Builder, Runtime};

/// How long a call may take, and how much later a busy machine may notice.
const DEADLINE: Duration = Duration::from_millis(300);
const LATE: Duration = Duration::from_secs(10);

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn executor(backend: &Recorder, deadline: Duration) -> HttpCodeExecutor {
    let config = HttpConfig::default().with_timeout(deadline).with_retries(0);
    let auth = Arc::new(BearerAuth::new("tok_example").unwrap());
    HttpCodeExecutor::with_config(&backend.base_url(), auth, config).unwrap()
}

async fn call(
    executor: &HttpCodeExecutor,
    method: &str,
    path: &str,
    body: Option<Value>,
) -> Result<Value, ExecutionError> {
    let path = ResolvedPath::from_checked(path).unwrap();
    let ended = tokio::time::timeout(LATE, executor.execute_request(method, path, body));
    ended.await.unwrap()
}

/// Plays the script that the path's number names.
fn numbered(scripts: Vec<Script>) -> Recorder {
    let respond = move |request: &Recorded| {
        let path = std::str::from_utf8(request.path()).unwrap();
        scripts[path[1..].parse::<usize>().unwrap()].clone()
    };
    Recorder::start(respond).unwrap()
}

/// How often each numbered path was asked for.
fn times(backend: &Recorder, count: usize) -> Vec<usize> {
    let requests = backend.requests();
    let of = |number: usize| {
        let path = format!("/{number}");
        let same = requests.iter().filter(|r| r.path() == path.as_bytes());
        same.count()
    };
    (0..count).map(of).collect()
}

#[rstest]
fn whatever_a_backend_does_every_call_ends_in_time_and_is_sent_once(
    #[values("GET", "POST", "DELETE")] method: &'static str,
) {
    let worst = Hostility::all();
    let backend = numbered(worst.iter().map(|one| one.script.clone()).collect());
    let executor = executor(&backend, DEADLINE);
    let started = Instant::now();
    runtime().block_on(async {
        let mut calls = Vec::new();
        for number in 0..worst.len() {
            let executor = executor.clone();
            let body = (method == "POST").then(|| json!({"name": "x"}));
            calls.push(tokio::spawn(async move {
                call(&executor, method, &format!("/{number}"), body).await
            }));
        }
        for (one, call) in worst.iter().zip(calls) {
            let ended = call.await.unwrap();
            assert!(!one.is_failure || ended.is_err(), "{}: {ended:?}", one.name);
        }
    });
    assert!(started.elapsed() < LATE);
    assert_eq!(times(&backend, worst.len()), vec![1; worst.len()]);
}

#[test]
fn an_answer_that_is_cut_short_at_any_byte_is_an_error() {
    let answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n{\"ok\": true}";
    let cut = (0..=answer.len()).map(|end| Script::new().raw(&answer[..end]).close());
    let backend = numbered(cut.collect());
    let executor = executor(&backend, LATE);
    runtime().block_on(async {
        for end in 0..=answer.len() {
            let body = Some(json!({"name": "x"}));
            let ended = call(&executor, "POST", &format!("/{end}"), body).await;
            let is_whole = end == answer.len();
            assert_eq!(ended.is_ok(), is_whole, "cut after {end} bytes: {ended:?}");
        }
    });
    assert_eq!(times(&backend, answer.len() + 1), vec![1; answer.len() + 1]);
}

#[rstest]
#[case::as_large_as_may_be(10 << 20, true)]
#[case::a_byte_too_large((10 << 20) + 1, false)]
fn an_answer_may_be_10_mib_large(#[case] bytes: usize, #[case] is_read: bool) {
    let text = format!("\"{}\"", "x".repeat(bytes - 2));
    let backend = Recorder::start(Reply::new(200).body(text)).unwrap();
    let ended = runtime().block_on(call(&executor(&backend, LATE), "GET", "/items", None));
    assert_eq!(ended.is_ok(), is_read);
    assert_eq!(backend.requests().len(), 1);
}

#[test]
fn a_body_of_10_mib_arrives_whole_and_once() {
    let backend = Recorder::start(Reply::json(200, &json!({}))).unwrap();
    let body = json!({"text": "x".repeat(10 << 20)});
    let executor = executor(&backend, LATE);
    let ended = runtime().block_on(call(&executor, "POST", "/items", Some(body.clone())));
    assert!(ended.is_ok(), "{ended:?}");
    let requests = backend.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].json() == Some(body));
}

#[test]
fn a_body_that_is_too_large_is_refused_and_nothing_is_sent() {
    let backend = Recorder::tripwire().unwrap();
    let body = json!({"text": "x".repeat(17 << 20)});
    let executor = executor(&backend, LATE);
    let ended = runtime().block_on(call(&executor, "POST", "/items", Some(body)));
    assert!(ended.unwrap_err().is_refusal());
    assert!(backend.is_silent());
}

fn many_fields() -> Map<String, Value> {
    let fields = (0..100_000).map(|number| (format!("k{number}"), json!(number)));
    fields.collect()
}

#[test]
fn a_hundred_thousand_fields_make_no_query() {
    let backend = Recorder::tripwire().unwrap();
    let body = Some(Value::from(many_fields()));
    let ended = runtime().block_on(call(&executor(&backend, LATE), "GET", "/items", body));
    assert!(ended.unwrap_err().is_refusal());
    assert!(backend.is_silent());
}

#[test]
fn a_hundred_thousand_fields_go_to_and_fro_as_a_body() {
    let fields = Value::from(many_fields());
    let backend = Recorder::start(Reply::json(200, &fields)).unwrap();
    let body = Some(fields.clone());
    let ended = runtime().block_on(call(&executor(&backend, LATE), "POST", "/items", body));
    assert!(ended.unwrap() == fields);
    let requests = backend.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].json() == Some(fields));
}
