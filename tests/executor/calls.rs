//! Calls are resolved before anything is sent, and a value is never read as a placeholder.

use proofmark::executor::{ExecutionError, Method, PlanStep, PlannedCall, ValueExpr};
use proofmark::path::{PathPart, PathTemplate, ResolveError};
use rstest::rstest;
use serde_json::{Value, json};

use crate::subject::{
    Backend, assign, attempt, call, call_into, each, get, give_back, lit, run, template, var,
};

fn post(path: &str, body: Value) -> PlannedCall {
    PlannedCall::new(Method::Post, template(path)).with_body(lit(body))
}

#[tokio::test]
async fn fields_that_the_path_consumes_leave_the_body() {
    let backend = Backend::default();
    let body = json!({"id": 7, "name": "x", "tags": ["a"]});

    run(
        &backend,
        json!({}),
        vec![call(post("/items/{id}?full={name}", body))],
    )
    .await
    .unwrap();

    let left = Some(json!({"tags": ["a"]}));
    assert_eq!(
        backend.sent(),
        [("POST".to_owned(), "/items/7?full=x".to_owned(), left)]
    );
}

#[rstest]
#[case::brace_in_value("/p/{a}/q/{b}", json!({"a": "x{b}y", "b": "zzz"}))]
#[case::slash("/p/{a}", json!({"a": "x/y"}))]
#[case::encoded_slash("/p/{a}", json!({"a": "x%2Fy"}))]
#[case::query_mark("/p/{a}", json!({"a": "x?y=1"}))]
#[case::overlong("/p/{a}", json!({"a": "%c0%ae%c0%ae"}))]
#[case::full_width("/p/{a}", json!({"a": "\u{ff0e}\u{ff0e}"}))]
#[case::empty("/p/{a}", json!({"a": ""}))]
#[case::absent("/p/{a}", json!({"b": "x"}))]
#[case::container("/p/{a}", json!({"a": ["x"]}))]
#[case::second_bad("/p/{a}/{b}", json!({"a": "fine", "b": ".."}))]
#[tokio::test]
async fn a_refused_value_is_not_sent(#[case] path: &str, #[case] body: Value) {
    let backend = Backend::default();

    let refused = run(&backend, json!({}), vec![call(post(path, body))])
        .await
        .unwrap_err();

    assert!(refused.is_refusal(), "{refused:?}");
    assert_eq!(backend.sent(), []);
}

#[tokio::test]
async fn braces_in_a_variable_never_become_a_placeholder() {
    let backend = Backend::default();
    let body = json!({"secret": "s", "other": "o"});

    let refused = run(
        &backend,
        json!({"v": "{secret}"}),
        vec![call(post("/items/${v}", body))],
    )
    .await;

    assert!(matches!(refused, Err(ExecutionError::Unresolved(_))));
    assert_eq!(backend.sent(), []);
    assert_eq!(backend.asked(), []);
}

#[tokio::test]
async fn a_pair_stays_one_pair() {
    let backend = Backend::default();
    let body = json!({"a": "a&b=c"});
    run(&backend, json!({}), vec![call(post("/p?k={a}", body))])
        .await
        .unwrap();
    assert_eq!(backend.paths(), ["/p?k=a%26b=c"]);
}

#[tokio::test]
async fn rules_are_asked_for_by_method_and_interpolated_template() {
    let backend = Backend::default();
    let steps = vec![call(post("/${kind}/{id}", json!({"id": 7})))];
    run(&backend, json!({"kind": "items"}), steps)
        .await
        .unwrap();
    let asked = ["POST", "/items/{id}", "id"].map(str::to_owned);
    assert_eq!(backend.asked(), [asked.into()]);
}

#[rstest]
#[case(Method::Get, true)]
#[case(Method::Delete, false)]
#[tokio::test]
async fn rules_of_another_method_are_not_used(#[case] method: Method, #[case] refused: bool) {
    let call_of =
        PlannedCall::new(method, template("/numbers/{id}")).with_body(lit(json!({"id": "x"})));
    let result = run(&Backend::default(), json!({}), vec![call(call_of)]).await;
    assert_eq!(result.is_err(), refused);
}

#[tokio::test]
async fn unnamed_expressions_fill_their_places_in_order() {
    let parts = [
        PathPart::Literal("/a/".to_owned()),
        PathPart::Expression,
        PathPart::Literal("/".to_owned()),
        PathPart::Variable("v".to_owned()),
        PathPart::Literal("/".to_owned()),
        PathPart::Expression,
    ];
    let path = PathTemplate::from_parts(parts).unwrap();
    let user = ValueExpr::property(var("user"), "id");
    let backend = Backend::default();
    let both = PlannedCall::new(Method::Get, path.clone()).with_expressions([user, lit(json!(2))]);
    let variables = json!({"user": {"id": 1}, "v": "x"});

    run(&backend, variables.clone(), vec![call(both)])
        .await
        .unwrap();
    let one = PlannedCall::new(Method::Get, path).with_expressions([lit(json!(1))]);
    let missing = run(&backend, variables, vec![call(one)]).await.unwrap_err();

    assert_eq!(backend.paths(), ["/a/1/x/2"]);
    let name = "path expression #2".to_owned();
    assert_eq!(missing, ResolveError::UndefinedVariable { name }.into());
}

#[tokio::test]
async fn parallel_answers_stand_in_the_order_of_their_calls() {
    let backend = Backend::default();
    let calls = ["/a/long/one", "/b/shorter", "/c"].map(get).to_vec();
    let steps = vec![
        PlanStep::ParallelApiCalls {
            result_var: Some("all".to_owned()),
            calls,
        },
        give_back(var("all")),
    ];
    let result = run(&backend, json!({}), steps).await.unwrap();
    assert_eq!(
        result.value,
        json!([{"path": "/a/long/one"}, {"path": "/b/shorter"}, {"path": "/c"}])
    );
    assert_eq!(result.api_calls.len(), 3);
}

