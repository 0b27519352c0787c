//! Differences over what is sent, and over the limits of a script.

use serde_json::{Value, json};

use super::language::attempt;
use super::{StatedDifference, they_stop, we_stop};
use crate::ours;
use crate::program::{Call, Expr, MAX_ITERATIONS, Part, Program, Step, any_step, get, lit};

pub fn stated() -> Vec<StatedDifference> {
    let mut stated = paths();
    stated.extend(queries());
    stated.extend(at_once());
    stated.extend(limits());
    stated
}

fn call(method: &'static str, path: Vec<Part>, body: Option<Expr>) -> Call {
    Call { method, path, body }
}

fn any_call(program: &Program, such: fn(&Call) -> bool) -> bool {
    any_step(program, &mut |step| match step {
        Step::Call { call, .. } => such(call),
        Step::Parallel { calls, .. } => calls.iter().any(such),
        _ => false,
    })
}

fn paths() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "list in a path",
            reason: "PATH-14: a list or an object is no part of a path; the peer sends its JSON text",
            smallest: vec![Step::Call {
                into: None,
                call: call("GET", vec![Part::Text("/"), Part::Variable("list")], None),
            }],
            ours: "error",
            peer: "GET /[1,\"two\",false]; null",
            explains: |program, ours, peer| {
                let fills =
                    |call: &Call| call.path.iter().any(|part| !matches!(part, Part::Text(_)));
                any_call(program, fills) && we_stop(program, ours, peer)
            },
        },
        StatedDifference {
            name: "slashes of the author",
            reason: "PATH-10: a trailing `/` or a `//` that the author wrote is the author's",
            smallest: vec![get("/a/")],
            ours: "GET /a/; null",
            peer: "error",
            explains: |program, ours, peer| {
                let has_slashes = |call: &Call| {
                    let text = call.path.iter().map(|part| match part {
                        Part::Text(text) => text,
                        Part::Variable(_) | Part::Expression(_) => "x",
                    });
                    let text = text.collect::<String>();
                    let path = text.split('?').next().unwrap_or_default();
                    path.ends_with('/') || path.contains("//")
                };
                any_call(program, has_slashes) && they_stop(program, ours, peer)
            },
        },
        StatedDifference {
            name: "path that is none",
            reason: "PATH-19: a plan whose paths could name an origin, or hold an odd brace, is none, and nothing of it is sent",
            smallest: vec![get("/"), get("//a")],
            ours: "error",
            peer: "GET /; error",
            explains: |program, ours, _| ours.sent.is_empty() && ours::steps(program).is_err(),
        },
    ]
}

fn queries() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "value within a pair of the author",
            reason: "PATH-21: `&` in a value does not end its pair",
            smallest: vec![Step::Call {
                into: None,
                call: call(
                    "GET",
                    vec![Part::Text("/?k={k}")],
                    Some(Expr::Object(vec![("k", lit(json!("a&b")))])),
                ),
            }],
            ours: "GET /?k=a%26b; null",
            peer: "GET /?k=a&b; null",
            explains: |program, ours, peer| {
                let queries = |call: &Call| {
                    call.path
                        .iter()
                        .any(|part| matches!(part, Part::Text(text) if text.contains('?')))
                };
                any_call(program, queries) && ours.sent.len() == peer.sent.len()
            },
        },
        StatedDifference {
            name: "shape of the query half",
            reason: "PATH-23: a query has no segments, so a query value may be a URL or end in a slash",
            smallest: vec![Step::Call {
                into: None,
                call: call("GET", vec![Part::Text("/?k=/")], None),
            }],
            ours: "GET /?k=/; null",
            peer: "error",
            explains: |program, ours, peer| {
                let queries = |call: &Call| {
                    call.path
                        .iter()
                        .any(|part| matches!(part, Part::Text(text) if text.contains('?')))
                };
                any_call(program, queries) && they_stop(program, ours, peer)
            },
        },
    ]
}

fn at_once() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "calls made at once, of which one fails",
            reason: "ECMA-262: `Promise.all` is asked for calls that are made; the peer makes them one by one",
            smallest: vec![Step::Parallel {
                into: "r",
                calls: vec![
                    call("GET", vec![Part::Text("/fail")], None),
                    call("GET", vec![Part::Text("/a")], None),
                ],
            }],
            ours: "GET /fail; GET /a; error",
            peer: "GET /fail; error",
            explains: |program, ours, peer| {
                any_step(program, &mut |step| matches!(step, Step::Parallel { .. }))
                    && they_stop(program, ours, peer)
            },
        },
        StatedDifference {
            name: "calls made at once",
            reason: "PATH-13: all are resolved before any is sent; the peer has sent the first before it looks at the second",
            smallest: vec![Step::Parallel {
                into: "r",
                calls: vec![
                    call("GET", vec![Part::Text("/a")], None),
                    call(
                        "GET",
                        vec![Part::Text("/"), Part::Variable("unknown")],
                        None,
                    ),
                ],
            }],
            ours: "error",
            peer: "GET /a; error",
            explains: |program, ours, peer| {
                any_step(program, &mut |step| matches!(step, Step::Parallel { .. }))
                    && we_stop(program, ours, peer)
            },
        },
    ]
}

fn limits() -> Vec<StatedDifference> {
    let items = |count: usize| lit(Value::from(vec![0; count]));
    vec![
        StatedDifference {
            name: "list longer than a loop may be",
            reason: "SUR-08: the limit ends the script; cut short, it would answer as if it had looked at all",
            smallest: vec![Step::Each("item", items(MAX_ITERATIONS + 1), vec![])],
            ours: "error",
            peer: "null",
            explains: |program, ours, peer| {
                any_step(program, &mut |step| matches!(step, Step::Each(..)))
                    && we_stop(program, ours, peer)
            },
        },
        StatedDifference {
            name: "loops in a loop",
            reason: "SUR-08: the limit holds for all loops of a script together; the peer's multiply",
            smallest: vec![Step::Each(
                "outer",
                items(3),
                vec![Step::Each("inner", items(2), vec![])],
            )],
            ours: "error",
            peer: "null",
            explains: |program, ours, peer| {
                let loops = |step: &Step| match step {
                    Step::Each(_, _, body) => {
                        any_step(body, &mut |step| matches!(step, Step::Each(..)))
                    }
                    _ => false,
                };
                any_step(program, &mut |step| loops(step)) && we_stop(program, ours, peer)
            },
        },
        StatedDifference {
            name: "limit that a handler sees",
            reason: "SUR-08: a limit ends the script, and no handler is asked",
            smallest: vec![attempt(
                std::iter::repeat_n(get("/"), 6).collect(),
                Some(vec![]),
                vec![],
            )],
            ours: "GET /; GET /; GET /; GET /; GET /; error",
            peer: "GET /; GET /; GET /; GET /; GET /; null",
            explains: |program, ours, peer| {
                any_step(program, &mut |step| matches!(step, Step::Try { .. }))
                    && we_stop(program, ours, peer)
            },
        },
    ]
}
