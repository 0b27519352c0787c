//! What a text says once it is decoded, and what lenient backends make of that.

use unicode_normalization::UnicodeNormalization as _;

/// Whether every `%` is followed by two hexadecimal digits that do not say `%` again.
pub fn escapes_are_whole(text: &str) -> bool {
    text.split('%').skip(1).all(|after| {
        let digits: Vec<char> = after.chars().take(2).collect();
        digits.len() == 2 && digits.iter().all(char::is_ascii_hexdigit) && digits != ['2', '5']
    })
}

/// The bytes after one decoding.
pub fn decoded(text: &str) -> Vec<u8> {
    percent_encoding::percent_decode_str(text).collect()
}

/// The text after one decoding, as far as it is text.
pub fn decoded_text(text: &str) -> String {
    String::from_utf8_lossy(&decoded(text)).into_owned()
}

/// The four marks and the controls that no value may hold.
pub fn is_mark_or_control(byte: u8) -> bool {
    b"?#/\\".contains(&byte) || byte.is_ascii_control()
}

pub fn has_two_dots_together(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| pair == b"..")
}

/// How sure it is that a backend folds a text into something that is refused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fold {
    No,
    Perhaps,
    Surely,
}

/// What compatibility normalisation makes of the characters that are not ASCII.
pub fn fold_of_characters(text: &str) -> Fold {
    let folded: String = text.nfkc().collect();
    let foreign = || text.chars().filter(|c| !c.is_ascii());
    let becomes = |c: char, marks: &str| std::iter::once(c).nfkc().any(|f| marks.contains(f));
    let dots = |text: &str| text == "." || text.contains("..");
    if foreign().any(|c| becomes(c, "/\\?#")) || (dots(&folded) && !dots(text)) {
        return Fold::Surely;
    }
    let best_fit = ['\u{2044}', '\u{2215}', '\u{2216}'];
    match foreign().any(|c| becomes(c, ".%") || best_fit.contains(&c)) {
        true => Fold::Perhaps,
        false => Fold::No,
    }
}

/// What a decoder that takes overlong UTF-8 makes of the bytes.
pub fn fold_of_bytes(bytes: &[u8]) -> Fold {
    let mut fold = match std::str::from_utf8(bytes) {
        Ok(_) => Fold::No,
        Err(_) => Fold::Perhaps,
    };
    for start in 0..bytes.len() {
        let bits = |at: usize| {
            bytes
                .get(start + at)
                .map_or(0, |byte| u32::from(byte & 0x3F))
        };
        let follows = |count: usize| {
            (1..=count).all(|at| {
                bytes
                    .get(start + at)
                    .is_some_and(|byte| byte & 0xC0 == 0x80)
            })
        };
        let code = match bytes[start] {
            0xC0 | 0xC1 if follows(1) => (u32::from(bytes[start] & 0x1F) << 6) | bits(1),
            0xE0 if follows(2) => (bits(1) << 6) | bits(2),
            0xF0 if follows(3) => (bits(1) << 12) | (bits(2) << 6) | bits(3),
            _ => continue,
        };
        let refused = |byte: u8| is_mark_or_control(byte) || byte == b'.';
        if u8::try_from(code).is_ok_and(refused) {
            fold = Fold::Surely;
        }
    }
    fold
}

/// Characters that nobody sees, or that trimming takes away: no row says what becomes of them.
pub fn is_hard_to_see(text: &str) -> bool {
    let invisible = |c: char| {
        matches!(
            c,
            '\u{80}'..='\u{A0}'
                | '\u{AD}'
                | '\u{200B}'..='\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{2069}'
                | '\u{FEFF}'
        )
    };
    text.trim() != text || text.chars().any(invisible)
}
