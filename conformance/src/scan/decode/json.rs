//! Backslash escapes: JSON's, and those `Debug` and `repr` print in Rust, JavaScript and Python.

use super::escapes::{Escape, find};
use super::hex::number;

/// A longer run of backslashes is no nesting of strings but an ornament, and is left as it is:
/// so where a run starts, and which backslash escapes which, shows within this distance.
const LONGEST_RUN: usize = 64;

pub(super) fn next(text: &[u8], mut from: usize) -> Option<Escape> {
    loop {
        let at = find(b'\\', text, from)?;
        let run = run_at(text, at);
        if run > LONGEST_RUN {
            from = at + run;
            continue;
        }
        if run > 1 {
            return Some(Escape::byte(at..at + 2, b'\\'));
        }
        if let Some(escape) = escape_at(text, at) {
            return Some(escape);
        }
        from = at + 1;
    }
}

/// The first place from `at` that does not stand inside a run of backslashes.
pub(super) fn after_backslashes(text: &[u8], at: usize) -> usize {
    match at.checked_sub(1).map(|before| text[before]) {
        Some(b'\\') => at + run_at(text, at),
        _ => at,
    }
}

fn run_at(text: &[u8], at: usize) -> usize {
    text[at..].iter().take_while(|byte| **byte == b'\\').count()
}

fn escape_at(text: &[u8], at: usize) -> Option<Escape> {
    let kind = *text.get(at + 1)?;
    let simple = match kind {
        b'"' | b'/' | b'\'' => kind,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'0' => 0,
        b'x' => {
            let byte = number(text.get(at + 2..at + 4)?)?;
            return Some(Escape::byte(at..at + 4, byte as u8));
        }
        b'u' => return unicode_at(text, at),
        _ => return None,
    };
    Some(Escape::byte(at..at + 2, simple))
}

/// `\u0074`, a surrogate pair of two such, or `\u{74}`.
fn unicode_at(text: &[u8], at: usize) -> Option<Escape> {
    if text.get(at + 2) == Some(&b'{') {
        let digits = text[at + 3..].iter().take(7).position(|b| *b == b'}')?;
        let end = at + 3 + digits;
        let character = char::from_u32(number(&text[at + 3..end])?)?;
        return Some(Escape::character(at..end + 1, character));
    }
    let unit = |at: usize| number(text.get(at..at + 4)?);
    let first = unit(at + 2)?;
    if let Some(character) = char::from_u32(first) {
        return Some(Escape::character(at..at + 6, character));
    }
    if text.get(at + 6..at + 8)? != b"\\u" {
        return None;
    }
    let pair = [first as u16, unit(at + 8)? as u16];
    let character = char::decode_utf16(pair).next()?.ok()?;
    Some(Escape::character(at..at + 12, character))
}
