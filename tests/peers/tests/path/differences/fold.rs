//! What a lenient backend reads into a text, told plainly.

use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization;

/// Whether a lenient backend reads a refused character in the text where there is none.
pub fn folds(text: &str) -> bool {
    let decoded: Vec<u8> = percent_decode_str(text).collect();
    let begins_overlong = decoded.windows(2).any(|pair| {
        matches!(
            pair,
            [0xE0, 0x80..=0x9F] | [0xF0, 0x80..=0x8F] | [0xF8, 0x80..=0x87] | [0xFC, 0x80..=0x83]
        )
    });
    let looks_alike = |c: char| {
        !c.is_ascii()
            && (matches!(c, '\u{2044}' | '\u{2215}' | '\u{2216}')
                || std::iter::once(c).nfkc().any(|n| "./\\?#%".contains(n)))
    };
    begins_overlong
        || decoded.iter().any(|byte| matches!(byte, 0xC0 | 0xC1))
        || String::from_utf8_lossy(&decoded).chars().any(looks_alike)
}