#[tokio::test]
async fn of_parallel_calls_none_is_sent_if_one_is_refused() {
    let backend = Backend::default();
    let calls = vec![get("/a"), get("/b/${v}"), get("/c")];
    let steps = vec![PlanStep::ParallelApiCalls {
        result_var: None,
        calls,
    }];
    let refused = run(&backend, json!({"v": "../x"}), steps)
        .await
        .unwrap_err();
    assert!(refused.is_refusal());
    assert_eq!(backend.sent(), []);
}

fn for_each(items: Value) -> PlanStep {
    PlanStep::ParallelForEach {
        result_var: Some("all".to_owned()),
        item_var: "id".to_owned(),
        collection: lit(items),
        call: get("/items/${id}"),
    }
}

#[tokio::test]
async fn a_call_for_each_item_is_resolved_for_all_before_any_is_sent() {
    let backend = Backend::default();
    let steps = vec![for_each(json!([1, 2])), give_back(var("all"))];
    let result = run(&backend, json!({"id": "outer"}), steps).await.unwrap();
    assert_eq!(
        result.value,
        json!([{"path": "/items/1"}, {"path": "/items/2"}])
    );

    let backend = Backend::default();
    assert!(
        run(&backend, json!({}), vec![for_each(json!([1, ""]))])
            .await
            .is_err()
    );
    assert_eq!(backend.sent(), []);
}

#[tokio::test]
async fn the_first_failure_of_parallel_calls_is_the_one_that_counts() {
    let backend = Backend::default();
    let calls = ["/a", "/fail/1", "/b"].map(get).to_vec();
    let steps = vec![attempt(
        vec![PlanStep::ParallelApiCalls {
            result_var: None,
            calls,
        }],
        vec![give_back(ValueExpr::property(var("e"), "name"))],
        vec![],
    )];
    let result = run(&backend, json!({}), steps).await.unwrap();
    assert_eq!(result.value, json!("Fault"));
    assert_eq!(backend.paths().len(), 3);
}

#[tokio::test]
async fn a_handler_sees_a_refusal_apart_from_a_fault() {
    let backend = Backend::default();
    let name = || vec![give_back(ValueExpr::property(var("e"), "name"))];
    let refused = attempt(vec![call(get("/x/${v}"))], name(), vec![]);
    let failed = attempt(vec![call(get("/fail"))], name(), vec![]);

    let variables = json!({"v": "a/b"});
    let refused = run(&backend, variables.clone(), vec![refused])
        .await
        .unwrap();
    let failed = run(&backend, variables, vec![failed]).await.unwrap();

    assert_eq!(
        (refused.value, failed.value),
        (json!("Refused"), json!("Fault"))
    );
}

#[tokio::test]
async fn the_log_holds_no_value() {
    let backend = Backend::default();
    let body = json!({"id": "canary4711", "name": "canary4711"});
    let steps = vec![
        call(post("/items/{id}/${v}", body)),
        assign("v", lit(json!(1))),
    ];
    let result = run(&backend, json!({"v": "canary4711"}), steps)
        .await
        .unwrap();
    let log = format!("{:?}", result.api_calls);
    assert!(
        log.contains("/items/{id}/${v}") && !log.contains("canary"),
        "{log}"
    );
}

#[tokio::test]
async fn nothing_of_one_run_is_left_in_the_next() {
    let backend = Backend::default();
    let set = vec![assign("left", lit(json!(1))), call_into("got", get("/a"))];
    run(&backend, json!({}), set).await.unwrap();
    let read = run(&backend, json!({}), vec![give_back(var("left"))]).await;
    assert!(read.is_err());
}

#[tokio::test]
async fn concurrent_runs_of_one_executor_share_no_variable() {
    use proofmark::executor::{ExecutionConfig, ExecutionPlan, PlanExecutor};
    let executor = PlanExecutor::new(Backend::default(), ExecutionConfig::default());
    let plans: Vec<_> = (0..50)
        .map(|n| {
            let path = format!("/{}/${{n}}", "x".repeat(n % 7 + 1));
            let steps = vec![
                assign("n", lit(json!(n))),
                call_into("got", get(&path)),
                give_back(var("n")),
            ];
            ExecutionPlan::new(steps)
        })
        .collect();

    let runs =
        futures_util::future::join_all(plans.iter().map(|plan| executor.execute(plan))).await;

    for (n, run) in runs.into_iter().enumerate() {
        assert_eq!(run.unwrap().value, json!(n));
    }
}

#[tokio::test]
async fn a_call_in_every_block_is_visited() {
    let steps = vec![
        PlanStep::Conditional {
            condition: lit(json!(false)),
            then_steps: vec![call(get("/then"))],
            else_steps: vec![each(json!([]), vec![call(get("/loop"))])],
        },
        attempt(
            vec![call(get("/try"))],
            vec![call(get("/catch"))],
            vec![call(get("/finally"))],
        ),
        PlanStep::ParallelApiCalls {
            result_var: None,
            calls: vec![get("/one"), get("/two")],
        },
        for_each(json!([])),
    ];
    let mut seen = Vec::new();
    proofmark::executor::ExecutionPlan::new(steps)
        .visit_calls(&mut |call| seen.push(call.path().as_str().to_owned()));
    assert_eq!(
        seen,
        [
            "/then",
            "/loop",
            "/try",
            "/catch",
            "/finally",
            "/one",
            "/two",
            "/items/${id}"
        ]
    );
}
