//! Calls that one side sends and the other refuses.

use proofmark::http::{Operation, Parameter};
use proofmark::path::{PlaceholderRules, validate_path_placeholder, validate_resolved_target};
use serde_json::{Value, json};

use super::Kind::{TheyAsk, TheyRefuse, WeRefuse};
use super::StatedDifference;
use crate::case::{By, Case, Place, argument, text_of};

/// Calls that the toolkit refuses.
pub fn by_us() -> Vec<StatedDifference> {
    let mut stated = arguments();
    stated.extend(headers());
    stated.extend(addresses());
    stated.extend(values());
    stated.extend(bodies());
    stated
}

fn arguments() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "argument that is not declared",
            reason: "Whoever gave it meant something by it, and nothing would come of it",
            smallest: Case::curated("GET", "/", &[argument("z", Place::Nowhere, json!(1))]),
            ours: "refused",
            peer: "GET /",
            kind: WeRefuse(|case| case.given(Place::Nowhere).next().is_some()),
        },
        StatedDifference {
            name: "header that the policy is not shown",
            reason: "SUR-02: a policy sees no headers, so one passes it only where the operation says so",
            smallest: Case::curated("GET", "/", &[argument("x-a", Place::Header, json!("b"))]),
            ours: "refused",
            peer: "GET / | GET / x-a: b",
            kind: WeRefuse(|case| case.given(Place::Header).any(|(_, value)| !value.is_null())),
        },
    ]
}

fn headers() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "header that decides more than a header may",
            reason: "SUR-12: no argument sets the host, the credential, the framing or the method",
            smallest: Case::curated(
                "GET",
                "/",
                &[argument("host", Place::HeaderPastPolicy, json!("b"))],
            ),
            ours: "refused",
            peer: "GET / | GET / host: b",
            kind: WeRefuse(sets_what_it_may_not),
        },
        StatedDifference {
            name: "length that an argument sets",
            reason: "SUR-12 and SUR-02: the body is cut, or what follows is read as one; the policy was shown the whole",
            smallest: Case::curated(
                "PUT",
                "/",
                &[
                    argument("content-length", Place::HeaderPastPolicy, json!(3)),
                    argument("n", Place::Body, json!(1)),
                ],
            ),
            ours: "refused",
            peer: "PUT / {\"n\":1} | PUT / content-length: 3 \"{\\\"n\"",
            kind: WeRefuse(sets_what_it_may_not),
        },
        StatedDifference {
            name: "header that is not visible text",
            reason: "What is trimmed, or read as one of two encodings, is not what the caller gave",
            smallest: Case::curated(
                "GET",
                "/",
                &[argument("x-a", Place::HeaderPastPolicy, json!(""))],
            ),
            ours: "refused",
            peer: "GET / | GET / x-a: ",
            kind: WeRefuse(|case| {
                case.given(Place::HeaderPastPolicy).any(|(_, value)| {
                    value.as_str().is_some_and(|text| {
                        text.is_empty() || text.trim() != text || !is_visible(text)
                    })
                })
            }),
        },
    ]
}

fn sets_what_it_may_not(case: &Case) -> bool {
    case.arguments().iter().any(|argument| {
        matches!(argument.place, Place::Header | Place::HeaderPastPolicy)
            && Operation::new("GET", "/", [Parameter::header(argument.name)]).is_err()
    })
}

fn is_visible(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..0x7F).contains(&byte))
}

fn addresses() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "user and password in the base URL",
            reason: "CRED-10: they are a credential, which the policy would be shown",
            smallest: Case::curated("GET", "/", &[]).at("u:p@", ""),
            ours: "refused",
            peer: "GET / (userinfo) | GET / (credential)",
            kind: WeRefuse(|case| !case.base.userinfo.is_empty()),
        },
        StatedDifference {
            name: "query in the base URL",
            reason: "EXE-01: the path would become a part of it",
            smallest: Case::curated("GET", "/a", &[]).at("", "?b"),
            ours: "refused",
            peer: "GET /?b/a=",
            kind: WeRefuse(|case| case.base.path.contains('?')),
        },
        StatedDifference {
            name: "fragment in the base URL",
            reason: "EXE-01: the path would become a part of it, and would not be sent",
            smallest: Case::curated("GET", "/a", &[]).at("", "#b"),
            ours: "refused",
            peer: "GET /#b/a | GET /",
            kind: WeRefuse(|case| case.base.path.contains('#')),
        },
        StatedDifference {
            name: "method that is one in upper case only",
            reason: "EXE-08: a method is a token before it is upper-cased",
            smallest: Case::script("po\u{17F}t", "/", None),
            ours: "refused",
            peer: "POST /",
            kind: WeRefuse(|case| !case.method.is_ascii()),
        },
        StatedDifference {
            name: "space at the end of the target",
            reason: "SUR-02 and EXE-03: a URL parser drops it, and the policy is not shown what is sent",
            smallest: Case::script("GET", "/ ", None),
            ours: "refused",
            peer: "GET /  | GET /",
            kind: WeRefuse(|case| case.path.ends_with(' ')),
        },
        StatedDifference {
            name: "path without a leading slash",
            reason: "PATH-19: joined to a base, it could name a scheme, an authority or a port",
            smallest: Case::curated("GET", "a", &[]),
            ours: "refused",
            peer: "GET /a",
            kind: WeRefuse(|case| !case.path.starts_with('/')),
        },
    ]
}

