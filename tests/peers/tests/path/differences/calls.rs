//! Differences over a call with both layers to resolve.

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::fold::folds;
use super::{StatedDifference, path_half};
use crate::case::{Case, Part, Verdict};

/// Calls that the toolkit refuses and the peer sends.
pub fn refused() -> Vec<StatedDifference> {
    vec![
        template_without_a_leading_slash(),
        look_alike_in_a_call(),
        brace_in_a_variable(),
        braces_that_pair_across_parts_or_nest(),
        escape_that_a_value_completes(),
        name_that_is_none(),
        array_or_object_in_a_variable(),
        dot_segment_before_a_matrix_parameter(),
        body_that_nests_without_end(),
    ]
}

fn template_without_a_leading_slash() -> StatedDifference {
    StatedDifference {
        name: "template without a leading slash",
        reason: "PATH-19, for templates",
        smallest: call(&[literal("a")], json!({}), None),
        ours: "refused",
        peer: "a",
        explains: |case, ours, _| {
            let rootless = |parts: &[Part]| !matches!(parts.first(), Some(Part::Literal(text)) if text.starts_with('/'));
            is_call(case, |parts, _, _| rootless(parts)) && ours.is_refusal()
        },
    }
}

fn look_alike_in_a_call() -> StatedDifference {
    StatedDifference {
        name: "look-alike in a call",
        reason: "PATH-22, for calls",
        smallest: call(&[literal("/．")], json!({}), None),
        ours: "refused",
        peer: "/．",
        explains: |_, ours, peer| {
            matches!(peer, Verdict::Sent(sent) if sent.path.starts_with('/') && folds(path_half(&sent.path)))
                && ours.is_refusal()
        },
    }
}

fn brace_in_a_variable() -> StatedDifference {
    StatedDifference {
        name: "brace in a variable",
        reason: "PATH-24: it makes no placeholder, so no field of the body is consumed by it",
        smallest: call(
            &[literal("/"), Part::Variable("v")],
            json!({"v": "{a}"}),
            Some(json!({"a": "1"})),
        ),
        ours: "refused",
        peer: "/1",
        explains: |case, ours, _| {
            is_call(case, |parts, variables, _| {
                contributed(parts, variables).any(|value| value.to_string().contains(['{', '}']))
            }) && ours.is_refusal()
        },
    }
}

fn braces_that_pair_across_parts_or_nest() -> StatedDifference {
    StatedDifference {
        name: "braces that pair across parts or nest",
        reason: "PATH-24: a placeholder is what the author wrote, whole and in one piece",
        smallest: call(
            &[literal("/{"), Part::Variable("v"), literal("}")],
            json!({"v": "a"}),
            Some(json!({"a": "1"})),
        ),
        ours: "refused",
        peer: "/1",
        explains: |case, ours, _| {
            is_call(case, |parts, _, _| {
                literals(parts).any(|text| !braces_pair(text))
            }) && ours.is_refusal()
        },
    }
}

fn escape_that_a_value_completes() -> StatedDifference {
    StatedDifference {
        name: "escape that a value completes",
        reason: "PATH-03: an escape is whole in the template or in the value, so none is made by composition",
        smallest: call(
            &[literal("/%"), Part::Variable("v")],
            json!({"v": "41"}),
            None,
        ),
        ours: "refused",
        peer: "/%41",
        explains: |case, ours, _| {
            is_call(case, |parts, _, _| {
                literals(parts)
                    .flat_map(|text| text.split(['{', '}']))
                    .any(|run| run.ends_with('%') || run.chars().rev().nth(1) == Some('%'))
            }) && ours.is_refusal()
        },
    }
}

fn name_that_is_none() -> StatedDifference {
    StatedDifference {
        name: "name that is none",
        reason: "A placeholder needs a name, and one without a separator or mark, for else its braces are likely a slip",
        smallest: call(&[literal("/{}")], json!({}), Some(json!({"": "1"}))),
        ours: "refused",
        peer: "/1",
        explains: |case, ours, _| {
            is_call(case, |parts, _, _| {
                literals(parts).any(|text| {
                    text.split('{')
                        .skip(1)
                        .filter_map(|rest| rest.split('}').next())
                        .any(|name| name.is_empty() || name.contains(['/', '?', '#', '\\']))
                })
            }) && ours.is_refusal()
        },
    }
}

fn array_or_object_in_a_variable() -> StatedDifference {
    StatedDifference {
        name: "array or object in a variable",
        reason: "PATH-14: it has no text, and the peer sends its JSON",
        smallest: call(&[literal("/"), Part::Variable("v")], json!({"v": []}), None),
        ours: "refused",
        peer: "/[]",
        explains: |case, ours, _| {
            is_call(case, |parts, variables, _| {
                contributed(parts, variables).any(|value| value.is_array() || value.is_object())
            }) && ours.is_refusal()
        },
    }
}

fn dot_segment_before_a_matrix_parameter() -> StatedDifference {
    StatedDifference {
        name: "dot segment before a matrix parameter",
        reason: "PATH-10: servers that cut `;` before they resolve dots leave the segment",
        smallest: call(
            &[literal("/"), Part::Variable("v")],
            json!({"v": ".;"}),
            None,
        ),
        ours: "refused",
        peer: "/.;",
        explains: |_, ours, peer| {
            let has_one = |path: &str| {
                let decoded = percent_decode_str(path_half(path))
                    .decode_utf8_lossy()
                    .into_owned();
                decoded
                    .split('/')
                    .any(|segment| segment.starts_with(".;") || segment.starts_with("..;"))
            };
            matches!(peer, Verdict::Sent(sent) if has_one(&sent.path)) && ours.is_refusal()
        },
    }
}

