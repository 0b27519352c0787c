//! What one value may hold, read by one decoding of its own.

/// The longest value, in code points.
pub(super) const CAP: usize = 256;

/// Where a value stands and who reads it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    /// Reserved characters are encoded rather than refused.
    pub(super) encodes: bool,
    /// `/` is allowed in it.
    pub(super) slash: bool,
    /// It stands in the path half.
    pub(super) in_path: bool,
    /// The subject puts the target together.
    pub(super) whole: bool,
    /// What only a SHOULD asks for counts.
    pub(super) strict: bool,
}

/// Sequences that common backends read as `.`, `/` or `\` although they are not UTF-8.
const OVERLONG: [&[u8]; 7] = [
    b"\xc0\xae",
    b"\xc0\xaf",
    b"\xc1\x9c",
    b"\xe0\x80\xae",
    b"\xe0\x80\xaf",
    b"\xf0\x80\x80\xae",
    b"\xf0\x80\x80\xaf",
];

/// Characters whose compatibility form is a refused character or a parent step.
const FOLDING: [char; 9] = [
    '\u{FF0E}', '\u{FF0F}', '\u{FF3C}', '\u{FF1F}', '\u{FF03}', '\u{2024}', '\u{2025}', '\u{FE52}',
    '\u{2026}',
];

/// The row that says why the value must be refused, if it must, and what is the matter.
pub(super) fn offence(value: &str, standing: Standing) -> Option<(u8, &'static str)> {
    if value.is_empty() {
        return Some((1, "the value is empty"));
    }
    if value.len() > CAP && value.chars().nth(CAP).is_some() {
        return Some((5, "the value has more than 256 code points"));
    }
    if value == "." || value == ".." {
        return Some((4, "the value is a dot segment"));
    }
    let found = if standing.encodes {
        None
    } else {
        reserved(value, standing.slash).or_else(|| dots(value, standing))
    };
    found.or_else(|| folding(value, standing))
}

/// A reserved character, in literal or in encoded form, or an escape that means nothing.
fn reserved(value: &str, slash: bool) -> Option<(u8, &'static str)> {
    Decoding::of(value).find_map(|byte| match byte {
        Decoded::Malformed => Some((3, "the value holds a malformed escape")),
        Decoded::Escaped(b'%') => Some((3, "the value holds an encoded percent sign")),
        Decoded::Escaped(byte) if is_reserved(byte, slash) => {
            Some((3, "the value holds a reserved character in encoded form"))
        }
        Decoded::Literal(byte) if is_reserved(byte, slash) => {
            Some((2, "the value holds a reserved character"))
        }
        _ => None,
    })
}

fn is_reserved(byte: u8, slash: bool) -> bool {
    byte.is_ascii_control() || matches!(byte, b'?' | b'#' | b'\\') || (byte == b'/' && !slash)
}

/// Two dots anywhere; one that is the whole value, or stands between slashes where those are allowed
/// in a path. What stands at an end of the value may have text beside it: that is for the whole.
fn dots(value: &str, standing: Standing) -> Option<(u8, &'static str)> {
    let parts = standing.slash && standing.whole && standing.in_path;
    let (mut length, mut dotted, mut opened) = (0_usize, false, false);
    let bytes = Decoding::of(value).map(|byte| Some(byte.byte()));
    for byte in bytes.chain([None]) {
        let closed = parts && byte == Some(b'/');
        let Some(byte) = byte.filter(|_| !closed) else {
            // Between two slashes, or between the ends of the value.
            if dotted && length == 1 && opened == closed {
                return Some((4, "the value holds a lone dot"));
            }
            (length, dotted, opened) = (0, false, true);
            continue;
        };
        if dotted && byte == b'.' {
            return Some((4, "the value holds two dots"));
        }
        dotted = byte == b'.';
        length += 1;
    }
    None
}

