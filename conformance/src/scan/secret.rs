//! The secrets a scanner looks for, and when one is too weak to be looked for at all.

use std::fmt;

use serde::Serialize;

/// A secret: the name that reports may show and the value they never do.
///
/// Neither `Debug` nor anything else of this crate prints the value; it does not implement
/// `Serialize`.
///
/// ```
/// use proofmark_conformance::scan::Secret;
///
/// let secret = Secret::new("api key", "tok_FAKE_9f3A");
/// assert_eq!(secret.name(), "api key");
/// assert!(!format!("{secret:?}").contains("FAKE"));
/// ```
#[derive(Clone)]
pub struct Secret {
    name: String,
    value: Vec<u8>,
}

impl Secret {
    /// A secret with the name that findings call it by.
    #[must_use]
    pub fn new(name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
        }
    }

    /// As [`new`](Self::new), without the line ends that files and shells leave after a value:
    /// with them, nothing would ever be found.
    #[must_use]
    pub fn trimmed(name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        let mut value = value.into();
        while value.last().is_some_and(|byte| b"\r\n".contains(byte)) {
            value.pop();
        }
        Self::new(name, value)
    }

    /// The name that findings call it by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value itself, for a scanner that has to look for it. Never print it.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.value
    }

    /// Why the value is too weak to be looked for, if it is.
    #[must_use]
    pub fn weakness(&self, floor: Floor) -> Option<Weakness> {
        if self.value.len() < floor.bytes {
            return Some(Weakness::TooShort);
        }
        let mut seen = [false; 256];
        for byte in &self.value {
            seen[usize::from(*byte)] = true;
        }
        if seen.iter().filter(|seen| **seen).count() < floor.distinct {
            return Some(Weakness::TooPlain);
        }
        let everyday = EVERYDAY
            .iter()
            .any(|word| self.value.eq_ignore_ascii_case(word.as_bytes()));
        everyday.then_some(Weakness::Everyday)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// What a value needs to be worth looking for: below it, a hit would mean nothing.
///
/// The default is 8 bytes, 4 of them distinct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Floor {
    bytes: usize,
    distinct: usize,
}

impl Floor {
    /// A floor of its own; raised to 4 bytes and 2 distinct ones where it is lower, because a
    /// shorter value occurs in any longer text by chance.
    #[must_use]
    pub fn new(bytes: usize, distinct: usize) -> Self {
        Self {
            bytes: bytes.max(4),
            distinct: distinct.max(2),
        }
    }
}

impl Default for Floor {
    fn default() -> Self {
        Self::new(8, 4)
    }
}

/// Why a secret is not looked for. A scan that skipped one is inconclusive about it, not clean.
///
/// Source: CRED-09.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Weakness {
    /// It has fewer bytes than the [`Floor`] asks for.
    #[error("it is too short to look for")]
    TooShort,
    /// It has fewer distinct bytes than the [`Floor`] asks for.
    #[error("it is too plain to look for: too few distinct characters")]
    TooPlain,
    /// It is, in any letter case, a word that ordinary text is full of: one of about fifty
    /// default passwords, field names and placeholders.
    #[error("it is an everyday word, which ordinary text is full of")]
    Everyday,
}

/// Values of eight bytes and more that occur in texts without having leaked. Shorter ones are
/// below the default floor, but stay here for callers who lower it.
const EVERYDAY: &[&str] = &[
    "0123456789",
    "1234567890",
    "123456789",
    "12345678",
    "abcdefgh",
    "access_token",
    "admin",
    "administrator",
    "anonymous",
    "api_key",
    "apikey",
    "application",
    "application/json",
    "authorization",
    "bearer",
    "changeit",
    "changeme",
    "client_secret",
    "content-type",
    "credential",
    "credentials",
    "default",
    "development",
    "disabled",
    "example",
    "example.com",
    "false",
    "guest",
    "https://",
    "localhost",
    "null",
    "password",
    "password1",
    "password123",
    "passwords",
    "placeholder",
    "postgres",
    "production",
    "qwertyuiop",
    "redacted",
    "root",
    "secret",
    "secrets",
    "staging",
    "test",
    "testing",
    "token",
    "true",
    "undefined",
    "unknown",
    "user",
    "username",
];

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("", Some(Weakness::TooShort))]
    #[case("{", Some(Weakness::TooShort))]
    #[case("tok_FAK", Some(Weakness::TooShort))]
    #[case("tok_FAKE", None)]
    #[case("aaaabbbbcccc", Some(Weakness::TooPlain))]
    #[case("aaaabbbbcccd", None)]
    #[case("Password", Some(Weakness::Everyday))]
    #[case("password_9f3A", None)]
    fn the_default_floor_asks_for_eight_bytes_four_distinct_and_no_everyday_word(
        #[case] value: &str,
        #[case] weakness: Option<Weakness>,
    ) {
        assert_eq!(Secret::new("s", value).weakness(Floor::default()), weakness);
    }

    #[rstest]
    #[case("abab", None)]
    #[case("aba", Some(Weakness::TooShort))]
    #[case("aaaa", Some(Weakness::TooPlain))]
    #[case("true", Some(Weakness::Everyday))]
    fn a_floor_cannot_be_lowered_to_nothing(
        #[case] value: &str,
        #[case] weakness: Option<Weakness>,
    ) {
        assert_eq!(Secret::new("s", value).weakness(Floor::new(0, 0)), weakness);
    }

    #[test]
    fn line_ends_after_a_value_are_trimmed_and_nothing_else() {
        assert_eq!(Secret::trimmed("s", " tok \r\n\n").expose(), b" tok ");
    }
}
