//! Encodings that turn a whole value into a run of a few characters.

use std::ops::Range;

use super::{Decoded, base64, decimal, hex, utf16};
use crate::scan::Encoding;

/// What a run must hold to be decoded at all.
#[derive(Clone, Copy)]
pub(in crate::scan) struct Need {
    /// As many decoded bytes as the shortest secret has.
    pub(in crate::scan) bytes: usize,
    /// As many numbers in a list.
    pub(in crate::scan) numbers: usize,
    /// Whether every secret is ASCII: then stretches that decode to anything else hold none.
    pub(in crate::scan) ascii: bool,
}

/// Shows every stretch that may hold what is needed, decoded into `scratch`.
pub(in crate::scan) fn decode_runs(
    text: &[u8],
    need: Need,
    scratch: &mut Decoded,
    show: &mut dyn FnMut(Encoding, &Decoded),
) {
    // The digits of hex are characters of base64, and take more room.
    runs(text, base64::shortest(need), BASE64, |run| {
        base64::decode(text, run.clone(), need, scratch, &mut |decoded| {
            show(Encoding::Base64, decoded);
        });
        hex::decode(text, run, need, scratch, &mut |decoded| {
            show(Encoding::Hex, decoded);
        });
    });
    runs(text, decimal::shortest(need), DECIMAL, |run| {
        decimal::decode(text, run, need, scratch, &mut |decoded| {
            show(Encoding::Decimal, decoded);
        });
    });
    utf16::decode(text, need, scratch, &mut |decoded| {
        show(Encoding::Utf16, decoded);
    });
}

/// Characters of base64 and line ends.
const BASE64: u8 = 1;
/// Hex digits.
pub(super) const HEX: u8 = 2;
/// Digits and what stands between the numbers of a list.
const DECIMAL: u8 = 4;

/// The classes of each byte.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let character = byte as u8;
        if base64::is_character(character) || matches!(character, b'\n' | b'\r') {
            classes[byte] |= BASE64;
        }
        if character.is_ascii_hexdigit() {
            classes[byte] |= HEX;
        }
        if character.is_ascii_digit() || decimal::is_gap(character) {
            classes[byte] |= DECIMAL;
        }
        byte += 1;
    }
    classes
};

/// Shows the maximal runs of at least `shortest` bytes of a class. It looks at every byte of a
/// long run but only at few of the bytes between.
pub(super) fn runs(text: &[u8], shortest: usize, class: u8, mut show: impl FnMut(Range<usize>)) {
    let belongs = |byte: &u8| CLASSES[usize::from(*byte)] & class != 0;
    // No run reaches across `at` from the left.
    let mut at = 0;
    while let Some(byte) = text.get(at + shortest - 1) {
        if !belongs(byte) {
            at += shortest;
            continue;
        }
        let before = &text[at..at + shortest - 1];
        if let Some(outsider) = before.iter().rposition(|byte| !belongs(byte)) {
            at += outsider + 1;
            continue;
        }
        let after = &text[at + shortest..];
        let ahead = after.iter().position(|byte| !belongs(byte));
        let end = at + shortest + ahead.unwrap_or(after.len());
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
        for part in text.split(|byte| *byte != b'a') {
            if part.len() >= shortest {
                found.push(at..at + part.len());
            }
            at += part.len() + 1;
        }
        found
    }

    proptest! {
        #[test]
        fn the_quick_searches_find_every_long_run(text in "a{0,9}([.\\n]?a{0,9}){0,9}", shortest in 1..6_usize) {
            let text = text.into_bytes();
            let mut by_bytes = Vec::new();
            runs(&text, shortest, HEX, |run| by_bytes.push(run));
            let mut by_units = Vec::new();
            stretches(text.len(), shortest, |unit| text[unit] == b'a', |run| by_units.push(run));

            prop_assert_eq!(&by_bytes, &naive(&text, shortest));
            prop_assert_eq!(&by_units, &naive(&text, shortest));
        }
    }
}
