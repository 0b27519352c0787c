//! Calls that both sides send, and not alike.

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use url::Url;

use super::Kind::Differently;
use super::StatedDifference;
use crate::case::{By, Case, Place, argument, text_of};
use crate::seen::{Request, Seen, decoded};

pub fn stated() -> Vec<StatedDifference> {
    let mut stated = targets();
    stated.extend(pairs());
    stated.extend(bodies());
    stated
}

fn targets() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "base URL that is resolved only when it is sent",
            reason: "SUR-02: the policy is shown the path that is sent",
            smallest: Case::script("GET", "/", None).at("", "/a/.."),
            ours: "GET /",
            peer: "GET /a/../ | GET /",
            kind: Differently(|case, seen| {
                if matches!(case.by, By::Script(_)) && case.base.path.contains("..") {
                    let resolved = Url::parse(&format!("http://a.test{}", case.base.path));
                    let resolved = resolved.expect("a base URL");
                    let (written, root) = (
                        case.base.path.trim_end_matches('/'),
                        resolved.path().trim_end_matches('/'),
                    );
                    for request in &mut seen.shown {
                        request.path = request.path.replacen(written, root, 1);
                    }
                }
            }),
        },
        StatedDifference {
            name: "space at the end of a value",
            reason: "SUR-02 and EXE-03: a URL parser drops it, and another target is sent than the policy was shown",
            smallest: Case::curated("GET", "/{p}", &[argument("p", Place::Path, json!(" "))]),
            ours: "GET /%20",
            peer: "GET /  | GET /",
            kind: Differently(|case, seen| {
                let filled = case.filled();
                let spaces = filled.len() - filled.trim_end_matches(' ').len();
                if let ([shown], [sent]) = (seen.shown.as_mut_slice(), seen.sent.as_mut_slice())
                    && spaces > 0
                {
                    if filled.contains('?') {
                        sent.pairs.clone_from(&shown.pairs);
                    } else {
                        sent.path.push_str(&"%20".repeat(spaces));
                        shown.path.clone_from(&sent.path);
                    }
                }
            }),
        },
        StatedDifference {
            name: "target as it is sent",
            reason: "SUR-02: the policy is shown the bytes that are sent, escapes included",
            smallest: Case::script("GET", "/ a", None),
            ours: "GET /%20a",
            peer: "GET / a | GET /%20a",
            kind: Differently(|_, seen| {
                if let ([shown], [sent]) = (seen.shown.as_mut_slice(), seen.sent.as_slice())
                    && percent_decode_str(&shown.path).eq(percent_decode_str(&sent.path))
                {
                    shown.path.clone_from(&sent.path);
                }
            }),
        },
    ]
}

fn pairs() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "value within a pair of the author",
            reason: "PATH-21 and PATH-27: a value stays within its pair and is what the caller gave",
            smallest: Case::curated("GET", "/?k={p}", &[argument("p", Place::Path, json!("&"))]),
            ours: "GET /?k=&",
            peer: "GET /?k=",
            kind: Differently(|case, seen| {
                let Some((_, author)) = case.path.split_once('?') else {
                    return;
                };
                let fills = |(name, _): &(&str, &Value)| author.contains(&format!("{{{name}}}"));
                if case.given(Place::Path).any(|given| fills(&given)) {
                    let as_sent = decoded(filled(case, author, false).as_bytes());
                    let as_meant = decoded(filled(case, author, true).as_bytes());
                    each(seen, |request| exchange(request, &as_sent, &as_meant));
                }
            }),
        },
        StatedDifference {
            name: "list in a query",
            reason: "EXE-07: one pair for each item, in order; joined by commas, an item with a comma is two",
            smallest: Case::curated("GET", "/", &[argument("k", Place::Query, json!([1, 2]))]),
            ours: "GET /?k=1&k=2",
            peer: "GET /?k=1,2",
            kind: Differently(|case, seen| {
                for (name, value) in case.given(Place::Query) {
                    let Some(items) = value.as_array() else {
                        continue;
                    };
                    let texts: Vec<String> = items.iter().map(text_of).collect();
                    let joined = [(name.to_owned(), texts.join(","))];
                    let single = texts.into_iter().map(|text| (name.to_owned(), text));
                    let single: Vec<_> = single.collect();
                    each(seen, |request| exchange(request, &joined, &single));
                }
            }),
        },
        StatedDifference {
            name: "null beside the path",
            reason: "EXE-06: null is no value, so there is no pair; the policy sees the same",
            smallest: Case::curated("GET", "/", &[argument("k", Place::Query, Value::Null)]),
            ours: "GET /",
            peer: "GET /?k=null",
            kind: Differently(|case, seen| {
                let nulls = |place| case.given(place).filter(|(_, value)| value.is_null());
                for (name, _) in nulls(Place::Query) {
                    let pair = [(name.to_owned(), "null".to_owned())];
                    each(seen, |request| exchange(request, &pair, &[]));
                }
                for (name, _) in nulls(Place::Header).chain(nulls(Place::HeaderPastPolicy)) {
                    each(seen, |request| {
                        request.headers.retain(|(key, _)| key != name)
                    });
                }
            }),
        },
    ]
}

fn bodies() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "field named body",
            reason: "It is a field like any other, and the fields beside it are sent too",
            smallest: Case::curated("PUT", "/", &[argument("body", Place::Body, json!(1))]),
            ours: "PUT / {\"body\":1}",
            peer: "PUT / 1",
            kind: Differently(|case, seen| {
                if case.given(Place::Body).any(|(name, _)| name == "body") {
                    let fields = case.given(Place::Body);
                    let fields = fields.map(|(name, value)| (name.to_owned(), value.clone()));
                    let body = Value::Object(fields.collect());
                    each(seen, |request| request.body = Some(body.clone()));
                }
            }),
        },
        StatedDifference {
            name: "body of which no field is given",
            reason: "A method that sends JSON sends an object even of no fields, if any is declared",
            smallest: Case::curated(
                "PUT",
                "/",
                &[crate::case::Argument {
                    name: "n",
                    place: Place::Body,
                    value: None,
                }],
            ),
            ours: "PUT / {}",
            peer: "PUT /",
            kind: Differently(|case, seen| {
                let declares = case.arguments().iter().any(|a| a.place == Place::Body);
                if declares && case.given(Place::Body).next().is_none() {
                    each(seen, |request| request.body = Some(json!({})));
                }
            }),
        },
    ]
}

fn each(seen: &mut Seen, mut change: impl FnMut(&mut Request)) {
    seen.shown
        .iter_mut()
        .chain(&mut seen.sent)
        .for_each(&mut change);
}

/// Puts pairs in the place of others, if those are there.
fn exchange(request: &mut Request, from: &[(String, String)], to: &[(String, String)]) {
    let mut left = request.pairs.clone();
    let mut first = left.len();
    for pair in from {
        let Some(at) = left.iter().position(|other| other == pair) else {
            return;
        };
        left.remove(at);
        first = first.min(at);
    }
    left.splice(first..first, to.iter().cloned());
    left.sort_by(|(one, _), (other, _)| one.cmp(other));
    request.pairs = left;
}

/// The author's query with the values in it, either as they are or so that each stays what it is.
fn filled(case: &Case, author: &str, within: bool) -> String {
    let mut query = author.to_owned();
    for (name, value) in case.given(Place::Path) {
        let mut text = text_of(value);
        if within {
            for (mark, escape) in [("&", "%26"), ("=", "%3D"), ("+", "%2B"), (";", "%3B")] {
                text = text.replace(mark, escape);
            }
        }
        query = query.replace(&format!("{{{name}}}"), &text);
    }
    query
}
