//! Characters that common backends turn into a character the floor refuses.

/// Finds, in a stream of decoded bytes, what a lenient backend would read as a refused character:
/// an overlong UTF-8 sequence, or a look-alike of `.` `/` `\` `?` `#` `%`.
#[derive(Debug, Default)]
pub(super) struct FoldScan {
    pending: u8,
    code: u32,
    least: u32,
}

impl FoldScan {
    /// Takes the next byte; `true` when it completes something that folds.
    pub(super) fn feed(&mut self, byte: u8) -> bool {
        match byte {
            0..=0x7F => {
                self.pending = 0;
                false
            }
            0x80..=0xBF if self.pending > 0 => {
                self.code = (self.code << 6) | u32::from(byte & 0x3F);
                self.pending -= 1;
                self.pending == 0 && (self.code < self.least || is_look_alike(self.code))
            }
            // These two can only begin an overlong form, and careless decoders take them with
            // whatever byte follows.
            0xC0 | 0xC1 => {
                self.pending = 0;
                true
            }
            0xC2..=0xDF => self.begin(1, byte & 0x1F, 0x80),
            0xE0..=0xEF => self.begin(2, byte & 0x0F, 0x800),
            0xF0..=0xF7 => self.begin(3, byte & 0x07, 0x1_0000),
            0xF8..=0xFB => self.begin(4, byte & 0x03, 0x20_0000),
            0xFC | 0xFD => self.begin(5, byte & 0x01, 0x400_0000),
            _ => {
                self.pending = 0;
                false
            }
        }
    }

    fn begin(&mut self, pending: u8, bits: u8, least: u32) -> bool {
        *self = Self {
            pending,
            code: u32::from(bits),
            least,
        };
        false
    }
}

/// Whether compatibility normalisation (NFKC), or a code page's best fit, turns the character into
/// one the floor refuses, or into a dot.
fn is_look_alike(code: u32) -> bool {
    matches!(
        code,
        0x2024..=0x2026
            | 0x2044 // best fit of `/`
            | 0x2047..=0x2049
            | 0x2100..=0x2101
            | 0x2105..=0x2106
            | 0x2215 // best fit of `/`
            | 0x2216 // best fit of `\`
            | 0x2488..=0x249B
            | 0x33C2
            | 0x33C7
            | 0x33D8
            | 0xFE16
            | 0xFE19
            | 0xFE30
            | 0xFE52
            | 0xFE56
            | 0xFE5F
            | 0xFE68
            | 0xFE6A
            | 0xFF03
            | 0xFF05
            | 0xFF0E..=0xFF0F
            | 0xFF1F
            | 0xFF3C
            | 0x1F100
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use unicode_normalization::UnicodeNormalization;

    fn folds(bytes: &[u8]) -> bool {
        let mut scan = FoldScan::default();
        bytes
            .iter()
            .fold(false, |seen, &byte| scan.feed(byte) | seen)
    }

    #[test]
    fn the_list_is_what_compatibility_normalisation_turns_into_a_refused_character() {
        let best_fit = ['\u{2044}', '\u{2215}', '\u{2216}'];
        for character in '\u{80}'..=char::MAX {
            let normalised = std::iter::once(character).nfkc();
            let refused = normalised
                .into_iter()
                .any(|c| matches!(c, '.' | '/' | '\\' | '?' | '#' | '%') || c.is_ascii_control());
            assert_eq!(
                is_look_alike(u32::from(character)),
                refused || best_fit.contains(&character),
                "U+{:04X}",
                u32::from(character)
            );
        }
    }

    #[rstest]
    #[case::two_bytes(b"\xC0\xAE")]
    #[case::two_bytes_and_a_plain_byte(b"\xC0\x2E")]
    #[case::three_bytes(b"\xE0\x80\xAE")]
    #[case::four_bytes(b"\xF0\x80\x80\xAE")]
    #[case::five_bytes(b"\xF8\x80\x80\x80\xAE")]
    #[case::six_bytes(b"\xFC\x80\x80\x80\x80\xAE")]
    #[case::overlong_letter(b"\xE0\x81\x81")]
    fn an_overlong_sequence_folds(#[case] bytes: &[u8]) {
        assert!(folds(bytes));
    }

    #[rstest]
    #[case::latin_1(b"\xE9t\xE9")]
    #[case::stray_continuation(b"\x80\xAE")]
    #[case::cut_off(b"\xE2\x80.")]
    #[case::smallest_of_each_length("\u{80}\u{800}\u{10000}".as_bytes())]
    fn other_bytes_do_not(#[case] bytes: &[u8]) {
        assert!(!folds(bytes));
    }
}
