//! No plan uses up more than it may, whatever it asks for.

use std::time::Duration;

use proofmark::executor::{
    BinaryOperator, Builtin, ExecutionConfig, ExecutionError, LimitReached, MethodName, PlanStep,
    ScriptError, ValueExpr,
};
use rstest::rstest;
use serde_json::{Map, Value, json};

use crate::subject::{
    Backend, assign, attempt, call, call_into, each, get, give_back, lit, run, run_within,
    value_of, var,
};

fn limits() -> ExecutionConfig {
    ExecutionConfig::default()
}

fn items(count: usize) -> Value {
    (0..count).collect()
}

/// Whether a run within these limits came to an end, and how many requests it sent.
async fn outcome(
    config: ExecutionConfig,
    steps: Vec<PlanStep>,
) -> (Result<(), ExecutionError>, usize) {
    let backend = Backend::default();
    let result = run_within(config, &backend, json!({}), steps).await;
    (result.map(|_| ()), backend.sent().len())
}

#[rstest]
#[case::in_line(|| vec![call(get("/a")), call(get("/b")), call(get("/c"))])]
#[case::in_a_loop(|| vec![each(items(3), vec![call(get("/a"))])])]
#[case::refused_ones_count(|| vec![
    attempt(vec![call(get("/x/${item}"))], vec![assign("a", lit(json!(1)))], vec![]),
    call(get("/a")), call(get("/b")),
])]
#[tokio::test]
async fn no_more_calls_are_made_than_allowed(#[case] steps: fn() -> Vec<PlanStep>) {
    let limit = 2;
    let reached = ExecutionError::from(LimitReached::Calls { limit });
    let (beyond, sent) = outcome(limits().with_max_api_calls(limit), steps()).await;
    assert_eq!(beyond, Err(reached));
    assert!(sent <= limit);
    let (within, _) = outcome(limits().with_max_api_calls(3), steps()).await;
    assert_eq!(within, Ok(()));
}

#[tokio::test]
async fn of_parallel_calls_beyond_the_limit_none_is_sent() {
    let calls = vec![get("/a"), get("/b"), get("/c")];
    let steps = vec![PlanStep::ParallelApiCalls {
        result_var: None,
        calls,
    }];
    let (result, sent) = outcome(limits().with_max_api_calls(2), steps).await;
    assert_eq!(
        (result, sent),
        (Err(LimitReached::Calls { limit: 2 }.into()), 0)
    );
}

#[rstest]
#[case::one_loop(vec![each(items(5), vec![])], 4)]
#[case::two_loops(vec![each(items(3), vec![]), each(items(2), vec![])], 4)]
#[case::nested(vec![each(items(2), vec![each(items(2), vec![])])], 5)]
#[tokio::test]
async fn loops_together_run_through_no_more_iterations(
    #[case] steps: Vec<PlanStep>,
    #[case] limit: usize,
) {
    let (beyond, _) = outcome(limits().with_max_loop_iterations(limit), steps.clone()).await;
    assert_eq!(beyond, Err(LimitReached::Iterations { limit }.into()));
    let (within, _) = outcome(limits().with_max_loop_iterations(limit + 1), steps).await;
    assert_eq!(within, Ok(()));
}

#[tokio::test]
async fn a_loop_keeps_its_own_bound() {
    let bounded = |items: Value| PlanStep::BoundedLoop {
        item_var: "item".to_owned(),
        collection: lit(items),
        max_iterations: 2,
        body: vec![call(get("/a"))],
    };
    assert_eq!(
        outcome(limits(), vec![bounded(items(2))]).await,
        (Ok(()), 2)
    );
    let (result, sent) = outcome(limits(), vec![bounded(items(3))]).await;
    assert_eq!(
        (result, sent),
        (Err(LimitReached::Iterations { limit: 2 }.into()), 2)
    );
}

