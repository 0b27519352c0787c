//! What the right answer to a vector is.

use serde::{Deserialize, Serialize};

/// What a subject has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Accept, and send what is expected.
    Accept,
    /// Refuse, and send nothing.
    Refuse,
    /// Either: but what it sends must be what is expected, where that is said.
    Either,
}

/// Why a refusal is right. No subject is judged by the name it gives a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RefusalRule {
    /// A value is empty.
    NonEmpty,
    /// A `%` begins no whole escape, or is itself escaped.
    PercentEncoding,
    /// A separator, mark, control character, parent step or lone dot, in whatever spelling.
    CharacterFloor,
    /// More code points than the cap or the declared length.
    MaxLength,
    /// The declared pattern does not match, or cannot be used.
    Pattern,
    /// A composed segment is empty or relative.
    PathSegment,
    /// A composed segment is over-long.
    SegmentMaxLength,
    /// The target does not begin with exactly one `/`.
    Origin,
    /// A second `?`, or one with nothing behind it.
    Query,
    /// A brace is left, or has no partner.
    Brace,
    /// A value is an array or an object.
    Scalar,
    /// A placeholder has no argument, or a variable no value.
    Missing,
}
