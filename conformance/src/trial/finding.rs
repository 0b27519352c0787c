//! What a check concludes, and what can stop it before it does.

use crate::outcome::Counterexample;

/// What a check found about the promise it is for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Finding {
    /// The promise was kept in so many cases.
    Held {
        /// Cases tried.
        cases: u64,
    },
    /// The promise was kept in so many cases, and something beside it is worth a report.
    Noted {
        /// Cases tried.
        cases: u64,
        /// What is reported.
        note: String,
    },
    /// The promise was broken.
    Broken(Box<Counterexample>),
    /// A control did not behave, so nothing can be said; the text says which and why.
    Undecided(String),
    /// The subject does not promise this, for a reason only the check can see.
    NotApplicable(String),
}

impl Finding {
    /// The promise was kept in `cases` cases.
    #[must_use]
    pub fn held(cases: usize) -> Self {
        Self::Held {
            cases: u64::try_from(cases).unwrap_or(u64::MAX),
        }
    }

    /// The promise was broken.
    #[must_use]
    pub fn broken(counterexample: Counterexample) -> Self {
        Self::Broken(Box::new(counterexample))
    }
}

/// What ends a check before it can conclude: the subject misbehaved in a way that another row is
/// about, or the judge could not go on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Stop {
    /// `check` panicked.
    Panicked(Box<Counterexample>),
    /// It did not answer in time.
    Hung(Box<Counterexample>),
    /// A control did not behave.
    Undecided(String),
    /// The factory panicked: the code that builds the subject is at fault.
    Factory(String),
    /// The judge itself is at fault.
    Harness(String),
}

/// How a check ends.
pub type Judged = Result<Finding, Stop>;