#[rstest]
#[case(json!("x".repeat(98)), Ok(()))]
#[case(json!("x".repeat(99)), Err(LimitReached::ResponseSize { limit: 100 }.into()))]
#[tokio::test]
async fn an_answer_is_no_larger_than_allowed(
    #[case] answer: Value,
    #[case] expected: Result<(), ExecutionError>,
) {
    let backend = Backend::answering(answer);
    let config = limits().with_max_response_bytes(100);
    let result = run_within(config, &backend, json!({}), vec![call(get("/a"))]).await;
    assert_eq!(result.map(|_| ()), expected);
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_never_answers_is_left_when_the_time_is_over() {
    let config = limits().with_time_limit(Some(Duration::from_secs(5)));
    let started = tokio::time::Instant::now();
    let steps = vec![attempt(
        vec![call(get("/hang"))],
        vec![call(get("/caught"))],
        vec![call(get("/finally"))],
    )];

    let (result, sent) = outcome(config, steps).await;

    let milliseconds = 5000;
    assert_eq!(
        (result, sent),
        (Err(LimitReached::Time { milliseconds }.into()), 1)
    );
    assert_eq!(started.elapsed(), Duration::from_secs(5));
}

#[tokio::test]
async fn a_plan_that_never_waits_is_ended_by_its_time_too() {
    let config = limits()
        .with_time_limit(Some(Duration::ZERO))
        .with_max_work(u64::MAX)
        .with_max_loop_iterations(usize::MAX);
    let (result, _) = outcome(config, vec![each(items(10), vec![])]).await;
    assert!(matches!(
        result,
        Err(ExecutionError::Limit(LimitReached::Time { .. }))
    ));
}

#[test]
fn a_plan_that_never_waits_needs_no_runtime() {
    use std::task::{Context, Poll, Waker};
    let plan = vec![give_back(lit(json!(1)))];
    let backend = Backend::default();
    let mut run = std::pin::pin!(run(&backend, json!({}), plan));
    let polled = run.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Ready(Ok(_))));
}

#[rstest]
#[case::calls(limits().with_max_api_calls(1), vec![call(get("/a")), call(get("/b"))])]
#[case::iterations(limits().with_max_loop_iterations(1), vec![each(items(2), vec![])])]
#[case::size(limits().with_max_response_bytes(3), vec![call(get("/a"))])]
#[case::work(limits().with_max_work(50), vec![assign("a", lit(items(100)))])]
#[tokio::test]
async fn no_handler_is_asked_about_a_limit(
    #[case] config: ExecutionConfig,
    #[case] steps: Vec<PlanStep>,
) {
    let backend = Backend::default();
    let handled = vec![attempt(
        steps,
        vec![give_back(lit(json!("handled")))],
        vec![give_back(lit(json!("finally")))],
    )];
    let result = run_within(config, &backend, json!({}), handled).await;
    assert!(
        matches!(result, Err(ExecutionError::Limit(_))),
        "{result:?}"
    );
}

fn doubling(expr: ValueExpr) -> Vec<PlanStep> {
    vec![
        assign("a", lit(json!("x"))),
        each(items(500), vec![assign("a", expr)]),
    ]
}

#[rstest]
#[case::text(ValueExpr::binary(BinaryOperator::Add, var("a"), var("a")))]
#[case::list(ValueExpr::Array(vec![var("a"), var("a")]))]
#[case::template(ValueExpr::Template(vec![var("a"), var("a")]))]
#[case::replaced(ValueExpr::method(var("a"), MethodName::ReplaceAll, vec![lit(json!("")), var("a")]))]
#[case::concatenated(ValueExpr::method(var("a"), MethodName::Concat, vec![var("a")]))]
#[tokio::test]
async fn what_grows_without_end_is_ended(#[case] expr: ValueExpr) {
    let (result, _) = outcome(limits().with_max_work(1 << 20), doubling(expr)).await;
    let ended = matches!(
        result,
        Err(ExecutionError::Limit(LimitReached::Work { .. })
            | ExecutionError::Script(ScriptError::TooDeep))
    );
    assert!(ended, "{result:?}");
}

#[tokio::test]
async fn functions_within_functions_are_ended() {
    let inner = |body| {
        ValueExpr::method(
            var("l"),
            MethodName::Map,
            vec![ValueExpr::lambda(["x"], body)],
        )
    };
    let expr = inner(inner(inner(inner(lit(json!(1))))));
    let result = value_of(expr, json!({"l": items(200)})).await;
    assert!(
        matches!(result, Err(ExecutionError::Limit(_))),
        "{result:?}"
    );
}

/// Containers in containers, `depth` of them.
fn nested(depth: usize) -> Value {
    (1..depth).fold(json!([]), |inner, _| Value::Array(vec![inner]))
}

#[tokio::test]
async fn values_nest_no_deeper_than_a_body_may() {
    let deeper = |from: usize| {
        let steps = vec![assign("a", ValueExpr::Array(vec![lit(nested(from))]))];
        outcome(limits(), steps)
    };
    assert_eq!(deeper(127).await.0, Ok(()));
    assert_eq!(deeper(128).await.0, Err(ScriptError::TooDeep.into()));
    let wrap = ValueExpr::lambda(["so_far", "x"], ValueExpr::Array(vec![var("so_far")]));
    let reduced = ValueExpr::method(
        lit(items(200)),
        MethodName::Reduce,
        vec![wrap, lit(json!(0))],
    );
    assert_eq!(
        value_of(reduced, json!({})).await,
        Err(ScriptError::TooDeep.into())
    );
}

