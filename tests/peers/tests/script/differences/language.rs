//! Differences over what expressions and blocks mean.

use serde_json::{Value, json};

use super::{StatedDifference, they_stop, we_stop};
use crate::program::{Expr, Operator, Program, Step, any_expr, any_step, binary, get, lit, var};

pub fn stated() -> Vec<StatedDifference> {
    let mut stated = numbers();
    stated.extend(values());
    stated.extend(logic());
    stated.extend(handlers());
    stated
}

fn numbers() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "whole numbers",
            reason: "ECMA-262: 1 + 1 is written `2`, in a path too",
            smallest: vec![Step::Return(binary(
                Operator::Add,
                lit(json!(1)),
                lit(json!(1)),
            ))],
            ours: "2",
            peer: "2.0",
            explains: |program, _, _| any_expr(program, &mut |expr| calculates(expr)),
        },
        StatedDifference {
            name: "calculation without a result",
            reason: "A number that JSON cannot hold is no number; the peer makes it 0",
            smallest: vec![Step::Return(binary(
                Operator::Div,
                lit(json!(1)),
                lit(json!(0)),
            ))],
            ours: "error",
            peer: "0",
            explains: |program, ours, peer| {
                any_expr(program, &mut |expr| calculates(expr)) && we_stop(program, ours, peer)
            },
        },
    ]
}

fn values() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "property of null",
            reason: "ECMA-262: it is an error, and no null that travels on",
            smallest: vec![Step::Return(Expr::Property(
                Box::new(lit(Value::Null)),
                "a",
            ))],
            ours: "error",
            peer: "null",
            explains: |program, ours, peer| {
                let reads = |expr: &Expr| matches!(expr, Expr::Property(..) | Expr::Index(..));
                any_expr(program, &mut |expr| reads(expr)) && we_stop(program, ours, peer)
            },
        },
        StatedDifference {
            name: "character of a text",
            reason: "ECMA-262: a text has characters by their places",
            smallest: vec![Step::Return(at(lit(json!("a")), json!(0)))],
            ours: "\"a\"",
            peer: "null",
            explains: |program, _, _| {
                any_expr(program, &mut |expr| matches!(expr, Expr::Index(..)))
            },
        },
        StatedDifference {
            name: "place that is no whole number",
            reason: "ECMA-262: there is nothing; the peer takes the first item",
            smallest: vec![Step::Return(at(lit(json!([1])), json!(0.5)))],
            ours: "null",
            peer: "1",
            explains: |program, _, _| {
                any_expr(program, &mut |expr| matches!(expr, Expr::Index(..)))
            },
        },
        StatedDifference {
            name: "text of a list or an object",
            reason: "PATH-14's rule wherever text is joined: neither has a text that anybody meant",
            smallest: vec![Step::Return(binary(
                Operator::Add,
                lit(json!("")),
                lit(json!([])),
            ))],
            ours: "error",
            peer: "\"[]\"",
            explains: |program, ours, peer| {
                let joins = |expr: &Expr| matches!(expr, Expr::Binary(Operator::Add, ..));
                any_expr(program, &mut |expr| joins(expr)) && we_stop(program, ours, peer)
            },
        },
    ]
}

fn at(list: Expr, place: Value) -> Expr {
    Expr::Index(Box::new(list), Box::new(lit(place)))
}

/// Whether an expression calculates with what may be numbers.
fn calculates(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(Operator::Div, ..) => true,
        Expr::Binary(Operator::Add, left, _) => !matches!(&**left, Expr::Literal(Value::String(_))),
        _ => false,
    }
}

