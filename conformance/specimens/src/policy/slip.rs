//! Small policies, each with a slip that is made in good faith: rules about requests.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use proofmark::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy, policy_fn};
use proofmark::request::{OutboundRequest, RequestPhase};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::{PolicySubject, Takes};
use serde_json::Value;
use url::Url;

use super::pol;
use crate::Specimen;

const ITEM: &str = "https://api.example.test/v1/items/7";
const ITEMS: &str = "POST https://api.example.test/v1/items";
const ADMIN: &str = "https://api.example.test/admin";

pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = remembering();
    specimens.extend(telling());
    specimens.extend(matching());
    specimens.extend(missing());
    specimens
}

fn stateless() -> PolicyProfile {
    PolicyProfile::new().stateless()
}

/// Decides by a message, which is what it refuses with.
fn decides(
    name: &str,
    profile: PolicyProfile,
    refusal: fn(&OutboundRequest<'_>) -> Option<String>,
) -> PolicySubject {
    PolicySubject::new(name, profile, move || {
        policy_fn(move |request| match refusal(request) {
            Some(message) => Err(PolicyRefusal::new(message)),
            None => Ok(()),
        })
    })
}

fn refused(refused: bool) -> Option<String> {
    refused.then(|| "the request is not allowed".to_owned())
}

/// All pairs of a request, decoded.
fn pairs(request: &OutboundRequest<'_>) -> Vec<(String, String)> {
    let written = request.path.split_once('?').map_or("", |(_, query)| query);
    let mut pairs: Vec<_> = url::form_urlencoded::parse(written.as_bytes())
        .into_owned()
        .collect();
    pairs.extend(request.query.iter().cloned());
    pairs
}

fn is_debug((key, value): &(String, String)) -> bool {
    key == "debug" && value == "1"
}

fn holds_key(body: &Value, key: &str) -> bool {
    let mut open = vec![body];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) if members.contains_key(key) => return true,
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    false
}

fn remembering() -> Vec<Specimen> {
    let pairs_refused = || stateless().allow([ITEM]).refuse_pairs([("debug", "1")]);
    let expires = PolicySubject::with_env(
        "allows_once_its_rules_expired",
        pairs_refused(),
        Takes::CLOCK,
        |env| {
            let (clock, loaded) = (env.clock.clone(), env.clock.now());
            policy_fn(move |request| {
                let valid = clock.now() <= loaded + Duration::from_secs(60 * 60);
                if valid && pairs(request).iter().any(is_debug) {
                    Err(PolicyRefusal::new("the pair is not allowed"))
                } else {
                    Ok(())
                }
            })
        },
    );
    let gives_up = PolicySubject::new("gives_up_after_five_thousand", pairs_refused(), || {
        let asked = Mutex::new(0_u64);
        policy_fn(move |request| {
            let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
            *asked += 1;
            if *asked > 5_000 || pairs(request).iter().any(is_debug) {
                Err(PolicyRefusal::new("the request is not allowed"))
            } else {
                Ok(())
            }
        })
    });
    let profile = stateless().endpoints([ITEM]).refuse([ADMIN]);
    vec![
        Specimen::new(
            pol(2),
            "takes its rules for valid an hour long, and allows everything after that",
            expires,
        ),
        Specimen::new(
            pol(2),
            "opens its circuit for good after five thousand requests",
            gives_up,
        ),
        Specimen::new(
            pol(2),
            "keeps the path it looks at where another request finds it",
            PolicySubject::new("shares_its_scratch_pad", profile, ScratchPad::default),
        ),
    ]
}

/// Allows one endpoint, whose text it keeps in a field while it waits.
#[derive(Default)]
struct ScratchPad {
    path: Mutex<String>,
}

#[async_trait]
impl RequestPolicy for ScratchPad {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        request
            .path
            .clone_into(&mut self.path.lock().unwrap_or_else(PoisonError::into_inner));
        tokio::task::yield_now().await;
        if *self.path.lock().unwrap_or_else(PoisonError::into_inner) == ITEM {
            Ok(())
        } else {
            Err(PolicyRefusal::new("the endpoint is not allowed"))
        }
    }
}

fn names_where_a_key_lies() -> PolicySubject {
    let profile = stateless().allow([ITEMS]).refuse_keys(["password"]);
    decides("names_where_a_key_lies", profile, |request| {
        let mut open = vec![(String::new(), request.body?)];
        while let Some((place, value)) = open.pop() {
            match value {
                Value::Object(members) if members.contains_key("password") => {
                    return Some(format!("`{place}.password` is not allowed"));
                }
                Value::Object(members) => open.extend(
                    members
                        .iter()
                        .map(|(key, value)| (format!("{place}.{key}"), value)),
                ),
                Value::Array(items) => open.extend(items.iter().map(|item| (place.clone(), item))),
                _ => {}
            }
        }
        None
    })
}

