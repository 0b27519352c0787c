//! The name of one requirement, such as `POL-12`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A family of requirements: the subject they are about and the prefix of their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Any request policy.
    Pol,
    /// Policies that declare a budget.
    Bud,
    /// Resolving placeholders into a target.
    Path,
    /// Any HTTP executor.
    Exe,
    /// The credential stays invisible, and the scanner that looks for it.
    Cred,
    /// A whole surface.
    Sur,
    /// The capability leash.
    Lsh,
    /// The authority lattice.
    Lat,
}

impl Family {
    /// Every family, in catalogue order.
    pub const ALL: [Self; 8] = [
        Self::Pol,
        Self::Bud,
        Self::Path,
        Self::Exe,
        Self::Cred,
        Self::Sur,
        Self::Lsh,
        Self::Lat,
    ];

    /// The prefix of the family's ids.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Pol => "POL",
            Self::Bud => "BUD",
            Self::Path => "PATH",
            Self::Exe => "EXE",
            Self::Cred => "CRED",
            Self::Sur => "SUR",
            Self::Lsh => "LSH",
            Self::Lat => "LAT",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.prefix())
    }
}

impl Serialize for Family {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.prefix())
    }
}

/// The id of one requirement: a family and a number from 1. Ids never change meaning.
///
/// ```
/// use proofmark_conformance::catalogue::{Family, RequirementId};
///
/// let id: RequirementId = "POL-12".parse()?;
/// assert_eq!(id, RequirementId::new(Family::Pol, 12));
/// assert_eq!(id.to_string(), "POL-12");
/// # Ok::<(), proofmark_conformance::catalogue::ParseIdError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequirementId {
    family: Family,
    number: u8,
}

impl RequirementId {
    /// The id with this number in this family. Whether the catalogue has such a row is another
    /// question.
    #[must_use]
    pub const fn new(family: Family, number: u8) -> Self {
        Self { family, number }
    }

    /// The family the requirement belongs to.
    #[must_use]
    pub const fn family(self) -> Family {
        self.family
    }

    /// The number within the family.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.number
    }
}

impl fmt::Display for RequirementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:02}", self.family, self.number)
    }
}

impl fmt::Debug for RequirementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not the id of a requirement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no requirement id: write a family and two digits, as in POL-12")]
pub struct ParseIdError {
    text: String,
}

impl FromStr for RequirementId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseIdError {
            text: text.chars().take(40).collect(),
        };
        let (prefix, digits) = text.split_once('-').ok_or_else(error)?;
        let family = Family::ALL
            .into_iter()
            .find(|family| family.prefix().eq_ignore_ascii_case(prefix))
            .ok_or_else(error)?;
        if digits.len() != 2 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(error());
        }
        let number = digits.parse().map_err(|_| error())?;
        Ok(Self { family, number })
    }
}

impl Serialize for RequirementId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RequirementId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("POL-12", Family::Pol, 12)]
    #[case("path-03", Family::Path, 3)]
    fn an_id_is_read_in_either_case(
        #[case] text: &str,
        #[case] family: Family,
        #[case] number: u8,
    ) {
        assert_eq!(text.parse(), Ok(RequirementId::new(family, number)));
    }

    #[rstest]
    #[case("")]
    #[case("POL12")]
    #[case("POL-1")]
    #[case("POL-+1")]
    #[case("POL-123")]
    #[case("NOPE-01")]
    fn what_is_no_id_is_refused_with_an_example(#[case] text: &str) {
        let error = text.parse::<RequirementId>().unwrap_err();
        assert!(error.to_string().contains("as in POL-12"));
    }
}
