//! Runs of hex digits in any mix of cases.

use super::Decoded;
use super::runs::{Need, runs, stretches};

/// The value of a hex digit.
pub(super) fn nibble(digit: u8) -> Option<u8> {
    (digit as char).to_digit(16).map(|value| value as u8)
}

/// The value of one to six hex digits.
pub(super) fn number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || digits.len() > 8 {
        return None;
    }
    digits.iter().try_fold(0, |value, digit| {
        Some(value << 4 | u32::from(nibble(*digit)?))
    })
}

/// Decodes from the first digit of a run and from the second, as a digit may stand before.
pub(super) fn decode(
    text: &[u8],
    need: Need,
    scratch: &mut Decoded,
    show: &mut dyn FnMut(&Decoded),
) {
    runs(
        text,
        need.bytes * 2,
        |byte| byte.is_ascii_hexdigit(),
        |run| {
            for phase in 0..2 {
                let start = run.start + phase;
                let count = (run.end - start) / 2;
                let plausible = |pair: usize| !need.ascii || text[start + 2 * pair] < b'8';
                stretches(count, need.bytes, plausible, |pairs| {
                    scratch.clear();
                    for at in pairs.map(|pair| start + 2 * pair) {
                        if let (Some(high), Some(low)) = (nibble(text[at]), nibble(text[at + 1])) {
                            scratch.push(high << 4 | low, at..at + 2);
                        }
                    }
                    show(scratch);
                });
            }
        },
    );
}
