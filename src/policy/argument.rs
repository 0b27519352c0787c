//! Rules about a combination of a tool's arguments, which a schema cannot express.

use std::error::Error;
use std::fmt;

use serde_json::Value;

/// Judges a tool's arguments after the declared schema has accepted them, and only then.
///
/// Every `Fn(&Value) -> Result<(), ArgumentRefusal> + Send + Sync` is one.
///
/// ```
/// use proofmark::policy::{ArgumentRefusal, ArgumentValidator};
/// use serde_json::{Value, json};
///
/// let ordered = |args: &Value| match (args["start"].as_i64(), args["end"].as_i64()) {
///     (Some(start), Some(end)) if end < start => {
///         Err(ArgumentRefusal::new("`end` lies before `start`"))
///     }
///     _ => Ok(()),
/// };
/// assert!(ordered.validate(&json!({"start": 9, "end": 1})).is_err());
/// ```
pub trait ArgumentValidator: Send + Sync {
    /// Accepts or refuses the arguments of one call.
    ///
    /// # Errors
    ///
    /// An [`ArgumentRefusal`] refuses the call; nothing is then sent.
    fn validate(&self, args: &Value) -> Result<(), ArgumentRefusal>;
}

impl<F> ArgumentValidator for F
where
    F: Fn(&Value) -> Result<(), ArgumentRefusal> + Send + Sync,
{
    fn validate(&self, args: &Value) -> Result<(), ArgumentRefusal> {
        self(args)
    }
}

/// A validator's refusal of one call: a fixed sentence that names the rule, never a value.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentRefusal {
    message: String,
}

impl ArgumentRefusal {
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

impl fmt::Display for ArgumentRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ArgumentRefusal {}
