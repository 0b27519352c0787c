//! One input that both sides judge, and what each says of it.

use std::borrow::Cow;
use std::fmt;

use pmcp::server::schema_validation as peer;
use pmcp_code_mode::PathPart as PeerPart;
use proofmark::path as ours;
use proofmark_peers::plan;
use serde_json::{Map, Value};

/// An input to both sides.
#[derive(Debug, Clone, PartialEq)]
pub enum Case {
    /// One placeholder value under declared rules.
    Value {
        value: String,
        pattern: Option<&'static str>,
        max_length: Option<usize>,
        allow_slash: bool,
    },
    /// A composed target.
    Target(String),
    /// A call with both layers to resolve.
    Call {
        parts: Vec<Part>,
        variables: Map<String, Value>,
        body: Option<Value>,
    },
}

/// A part of the path of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Literal(String),
    Variable(&'static str),
}

/// What one side says.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    Accepted,
    Refused(&'static str),
    Sent(plan::Sent),
    NotSent,
}

impl Verdict {
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::NotSent)
    }

    fn of(result: Result<(), &'static str>) -> Self {
        result.map_or_else(Self::Refused, |()| Self::Accepted)
    }

    fn of_sent<E>(result: Result<plan::Sent, E>) -> Self {
        result.map_or(Self::NotSent, Self::Sent)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted => f.write_str("ok"),
            Self::Refused(rule) => f.write_str(rule),
            Self::NotSent => f.write_str("refused"),
            Self::Sent(sent) => match &sent.body {
                Some(body) => write!(f, "{} {body}", sent.path),
                None => f.write_str(&sent.path),
            },
        }
    }
}

impl Case {
    pub fn value(value: &str) -> Self {
        Self::Value {
            value: value.to_owned(),
            pattern: None,
            max_length: None,
            allow_slash: false,
        }
    }

    pub fn matched(value: &str, pattern: &'static str) -> Self {
        Self::Value {
            value: value.to_owned(),
            pattern: Some(pattern),
            max_length: None,
            allow_slash: false,
        }
    }

    /// What the toolkit says.
    pub fn ours(&self) -> Verdict {
        match self {
            Self::Value {
                value,
                pattern,
                max_length,
                allow_slash,
            } => {
                let rules = ours::PlaceholderRules::default()
                    .with_pattern(*pattern)
                    .with_max_length(*max_length)
                    .allowing_slash(*allow_slash);
                Verdict::of(ours::validate_path_placeholder("p", value, &rules).map_err(|r| r.rule))
            }
            Self::Target(path) => {
                Verdict::of(ours::validate_resolved_target(path).map_err(|r| r.rule))
            }
            Self::Call {
                parts,
                variables,
                body,
            } => Verdict::of_sent(resolve(parts, variables, body.clone())),
        }
    }

    /// What the public crates say.
    pub fn peer(&self) -> Verdict {
        match self {
            Self::Value {
                value,
                pattern,
                max_length,
                allow_slash,
            } => {
                let rules = peer::PlaceholderRules::default()
                    .with_pattern(*pattern)
                    .with_max_length(*max_length)
                    .allowing_slash(*allow_slash);
                Verdict::of(peer::validate_path_placeholder("p", value, &rules).map_err(|r| r.rule))
            }
            Self::Target(path) => {
                Verdict::of(peer::validate_resolved_target(path).map_err(|r| r.rule))
            }
            Self::Call {
                parts,
                variables,
                body,
            } => {
                let parts = parts.iter().map(|part| match part {
                    Part::Literal(text) => PeerPart::Literal(text.clone()),
                    Part::Variable(name) => PeerPart::Variable((*name).to_owned()),
                });
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .build()
                    .expect("a runtime");
                Verdict::of_sent(runtime.block_on(plan::send(
                    parts.collect(),
                    variables,
                    body.clone(),
                )))
            }
        }
    }
}

fn resolve(
    parts: &[Part],
    variables: &Map<String, Value>,
    body: Option<Value>,
) -> Result<plan::Sent, String> {
    let parts = parts.iter().map(|part| match part {
        Part::Literal(text) => ours::PathPart::Literal(text.clone()),
        Part::Variable(name) => ours::PathPart::Variable((*name).to_owned()),
    });
    let template = ours::PathTemplate::from_parts(parts).map_err(|error| error.to_string())?;
    let resolution = template
        .resolve(
            "POST",
            |slot| variables.get(slot.name()?).map(Cow::Borrowed),
            |_, _, _| ours::PlaceholderRules::default(),
            body,
        )
        .map_err(|error| error.to_string())?;
    let (target, body) = resolution.into_parts();
    Ok(plan::Sent {
        path: target.to_string(),
        body,
    })
}
