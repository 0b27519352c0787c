//! What each step does.

use proofmark::executor::{BinaryOperator, PlanStep, ScriptError, ValueExpr};
use rstest::rstest;
use serde_json::{Value, json};

use crate::subject::{Backend, assign, attempt, call, each, get, give_back, lit, run, var};

fn throw(value: Value) -> PlanStep {
    PlanStep::Throw { value: lit(value) }
}

fn when(condition: ValueExpr, then_steps: Vec<PlanStep>) -> PlanStep {
    PlanStep::Conditional {
        condition,
        then_steps,
        else_steps: Vec::new(),
    }
}

fn item_is(value: Value) -> ValueExpr {
    ValueExpr::binary(BinaryOperator::Eq, var("item"), lit(value))
}

#[rstest]
#[case::nothing(vec![], json!(null))]
#[case::assigned(vec![assign("a", lit(json!(1))), assign("a", lit(json!(2))), give_back(var("a"))], json!(2))]
#[case::first_return(vec![give_back(lit(json!(1))), give_back(lit(json!(2)))], json!(1))]
#[case::out_of_a_loop(vec![each(json!([1, 2, 3]), vec![when(item_is(json!(2)), vec![give_back(var("item"))])])], json!(2))]
#[case::caught(vec![attempt(vec![throw(json!("x"))], vec![give_back(var("e"))], vec![])], json!("x"))]
#[case::finally_wins(vec![attempt(vec![give_back(lit(json!(1)))], vec![], vec![give_back(lit(json!(2)))])], json!(2))]
#[case::finally_after_return(vec![attempt(vec![give_back(lit(json!(1)))], vec![], vec![assign("x", lit(json!(0)))])], json!(1))]
#[tokio::test]
async fn steps_end_with(#[case] steps: Vec<PlanStep>, #[case] expected: Value) {
    let result = run(&Backend::default(), json!({}), steps).await.unwrap();
    assert_eq!(result.value, expected);
}

#[tokio::test]
async fn continue_and_break_are_of_the_innermost_loop() {
    let inner = each(
        json!([1, 2, 3, 4]),
        vec![
            when(item_is(json!(2)), vec![PlanStep::Continue]),
            when(item_is(json!(4)), vec![PlanStep::Break]),
            call(get("/in/${item}")),
        ],
    );
    let backend = Backend::default();
    let steps = vec![each(
        json!(["a", "b"]),
        vec![inner, call(get("/out/${item}"))],
    )];
    run(&backend, json!({}), steps).await.unwrap();
    assert_eq!(
        backend.paths(),
        ["/in/1", "/in/3", "/out/a", "/in/1", "/in/3", "/out/b"]
    );
}

#[rstest]
#[case(PlanStep::Continue)]
#[case(PlanStep::Break)]
#[tokio::test]
async fn a_jump_outside_a_loop_is_an_error(#[case] step: PlanStep) {
    let result = run(&Backend::default(), json!({}), vec![step]).await;
    assert_eq!(result, Err(ScriptError::OutsideLoop.into()));
}

#[tokio::test]
async fn finally_runs_after_an_error_that_goes_on() {
    let backend = Backend::default();
    let steps = vec![attempt(
        vec![attempt(
            vec![throw(json!(1))],
            vec![],
            vec![call(get("/finally"))],
        )],
        vec![call(get("/caught"))],
        vec![],
    )];
    run(&backend, json!({}), steps).await.unwrap();
    assert_eq!(backend.paths(), ["/finally", "/caught"]);
}

#[rstest]
#[case::no_handler(None, true)]
#[case::empty_handler(Some(vec![]), false)]
#[tokio::test]
async fn a_handler_that_does_nothing_handles_all_the_same(
    #[case] catch_steps: Option<Vec<PlanStep>>,
    #[case] fails: bool,
) {
    let backend = Backend::default();
    let steps = vec![PlanStep::TryCatch {
        try_steps: vec![throw(json!(1))],
        catch_var: None,
        catch_steps,
        finally_steps: vec![call(get("/finally"))],
    }];
    let result = run(&backend, json!({}), steps).await;
    assert_eq!(result.is_err(), fails);
    assert_eq!(backend.paths(), ["/finally"]);
}

#[tokio::test]
async fn an_error_in_a_handler_goes_on_after_finally() {
    let backend = Backend::default();
    let steps = vec![attempt(
        vec![throw(json!(1))],
        vec![throw(json!(2))],
        vec![call(get("/finally"))],
    )];
    let result = run(&backend, json!({}), steps).await;
    assert_eq!(result, Err(ScriptError::Uncaught.into()));
    assert_eq!(backend.paths(), ["/finally"]);
}

#[tokio::test]
async fn an_uncaught_value_is_not_shown() {
    let error = run(
        &Backend::default(),
        json!({}),
        vec![throw(json!("canary4711"))],
    )
    .await
    .unwrap_err();
    assert!(!format!("{error} {error:?}").contains("canary"));
}

#[tokio::test]
async fn the_variables_of_loops_and_handlers_end_with_them() {
    let steps = vec![
        each(json!([1]), vec![]),
        attempt(
            vec![throw(json!(2))],
            vec![assign("caught", var("e"))],
            vec![],
        ),
        give_back(ValueExpr::Array(vec![var("item"), var("caught"), var("e")])),
    ];
    let result = run(
        &Backend::default(),
        json!({"item": "outer", "e": "outer"}),
        steps,
    )
    .await
    .unwrap();
    assert_eq!(result.value, json!(["outer", 2, "outer"]));
}

#[tokio::test]
async fn what_is_no_list_is_not_run_through() {
    let result = run(
        &Backend::default(),
        json!({}),
        vec![each(json!("abc"), vec![])],
    )
    .await;
    assert!(matches!(result, Err(error) if error.blame() == proofmark::executor::Blame::Caller));
}
