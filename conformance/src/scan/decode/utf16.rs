//! ASCII written as UTF-16: every second byte is zero, in either byte order.

use memchr::memchr;

use super::Decoded;
use super::runs::Need;

pub(super) fn decode(
    text: &[u8],
    need: Need,
    scratch: &mut Decoded,
    show: &mut dyn FnMut(&Decoded),
) {
    // A zero is a letter too: UTF-32 is UTF-16 written as UTF-16.
    let is_letter = |at: usize| text.get(at).is_some_and(u8::is_ascii);
    // How far the zeros at even and at odd offsets have been looked at.
    let mut done = [0; 2];
    let mut from = 1;
    while let Some(offset) = text.get(from..).and_then(|rest| memchr(0, rest)) {
        let zero = from + offset;
        from = zero + 1;
        if zero < done[zero % 2] || !is_letter(zero - 1) {
            continue;
        }
        // The letters stand before, between and after zeros at every second place.
        scratch.clear();
        let mut at = zero - 1;
        scratch.push(text[at], at..at + 1);
        while text.get(at + 1) == Some(&0) && is_letter(at + 2) {
            at += 2;
            scratch.push(text[at], at..at + 1);
        }
        done[zero % 2] = at + 1;
        if scratch.bytes().len() >= need.bytes {
            show(scratch);
        }
    }
}
