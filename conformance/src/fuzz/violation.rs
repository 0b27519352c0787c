//! What a fuzz body found.

use std::error::Error;
use std::fmt;

use crate::catalogue::RequirementId;
use crate::subject::RequestCase;

/// A broken promise, and the requests that broke it. `Debug` is the report, since that is what a
/// target prints that unwraps it.
#[derive(Clone, PartialEq)]
pub struct Violation {
    /// The requirement that the subject broke.
    pub requirement: RequirementId,
    /// What was done, in order.
    pub requests: Vec<RequestCase>,
    /// What should have happened, and what did.
    pub seen: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.requirement, self.seen)?;
        self.requests
            .iter()
            .try_for_each(|request| write!(f, "\n  {request}"))
    }
}

impl fmt::Debug for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for Violation {}