fn values() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "null in the path",
            reason: "PATH-14: null is no value, and a path has to have one",
            smallest: Case::curated("GET", "/{p}", &[argument("p", Place::Path, Value::Null)]),
            ours: "refused",
            peer: "GET /null",
            kind: WeRefuse(|case| case.given(Place::Path).any(|(_, value)| value.is_null())),
        },
        StatedDifference {
            name: "value that the path half refuses",
            reason: "PATH-22 and PATH-12: a look-alike of a refused character, and a brace",
            smallest: Case::curated(
                "GET",
                "/{p}",
                &[argument("p", Place::Path, json!("\u{FF0E}"))],
            ),
            ours: "refused",
            peer: "GET /\u{FF0E} | GET /%EF%BC%8E",
            kind: WeRefuse(|case| match case.by {
                By::Curated(_) => case.given(Place::Path).any(|(name, value)| {
                    let text = text_of(value);
                    let path = case.path.split('?').next().unwrap_or_default();
                    let in_path = path.contains(&format!("{{{name}}}"));
                    let rules = PlaceholderRules::default();
                    text.contains(['{', '}'])
                        || (in_path && validate_path_placeholder(name, &text, &rules).is_err())
                }),
                By::Script(_) => validate_resolved_target(&case.path).is_err(),
            }),
        },
        StatedDifference {
            name: "control character in a pair",
            reason: "EXE-06: backends cut lines at it, or drop it",
            smallest: Case::script("GET", "/", Some(json!({"\t": 1}))),
            ours: "refused",
            peer: "GET /?\\t=1",
            kind: WeRefuse(|case| {
                let of_control = |text: &str| text.contains(char::is_control);
                case.query_fields().iter().any(|(key, value)| {
                    let holds = |value: &Value| value.as_str().is_some_and(of_control);
                    let in_list = value
                        .as_array()
                        .is_some_and(|items| items.iter().any(holds));
                    of_control(key) || holds(value) || in_list
                })
            }),
        },
    ]
}

fn bodies() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "list in a query that would leave no pair",
            reason: "EXE-07: of an empty list, or of null in one, nothing would be said",
            smallest: Case::curated("GET", "/", &[argument("k", Place::Query, json!([]))]),
            ours: "refused",
            peer: "GET /?k=",
            kind: WeRefuse(|case| {
                case.query_fields().values().any(|value| {
                    value
                        .as_array()
                        .is_some_and(|items| items.is_empty() || items.iter().any(Value::is_null))
                })
            }),
        },
        StatedDifference {
            name: "body of a request that has none",
            reason: "EXE-04 and SUR-15: a GET-like method sends no body",
            smallest: Case::curated("GET", "/", &[argument("n", Place::Body, json!(1))]),
            ours: "refused",
            peer: "GET / {\"n\":1}",
            kind: WeRefuse(|case| {
                let declared = |place| case.arguments().iter().any(|a| a.place == place);
                case.is_get_like() && declared(Place::Body)
            }),
        },
        StatedDifference {
            name: "body without fields of a GET-like request",
            reason: "EXE-20: what cannot become pairs is refused, and not dropped",
            smallest: Case::script("GET", "/", Some(json!(1))),
            ours: "refused",
            peer: "GET /",
            kind: WeRefuse(|case| {
                matches!(&case.by, By::Script(Some(body)) if !body.is_object() && !body.is_null())
                    && case.is_get_like()
            }),
        },
    ]
}

/// Calls that the public crates refuse, or ask about in vain.
pub fn by_them() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "list in the query of a script",
            reason: "EXE-07: sent as declared, one pair for each item, in order",
            smallest: Case::script("GET", "/", Some(json!({"k": [1, 2]}))),
            ours: "GET /?k=1&k=2",
            peer: "refused",
            kind: TheyRefuse(|case| {
                matches!(case.by, By::Script(_))
                    && case.query_fields().values().any(Value::is_array)
            }),
        },
        StatedDifference {
            name: "OPTIONS of a script",
            reason: "EXE-04: a GET-like method like the others; the peer asks about it and then does not know it",
            smallest: Case::script("OPTIONS", "/", None),
            ours: "OPTIONS /",
            peer: "OPTIONS / | nothing",
            kind: TheyRefuse(|case| {
                matches!(case.by, By::Script(_)) && case.method.eq_ignore_ascii_case("OPTIONS")
            }),
        },
        StatedDifference {
            name: "shape of the query half",
            reason: "PATH-23: a query has no segments, so a query value may be a URL or end in a slash",
            smallest: Case::script("GET", "/?.", None),
            ours: "GET /?.=",
            peer: "refused",
            kind: TheyRefuse(|case| case.path.contains('?')),
        },
        StatedDifference {
            name: "method that is not sent",
            reason: "EXE-08: unknown is unknown before a policy is charged for it",
            smallest: Case::script("TRACE", "/", None),
            ours: "refused",
            peer: "TRACE / | nothing",
            kind: TheyAsk(|case| {
                let of_script = matches!(case.by, By::Script(_));
                case.method == "TRACE" || (of_script && case.method == "OPTIONS")
            }),
        },
        StatedDifference {
            name: "slashes of the author",
            reason: "PATH-10: a trailing `/` or a `//` that the author wrote is the author's",
            smallest: Case::curated("GET", "/a/", &[]),
            ours: "GET /a/",
            peer: "refused",
            kind: TheyRefuse(|case| {
                let path = case.path.split('?').next().unwrap_or_default();
                matches!(case.by, By::Curated(_)) && (path.ends_with('/') || path.contains("//"))
            }),
        },
    ]
}
