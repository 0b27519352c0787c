//! Runs of hex digits in any mix of cases.

use std::ops::Range;

use super::Decoded;
use super::runs::{HEX, Need, runs, stretches};

const NO_NIBBLE: u8 = 0xff;

const NIBBLES: [u8; 256] = {
    let mut nibbles = [NO_NIBBLE; 256];
    let mut value = 0;
    while value < 16 {
        nibbles[b"0123456789abcdef"[value] as usize] = value as u8;
        nibbles[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    nibbles
};

/// The byte that two hex digits stand for.
pub(super) fn byte(high: u8, low: u8) -> Option<u8> {
    let (high, low) = (NIBBLES[usize::from(high)], NIBBLES[usize::from(low)]);
    // Both are below sixteen, or one is not a digit.
    (high | low < 16).then_some(high << 4 | low)
}

/// The value of one to eight hex digits.
pub(super) fn number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 8 {
        return None;
    }
    digits.iter().try_fold(0, |value, digit| {
        let nibble = NIBBLES[usize::from(*digit)];
        (nibble != NO_NIBBLE).then_some(value << 4 | u32::from(nibble))
    })
}

/// Decodes the digits in a part, from the first of a run and from the second, as a digit may
/// stand before.
pub(super) fn decode(
    text: &[u8],
    part: Range<usize>,
    need: Need,
    scratch: &mut Decoded,
    show: &mut dyn FnMut(&Decoded),
) {
    let offset = part.start;
    runs(&text[part], need.bytes * 2, HEX, |run| {
        for start in [offset + run.start, offset + run.start + 1] {
            let count = (offset + run.end - start) / 2;
            let plausible = |pair: usize| !need.ascii || text[start + 2 * pair] < b'8';
            stretches(count, need.bytes, plausible, |pairs| {
                scratch.clear();
                for at in pairs.map(|pair| start + 2 * pair) {
                    if let Some(byte) = byte(text[at], text[at + 1]) {
                        scratch.push(byte, at..at + 2);
                    }
                }
                show(scratch);
            });
        }
    });
}
