//! Mock executors do what their scripts say, in any stack.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use proofmark_conformance::mock::{
    Call, CannedExecutor, Cassette, CassetteError, CountingExecutor, FailingExecutor, Failure,
    PolicyGuard, RecordingExecutor, ReplayingExecutor,
};
use proofmark_conformance::toolkit::async_trait;
use proofmark_conformance::toolkit::executor::{
    BackendFault, ExecutionConfig, ExecutionError, ExecutionPlan, HttpExecutor, LimitReached,
    Method, PlanExecutor, PlanStep, PlannedCall, ValueExpr,
};
use proofmark_conformance::toolkit::path::{PathTemplate, PlaceholderRules, ResolvedPath};
use proofmark_conformance::toolkit::policy::{PolicyRefusal, policy_fn};
use rstest::rstest;
use serde_json::{Value, json};

/// Runs on a runtime whose clock stands still.
fn paused<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(work)
}

async fn send(
    executor: &dyn HttpExecutor,
    method: &str,
    path: &str,
    body: impl Into<Option<Value>>,
) -> Result<Value, ExecutionError> {
    let path = ResolvedPath::from_checked(path).unwrap();
    executor.execute_request(method, path, body.into()).await
}

fn canned() -> CannedExecutor {
    CannedExecutor::new()
        .on("GET /items/*", json!("item"))
        .and_then(|canned| canned.on("GET /items/**", ExecutionError::Status { status: 410 }))
        .and_then(|canned| canned.on("POST /echo", |call: &Call| Ok(json!(call.body))))
        .unwrap()
}

#[rstest]
#[case("GET", "/items/7", Ok(json!("item")))]
#[case("GET", "/items/7/parts", Err(ExecutionError::Status { status: 410 }))]
#[case("POST", "/echo", Ok(json!({"a": 1})))]
#[case("DELETE", "/items/7", Err(ExecutionError::Status { status: 404 }))]
fn the_first_route_that_means_a_call_answers_it(
    #[case] method: &str,
    #[case] path: &str,
    #[case] expected: Result<Value, ExecutionError>,
) {
    let canned = canned();
    let answer = paused(send(&canned, method, path, json!({"a": 1})));
    assert_eq!(answer, expected);
    let body = Some(json!({"a": 1}));
    let call = Call {
        method: method.to_owned(),
        path: path.to_owned(),
        body,
    };
    assert_eq!(canned.calls(), [call]);
}

#[rstest]
#[case(Failure::None, Ok(json!("item")), 1)]
#[case(Failure::Delay(Duration::from_secs(9)), Ok(json!("item")), 1)]
#[case(Failure::Status(503), Err(ExecutionError::Status { status: 503 }), 0)]
#[case(Failure::ResetBefore, Err(BackendFault::Broken.into()), 0)]
#[case(Failure::ResetAfter, Err(BackendFault::Broken.into()), 1)]
#[case(Failure::Truncated, Err(BackendFault::Broken.into()), 1)]
#[case(Failure::Rubbish, Err(BackendFault::NotJson.into()), 1)]
fn a_failure_is_met_with_once(
    #[case] failure: Failure,
    #[case] expected: Result<Value, ExecutionError>,
    #[case] acted: usize,
) {
    let failing = FailingExecutor::new(canned(), [failure]);
    let (first, second) = paused(async {
        let first = send(&failing, "GET", "/items/7", None).await;
        (first, send(&failing, "GET", "/items/7", None).await)
    });
    assert_eq!((first, second), (expected, Ok(json!("item"))));
    assert_eq!(failing.inner().calls().len(), acted + 1);
}

#[test]
fn a_script_that_repeats_never_ends() {
    let failing = FailingExecutor::new(canned(), [Failure::ResetBefore, Failure::None]).repeating();
    paused(async {
        for number in 0..10 {
            let answer = send(&failing, "GET", "/items/7", None).await;
            assert_eq!(answer.is_err(), number % 2 == 0);
        }
    });
}

#[test]
fn a_hanging_backend_meets_the_time_limit_of_a_plan() {
    let path = PathTemplate::static_path("/items/7").unwrap();
    let call = PlannedCall::new(Method::Get, path);
    let plan = ExecutionPlan::new(vec![PlanStep::ApiCall {
        result_var: None,
        call,
    }]);
    let failing = FailingExecutor::new(canned(), [Failure::Hang]);
    let config = ExecutionConfig::default().with_time_limit(Some(Duration::from_secs(3)));
    let executor = PlanExecutor::new(failing, config);
    let result = paused(executor.execute(&plan));
    assert_eq!(
        result,
        Err(LimitReached::Time { milliseconds: 3000 }.into())
    );
}

fn outcomes() -> Vec<ExecutionError> {
    vec![
        ExecutionError::Status { status: 500 },
        PolicyRefusal::new("not this one").into(),
        BackendFault::Unreachable.into(),
        BackendFault::TimedOut.into(),
        BackendFault::TooLarge.into(),
        BackendFault::NotJson.into(),
        BackendFault::Broken.into(),
    ]
}

