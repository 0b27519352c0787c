//! One decoded stretch of a text, which remembers where each byte came from.

use std::ops::Range;

use super::escapes::Escape;

/// Decoded bytes and, for each, the bytes of the source that spell it.
#[derive(Default)]
pub(in crate::scan) struct Decoded {
    bytes: Vec<u8>,
    sources: Vec<(u32, u32)>,
}

impl Decoded {
    pub(in crate::scan) fn clear(&mut self) {
        self.bytes.clear();
        self.sources.clear();
    }

    pub(in crate::scan) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The part of the source that spells a part of the decoded bytes.
    pub(in crate::scan) fn source(&self, part: &Range<usize>) -> Range<usize> {
        match self.sources.get(part.clone()) {
            Some([(start, end)]) => *start as usize..*end as usize,
            Some([(start, _), .., (_, end)]) => *start as usize..*end as usize,
            _ => 0..0,
        }
    }

    /// Adds a byte that `source` spells. A window is far smaller than 4 GiB.
    pub(super) fn push(&mut self, byte: u8, source: Range<usize>) {
        self.bytes.push(byte);
        self.sources.push((source.start as u32, source.end as u32));
    }

    pub(super) fn push_escape(&mut self, escape: &Escape) {
        for byte in escape.meaning() {
            self.push(*byte, escape.place.clone());
        }
    }

    /// Adds a part of the source that spells itself.
    pub(super) fn copy(&mut self, text: &[u8], part: Range<usize>) {
        self.bytes.extend_from_slice(&text[part.clone()]);
        let (start, end) = (part.start as u32, part.end as u32);
        self.sources.extend((start..end).map(|at| (at, at + 1)));
    }
}
