//! What became of a call: what the policy was shown, and what reached the wire.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use proofmark_conformance::recorder::Recorded;
use serde_json::Value;
use url::form_urlencoded;

use crate::case::{Case, Place, TOOL};

/// What one side made of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub shown: Vec<Request>,
    pub sent: Vec<Request>,
}

/// A request, as a policy is shown it or as it came. Pairs under different keys have no order: the
/// peer keeps them in a map that has none.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub method: String,
    /// What stands before the first `?`, behind the backend's address.
    pub path: String,
    pub pairs: Vec<(String, String)>,
    pub body: Option<Value>,
    /// The headers that arguments set; a policy is shown none.
    pub headers: Vec<(String, String)>,
    /// What else is wrong with it.
    pub faults: Vec<&'static str>,
}

impl Seen {
    pub fn is_refusal(&self) -> bool {
        self.sent.is_empty()
    }
}

impl Request {
    /// The request that a policy is shown.
    pub fn shown(
        address: &str,
        (tool, call_id): (&str, &str),
        (method, target): (&str, &str),
        query: &[(String, String)],
        body: Option<&Value>,
    ) -> Self {
        let (before, target) = match target.find(address) {
            Some(at) => (&target[..at], &target[at + address.len()..]),
            None => ("", target),
        };
        let (path, author) = target.split_once('?').unwrap_or((target, ""));
        let mut pairs = decoded(author.as_bytes());
        pairs.extend_from_slice(query);
        let mut faults = Vec::new();
        if before != "http://" {
            faults.push("userinfo");
        }
        if tool != TOOL {
            faults.push("another tool");
        }
        if call_id.is_empty() {
            faults.push("no call id");
        }
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            pairs: sorted(pairs),
            body: body.cloned(),
            headers: Vec::new(),
            faults,
        }
    }

    /// The request that came, with the headers that the case sets.
    pub fn sent(case: &Case, recorded: &Recorded) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let named = |name: &[u8]| {
            case.arguments().iter().any(|argument| {
                matches!(argument.place, Place::Header | Place::HeaderPastPolicy)
                    && argument.name.as_bytes().eq_ignore_ascii_case(name)
            })
        };
        let headers = recorded.headers().filter(|(name, _)| named(name));
        let body = match recorded.body() {
            [] => None,
            raw => Some(recorded.json().unwrap_or_else(|| Value::from(text(raw)))),
        };
        let mut faults = Vec::new();
        if recorded.header("authorization").is_some() {
            faults.push("credential");
        }
        Self {
            method: text(recorded.method()),
            path: text(recorded.path()),
            pairs: sorted(recorded.pairs()),
            body,
            headers: headers
                .map(|(name, value)| (text(name).to_ascii_lowercase(), text(value)))
                .collect(),
            faults,
        }
    }
}

/// The pairs in the order of their keys; those under one key stay as they are.
fn sorted(mut pairs: Vec<(String, String)>) -> Vec<(String, String)> {
    pairs.sort_by(|(one, _), (other, _)| one.cmp(other));
    pairs
}

pub fn decoded(query: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(query).into_owned().collect()
}

/// What a policy was shown, which both sides' policies write down.
#[derive(Clone, Default)]
pub struct Notes(Arc<Mutex<Vec<Request>>>);

impl Notes {
    pub fn write(&self, request: Request) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(request);
    }

    pub fn read(&self) -> Vec<Request> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)?;
        for (index, (key, value)) in self.pairs.iter().enumerate() {
            let mark = if index == 0 { '?' } else { '&' };
            write!(f, "{mark}{}={}", key.escape_debug(), value.escape_debug())?;
        }
        for (name, value) in &self.headers {
            write!(f, " {name}: {value}")?;
        }
        if let Some(body) = &self.body {
            write!(f, " {body}")?;
        }
        for fault in &self.faults {
            write!(f, " ({fault})")?;
        }
        Ok(())
    }
}

/// One text if what was shown is what was sent, and both otherwise.
impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.shown.as_slice(), self.sent.as_slice()) {
            ([], []) => f.write_str("refused"),
            (shown, sent) if shown == sent => list(f, shown),
            (shown, []) => {
                list(f, shown)?;
                f.write_str(" | nothing")
            }
            (shown, sent) => {
                list(f, shown)?;
                f.write_str(" | ")?;
                list(f, sent)
            }
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, requests: &[Request]) -> fmt::Result {
    for (index, request) in requests.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}{request}")?;
    }
    Ok(())
}