#[test]
fn what_was_recorded_is_replayed_from_its_file() {
    let failures = Mutex::new(outcomes());
    let backend = CannedExecutor::new()
        .on("GET /items/*", json!({"n": [1.5, null]}))
        .and_then(|backend| {
            backend.on("* /**", move |_: &Call| {
                Err(failures.lock().unwrap().remove(0))
            })
        })
        .unwrap();
    let recording = RecordingExecutor::new(backend);
    paused(async {
        send(&recording, "GET", "/items/7", None).await.unwrap();
        for _ in outcomes() {
            send(&recording, "PUT", "/x", json!({"a": "b"}))
                .await
                .unwrap_err();
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cassette.json");
    recording.cassette().save(&file).unwrap();

    let cassette = Cassette::load(&file).unwrap();
    assert_eq!(cassette, recording.cassette());
    let replaying = ReplayingExecutor::new(cassette);
    paused(async {
        for expected in outcomes() {
            assert_eq!(
                send(&replaying, "PUT", "/x", json!({"a": "b"})).await,
                Err(expected)
            );
        }
        let answer = send(&replaying, "GET", "/items/7", None).await;
        assert_eq!(answer, Ok(json!({"n": [1.5, null]})));
    });
    assert_eq!(
        (replaying.unused(), replaying.unexpected()),
        (vec![], vec![])
    );
}

#[test]
fn a_call_that_was_not_recorded_is_kept() {
    let text =
        r#"{"schema":1,"entries":[{"call":{"method":"GET","path":"/a"},"outcome":{"answer":7}}]}"#;
    let replaying = ReplayingExecutor::new(Cassette::from_json(text).unwrap());
    let other = paused(send(&replaying, "GET", "/a", json!({"x": 1})));
    assert!(other.is_err());
    assert_eq!(replaying.unexpected()[0].body, Some(json!({"x": 1})));
    assert_eq!(replaying.unused()[0].path, "/a");
}

#[rstest]
#[case("", "no cassette")]
#[case("[]", "no cassette")]
#[case(r#"{"schema":1}"#, "missing field `entries`")]
#[case(r#"{"schema":1,"entries":[],"more":1}"#, "unknown field")]
#[case(r#"{"schema":1,"entries":[{"call":{"method":"GET","path":"/a","x":1},"outcome":{"answer":7}}]}"#, "unknown field")]
#[case(
    r#"{"schema":1,"entries":[{"call":{"method":"GET","path":"/a"},"outcome":{"failure":"odd"}}]}"#,
    "unknown variant"
)]
#[case(r#"{"schema":2,"entries":[]}"#, "schema 2")]
fn a_text_that_is_no_cassette_is_refused(#[case] text: &str, #[case] says: &str) {
    let error = Cassette::from_json(text).unwrap_err();
    assert!(error.to_string().contains(says), "{error}");
}

#[test]
fn a_cassette_that_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let error = Cassette::load(folder.path().join("none.json")).unwrap_err();
    assert!(matches!(error, CassetteError::File(_)));
}

#[test]
fn a_guard_shows_the_policy_what_is_sent_and_hands_on_what_it_allows() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = seen.clone();
    let policy = policy_fn(move |request| {
        let shown = (request.tool, request.method, request.path, request.call_id);
        kept.lock()
            .unwrap()
            .push(format!("{shown:?} {:?} {:?}", request.query, request.body));
        match request.query {
            [] => Ok(()),
            _ => Err(PolicyRefusal::new("no pairs")),
        }
    });
    let counting = CountingExecutor::new(canned());
    let guard = PolicyGuard::new(counting, "https://api.example.test/v1", Arc::new(policy))
        .unwrap()
        .attributed_to("my_tool", "call-1");
    let (allowed, refused, unsendable) = paused(async {
        (
            send(&guard, "post", "/echo", json!({"a": 1})).await,
            send(&guard, "GET", "/items/7", json!({"a": 1})).await,
            send(&guard, "BREW", "/items/7", None).await,
        )
    });
    assert_eq!(allowed, Ok(json!({"a": 1})));
    assert!(refused.unwrap_err().is_refusal() && unsendable.unwrap_err().is_refusal());
    assert_eq!(
        (guard.inner().total(), guard.inner().of("POST", "/echo")),
        (1, 1)
    );
    assert_eq!(guard.inner().endpoints(), 1);
    let expected = [
        r#"("my_tool", "POST", "https://api.example.test/v1/echo", "call-1") [] Some(Object {"a": Number(1)})"#,
        r#"("my_tool", "GET", "https://api.example.test/v1/items/7", "call-1") [("a", "1")] None"#,
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}

/// Declares a pattern for every placeholder.
struct Strict;

#[async_trait]
impl HttpExecutor for Strict {
    async fn execute_request(
        &self,
        _: &str,
        _: ResolvedPath<'_>,
        _: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        Ok(Value::Null)
    }

    fn placeholder_rules(&self, _: &str, _: &str, _: &str) -> PlaceholderRules<'_> {
        PlaceholderRules::default().with_pattern(Some("^[0-9]+$"))
    }
}

#[test]
fn a_stack_of_mocks_hands_the_placeholder_rules_on() {
    let policy = Arc::new(policy_fn(|_| Ok(())));
    let guard = PolicyGuard::new(Strict, "https://api.example.test", policy).unwrap();
    let stack = RecordingExecutor::new(FailingExecutor::new(CountingExecutor::new(guard), []));
    let call = PlannedCall::new(Method::Get, PathTemplate::parse("/items/{id}").unwrap())
        .with_body(ValueExpr::literal(json!({"id": "seven"})));
    let plan = ExecutionPlan::new(vec![PlanStep::ApiCall {
        result_var: None,
        call,
    }]);
    let executor = PlanExecutor::new(&stack, ExecutionConfig::default());
    assert!(paused(executor.execute(&plan)).unwrap_err().is_refusal());
    assert_eq!(stack.cassette().entries, []);
}
