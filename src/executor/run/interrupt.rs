//! What ends a block before its last step.

use serde_json::{Value, json};

use crate::executor::{Blame, ExecutionError, LimitReached, RequestRefusal, ScriptError};
use crate::path::ResolveError;

/// Why a block did not run to its end.
#[derive(Debug)]
pub(super) enum Interrupt {
    /// The script threw a value.
    Thrown(Value),
    /// Something failed; the script may handle it.
    Failed(ExecutionError),
    /// A limit was reached: no handler is asked.
    Ended(ExecutionError),
}

impl Interrupt {
    /// The error that the script's caller gets.
    pub(super) fn into_error(self) -> ExecutionError {
        match self {
            Self::Thrown(_) => ScriptError::Uncaught.into(),
            Self::Failed(error) | Self::Ended(error) => error,
        }
    }

    /// What a handler's variable receives, unless nothing may handle it.
    pub(super) fn caught(self) -> Result<Value, Self> {
        match self {
            Self::Thrown(value) => Ok(value),
            Self::Failed(error) => Ok(described(&error)),
            Self::Ended(_) => Err(self),
        }
    }
}

/// An error as a script sees it: no more than its message says.
fn described(error: &ExecutionError) -> Value {
    let name = match (error.is_refusal(), error.blame()) {
        (true, _) => "Refused",
        (false, Blame::Caller) => "Error",
        (false, _) => "Fault",
    };
    let mut described = json!({"name": name, "message": error.to_string()});
    if let ExecutionError::Status { status } = error {
        described["status"] = json!(status);
    }
    described
}

impl From<ExecutionError> for Interrupt {
    fn from(error: ExecutionError) -> Self {
        match error {
            ExecutionError::Limit(_) => Self::Ended(error),
            _ => Self::Failed(error),
        }
    }
}

/// Goes by way of [`ExecutionError`].
macro_rules! by_way_of_error {
    ($($source:ty),+) => {$(
        impl From<$source> for Interrupt {
            fn from(error: $source) -> Self {
                ExecutionError::from(error).into()
            }
        }
    )+};
}

by_way_of_error!(LimitReached, RequestRefusal, ResolveError, ScriptError);
