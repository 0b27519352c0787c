//! Encodings that replace single characters of a text by escapes and leave the rest as it is.

use std::ops::Range;

use memchr::memchr;

use super::{Decoded, html, json, percent};
use crate::scan::Encoding;

/// A dialect of escapes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::scan) enum Escapes {
    Percent,
    /// Percent-encoding as forms use it, where `+` is a space.
    Form,
    Json,
    Html,
}

pub(in crate::scan) const ESCAPES: [Escapes; 4] = [
    Escapes::Percent,
    Escapes::Form,
    Escapes::Json,
    Escapes::Html,
];

/// One escape: where it stands and the bytes it means, as UTF-8 where it means a character.
pub(super) struct Escape {
    pub(super) place: Range<usize>,
    meaning: [u8; 4],
    used: u8,
}

impl Escape {
    pub(super) fn meaning(&self) -> &[u8] {
        &self.meaning[..usize::from(self.used)]
    }

    pub(super) fn byte(place: Range<usize>, byte: u8) -> Self {
        Self {
            place,
            meaning: [byte, 0, 0, 0],
            used: 1,
        }
    }

    pub(super) fn character(place: Range<usize>, character: char) -> Self {
        let mut meaning = [0; 4];
        let used = character.encode_utf8(&mut meaning).len() as u8;
        Self {
            place,
            meaning,
            used,
        }
    }
}

impl Escapes {
    pub(in crate::scan) fn encoding(self) -> Encoding {
        match self {
            Self::Percent | Self::Form => Encoding::Percent,
            Self::Json => Encoding::Json,
            Self::Html => Encoding::Html,
        }
    }

    /// The first escape at or after `from`, which no escape reaches across.
    fn next(self, text: &[u8], from: usize) -> Option<Escape> {
        match self {
            Self::Percent => percent::next(text, from),
            Self::Form => percent::next_form(text, from),
            Self::Json => json::next(text, from),
            Self::Html => html::next(text, from),
        }
    }

    /// Shows the places of all escapes, in order.
    pub(in crate::scan) fn places(self, text: &[u8], mut show: impl FnMut(Range<usize>)) {
        let mut from = 0;
        while let Some(escape) = self.next(text, from) {
            from = escape.place.end;
            show(escape.place);
        }
    }

    /// Decodes the parts of `text` that lie within `margin` bytes of an escape, joined where they
    /// touch, and shows each.
    pub(in crate::scan) fn decode_near(
        self,
        text: &[u8],
        margin: usize,
        scratch: &mut Decoded,
        mut show: impl FnMut(&Decoded),
    ) {
        let mut upcoming = self.next(text, 0);
        while let Some(first) = upcoming.take() {
            scratch.clear();
            let mut at = self.settle(text, first.place.start.saturating_sub(margin));
            let mut escape = first;
            let part_end = loop {
                scratch.copy(text, at..escape.place.start);
                scratch.push_escape(&escape);
                at = escape.place.end;
                let end = (at + margin).min(text.len());
                upcoming = self.next(text, at);
                match upcoming.take() {
                    Some(next) if next.place.start <= end + margin => escape = next,
                    next => {
                        upcoming = next;
                        break end;
                    }
                }
            };
            scratch.copy(text, at..part_end);
            show(scratch);
        }
    }

    /// Decodes a part whose bounds no escape reaches across.
    pub(in crate::scan) fn decode(self, text: &[u8], part: Range<usize>, into: &mut Decoded) {
        into.clear();
        let mut at = self.settle(text, part.start);
        while let Some(escape) = self.next(text, at) {
            if escape.place.end > part.end {
                break;
            }
            into.copy(text, at..escape.place.start);
            into.push_escape(&escape);
            at = escape.place.end;
        }
        if at < part.end {
            into.copy(text, at..part.end);
        }
    }

    /// The first place from `at` where reading may begin.
    fn settle(self, text: &[u8], at: usize) -> usize {
        match self {
            Self::Json => json::after_backslashes(text, at),
            _ => at,
        }
    }
}

/// The first `byte` at or after `from`. Where escapes are dense it is the very next one.
pub(super) fn find(byte: u8, text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    if rest.first() == Some(&byte) {
        return Some(from);
    }
    Some(from + memchr(byte, rest)?)
}

/// Gathers places in ascending order into parts with a margin around them.
pub(in crate::scan) struct Neighbourhoods {
    margin: usize,
    length: usize,
    parts: Vec<Range<usize>>,
}

impl Neighbourhoods {
    pub(in crate::scan) fn new(margin: usize, length: usize) -> Self {
        Self {
            margin,
            length,
            parts: Vec::new(),
        }
    }

    pub(in crate::scan) fn add(&mut self, place: Range<usize>) {
        let start = place.start.saturating_sub(self.margin);
        let end = (place.end + self.margin).min(self.length);
        match self.parts.last_mut() {
            Some(last) if start <= last.end => {
                last.start = last.start.min(start);
                last.end = last.end.max(end);
            }
            _ => self.parts.push(start..end),
        }
    }

    pub(in crate::scan) fn done(self) -> Vec<Range<usize>> {
        self.parts
    }
}
