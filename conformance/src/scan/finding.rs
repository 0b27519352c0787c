//! What a scan reports: places and encodings, never a secret.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::{EncodingChain, Weakness};

/// One place where a secret stands.
///
/// It serialises as `{"file", "line", "column", "encoding", "secret"}` and a little more.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The file it was found in, once [`Scanner::in_file`](super::Scanner::in_file) told.
    #[serde(serialize_with = "optional_text")]
    pub file: Option<Arc<str>>,
    /// The line it starts in, from 1. Lines end at `\n`.
    pub line: u64,
    /// The byte of the line it starts at, from 1: bytes, not characters.
    pub column: u64,
    /// The encodings to undo to read it.
    pub encoding: EncodingChain,
    /// The name of the secret.
    #[serde(serialize_with = "text")]
    pub secret: Arc<str>,
    /// The bytes of the scanned text that spell it, from 0.
    pub span: Range<u64>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
        }
        let Self {
            line,
            column,
            encoding,
            secret,
            ..
        } = self;
        write!(f, "{line}:{column}: `{secret}` ({encoding})")
    }
}

/// A secret that was not looked for, and why.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("`{secret}` was not looked for: {why}")]
pub struct Inconclusive {
    /// The name of the secret.
    #[serde(serialize_with = "text")]
    pub secret: Arc<str>,
    /// What it lacks.
    pub why: Weakness,
}

/// The outcome of one scan. Look at both lists: [`is_clean`](Self::is_clean) does.
#[non_exhaustive]
#[must_use = "a scan that nobody looks at proves nothing"]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Scan {
    /// Where secrets stand, in the order of the text.
    pub findings: Vec<Finding>,
    /// The secrets that were too weak to be looked for.
    pub inconclusive: Vec<Inconclusive>,
}

impl Scan {
    /// Whether every secret was looked for and none was found.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.inconclusive.is_empty()
    }
}

fn text<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

fn optional_text<S: Serializer>(text: &Option<Arc<str>>, serializer: S) -> Result<S::Ok, S::Error> {
    text.as_deref().serialize(serializer)
}
