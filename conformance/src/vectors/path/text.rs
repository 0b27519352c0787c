//! Text that may be written in short form, for the very long ones.

use serde::{Deserialize, Serialize};

/// A text, or the parts that make it up when they are joined.
///
/// ```
/// use proofmark_conformance::vectors::path::VectorText;
///
/// let text: VectorText = serde_json::from_str(r#"["/", ["é", 3], "/x"]"#)?;
/// assert_eq!(text.expand(), "/ééé/x");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum VectorText {
    /// The text itself.
    Plain(String),
    /// Its parts.
    Parts(Vec<TextPart>),
}

/// One part of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TextPart {
    /// A text that stands as it is.
    Plain(String),
    /// A text and how often it is written.
    Repeated(String, u32),
}

impl VectorText {
    /// The whole text.
    #[must_use]
    pub fn expand(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Parts(parts) => parts.iter().map(TextPart::expand).collect(),
        }
    }
}

impl TextPart {
    fn expand(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Repeated(text, times) => text.repeat(usize::try_from(*times).unwrap_or_default()),
        }
    }
}

impl From<&str> for VectorText {
    fn from(text: &str) -> Self {
        Self::Plain(text.to_owned())
    }
}
