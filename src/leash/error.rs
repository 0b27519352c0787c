//! Why a tool did not run, or failed.

use std::error::Error;
use std::{fmt, io};

use thiserror::Error as ThisError;

/// What the leash and the tools return.
pub type ToolResult<T> = Result<T, ToolError>;

/// Why a call failed: refused by the leash, unknown, or broken inside the tool.
///
/// The text is safe to show to whoever asked: it repeats at most the beginning of their own words,
/// with every control character escaped, and nothing that the leash found out.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum ToolError {
    /// The granted authority does not cover what was asked for.
    #[error("denied: {reason}")]
    Denied {
        /// What was asked for, and the axis that does not cover it.
        reason: String,
    },
    /// No tool has this name.
    #[error("no tool is called {}", Quoted(.name))]
    NotFound {
        /// The name asked for, verbatim.
        name: String,
    },
    /// As many calls have been made as `max_calls` permits.
    #[error("denied: max_calls is spent")]
    Budget,
    /// The grant does not hold in the gate's generation.
    #[error("denied: the grant does not hold in this generation")]
    Generation,
    /// The tool passed the leash and met an error of the operating system.
    #[error("the tool failed: {0}")]
    Exec(#[from] io::Error),
    /// The tool passed the leash and failed in another way.
    #[error("{0}")]
    Other(#[source] Box<dyn Error + Send + Sync>),
}

impl ToolError {
    /// A denial with this reason.
    ///
    /// ```
    /// use proofmark::leash::ToolError;
    ///
    /// assert_eq!(ToolError::denied("not today").to_string(), "denied: not today");
    /// ```
    pub fn denied(reason: impl Into<String>) -> Self {
        Self::Denied {
            reason: reason.into(),
        }
    }

    /// A look-up that found no tool.
    pub fn not_found(name: impl Into<String>) -> Self {
        Self::NotFound { name: name.into() }
    }

    /// Any other failure of a tool.
    pub fn other(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Other(error.into())
    }
}

/// As many characters of the caller's words as a message repeats.
const MOST_QUOTED: usize = 200;

/// The caller's words for a message: escaped, and cut where they are long.
pub(super) struct Quoted<'w>(pub(super) &'w str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.0;
        let mut starts = words.char_indices();
        if words.len() > MOST_QUOTED
            && let Some((cut, _)) = starts.nth(MOST_QUOTED)
        {
            write!(f, "{:?}…", &words[..cut])
        } else {
            write!(f, "{words:?}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_escapes_control_characters_and_cuts_long_words() {
        let hostile = format!("a\u{1b}[31m\u{202e}\n{}", "x".repeat(64 * 1024));
        let text = ToolError::not_found(hostile).to_string();
        assert!(
            text.starts_with("no tool is called \"a\\u{1b}[31m\\u{202e}\\nxxx"),
            "{text}"
        );
        assert!(text.chars().count() < 300, "{}", text.len());
        assert!(!text.contains(char::is_control));
    }
}
