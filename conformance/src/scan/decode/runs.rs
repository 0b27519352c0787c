//! Encodings that turn a whole value into a run of a few characters.

use std::ops::Range;

use super::{Decoded, base64, decimal, hex, utf16};
use crate::scan::Encoding;

/// A dialect of runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::scan) enum Runs {
    Base64,
    Hex,
    Decimal,
    Utf16,
}

pub(in crate::scan) const RUNS: [Runs; 4] = [Runs::Base64, Runs::Hex, Runs::Decimal, Runs::Utf16];

/// What a run must hold to be decoded at all.
#[derive(Clone, Copy)]
pub(in crate::scan) struct Need {
    /// As many decoded bytes as the shortest secret has.
    pub(in crate::scan) bytes: usize,
    /// Whether every secret is ASCII: then stretches that decode to anything else hold none.
    pub(in crate::scan) ascii: bool,
}

impl Runs {
    pub(in crate::scan) fn encoding(self) -> Encoding {
        match self {
            Self::Base64 => Encoding::Base64,
            Self::Hex => Encoding::Hex,
            Self::Decimal => Encoding::Decimal,
            Self::Utf16 => Encoding::Utf16,
        }
    }

    /// Shows every stretch that may hold what is needed, decoded into `scratch`.
    pub(in crate::scan) fn decode(
        self,
        text: &[u8],
        need: Need,
        scratch: &mut Decoded,
        show: &mut dyn FnMut(&Decoded),
    ) {
        match self {
            Self::Base64 => base64::decode(text, need, scratch, show),
            Self::Hex => hex::decode(text, need, scratch, show),
            Self::Decimal => decimal::decode(text, need, scratch, show),
            Self::Utf16 => utf16::decode(text, need, scratch, show),
        }
    }
}

/// Shows the maximal runs of at least `shortest` bytes of a class. It looks at every byte of a
/// long run but only at few of the bytes between.
pub(super) fn runs(
    text: &[u8],
    shortest: usize,
    class: impl Fn(u8) -> bool,
    mut show: impl FnMut(Range<usize>),
) {
    // No run reaches across `at` from the left.
    let mut at = 0;
    while let Some(byte) = text.get(at + shortest - 1) {
        if !class(*byte) {
            at += shortest;
            continue;
        }
        let back = text[at..at + shortest - 1]
            .iter()
            .rev()
            .take_while(|byte| class(**byte))
            .count();
        if back < shortest - 1 {
            at += shortest - 1 - back;
            continue;
        }
        let ahead = text[at + shortest..]
            .iter()
            .take_while(|byte| class(**byte))
            .count();
        let end = at + shortest + ahead;
        show(at..end);
        at = end + 1;
    }
}

/// Shows the maximal stretches of at least `shortest` of `count` units that are plausible.
pub(super) fn stretches(
    count: usize,
    shortest: usize,
    plausible: impl Fn(usize) -> bool,
    mut show: impl FnMut(Range<usize>),
) {
    let mut at = 0;
    while at + shortest <= count {
        let back = (at..at + shortest)
            .rev()
            .take_while(|unit| plausible(*unit))
            .count();
        if back < shortest {
            at += shortest - back;
            continue;
        }
        let ahead = (at + shortest..count)
            .take_while(|unit| plausible(*unit))
            .count();
        let end = at + shortest + ahead;
        show(at..end);
        at = end + 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive(text: &[u8], shortest: usize) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut at = 0;
        for part in text.split(|byte| *byte != b'x') {
            if part.len() >= shortest {
                found.push(at..at + part.len());
            }
            at += part.len() + 1;
        }
        found
    }

    proptest! {
        #[test]
        fn the_quick_searches_find_every_long_run(text in "x{0,9}(.x{0,9}){0,9}", shortest in 1..6_usize) {
            let text = text.into_bytes();
            let mut by_bytes = Vec::new();
            runs(&text, shortest, |byte| byte == b'x', |run| by_bytes.push(run));
            let mut by_units = Vec::new();
            stretches(text.len(), shortest, |unit| text[unit] == b'x', |run| by_units.push(run));

            prop_assert_eq!(&by_bytes, &naive(&text, shortest));
            prop_assert_eq!(&by_units, &naive(&text, shortest));
        }
    }
}