fn folding(value: &str, standing: Standing) -> Option<(u8, &'static str)> {
    // Whether a backend folds what it has decoded is not to be seen.
    if !standing.strict || !standing.in_path || standing.encodes {
        return None;
    }
    let what = (
        22,
        "the value holds what backends fold into a reserved character",
    );
    if !value.is_ascii() && value.contains(FOLDING) {
        return Some(what);
    }
    if !value.contains('%') {
        return None;
    }
    let bytes: Vec<u8> = Decoding::of(value).map(Decoded::byte).collect();
    let holds = |form: &[u8]| bytes.windows(form.len()).any(|window| window == form);
    let mut encoded = [0; 4];
    let folds = OVERLONG.iter().any(|form| holds(form))
        || FOLDING
            .iter()
            .any(|c| holds(c.encode_utf8(&mut encoded).as_bytes()));
    folds.then_some(what)
}

/// Whether the escapes of a value, if it has any, may be sent as they stand.
pub(super) fn has_harmless_escapes(value: &str) -> bool {
    value.contains('%') && reserved(value, true).is_none()
}

/// A byte of a text after one decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decoded {
    Literal(u8),
    Escaped(u8),
    /// A `%` that no two hex digits follow.
    Malformed,
}

impl Decoded {
    pub(super) fn byte(self) -> u8 {
        match self {
            Self::Literal(byte) | Self::Escaped(byte) => byte,
            Self::Malformed => b'%',
        }
    }
}

/// One decoding of a text, byte by byte.
#[derive(Debug, Clone)]
pub(super) struct Decoding<'t>(&'t [u8]);

impl<'t> Decoding<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self(text.as_bytes())
    }
}

impl Iterator for Decoding<'_> {
    type Item = Decoded;

    fn next(&mut self) -> Option<Decoded> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        if byte != b'%' {
            return Some(Decoded::Literal(byte));
        }
        let digit = |at: usize| char::from(*rest.get(at)?).to_digit(16);
        let digits = digit(0).zip(digit(1));
        let decoded = digits.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        Some(decoded.map_or(Decoded::Malformed, |byte| {
            self.0 = &rest[2..];
            Decoded::Escaped(byte)
        }))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const REFUSES: Standing = Standing {
        encodes: false,
        slash: false,
        in_path: true,
        whole: true,
        strict: true,
    };

    #[rstest]
    #[case("", 1)]
    #[case("a/b", 2)]
    #[case("a\u{7f}", 2)]
    #[case("a%2fb", 3)]
    #[case("100%", 3)]
    #[case("%2541", 3)]
    #[case("%2e%2E", 4)]
    #[case("a.%2eb", 4)]
    #[case("%2e", 4)]
    #[case("%c0%AE", 22)]
    #[case("%ef%bc%8e", 22)]
    #[case("\u{2024}", 22)]
    #[case("a.b", 0)]
    #[case("%41.", 0)]
    #[case("é", 0)]
    fn a_value_is_judged_by_what_one_decoding_makes_of_it(#[case] value: &str, #[case] row: u8) {
        let found = offence(value, REFUSES).map_or(0, |(row, _)| row);
        assert_eq!(found, row);
    }

    #[rstest]
    #[case("a/b", 0)]
    #[case("a%2Fb", 0)]
    #[case("a/./b", 4)]
    #[case("a/%2e/b", 4)]
    #[case("a/.", 0)]
    #[case("./b", 0)]
    #[case("%2e", 4)]
    #[case("a/../b", 4)]
    #[case("a/\\b", 2)]
    fn a_slash_that_is_allowed_allows_nothing_else(#[case] value: &str, #[case] row: u8) {
        let standing = Standing {
            slash: true,
            ..REFUSES
        };
        let found = offence(value, standing).map_or(0, |(row, _)| row);
        assert_eq!(found, row);
    }

    #[rstest]
    #[case("a/b", 0)]
    #[case("%2e%2e", 0)]
    #[case("..", 4)]
    #[case("a..b", 0)]
    fn what_can_be_encoded_need_not_be_refused(#[case] value: &str, #[case] row: u8) {
        let standing = Standing {
            encodes: true,
            ..REFUSES
        };
        let found = offence(value, standing).map_or(0, |(row, _)| row);
        assert_eq!(found, row);
    }
}
