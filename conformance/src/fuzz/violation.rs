//! What a fuzz body found.

use std::error::Error;
use std::fmt;

use crate::catalogue::RequirementId;

/// A broken promise, and what broke it. `Debug` is the report, since that is what a
/// target prints that unwraps it.
#[derive(Clone, PartialEq)]
pub struct Violation {
    /// The requirement that the subject broke.
    pub requirement: RequirementId,
    /// What was done, in order, a line each.
    pub steps: Vec<String>,
    /// What should have happened, and what did.
    pub seen: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.requirement, self.seen)?;
        self.steps
            .iter()
            .try_for_each(|step| write!(f, "\n  {step}"))
    }
}

impl fmt::Debug for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for Violation {}
