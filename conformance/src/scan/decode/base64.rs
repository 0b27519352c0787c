//! Runs of base64, standard or URL-safe, from every alignment and across line ends.

use std::ops::Range;

use memchr::memchr2;

use super::Decoded;
use super::runs::{Need, stretches};

const NO_SEXTET: u8 = 0xff;

/// The six bits that each character stands for, in both alphabets at once.
const SEXTETS: [u8; 256] = {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut sextets = [NO_SEXTET; 256];
    let mut value = 0;
    while value < alphabet.len() {
        sextets[alphabet[value] as usize] = value as u8;
        value += 1;
    }
    sextets[b'+' as usize] = 62;
    sextets[b'-' as usize] = 62;
    sextets[b'/' as usize] = 63;
    sextets[b'_' as usize] = 63;
    sextets
};

/// The six bits a character stands for.
pub(in crate::scan) fn sextet(character: u8) -> Option<u8> {
    let value = SEXTETS[usize::from(character)];
    (value != NO_SEXTET).then_some(value)
}

pub(super) const fn is_character(byte: u8) -> bool {
    SEXTETS[byte as usize] != NO_SEXTET
}

/// The length of the shortest run that could hold what is needed.
pub(super) fn shortest(need: Need) -> usize {
    (need.bytes * 8).div_ceil(6)
}

/// Decodes a run of characters and line ends.
pub(super) fn decode(
    text: &[u8],
    run: Range<usize>,
    need: Need,
    scratch: &mut Decoded,
    show: &mut dyn FnMut(&Decoded),
) {
    if memchr2(b'\n', b'\r', &text[run.clone()]).is_none() {
        let place = |at: usize| run.start + at;
        return decode_run(&text[run.clone()], place, need, scratch, show);
    }
    let unwrapped = Unwrapped::new(text, run);
    let place = |at: usize| unwrapped.places[at] as usize;
    decode_run(&unwrapped.characters, place, need, scratch, show);
}

/// The characters of a run that line ends interrupt, and where they stand.
#[derive(Default)]
struct Unwrapped {
    characters: Vec<u8>,
    places: Vec<u32>,
}

impl Unwrapped {
    fn new(text: &[u8], run: Range<usize>) -> Self {
        let mut unwrapped = Self::default();
        for at in run.filter(|at| is_character(text[*at])) {
            unwrapped.characters.push(text[at]);
            unwrapped.places.push(at as u32);
        }
        unwrapped
    }
}

/// Decodes characters that all stand for six bits, once for each way they may be aligned.
fn decode_run(
    characters: &[u8],
    place: impl Fn(usize) -> usize,
    need: Need,
    scratch: &mut Decoded,
    show: &mut dyn FnMut(&Decoded),
) {
    let sextet = |at: usize| SEXTETS[usize::from(characters[at])];
    for phase in 0..4.min(characters.len()) {
        let quantum = |index: usize| phase + 4 * index;
        let count = (characters.len() - phase) / 4;
        // The first bits of the three bytes of a quantum are clear.
        let ascii = |index: usize| {
            let at = quantum(index);
            (sextet(at) & 0b10_0000) | (sextet(at + 1) & 0b00_1000) | (sextet(at + 2) & 0b00_0010)
                == 0
        };
        let mut decode = |quanta: Range<usize>| {
            // The neighbours may hold the first and the last bytes.
            let start = quantum(quanta.start).saturating_sub(4);
            let end = (quantum(quanta.end) + 4).min(characters.len());
            scratch.clear();
            for at in start..end.saturating_sub(1) {
                let (high, low) = (sextet(at), sextet(at + 1));
                let byte = match (at + 4 - phase) % 4 {
                    0 => high << 2 | low >> 4,
                    1 => high << 4 | low >> 2,
                    2 => high << 6 | low,
                    _ => continue,
                };
                scratch.push(byte, place(at)..place(at + 1) + 1);
            }
            show(scratch);
        };
        // So many whole quanta lie within the shortest secret, however it is aligned.
        let whole = (need.bytes - 2) / 3;
        if need.ascii && whole > 0 {
            stretches(count, whole, ascii, decode);
        } else {
            decode(0..count);
        }
    }
}
