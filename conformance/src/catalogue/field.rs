//! Public faults, and the few that no requirement convicts.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::requirement::prose;
use super::word::words;

words! {
    /// What part of a system a public fault was found in.
    pub enum FieldArea {
        /// A request policy.
        Policy = "a",
        /// An executor.
        Executor = "b",
        /// Placeholder resolution.
        Placeholder = "c",
        /// A leash.
        Leash = "d",
        /// A search for credentials.
        Scan = "e",
    }
}

/// The name of one public fault, such as `B27`.
///
/// ```
/// use proofmark_conformance::catalogue::FieldId;
///
/// let id: FieldId = "B01".parse()?;
/// assert_eq!(id.to_string(), "B01");
/// # Ok::<(), proofmark_conformance::catalogue::ParseFieldIdError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(u16);

impl FieldId {
    /// The fault with this number.
    #[must_use]
    pub const fn new(number: u16) -> Self {
        Self(number)
    }
}

impl fmt::Display for FieldId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "B{:02}", self.0)
    }
}

/// The text is not the id of a public fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no fault id: write `B` and two or three digits, as in B27")]
pub struct ParseFieldIdError {
    text: String,
}

impl FromStr for FieldId {
    type Err = ParseFieldIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text
            .strip_prefix('B')
            .and_then(|digits| digits.parse().ok());
        // Formatting back settles signs, missing zeros and surplus ones at once.
        number
            .map(Self)
            .filter(|id| id.to_string() == text)
            .ok_or_else(|| ParseFieldIdError {
                text: text.chars().take(40).collect(),
            })
    }
}

impl Serialize for FieldId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FieldId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A public fault that no requirement convicts, and why none does.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnconvictedField {
    /// The fault.
    pub id: FieldId,
    /// The part of a system it was found in.
    pub area: FieldArea,
    /// Why no requirement convicts it.
    #[serde(deserialize_with = "prose")]
    pub why: String,
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("B01")]
    #[case("B27")]
    #[case("B115")]
    fn a_fault_id_reads_back_as_itself(#[case] text: &str) {
        assert_eq!(text.parse::<FieldId>().unwrap().to_string(), text);
    }

    #[rstest]
    #[case("")]
    #[case("B")]
    #[case("B1")]
    #[case("B001")]
    #[case("B+1")]
    #[case("b01")]
    #[case("B99999")]
    fn what_is_no_fault_id_is_refused_with_an_example(#[case] text: &str) {
        let error = text.parse::<FieldId>().unwrap_err();
        assert!(error.to_string().ends_with("as in B27"));
    }
}
