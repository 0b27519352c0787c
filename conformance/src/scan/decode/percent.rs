//! Percent escapes, `%74` in either hex case, and the `+` of forms.

use memchr::{memchr, memchr2};

use super::escapes::Escape;
use super::hex::nibble;

pub(super) fn next(text: &[u8], mut from: usize) -> Option<Escape> {
    loop {
        let at = from + memchr(b'%', text.get(from..)?)?;
        if let Some(byte) = byte_at(text, at) {
            return Some(Escape::byte(at..at + 3, byte));
        }
        from = at + 1;
    }
}

pub(super) fn next_form(text: &[u8], mut from: usize) -> Option<Escape> {
    loop {
        let at = from + memchr2(b'%', b'+', text.get(from..)?)?;
        if text[at] == b'+' {
            return Some(Escape::byte(at..at + 1, b' '));
        }
        if let Some(byte) = byte_at(text, at) {
            return Some(Escape::byte(at..at + 3, byte));
        }
        from = at + 1;
    }
}

fn byte_at(text: &[u8], at: usize) -> Option<u8> {
    let high = nibble(*text.get(at + 1)?)?;
    let low = nibble(*text.get(at + 2)?)?;
    Some(high << 4 | low)
}
