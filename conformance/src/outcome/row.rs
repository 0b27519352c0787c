//! The outcome of one row for one subject.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Counterexample;
use crate::catalogue::{Level, RequirementId};

/// How judging one row ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The promise was kept in every case tried.
    Pass,
    /// The promise was broken; there is a counterexample.
    Fail,
    /// The subject does not promise what the row is about.
    NotApplicable,
    /// It could not be decided: a control did not behave, the machine lacks a feature, or another
    /// fault hides this one.
    Inconclusive,
    /// The judge itself, or the code that builds the subject, is at fault.
    Error,
    /// The subject did not answer in time, and the row is about that.
    Timeout,
    /// The subject ended its process, and the row is about that.
    Crash,
}

impl Outcome {
    /// Whether the outcome says that the subject broke the promise.
    #[must_use]
    pub fn convicts(self) -> bool {
        matches!(self, Self::Fail | Self::Timeout | Self::Crash)
    }

    /// Whether the outcome leaves open if the promise is kept.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Inconclusive | Self::Error)
    }

    /// The word for people and documents.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::NotApplicable => "not_applicable",
            Self::Inconclusive => "inconclusive",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// One line of a certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowOutcome {
    /// The row.
    pub id: RequirementId,
    /// How binding the row is.
    pub level: Level,
    /// How judging it ended.
    pub outcome: Outcome,
    /// How many cases were tried.
    pub cases: u64,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// Why, where the outcome alone does not say it.
    pub reason: Option<String>,
    /// What shows it, where the promise was broken.
    pub counterexample: Option<Counterexample>,
    /// The fault that hides this row, where another row is about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masked: Option<Masked>,
}

/// A fault seen while a row was judged that is not about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Masked {
    /// The row that is about the fault.
    pub by: RequirementId,
    /// What the fault would make of that row: a panic fails it, a crash or a time-out ends it.
    pub as_outcome: Outcome,
}

impl RowOutcome {
    /// An outcome without cases, reason or counterexample.
    #[must_use]
    pub fn new(id: RequirementId, level: Level, outcome: Outcome) -> Self {
        Self {
            id,
            level,
            outcome,
            cases: 0,
            ms: 0,
            reason: None,
            counterexample: None,
            masked: None,
        }
    }

    /// The same outcome with its reason.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}
