//! The shortest run that shows a broken promise, with the twin that behaved.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::subject::RequestCase;

/// What a subject was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Asked {
    /// Whether a request may be sent.
    Request(RequestCase),
    /// Anything else, in one line.
    Asked(String),
}

impl Asked {
    /// The request, if it is about one.
    #[must_use]
    pub fn request(&self) -> Option<&RequestCase> {
        match self {
            Self::Request(request) => Some(request),
            Self::Asked(_) => None,
        }
    }
}

impl From<&RequestCase> for Asked {
    fn from(request: &RequestCase) -> Self {
        Self::Request(request.clone())
    }
}

impl From<String> for Asked {
    fn from(asked: String) -> Self {
        Self::Asked(asked)
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(request) => request.fmt(f),
            Self::Asked(asked) => f.write_str(asked),
        }
    }
}

/// One step of a counterexample: what the subject was asked and what it said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// How often the same was asked in a row.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u64,
    /// What was asked.
    #[serde(flatten)]
    pub asked: Asked,
    /// What was said to it, or to the last of them.
    pub verdict: String,
}

fn once() -> u64 {
    1
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands out a reference"
)]
fn is_once(times: &u64) -> bool {
    *times == 1
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.times > 1 {
            write!(f, "{} times ", self.times)?;
        }
        write!(f, "{} -> {}", self.asked, self.verdict)
    }
}

/// What shows that a promise is broken: what was done, what should have come of it, what came of
/// it, and the twin, which differs in one feature and behaved.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Counterexample {
    /// The finding in one line.
    pub headline: String,
    /// What was done, in order.
    pub steps: Vec<Step>,
    /// What the requirement asks for.
    pub expected: String,
    /// What happened instead.
    pub seen: String,
    /// The control: the case with one feature changed, and how it behaved.
    pub twin: String,
}

impl Counterexample {
    /// A counterexample with its headline.
    #[must_use]
    pub fn new(headline: impl Into<String>) -> Self {
        Self {
            headline: headline.into(),
            ..Self::default()
        }
    }

    /// The same counterexample with one more step.
    #[must_use]
    pub fn step(self, asked: impl Into<Asked>, verdict: impl fmt::Display) -> Self {
        self.steps(1, asked, verdict)
    }

    /// The same counterexample with one more step that is taken several times.
    #[must_use]
    pub fn steps(
        mut self,
        times: u64,
        asked: impl Into<Asked>,
        verdict: impl fmt::Display,
    ) -> Self {
        self.steps.push(Step {
            times,
            asked: asked.into(),
            verdict: verdict.to_string(),
        });
        self
    }

    /// The same counterexample with what should have happened.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = expected.into();
        self
    }

    /// The same counterexample with what happened.
    #[must_use]
    pub fn seen(mut self, seen: impl Into<String>) -> Self {
        self.seen = seen.into();
        self
    }

    /// The same counterexample with the twin that behaved.
    #[must_use]
    pub fn twin(mut self, twin: impl Into<String>) -> Self {
        self.twin = twin.into();
        self
    }
}
