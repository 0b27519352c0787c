//! What a policy says when it refuses.

use std::error::Error;
use std::fmt;

/// A policy's refusal of one outbound request.
///
/// The message travels back to the caller, so it must be a fixed sentence that names the rule and
/// never a byte of the request.
///
/// ```
/// use proofmark::policy::PolicyRefusal;
///
/// let refusal = PolicyRefusal::new("the endpoint is not on the allowlist");
/// assert_eq!(refusal.message(), "the endpoint is not on the allowlist");
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRefusal {
    message: String,
}

impl PolicyRefusal {
    /// Refuses with a fixed message.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }

    /// The message, verbatim.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for PolicyRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for PolicyRefusal {}
