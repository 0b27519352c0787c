//! What each byte means to the floor, and which percent escapes one decode exhausts.

/// A path separator.
pub(super) const SLASH: u8 = 1;
/// A dot, which matters beside another or alone.
pub(super) const DOT: u8 = 1 << 1;
/// The start of a percent escape.
pub(super) const PERCENT: u8 = 1 << 2;
/// `?` `#` `\` and every ASCII control character.
pub(super) const DENIED: u8 = 1 << 3;
/// `{` or `}`.
pub(super) const BRACE: u8 = 1 << 4;
/// The first byte of a character that may fold into a refused one.
pub(super) const FOLD: u8 = 1 << 5;

const BLOCK: usize = 16;

const CLASSES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = class_by_rule(byte as u8);
        byte += 1;
    }
    table
};

const fn class_by_rule(byte: u8) -> u8 {
    match byte {
        b'/' => SLASH,
        b'.' => DOT,
        b'%' => PERCENT,
        b'?' | b'#' | b'\\' | 0..=0x1F | 0x7F => DENIED,
        b'{' | b'}' => BRACE,
        0xE2 | 0xE3 | 0xEF | 0xF0 => FOLD,
        _ => 0,
    }
}

/// The class of one byte.
pub(super) fn class(byte: u8) -> u8 {
    CLASSES[usize::from(byte)]
}

/// Whether every byte is ASCII of class 0: a quicker question than which classes occur.
pub(super) fn are_plain(bytes: &[u8]) -> bool {
    union(bytes, is_special) == 0
}

/// Every class that occurs in `bytes`.
pub(super) fn classes(bytes: &[u8]) -> u8 {
    let lanes = union(bytes, class_by_arithmetic);
    let lanes = lanes | (lanes >> 64);
    let lanes = lanes | (lanes >> 32);
    let lanes = lanes | (lanes >> 16);
    let [first, second, ..] = lanes.to_le_bytes();
    first | second
}

/// Whether two bytes beside each other are as asked, such as two dots.
pub(super) fn has_pair(bytes: &[u8], asked: impl Fn(u8, u8) -> bool) -> bool {
    // No early exit, so that the compiler can compare many bytes at once.
    bytes
        .iter()
        .zip(bytes.get(1..).unwrap_or_default())
        .fold(false, |seen, (&first, &second)| seen | asked(first, second))
}

/// The union of what `of` says of each byte, in sixteen lanes.
fn union(bytes: &[u8], of: impl Fn(u8) -> u8) -> u128 {
    let mut lanes = [0; BLOCK];
    let mut add = |block: &[u8; BLOCK]| {
        for (lane, &byte) in lanes.iter_mut().zip(block) {
            *lane |= of(byte);
        }
    };
    if let Some(last) = bytes.last_chunk() {
        // The last block overlaps the one before it, which a union does not mind.
        bytes.as_chunks().0.iter().for_each(&mut add);
        add(last);
    } else if let Some(block) = spread(bytes) {
        add(&block);
    } else {
        return u128::from(bytes.iter().fold(0, |seen, &byte| seen | of(byte)));
    }
    u128::from_le_bytes(lanes)
}

/// The bytes of a short text over a whole block, some of them more than once; too short a text has
/// none.
fn spread(bytes: &[u8]) -> Option<[u8; BLOCK]> {
    let halves = match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => {
            let (first, last) = (bytes.first_chunk()?, bytes.last_chunk()?);
            (
                u64::from(u32::from_le_bytes(*first)) * REPEATED,
                u64::from(u32::from_le_bytes(*last)) * REPEATED,
            )
        }
    };
    Some(((u128::from(halves.1) << 64) | u128::from(halves.0)).to_le_bytes())
}

/// Repeats the lower half of a number in its upper half.
const REPEATED: u64 = (1 << 32) | 1;

/// Not 0 unless the byte is ASCII of class 0.
fn is_special(byte: u8) -> u8 {
    // As a signed number, what is not ASCII is below the controls.
    let outside = byte.cast_signed() < 0x20;
    let dot_or_slash = byte | 1 == b'/';
    let query_mark_or_delete = byte | 0x40 == 0x7F;
    let other = (byte == b'#') | (byte == b'%') | (byte == b'\\');
    let brace = (byte == b'{') | (byte == b'}');
    u8::from(outside | dot_or_slash | query_mark_or_delete | other | brace)
}