fn logic() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "operand that is not asked for",
            reason: "ECMA-262: `&&` and `||` look at their right operand only if they must",
            smallest: vec![Step::Return(binary(
                Operator::And,
                lit(json!(false)),
                var("unknown"),
            ))],
            ours: "false",
            peer: "error",
            explains: |program, ours, peer| {
                let lazy =
                    |expr: &Expr| matches!(expr, Expr::Binary(Operator::And | Operator::Or, ..));
                any_expr(program, &mut |expr| lazy(expr)) && they_stop(program, ours, peer)
            },
        },
        StatedDifference {
            name: "order of texts",
            reason: "ECMA-262: texts are compared as texts; the peer compares them as numbers, which they are not",
            smallest: vec![Step::Return(binary(
                Operator::Less,
                lit(json!("a")),
                lit(json!("b")),
            ))],
            ours: "true",
            peer: "false",
            explains: |program, _, _| {
                any_expr(program, &mut |expr| match expr {
                    Expr::Binary(Operator::Less, left, _) => !matches!(**left, Expr::Length(_)),
                    _ => false,
                })
            },
        },
        StatedDifference {
            name: "equality of lists",
            reason: "There are no references: lists of equal items are equal; to the peer none is, not even to itself",
            smallest: vec![Step::Return(binary(
                Operator::Same,
                var("list"),
                var("list"),
            ))],
            ours: "true",
            peer: "false",
            explains: |program, _, _| {
                any_expr(program, &mut |expr| match expr {
                    Expr::Binary(Operator::Same, left, _) => !matches!(**left, Expr::Literal(_)),
                    _ => false,
                })
            },
        },
    ]
}

pub fn attempt(steps: Program, catch: Option<Program>, finally: Program) -> Step {
    Step::Try {
        steps,
        catch: catch.map(|steps| ("error", steps)),
        finally,
    }
}

fn handlers() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "attempt without a handler",
            reason: "ECMA-262: `finally` handles nothing, and the error goes on after it",
            smallest: vec![attempt(vec![get("/fail")], None, vec![])],
            ours: "GET /fail; error",
            peer: "GET /fail; null",
            explains: |program, _, _| {
                any_step(program, &mut |step| {
                    matches!(step, Step::Try { catch: None, .. })
                })
            },
        },
        StatedDifference {
            name: "handler that fails",
            reason: "ECMA-262: `finally` is run in any case",
            smallest: vec![attempt(
                vec![get("/fail")],
                Some(vec![get("/fail")]),
                vec![get("/f")],
            )],
            ours: "GET /fail; GET /fail; GET /f; error",
            peer: "GET /fail; GET /fail; error",
            explains: |program, ours, peer| {
                they_stop(program, ours, peer)
                    && any_step(
                        program,
                        &mut |step| matches!(step, Step::Try { catch: Some(_), finally, .. } if !finally.is_empty()),
                    )
            },
        },
        StatedDifference {
            name: "variable of a handler or a loop",
            reason: "ECMA-262: it is known in its block alone",
            smallest: vec![
                Step::Each("item", lit(json!([1])), vec![]),
                Step::Return(var("item")),
            ],
            ours: "error",
            peer: "1",
            explains: |program, ours, peer| {
                any_expr(program, &mut |expr| {
                    *expr == var("item") || *expr == var("error")
                }) && we_stop(program, ours, peer)
            },
        },
        StatedDifference {
            name: "break outside a loop",
            reason: "ECMA-262: it is no script at all; the peer passes over it",
            smallest: vec![Step::Break],
            ours: "error",
            peer: "null",
            explains: |program, ours, peer| jumps_nowhere(program) && we_stop(program, ours, peer),
        },
    ]
}

/// Whether a `break` or `continue` stands in no loop.
fn jumps_nowhere(program: &[Step]) -> bool {
    program.iter().any(|step| match step {
        Step::Break | Step::Continue => true,
        Step::If(_, then, otherwise) => jumps_nowhere(then) || jumps_nowhere(otherwise),
        Step::Try {
            steps,
            catch,
            finally,
        } => {
            jumps_nowhere(steps)
                || catch
                    .as_ref()
                    .is_some_and(|(_, steps)| jumps_nowhere(steps))
                || jumps_nowhere(finally)
        }
        _ => false,
    })
}
