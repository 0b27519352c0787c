//! Calls and what came of them, as a file.

use std::io;
use std::path::Path;

use proofmark::executor::{BackendFault, ExecutionError};
use proofmark::policy::PolicyRefusal;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Call;

/// Calls and what came of them, in order.
///
/// The file is JSON, one document: `{"schema": 1, "entries": [{"call": …, "outcome": …}]}`. It holds
/// requests and answers as they were, so keep real data out of what is recorded.
///
/// ```
/// use proofmark_conformance::mock::Cassette;
///
/// let text = r#"{"schema": 1, "entries": [
///     {"call": {"method": "GET", "path": "/items/7"}, "outcome": {"answer": {"name": "x"}}},
///     {"call": {"method": "GET", "path": "/items/8"}, "outcome": {"failure": {"status": 404}}}
/// ]}"#;
/// let cassette = Cassette::from_json(text)?;
/// assert_eq!(cassette.entries.len(), 2);
/// # Ok::<(), proofmark_conformance::mock::CassetteError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cassette {
    /// What was recorded.
    pub entries: Vec<Entry>,
}

/// One call and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The call.
    pub call: Call,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The backend's answer.
    Answer(Value),
    /// A failure.
    Failure(Recorded),
}

/// A failure as a file can hold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Recorded {
    /// The backend answered with this status.
    Status(u16),
    /// The request was refused with this sentence.
    Refused(String),
    /// The backend could not be reached.
    Unreachable,
    /// The backend did not answer in time.
    TimedOut,
    /// The answer was too large.
    TooLarge,
    /// The answer was not JSON.
    NotJson,
    /// The exchange broke off, or failed in a way that a file cannot hold.
    Broken,
}

/// Why a cassette could not be read or written.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// The file could not be read or written.
    #[error("the cassette file could not be used: {0}")]
    File(#[from] io::Error),
    /// The text is not a cassette.
    #[error("the text is no cassette: {0}")]
    Json(#[from] serde_json::Error),
    /// The cassette is of another schema.
    #[error("the cassette is of schema {0}, and this reads schema 1")]
    Schema(u64),
}

/// The schema that is read and written.
const SCHEMA: u64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: u64,
    entries: Vec<Entry>,
}

impl Cassette {
    /// Reads a cassette.
    ///
    /// # Errors
    ///
    /// A [`CassetteError`].
    pub fn from_json(text: &str) -> Result<Self, CassetteError> {
        let document: Document = serde_json::from_str(text)?;
        if document.schema != SCHEMA {
            return Err(CassetteError::Schema(document.schema));
        }
        Ok(Self {
            entries: document.entries,
        })
    }

    /// The cassette as text, which ends with a line break.
    ///
    /// # Errors
    ///
    /// A [`CassetteError`] if a value cannot be written.
    pub fn to_json(&self) -> Result<String, CassetteError> {
        let document = Document {
            schema: SCHEMA,
            entries: self.entries.clone(),
        };
        let mut text = serde_json::to_string_pretty(&document)?;
        text.push('\n');
        Ok(text)
    }

    /// Reads a cassette file.
    ///
    /// # Errors
    ///
    /// A [`CassetteError`].
    pub fn load(file: impl AsRef<Path>) -> Result<Self, CassetteError> {
        Self::from_json(&std::fs::read_to_string(file)?)
    }

    /// Writes a cassette file, replacing an earlier one.
    ///
    /// # Errors
    ///
    /// A [`CassetteError`].
    pub fn save(&self, file: impl AsRef<Path>) -> Result<(), CassetteError> {
        std::fs::write(file, self.to_json()?)?;
        Ok(())
    }
}

impl Outcome {
    pub(super) fn of(result: &Result<Value, ExecutionError>) -> Self {
        match result {
            Ok(answer) => Self::Answer(answer.clone()),
            Err(error) => Self::Failure(Recorded::of(error)),
        }
    }

    pub(super) fn into_result(self) -> Result<Value, ExecutionError> {
        match self {
            Self::Answer(answer) => Ok(answer),
            Self::Failure(recorded) => Err(recorded.into_error()),
        }
    }
}

impl Recorded {
    fn of(error: &ExecutionError) -> Self {
        match error {
            ExecutionError::Status { status } => Self::Status(*status),
            ExecutionError::RefusedByPolicy { message } => Self::Refused(message.clone()),
            error if error.is_refusal() => Self::Refused(error.to_string()),
            ExecutionError::Backend(BackendFault::Unreachable) => Self::Unreachable,
            ExecutionError::Backend(BackendFault::TimedOut) => Self::TimedOut,
            ExecutionError::Backend(BackendFault::TooLarge) => Self::TooLarge,
            ExecutionError::Backend(BackendFault::NotJson) => Self::NotJson,
            _ => Self::Broken,
        }
    }

    fn into_error(self) -> ExecutionError {
        match self {
            Self::Status(status) => ExecutionError::Status { status },
            Self::Refused(sentence) => PolicyRefusal::new(sentence).into(),
            Self::Unreachable => BackendFault::Unreachable.into(),
            Self::TimedOut => BackendFault::TimedOut.into(),
            Self::TooLarge => BackendFault::TooLarge.into(),
            Self::NotJson => BackendFault::NotJson.into(),
            Self::Broken => BackendFault::Broken.into(),
        }
    }
}
