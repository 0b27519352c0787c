//! HTML character references: `&amp;`, `&#116;`, `&#x74;`.

use super::escapes::{Escape, find};
use super::hex::number;
use super::html_names;

/// Leading zeros are legal without end; nobody writes more digits than this.
const MOST_DIGITS: usize = 8;

pub(super) fn next(text: &[u8], mut from: usize) -> Option<Escape> {
    loop {
        let at = find(b'&', text, from)?;
        if let Some(escape) = reference_at(text, at) {
            return Some(escape);
        }
        from = at + 1;
    }
}

fn reference_at(text: &[u8], at: usize) -> Option<Escape> {
    if *text.get(at + 1)? != b'#' {
        return named_at(text, at);
    }
    let hexadecimal = matches!(text.get(at + 2)?, b'x' | b'X');
    let start = at + 2 + usize::from(hexadecimal);
    let digits = &text[start..text.len().min(start + MOST_DIGITS)];
    let (length, code) = if hexadecimal {
        let length = digits.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        (length, number(&digits[..length])?)
    } else {
        let length = digits.iter().take_while(|b| b.is_ascii_digit()).count();
        let decimal = digits[..length].iter();
        let code = decimal.fold(0, |code, digit| code * 10 + u32::from(digit - b'0'));
        (length, code)
    };
    if length == 0 {
        return None;
    }
    // The semicolon may be missing: browsers complain and read on.
    let end = start + length + usize::from(text.get(start + length) == Some(&b';'));
    Some(Escape::character(at..end, char::from_u32(code)?))
}

fn named_at(text: &[u8], at: usize) -> Option<Escape> {
    let rest = &text[at + 1..text.len().min(at + 2 + html_names::LONGEST)];
    let length = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    if rest.get(length) == Some(&b';') {
        let character = html_names::meaning(&rest[..length])?;
        return Some(Escape::character(at..at + length + 2, character));
    }
    // The oldest names are read without their semicolon too.
    let (name, character) = html_names::OPEN
        .iter()
        .find(|(name, _)| rest.starts_with(name.as_bytes()))?;
    Some(Escape::character(at..at + 1 + name.len(), *character))
}
