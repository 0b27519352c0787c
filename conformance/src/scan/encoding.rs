//! The names of the encodings a secret can hide in, and chains of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One encoding. The order is from plain to outlandish: of two chains of one length that explain
/// the same place, the lesser is reported.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// Percent-encoding of all or some bytes in either hex case; `+` for a space.
    Percent,
    /// Backslash escapes: every JSON spelling, and those of Rust, JavaScript and Python that
    /// `Debug` and `repr` print (`\x74`, `\u{74}`, `\'`, `\0`).
    Json,
    /// HTML character references, named, decimal and hexadecimal.
    Html,
    /// Base64, standard or URL-safe, at any alignment, wrapped or not.
    Base64,
    /// Two hex digits a byte, in any mix of cases.
    Hex,
    /// A list of decimal byte values, as `Debug` prints a `Vec<u8>`.
    Decimal,
    /// UTF-16 in either byte order.
    Utf16,
    /// Written backwards.
    Reversed,
}

impl Encoding {
    /// Every encoding, from plain to outlandish.
    pub const ALL: [Self; 8] = [
        Self::Percent,
        Self::Json,
        Self::Html,
        Self::Base64,
        Self::Hex,
        Self::Decimal,
        Self::Utf16,
        Self::Reversed,
    ];

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Percent => "percent",
            Self::Json => "json",
            Self::Html => "html",
            Self::Base64 => "base64",
            Self::Hex => "hex",
            Self::Decimal => "decimal",
            Self::Utf16 => "utf-16",
            Self::Reversed => "reversed",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The encodings to undo, outermost first: `json > base64` is base64 in a JSON string. The empty
/// chain is `plain`. It holds at most three.
///
/// ```
/// use proofmark_conformance::scan::{Encoding, EncodingChain};
///
/// let chain: EncodingChain = "json > base64".parse()?;
/// assert_eq!(chain.steps(), [Encoding::Json, Encoding::Base64]);
/// assert_eq!(EncodingChain::PLAIN.to_string(), "plain");
/// # Ok::<(), proofmark_conformance::scan::ParseChainError>(())
/// ```
#[derive(Clone, Copy)]
pub struct EncodingChain {
    steps: [Encoding; Self::LONGEST],
    used: u8,
}

impl EncodingChain {
    /// No encoding at all.
    pub const PLAIN: Self = Self {
        steps: [Encoding::Percent; Self::LONGEST],
        used: 0,
    };

    const LONGEST: usize = 3;

    /// The encodings to undo, outermost first.
    #[must_use]
    pub fn steps(&self) -> &[Encoding] {
        &self.steps[..usize::from(self.used)]
    }

    /// The chain with one more encoding inside; a full chain stays as it is.
    #[must_use]
    pub fn then(mut self, inner: Encoding) -> Self {
        if let Some(step) = self.steps.get_mut(usize::from(self.used)) {
            *step = inner;
            self.used += 1;
        }
        self
    }
}

impl PartialEq for EncodingChain {
    fn eq(&self, other: &Self) -> bool {
        self.steps() == other.steps()
    }
}

impl Eq for EncodingChain {}

impl std::hash::Hash for EncodingChain {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.steps().hash(state);
    }
}

impl PartialOrd for EncodingChain {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A shorter chain is plainer, hence less.
impl Ord for EncodingChain {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.used, self.steps()).cmp(&(other.used, other.steps()))
    }
}

impl fmt::Debug for EncodingChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncodingChain({self})")
    }
}

impl fmt::Display for EncodingChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = self.steps().iter();
        let Some(outermost) = steps.next() else {
            return f.write_str("plain");
        };
        write!(f, "{outermost}")?;
        steps.try_for_each(|step| write!(f, " > {step}"))
    }
}

/// The text names no chain of encodings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no chain of encodings: write `plain`, or up to three of percent, json, html, base64, hex, decimal, utf-16 and reversed, as in `json > base64`"
)]
pub struct ParseChainError;

impl FromStr for EncodingChain {
    type Err = ParseChainError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim() == "plain" {
            return Ok(Self::PLAIN);
        }
        let mut chain = Self::PLAIN;
        for name in text.split('>') {
            let step = Encoding::ALL
                .into_iter()
                .find(|step| step.name() == name.trim())
                .ok_or(ParseChainError)?;
            if usize::from(chain.used) == Self::LONGEST {
                return Err(ParseChainError);
            }
            chain = chain.then(step);
        }
        Ok(chain)
    }
}

impl Serialize for EncodingChain {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EncodingChain {
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
    #[case("plain")]
    #[case("utf-16")]
    #[case("json > json > base64")]
    fn a_chain_reads_back_as_it_is_written(#[case] text: &str) {
        assert_eq!(text.parse::<EncodingChain>().unwrap().to_string(), text);
    }

    #[rstest]
    #[case("")]
    #[case("rot13")]
    #[case("plain > hex")]
    #[case("hex > hex > hex > hex")]
    fn what_names_no_chain_is_refused(#[case] text: &str) {
        assert_eq!(text.parse::<EncodingChain>(), Err(ParseChainError));
    }

    #[test]
    fn a_shorter_chain_is_plainer() {
        let reversed = EncodingChain::PLAIN.then(Encoding::Reversed);
        let twice = EncodingChain::PLAIN
            .then(Encoding::Percent)
            .then(Encoding::Percent);
        assert!(EncodingChain::PLAIN < reversed && reversed < twice);
    }
}