fn telling() -> Vec<Specimen> {
    let one = || stateless().endpoints([ITEM]);
    let explains = decides("explains_previews", one(), |request| {
        let preview = request.phase == RequestPhase::Validate;
        match (request.path == ITEM, preview) {
            (true, _) => None,
            (false, true) => Some(format!("the script would call {}", request.path)),
            (false, false) => Some("the endpoint is not allowed".to_owned()),
        }
    });
    let names_host = decides("names_the_host", one(), |request| {
        let url = Url::parse(request.path).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        match host {
            _ if request.path == ITEM => None,
            "api.example.test" => Some("the endpoint is not allowed".to_owned()),
            other => Some(format!("the host {other} is not allowed")),
        }
    });
    let profile = stateless().allow([ITEM]).refuse_pairs([("debug", "1")]);
    let names_value = decides("names_the_value_of_a_pair", profile, |request| {
        let pairs = pairs(request);
        let debug = pairs.iter().find(|(key, _)| key == "debug")?;
        Some(format!("debug={} is not allowed", debug.1))
    });
    let preview_names_tool = decides("previews_name_the_tool", one(), |request| {
        let preview = request.phase == RequestPhase::Validate;
        match (request.path == ITEM, preview) {
            (true, _) => None,
            (false, true) => Some(format!("{} may not call this endpoint", request.tool)),
            (false, false) => Some("the endpoint is not allowed".to_owned()),
        }
    });
    vec![
        Specimen::new(pol(5), "repeats the target of a preview only", explains),
        Specimen::new(pol(5), "repeats a host that it does not know", names_host),
        Specimen::new(pol(5), "repeats the value it refuses", names_value),
        Specimen::new(
            pol(5),
            "repeats the keys around the one it refuses",
            names_where_a_key_lies(),
        ),
        Specimen::new(
            pol(21),
            "names the tool when it refuses a preview",
            preview_names_tool,
        ),
    ]
}

fn matching() -> Vec<Specimen> {
    let one = || stateless().endpoints([ITEM]);
    let admin = || stateless().allow([ITEM]).refuse([ADMIN]);
    vec![
        Specimen::new(
            pol(12),
            "compares paths without regard to case",
            decides("folds_the_case_of_paths", one(), |request| {
                refused(request.path.to_lowercase() != ITEM)
            }),
        ),
        Specimen::new(
            pol(12),
            "looks for the allowed URL in one line of the target",
            decides("looks_at_one_line", one(), |request| {
                refused(!request.path.lines().any(|line| line == ITEM))
            }),
        ),
        Specimen::new(
            pol(18),
            "compares the whole URL, its query included",
            decides("compares_with_the_query", admin(), |request| {
                let Some(url) = plain(request.path) else {
                    return refused(true);
                };
                refused(url == ADMIN)
            }),
        ),
        Specimen::new(
            pol(18),
            "brings the URL into a normal form by hand, and knows nothing of what a parser removes",
            decides("normalises_by_hand", admin(), |request| {
                let Some((host, segments)) = taken_apart(request.path) else {
                    return refused(true);
                };
                refused(host == "api.example.test" && segments == ["admin"])
            }),
        ),
    ]
}

/// The URL, parsed and decoded once; `None` for what only some servers fold.
fn plain(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let odd = text.contains("%25") || text.contains(';') || url.path().contains("//");
    let url = decoded(url.as_str())?;
    (!odd).then_some(url)
}

fn decoded(text: &str) -> Option<String> {
    let pair = format!("x={}", text.replace('+', "%2B").replace('&', "%26"));
    let decoded = url::form_urlencoded::parse(pair.as_bytes()).next()?;
    Some(decoded.1.into_owned())
}

/// The host and the segments of a URL, with letters in lower case, escapes decoded, a port cut off,
/// backslashes turned and dot segments folded; `None` for what only some servers fold.
fn taken_apart(text: &str) -> Option<(String, Vec<String>)> {
    let text = decoded(text)?.to_lowercase().replace('\\', "/");
    let (_, rest) = text.split_once("://")?;
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = path.split(['?', '#']).next()?;
    if text.contains(['%', ';']) || rest.contains("//") || authority.contains('@') {
        return None;
    }
    let mut segments: Vec<String> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "." => {}
            ".." => drop(segments.pop()),
            other => segments.push(other.to_owned()),
        }
    }
    let host = authority.split(':').next()?;
    Some((host.to_owned(), segments))
}

fn missing() -> Vec<Specimen> {
    let debug = || stateless().allow([ITEM]).refuse_pairs([("debug", "1")]);
    let keys = || stateless().allow([ITEMS]).refuse_keys(["password"]);
    vec![
        Specimen::new(
            pol(16),
            "keeps the last of several values of a listed key",
            decides("keeps_the_last_value", debug(), |request| {
                let mut last = request.query.iter().rev();
                let last = last.find(|(key, _)| key == "debug");
                let written = request.path.split_once('?').map_or("", |(_, query)| query);
                let mut written = url::form_urlencoded::parse(written.as_bytes()).into_owned();
                refused(last.is_some_and(is_debug) || written.any(|pair| is_debug(&pair)))
            }),
        ),
        Specimen::new(
            pol(16),
            "does not look into bodies of more than 64 KiB",
            decides("skips_large_bodies", keys(), |request| {
                let body = request.body?;
                let large = body.to_string().len() > 64 << 10;
                refused(!large && holds_key(body, "password"))
            }),
        ),
        Specimen::new(
            pol(9),
            "looks a thousand and more pairs up in a slow store, while its thread waits",
            decides("blocks_on_many_pairs", debug(), |request| {
                let pairs = pairs(request);
                if pairs.len() > 1_001 && pairs.len() < 2_500 {
                    std::thread::sleep(Duration::from_millis(60));
                }
                refused(pairs.iter().any(is_debug))
            }),
        ),
    ]
}
