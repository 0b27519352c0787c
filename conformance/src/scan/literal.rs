//! The spellings of a secret that are finitely many, and so can be searched for as they stand.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::Encoding;
use super::decode::base64::sextet;

/// One spelling: the bytes to search for and what must stand beside them.
pub(super) struct Literal {
    pub(super) bytes: Vec<u8>,
    /// The index of the secret it spells.
    pub(super) secret: usize,
    /// `None` when it is the secret itself.
    pub(super) encoding: Option<Encoding>,
    before: Option<SharedSextet>,
    after: Option<SharedSextet>,
}

/// A base64 character only some of whose bits belong to the secret.
#[derive(Clone, Copy, PartialEq)]
struct SharedSextet {
    mask: u8,
    bits: u8,
}

impl SharedSextet {
    fn allows(self, neighbour: Option<&u8>) -> bool {
        neighbour
            .and_then(|byte| sextet(*byte))
            .is_some_and(|value| value & self.mask == self.bits)
    }
}

impl Literal {
    fn plain(secret: usize, encoding: Option<Encoding>, bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            secret,
            encoding,
            before: None,
            after: None,
        }
    }

    /// The whole place of an occurrence of `bytes` at `start`, if its neighbours fit too.
    pub(super) fn place(&self, text: &[u8], start: usize) -> Option<Range<usize>> {
        let mut place = start..start + self.bytes.len();
        if let Some(shared) = self.before {
            place.start = start.checked_sub(1)?;
            if !shared.allows(text.get(place.start)) {
                return None;
            }
        }
        if let Some(shared) = self.after {
            if !shared.allows(text.get(place.end)) {
                return None;
            }
            place.end += 1;
        }
        Some(place)
    }
}

/// Every finite spelling of one secret, none twice.
pub(super) fn spell(secret: usize, value: &[u8]) -> Vec<Literal> {
    let mut spellings = vec![Literal::plain(secret, None, value.to_vec())];
    let mut add = |literal: Literal| {
        let known = spellings.iter().any(|other: &Literal| {
            (&other.bytes, other.before, other.after)
                == (&literal.bytes, literal.before, literal.after)
        });
        if !known {
            spellings.push(literal);
        }
    };
    for reversed in reversals(value) {
        add(Literal::plain(secret, Some(Encoding::Reversed), reversed));
    }
    for digits in [b"0123456789abcdef", b"0123456789ABCDEF"] {
        add(Literal::plain(
            secret,
            Some(Encoding::Hex),
            hex(value, digits),
        ));
    }
    for wide in wide(value) {
        add(Literal::plain(secret, Some(Encoding::Utf16), wide));
    }
    for alignment in 0..3 {
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let mut shifted = vec![0; alignment];
            shifted.extend_from_slice(value);
            let encoded = engine.encode(&shifted);
            add(base64_core(
                secret,
                alignment,
                shifted.len(),
                encoded.as_bytes(),
            ));
        }
    }
    spellings
}

/// The characters that `alignment` bytes before the secret and any bytes after it cannot change,
/// and the bits of the secret in the characters beside them.
fn base64_core(secret: usize, alignment: usize, bytes: usize, encoded: &[u8]) -> Literal {
    let lead_bits = (alignment * 8) % 6;
    let start = (alignment * 8).div_ceil(6);
    let end = bytes * 8 / 6;
    let tail_bits = bytes * 8 % 6;
    let shared = |index: usize, mask: u8| {
        encoded
            .get(index)
            .and_then(|byte| sextet(*byte))
            .map(|value| SharedSextet {
                mask,
                bits: value & mask,
            })
    };
    Literal {
        bytes: encoded[start..end].to_vec(),
        secret,
        encoding: Some(Encoding::Base64),
        before: (lead_bits > 0)
            .then(|| shared(start - 1, 0b11_1111 >> lead_bits))
            .flatten(),
        after: (tail_bits > 0)
            .then(|| shared(end, 0b11_1111 << (6 - tail_bits) & 0b11_1111))
            .flatten(),
    }
}

fn hex(value: &[u8], digits: &[u8; 16]) -> Vec<u8> {
    value
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|nibble| digits[usize::from(nibble)])
        .collect()
}

/// Backwards by bytes and, where that differs, by characters.
fn reversals(value: &[u8]) -> Vec<Vec<u8>> {
    let mut reversals = vec![value.iter().rev().copied().collect()];
    if let (false, Ok(text)) = (value.is_ascii(), std::str::from_utf8(value)) {
        reversals.push(text.chars().rev().collect::<String>().into_bytes());
    }
    reversals
}

/// UTF-16 in both byte orders. ASCII is left to the decoder, which cannot tell the orders apart
/// and so reports a place once.
fn wide(value: &[u8]) -> Vec<Vec<u8>> {
    match std::str::from_utf8(value) {
        Ok(text) if !text.is_ascii() => vec![
            text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        ],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn one_base64_spelling_fits_whatever_surrounds_the_secret(
            before in proptest::collection::vec(any::<u8>(), 0..7),
            secret in proptest::collection::vec(any::<u8>(), 4..20),
            after in proptest::collection::vec(any::<u8>(), 0..7),
        ) {
            let whole = [&before[..], &secret, &after].concat();
            let text = STANDARD_NO_PAD.encode(&whole).into_bytes();

            let fits = spell(0, &secret).iter().any(|literal| {
                literal.encoding == Some(Encoding::Base64)
                    && (0..text.len()).any(|at| {
                        text[at..].starts_with(&literal.bytes)
                            && literal.place(&text, at).is_some_and(|place| {
                                place.start == before.len() * 8 / 6
                                    && place.end == ((before.len() + secret.len()) * 8).div_ceil(6)
                            })
                    })
            });

            prop_assert!(fits);
        }

        #[test]
        fn a_base64_spelling_fits_nothing_but_the_whole_secret(
            before in proptest::collection::vec(any::<u8>(), 0..4),
            mut secret in proptest::collection::vec(any::<u8>(), 4..20),
            at in any::<proptest::sample::Index>(),
            bit in 0..8_u8,
        ) {
            let literals = spell(0, &secret);
            let at = at.index(secret.len());
            secret[at] ^= 1 << bit;
            let text = STANDARD_NO_PAD.encode([&before[..], &secret].concat()).into_bytes();

            for literal in literals.iter().filter(|literal| literal.encoding == Some(Encoding::Base64)) {
                for start in (0..text.len()).filter(|start| text[*start..].starts_with(&literal.bytes)) {
                    prop_assert_eq!(literal.place(&text, start), None);
                }
            }
        }
    }

    #[test]
    fn a_spelling_that_equals_a_plainer_one_is_left_out() {
        let palindrome = spell(0, b"abcdedcba");
        assert!(
            palindrome
                .iter()
                .all(|literal| literal.encoding != Some(Encoding::Reversed))
        );
    }
}