fn body_that_nests_without_end() -> StatedDifference {
    StatedDifference {
        name: "body that nests without end",
        reason: "What serialises it by recursion would run out of stack",
        smallest: call(&[literal("/")], json!({}), Some(deep(129))),
        ours: "refused",
        peer: DEEP,
        explains: |case, ours, _| {
            is_call(case, |_, _, body| {
                body.is_some_and(|body| depth(body) > 128)
            }) && ours.is_refusal()
        },
    }
}

/// What the peer sends for the deepest body that the toolkit does not.
const DEEP: &str = concat!(
    "/ ",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
);

/// Calls that the toolkit sends, otherwise than the peer or where the peer refuses.
pub fn sent() -> Vec<StatedDifference> {
    vec![
        separator_in_a_query_value(),
        space_in_a_value(),
        slashes_of_the_author(),
        shape_of_the_query_of_a_call(),
    ]
}

fn separator_in_a_query_value() -> StatedDifference {
    StatedDifference {
        name: "separator in a query value",
        reason: "PATH-21 and PATH-27: encoded, it stays in its pair",
        smallest: call(
            &[literal("/?"), Part::Variable("v")],
            json!({"v": "&"}),
            None,
        ),
        ours: "/?%26",
        peer: "/?&",
        explains: |_, ours, peer| both_send_alike(ours, peer, &["%26", "%2B", "%3B", "%3D"]),
    }
}

fn space_in_a_value() -> StatedDifference {
    StatedDifference {
        name: "space in a value",
        reason: "PATH-01 and PATH-19: encoded, no URL parser drops it at the end of the target",
        smallest: call(
            &[literal("/"), Part::Variable("v")],
            json!({"v": " "}),
            None,
        ),
        ours: "/%20",
        peer: "/ ",
        explains: |_, ours, peer| both_send_alike(ours, peer, &["%20"]),
    }
}

fn slashes_of_the_author() -> StatedDifference {
    StatedDifference {
        name: "slashes of the author",
        reason: "PATH-10: a `//` or trailing `/` that the author wrote is meant",
        smallest: call(&[literal("/a/")], json!({}), None),
        ours: "/a/",
        peer: "refused",
        explains: |_, ours, peer| {
            let has_them = |path: &str| {
                let path = percent_decode_str(path_half(path)).decode_utf8_lossy();
                path.ends_with('/') || path.contains("//")
            };
            matches!(ours, Verdict::Sent(sent) if has_them(&sent.path)) && peer.is_refusal()
        },
    }
}

fn shape_of_the_query_of_a_call() -> StatedDifference {
    StatedDifference {
        name: "shape of the query of a call",
        reason: "PATH-23, for calls",
        smallest: call(&[literal("/?.")], json!({}), None),
        ours: "/?.",
        peer: "refused",
        explains: |_, ours, peer| {
            matches!(ours, Verdict::Sent(sent) if sent.path.contains('?')) && peer.is_refusal()
        },
    }
}

fn call(parts: &[Part], variables: Value, body: Option<Value>) -> Case {
    let Value::Object(variables) = variables else {
        unreachable!("variables are an object");
    };
    Case::Call {
        parts: parts.to_vec(),
        variables,
        body,
    }
}

fn literal(text: &str) -> Part {
    Part::Literal(text.to_owned())
}

fn deep(levels: usize) -> Value {
    (1..levels).fold(json!([]), |inner, _| Value::Array(vec![inner]))
}

fn is_call(
    case: &Case,
    test: impl Fn(&[Part], &Map<String, Value>, Option<&Value>) -> bool,
) -> bool {
    match case {
        Case::Call {
            parts,
            variables,
            body,
        } => test(parts, variables, body.as_ref()),
        _ => false,
    }
}

fn literals(parts: &[Part]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(|part| match part {
        Part::Literal(text) => Some(text.as_str()),
        Part::Variable(_) => None,
    })
}

/// The values of the variables that a path asks for.
fn contributed<'c>(
    parts: &'c [Part],
    variables: &'c Map<String, Value>,
) -> impl Iterator<Item = &'c Value> {
    parts.iter().filter_map(|part| match part {
        Part::Variable(name) => variables.get(*name),
        Part::Literal(_) => None,
    })
}

/// Whether each `{` is closed before the next one, and no `}` comes without.
fn braces_pair(text: &str) -> bool {
    let mut open = false;
    text.chars().all(|c| match c {
        '{' => !std::mem::replace(&mut open, true),
        '}' => std::mem::replace(&mut open, false),
        _ => true,
    }) && !open
}

/// Whether both send the same, but that the toolkit encodes some of `escapes` where the peer does
/// not.
fn both_send_alike(ours: &Verdict, peer: &Verdict, escapes: &[&str]) -> bool {
    let (Verdict::Sent(ours), Verdict::Sent(peer)) = (ours, peer) else {
        return false;
    };
    let decoded = |path: &str| percent_decode_str(path).collect::<Vec<u8>>();
    let more_of =
        |escape: &&str| ours.path.matches(*escape).count() > peer.path.matches(*escape).count();
    ours.body == peer.body
        && decoded(&ours.path) == decoded(&peer.path)
        && escapes.iter().any(more_of)
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
