//! The one number from which every generated case of a run is derived.

use std::fmt;
use std::str::FromStr;

use proptest::test_runner::{RngAlgorithm, TestRng};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::catalogue::RequirementId;

/// A run's seed, written as hexadecimal. The same seed, suite version and case count give the same
/// cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(u64);

impl Seed {
    /// The environment variable that chooses the seed of tests.
    pub const VARIABLE: &'static str = "PROOFMARK_SEED";

    /// This seed.
    #[must_use]
    pub const fn new(value: u64) -> Self {
        Self(value)
    }

    /// A seed that differs from run to run.
    #[must_use]
    pub fn fresh() -> Self {
        use std::hash::{BuildHasher, RandomState};
        // `RandomState` is keyed by the system's own randomness.
        Self(RandomState::new().hash_one(std::process::id()))
    }

    /// The generator of one check: independent of which other checks run.
    #[must_use]
    pub fn rng(self, id: RequirementId) -> TestRng {
        let mut hash = Sha256::new();
        hash.update(self.0.to_be_bytes());
        hash.update(id.to_string());
        TestRng::from_seed(RngAlgorithm::ChaCha, &hash.finalize())
    }
}

/// The text is not a seed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no seed: write up to 16 hexadecimal digits, as in 0x1f2e")]
pub struct ParseSeedError {
    text: String,
}

impl FromStr for Seed {
    type Err = ParseSeedError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let error = || ParseSeedError {
            text: text.chars().take(40).collect(),
        };
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(error());
        }
        u64::from_str_radix(digits, 16)
            .map(Self)
            .map_err(|_| error())
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Seed {
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
    #[case("0x1f2e", 0x1f2e)]
    #[case("ffffffffffffffff", u64::MAX)]
    fn a_seed_reads_back_as_it_is_printed(#[case] text: &str, #[case] value: u64) {
        let seed: Seed = text.parse().unwrap();
        assert_eq!(seed, Seed::new(value));
        assert_eq!(seed.to_string().parse(), Ok(seed));
    }

    #[rstest]
    #[case("")]
    #[case("0x")]
    #[case("+1")]
    #[case("12345678901234567")]
    #[case("seed")]
    fn what_is_no_seed_says_what_would_be(#[case] text: &str) {
        let error = text.parse::<Seed>().unwrap_err();
        assert!(error.to_string().contains("hexadecimal"));
    }
}
