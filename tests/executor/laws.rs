//! Whatever a plan says, its limits are kept and the run comes to an end.

use proofmark::executor::{
    BinaryOperator, ExecutionConfig, ExecutionError, LimitReached, MethodName, PlanStep, ValueExpr,
};
use proptest::prelude::*;
use serde_json::json;

use crate::subject::{Backend, assign, call_into, get, give_back, lit, run_within, var};

fn names() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("a"), Just("b"), Just("item")]
}

fn expressions() -> impl Strategy<Value = ValueExpr> {
    let leaf = prop_oneof![
        names().prop_map(var),
        Just(lit(json!([1, 2, 3]))),
        Just(lit(json!("x/../y"))),
        Just(lit(json!(0))),
        Just(lit(json!({"a": {"b": 1}}))),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let (one, two) = (inner.clone(), inner.clone());
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(ValueExpr::Array),
            proptest::collection::vec(inner.clone(), 0..3).prop_map(ValueExpr::Template),
            (one, two).prop_map(|(l, r)| ValueExpr::binary(BinaryOperator::Add, l, r)),
            (inner.clone(), names()).prop_map(|(object, name)| ValueExpr::property(object, name)),
            (inner.clone(), inner).prop_map(|(list, body)| {
                let function = ValueExpr::lambda(["item"], body);
                ValueExpr::method(list, MethodName::FlatMap, vec![function])
            }),
        ]
    })
}

fn steps() -> impl Strategy<Value = Vec<PlanStep>> {
    let leaf = prop_oneof![
        (names(), expressions()).prop_map(|(name, expr)| assign(name, expr)),
        names().prop_map(|name| call_into(name, get("/x/${a}"))),
        Just(call_into("b", get("/fail"))),
        expressions().prop_map(give_back),
        expressions().prop_map(|value| PlanStep::Throw { value }),
        Just(PlanStep::Continue),
        Just(PlanStep::Break),
        (names(), expressions()).prop_map(|(name, collection)| PlanStep::ParallelForEach {
            result_var: Some(name.to_owned()),
            item_var: "a".to_owned(),
            collection,
            call: get("/each/${a}"),
        }),
    ];
    let step = leaf.prop_recursive(4, 40, 4, |inner| {
        let block = || proptest::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            (expressions(), block()).prop_map(|(collection, body)| PlanStep::BoundedLoop {
                item_var: "item".to_owned(),
                collection,
                max_iterations: usize::MAX,
                body,
            }),
            (expressions(), block(), block()).prop_map(|(condition, then_steps, else_steps)| {
                PlanStep::Conditional {
                    condition,
                    then_steps,
                    else_steps,
                }
            }),
            (block(), proptest::option::of(block()), block()).prop_map(
                |(try_steps, catch_steps, finally_steps)| PlanStep::TryCatch {
                    try_steps,
                    catch_var: Some("b".to_owned()),
                    catch_steps,
                    finally_steps,
                }
            ),
        ]
    });
    proptest::collection::vec(step, 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_plan_makes_more_calls_or_more_work_than_it_may(steps in steps()) {
        let config = ExecutionConfig::default()
            .with_max_api_calls(5)
            .with_max_loop_iterations(20)
            .with_max_work(20_000)
            .with_time_limit(None);
        let backend = Backend::default();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let variables = json!({"a": 1, "b": [1], "item": "i"});

        let result = runtime.block_on(run_within(config, &backend, variables, steps));

        prop_assert!(backend.sent().len() <= 5);
        prop_assert!(backend.paths().iter().all(|path| !path.contains("..")));
        let timed_out = matches!(result, Err(ExecutionError::Limit(LimitReached::Time { .. })));
        prop_assert!(!timed_out);
    }
}
