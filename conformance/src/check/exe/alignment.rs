//! EXE-03: the path arrives byte for byte, or as its own escapes.

use proptest::prelude::*;
use serde_json::json;

use super::stage::{Observed, Stage, sent_methods};
use crate::outcome::Counterexample;
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Driven, Finding, Judged, Stop, Trial};

/// Targets that clients like to change, simplest first. Some cannot be handed over in Rust.
const TARGETS: &[&str] = &[
    "/A-b._~/9",
    "/%41b",
    "/%7Ex",
    "/%2d",
    "/a%20b",
    "/a%2Bb",
    "/%e9",
    "/%E9",
    "/%c3%A9",
    "/%2F",
    "/a%2fb",
    "/a%3Ab",
    "/a%26b%3Dc",
    "/a//b",
    "/a/",
    "/...",
    "/a..b",
    "/.well-known/x",
    "/a./b",
    "/a;b=c",
    "/a,b",
    "/a+b",
    "/a:b@c",
    "/a b",
    "/a ",
    "/é",
    "/日本",
    "/s?q=1",
    "/s?q=a+b",
    "/s?q=a%20b",
    "/s?q=a ",
    "/s?q=%41",
    "/s?q=%2B%26",
    "/s?q=a/b",
    "/s?q=a:b@c",
    "/s?a=1&a=2",
    "/s?b=2&a=1",
    "/s?flag",
    "/s?a=b=c",
    "/s?q='x'",
    "/s?q=(a)*!",
    "/s?q=é",
    "/s?next=http://x.test/y",
    "/s?q=a;b",
    "/s?a=",
    "/s?a=&b=2",
    "/s?b=2&a=",
];

/// What is handed over by every other method as well, and together with a field.
const FEW: &[&str] = &[
    "/A-b._~/9",
    "/%41b",
    "/a%20b",
    "/a%2fb",
    "/%c3%A9",
    "/a;b=c,d+e",
    "/a:b@c",
];

/// Longer than some clients allow for.
fn long_targets() -> [String; 2] {
    let segment = "0123456789".repeat(20);
    let path = format!("/{segment}").repeat(20);
    [path, format!("/s?q={}", "0123456789".repeat(400))]
}

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let stage = Stage::new(trial)?;
    let executor = trial.executor(&stage.env())?;
    stage.control(&executor)?;
    let mut cases = 0;
    let printable = (b' '..=b'~').map(|byte| format!("/x{}y", char::from(byte)));
    let listed = TARGETS.iter().map(|target| (*target).to_owned());
    for target in listed.chain(printable) {
        if let Some(found) = case(&stage, &executor, &target)? {
            return Ok(Finding::broken(found));
        }
        cases += 1;
    }
    for target in long_targets() {
        if let Some(found) = case(&stage, &executor, &target)? {
            return Ok(Finding::broken(found));
        }
        cases += 1;
    }
    for method in sent_methods(trial, &stage, &executor)? {
        for target in FEW {
            if let Some(found) = by_method(&stage, &executor, method, target)? {
                return Ok(Finding::broken(found));
            }
            cases += 1;
        }
    }
    let part = "[A-Za-z0-9._~!$&'()*+,;=:@ -]|%[2-7][0-9A-Fa-f]|[\"<>^`|é]";
    let strategy = (
        proptest::collection::vec(proptest::collection::vec(part, 1..6), 1..4),
        proptest::option::of(proptest::collection::vec(part, 1..8)),
    )
        .prop_map(|(segments, query)| {
            let path: String = segments
                .iter()
                .map(|parts| format!("/{}", parts.concat()))
                .collect();
            query.map_or(path.clone(), |query| format!("{path}?{}", query.concat()))
        });
    let generated = trial.for_all(trial.settings().cases.min(128), &strategy, |target| {
        case(&stage, &executor, &target)
    })?;
    Ok(match generated {
        Finding::Held { cases: more } => Finding::Held {
            cases: cases + more,
        },
        other => other,
    })
}

/// One of the few targets, by a method, together with a field where that becomes a pair.
fn by_method(
    stage: &Stage,
    executor: &Driven<'_>,
    method: &str,
    target: &str,
) -> Result<Option<Counterexample>, Stop> {
    let Ok(call) = Call::new(method, target) else {
        return Ok(None);
    };
    let (call, handed) = match method {
        "GET" => {
            let call = call.with_body(json!({"limit": "10"}));
            (call, format!("{target}?limit=10"))
        }
        _ => (call, target.to_owned()),
    };
    let observed = stage.observe(executor, &call)?;
    Ok(misfit(stage, &observed, &handed).map(|seen| misaligned(&call, &observed, &handed, seen)))
}

fn case(
    stage: &Stage,
    executor: &Driven<'_>,
    target: &str,
) -> Result<Option<Counterexample>, Stop> {
    // What cannot be handed over cannot be sent otherwise either.
    let Ok(call) = Call::new("GET", target) else {
        return Ok(None);
    };
    let observed = stage.observe(executor, &call)?;
    Ok(misfit(stage, &observed, target).map(|seen| misaligned(&call, &observed, target, seen)))
}

fn misaligned(call: &Call, observed: &Observed, target: &str, seen: String) -> Counterexample {
    let shown: String = target
        .chars()
        .take(60)
        .flat_map(char::escape_debug)
        .collect();
    Counterexample::new(format!("the path `{shown}` arrived as another"))
        .step(call.to_string(), observed.told())
        .expected("each byte as itself; or, unless it is unreserved, `%`, `/` or the author's `?`, as its own escape")
        .seen(seen)
        .twin("`/items/7` arrived unchanged")
}

fn misfit(stage: &Stage, observed: &Observed, target: &str) -> Option<String> {
    observed.requests.iter().find_map(|request| {
        let sent = stage.target(request);
        (!is_aligned(target.as_bytes(), &sent)).then(|| {
            format!(
                "handed `{}`, sent `{}`",
                target.escape_debug(),
                sent.escape_ascii()
            )
        })
    })
}

/// Whether each byte handed over was sent as itself or as its own escape.
pub(in crate::check) fn is_aligned(handed: &[u8], mut sent: &[u8]) -> bool {
    for &byte in handed {
        match sent {
            [first, rest @ ..] if *first == byte => sent = rest,
            [b'%', high, low, rest @ ..] if !is_fixed(byte) && is_escape(byte, [*high, *low]) => {
                sent = rest;
            }
            _ => return false,
        }
    }
    sent.is_empty()
}

fn is_fixed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%/?".contains(&byte)
}

fn is_escape(byte: u8, digits: [u8; 2]) -> bool {
    let digits = std::str::from_utf8(&digits).ok();
    digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) == Some(byte)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("/a:b", "/a:b", true)]
    #[case("/a:b", "/a%3Ab", true)]
    #[case("/a b", "/a%20b", true)]
    #[case("/a b", "/a+b", false)]
    #[case("/é", "/%C3%a9", true)]
    #[case("/%41", "/A", false)]
    #[case("/%41", "/%2541", false)]
    #[case("/a", "/%61", false)]
    #[case("/a/b", "/a%2Fb", false)]
    #[case("/a//b", "/a/b", false)]
    #[case("/s?a", "/s%3Fa", false)]
    #[case("/a", "/a/", false)]
    #[case("/a/", "/a", false)]
    fn bytes_are_laid_side_by_side(#[case] handed: &str, #[case] sent: &str, #[case] fits: bool) {
        assert_eq!(is_aligned(handed.as_bytes(), sent.as_bytes()), fits);
    }
}
