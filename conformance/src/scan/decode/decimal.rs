//! Lists of decimal byte values: `116, 111, 107`, or one a line.

use std::ops::Range;

use super::Decoded;
use super::runs::Need;

/// White space and a comma between two values take at most this; indentation is not endless.
const LONGEST_GAP: usize = 64;

/// The length of the shortest list: one digit a value and one byte between two.
pub(super) fn shortest(need: Need) -> usize {
    need.numbers * 2 - 1
}

/// Decodes the lists in a run of digits and gaps.
pub(super) fn decode(
    text: &[u8],
    run: Range<usize>,
    need: Need,
    scratch: &mut Decoded,
    show: &mut dyn FnMut(&Decoded),
) {
    let highest = if need.ascii { 0x7f } else { 0xff };
    scratch.clear();
    let mut previous_end = run.start;
    for place in values(text, run) {
        let value = value(&text[place.clone()]).filter(|value| *value <= highest);
        let adjoins = place.start - previous_end <= LONGEST_GAP;
        previous_end = place.end;
        if value.is_none() || !adjoins {
            flush(need, scratch, show);
        }
        if let Some(value) = value {
            scratch.push(value, place);
        }
    }
    flush(need, scratch, show);
}

fn flush(need: Need, scratch: &mut Decoded, show: &mut dyn FnMut(&Decoded)) {
    if scratch.bytes().len() >= need.numbers {
        show(scratch);
    }
    scratch.clear();
}

/// Forms write a space as `+`.
pub(super) const fn is_gap(byte: u8) -> bool {
    matches!(byte, b' ' | b'+' | b',' | b'\n' | b'\r' | b'\t')
}

/// The places of the numbers in a run.
fn values(text: &[u8], run: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = run.start;
    std::iter::from_fn(move || {
        let start = at + text[at..run.end].iter().position(u8::is_ascii_digit)?;
        let digits = text[start..run.end]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        at = start + digits;
        Some(start..at)
    })
}

fn value(digits: &[u8]) -> Option<u8> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}