#[tokio::test]
async fn an_expression_that_would_overflow_the_stack_is_an_error() {
    let deep = |depth| (0..depth).fold(lit(json!(0)), |inner, _| ValueExpr::Array(vec![inner]));
    assert_eq!(
        value_of(deep(10_000), json!({})).await,
        Err(ScriptError::TooDeep.into())
    );
    let blocks = (0..10_000).fold(vec![], |inner, _| vec![each(json!([1]), inner)]);
    assert_eq!(
        outcome(limits(), blocks).await.0,
        Err(ScriptError::TooDeep.into())
    );
}

#[tokio::test]
async fn the_deepest_plan_that_is_allowed_runs_on_an_ordinary_stack() {
    let mapped = |body| {
        let function = ValueExpr::lambda(["x"], body);
        ValueExpr::method(lit(json!([1])), MethodName::Map, vec![function])
    };
    let deepest = (0..126).fold(var("x"), |inner, _| mapped(inner));
    let innermost = vec![give_back(mapped(deepest))];
    let blocks = |depth| {
        (0..depth).fold(innermost.clone(), |inner, level| match level % 2 {
            0 => vec![each(json!([1]), inner)],
            _ => vec![attempt(inner, vec![], vec![call(get("/finally"))])],
        })
    };
    assert_eq!(outcome(limits(), blocks(32)).await, (Ok(()), 16));
    assert_eq!(
        outcome(limits(), blocks(33)).await.0,
        Err(ScriptError::TooDeep.into())
    );
}

#[rstest]
#[case::kept(|deep| deep)]
#[case::compared(|deep: ValueExpr| ValueExpr::binary(BinaryOperator::Eq, deep.clone(), deep))]
#[case::written(|deep| ValueExpr::Builtin { function: Builtin::Stringify, arguments: vec![deep] })]
#[case::searched(|deep: ValueExpr| ValueExpr::method(deep.clone(), MethodName::Includes, vec![deep]))]
#[tokio::test]
async fn a_literal_that_would_overflow_the_stack_is_not_looked_into(
    #[case] used: fn(ValueExpr) -> ValueExpr,
) {
    let plan = vec![assign("a", used(lit(nested(1_000))))];
    assert_eq!(
        outcome(limits(), plan).await.0,
        Err(ScriptError::TooDeep.into())
    );
}

#[tokio::test]
async fn looking_through_a_large_value_again_and_again_is_ended() {
    let equal = ValueExpr::binary(BinaryOperator::Eq, var("a"), var("a"));
    let plan = vec![
        assign("a", lit(items(10_000))),
        each(items(900), vec![assign("b", equal)]),
    ];
    let (result, _) = outcome(limits(), plan).await;
    assert!(
        matches!(
            result,
            Err(ExecutionError::Limit(LimitReached::Work { .. }))
        ),
        "{result:?}"
    );
}

#[tokio::test]
async fn answers_and_variables_that_would_overflow_the_stack_are_taken_apart() {
    let backend = Backend::default();
    let mut executor = proofmark::executor::PlanExecutor::new(backend, limits());
    executor.set_variable("deep", nested(200_000));
    let result = executor
        .execute(&proofmark::executor::ExecutionPlan::default())
        .await;
    assert_eq!(result, Err(ScriptError::TooDeep.into()));
}

#[tokio::test]
async fn a_body_of_many_keys_is_sent() {
    let fields: Map<_, _> = (0..100_000).map(|n| (format!("k{n}"), json!(n))).collect();
    let backend = Backend::default();
    let post = proofmark::executor::PlannedCall::new(
        proofmark::executor::Method::Post,
        crate::subject::template("/items/{k7}"),
    );
    run(
        &backend,
        json!({"fields": fields}),
        vec![call(post.with_body(var("fields")))],
    )
    .await
    .unwrap();
    let (_, path, body) = backend.sent().remove(0);
    assert_eq!(path, "/items/7");
    assert_eq!(body.unwrap().as_object().unwrap().len(), 99_999);
}

#[tokio::test]
async fn blocked_fields_are_taken_out_of_every_answer() {
    let backend = Backend::answering(json!({"ssn": 1, "people": [{"ssn": 2, "name": "x"}]}));
    let config = limits().with_blocked_fields(["ssn"]);
    let steps = vec![call_into("a", get("/a")), give_back(var("a"))];
    let result = run_within(config, &backend, json!({}), steps)
        .await
        .unwrap();
    assert_eq!(result.value, json!({"people": [{"name": "x"}]}));
}

#[rstest]
#[case(json!({"people": [{"ssn": 2}]}))]
#[case(json!({"ssn": null}))]
#[tokio::test]
async fn a_blocked_field_does_not_leave(#[case] value: Value) {
    let config = limits().with_output_blocked_fields(["ssn"]);
    let result = run_within(
        config,
        &Backend::default(),
        json!({}),
        vec![give_back(lit(value))],
    )
    .await;
    let field = "ssn".to_owned();
    assert_eq!(result, Err(ScriptError::BlockedField { field }.into()));
}