/// [`class`] without a table, so that the compiler can classify sixteen bytes at once.
fn class_by_arithmetic(byte: u8) -> u8 {
    let when = |condition: bool, class: u8| if condition { class } else { 0 };
    when(byte == b'/', SLASH)
        | when(byte == b'.', DOT)
        | when(byte == b'%', PERCENT)
        | when(
            (byte < 0x20) | (byte == 0x7F) | (byte == b'?') | (byte == b'#') | (byte == b'\\'),
            DENIED,
        )
        | when((byte == b'{') | (byte == b'}'), BRACE)
        | when(
            (byte == 0xE2) | (byte == 0xE3) | (byte == 0xEF) | (byte == 0xF0),
            FOLD,
        )
}

/// Whether every escape is sound and stands for a byte that [`are_plain`] would pass.
pub(super) fn escapes_are_plain(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        match unescape(&rest[at..]) {
            Some(byte) if is_special(byte) == 0 => rest = &rest[at + 3..],
            _ => return false,
        }
    }
    true
}

/// A `%` that begins no whole escape, or one of `%` itself: more than one decode would tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unsound;

/// The bytes after one decode.
pub(super) struct Decoded<'a>(&'a [u8]);

impl<'a> Decoded<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }
}

impl Iterator for Decoded<'_> {
    type Item = Result<u8, Unsound>;

    fn next(&mut self) -> Option<Self::Item> {
        let (&first, rest) = self.0.split_first()?;
        if first != b'%' {
            self.0 = rest;
            return Some(Ok(first));
        }
        let byte = unescape(self.0);
        self.0 = self.0.get(3..).unwrap_or_default();
        Some(byte.filter(|&byte| byte != b'%').ok_or(Unsound))
    }
}

/// Whether one decode reaches the bytes a backend will see.
pub(super) fn escapes_are_sound(bytes: &[u8]) -> bool {
    Decoded::new(bytes).all(|byte| byte.is_ok())
}

/// The byte that the escape at the start of `bytes` stands for.
fn unescape(bytes: &[u8]) -> Option<u8> {
    match bytes {
        [b'%', high, low, ..] => {
            let (high, low) = (HEX[usize::from(*high)], HEX[usize::from(*low)]);
            (high | low < 0x10).then_some((high << 4) | low)
        }
        _ => None,
    }
}

/// The value of each hexadecimal digit; what is none has a value that no digit has.
const HEX: [u8; 256] = {
    let mut table = [0xFF; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            digit @ b'0'..=b'9' => digit - b'0',
            digit @ b'a'..=b'f' => digit - b'a' + 10,
            digit @ b'A'..=b'F' => digit - b'A' + 10,
            _ => 0xFF,
        };
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[test]
    fn the_table_and_the_arithmetic_agree_on_every_byte() {
        for byte in 0..=u8::MAX {
            assert_eq!(class(byte), class_by_arithmetic(byte), "{byte:#04x}");
            let plain = class(byte) == 0 && byte.is_ascii();
            assert_eq!(is_special(byte) == 0, plain, "{byte:#04x}");
        }
    }

    proptest! {
        #[test]
        fn classes_of_a_text_are_those_of_its_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let expected = bytes.iter().fold(0, |seen, &byte| seen | class(byte));
            prop_assert_eq!(classes(&bytes), expected);
            prop_assert_eq!(are_plain(&bytes), expected == 0 && bytes.is_ascii());
        }
    }

    #[rstest]
    #[case("", true)]
    #[case("plain", true)]
    #[case("%41%7e", true)]
    #[case("%25", false)]
    #[case("a%2525", false)]
    #[case("%", false)]
    #[case("%4", false)]
    #[case("%g0", false)]
    #[case("%0g", false)]
    #[case("%41%", false)]
    fn only_whole_escapes_of_other_characters_are_sound(#[case] text: &str, #[case] sound: bool) {
        assert_eq!(escapes_are_sound(text.as_bytes()), sound);
    }

    #[rstest]
    #[case("a%2Fb", b"a/b")]
    #[case("%2f", b"/")]
    #[case("%c0%AE", b"\xC0\xAE")]
    fn each_escape_is_decoded_once(#[case] text: &str, #[case] bytes: &[u8]) {
        let decoded: Result<Vec<_>, _> = Decoded::new(text.as_bytes()).collect();
        assert_eq!(decoded.as_deref(), Ok(bytes));
    }

    #[rstest]
    #[case("a%20b%41", true)]
    #[case("a", true)]
    #[case("%2e", false)]
    #[case("%2F", false)]
    #[case("%7B", false)]
    #[case("%00", false)]
    #[case("%C3%A9", false)]
    #[case("%25", false)]
    #[case("%4", false)]
    fn only_escapes_of_plain_bytes_are_plain(#[case] text: &str, #[case] plain: bool) {
        assert_eq!(escapes_are_plain(text.as_bytes()), plain);
    }
}
