//! Percent escapes, `%74` in either hex case, and the `+` of forms.

use memchr::memchr2;

use super::escapes::{Escape, find};
use super::hex::byte;

pub(super) fn next(text: &[u8], mut from: usize) -> Option<Escape> {
    loop {
        let at = find(b'%', text, from)?;
        if let Some(escape) = escape_at(text, at) {
            return Some(escape);
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
        if let Some(escape) = escape_at(text, at) {
            return Some(escape);
        }
        from = at + 1;
    }
}

fn escape_at(text: &[u8], at: usize) -> Option<Escape> {
    let [_, high, low] = *text.get(at..at + 3)? else {
        return None;
    };
    Some(Escape::byte(at..at + 3, byte(high, low)?))
}
