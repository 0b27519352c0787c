//! The segment rules of a composed path half, aware of who wrote which byte.

use super::PlaceholderRefusal;
use super::bytes::{Decoded, has_pair};
use super::floor::{MAX_UTF8_LENGTH, PLACEHOLDER_MAX_LENGTH, too_long_expectation};
use super::fold::FoldScan;

/// The name that a refusal of a composed path carries.
pub(super) const COMPOSED_PATH: &str = "path segment";

/// A segment of more bytes has too many code points, whatever they are.
const LONGEST_SEGMENT: usize = PLACEHOLDER_MAX_LENGTH * MAX_UTF8_LENGTH;

/// Who wrote a part of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writer {
    /// The author of the template, whose `//` and trailing `/` are meant.
    Author,
    /// A value, which must make neither.
    Value,
    /// Not known: judged as an author's text that may make neither.
    Unknown,
}

/// What is wrong with a composed path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    NotRooted,
    Empty,
    Relative,
    TooLong,
    LookAlike,
}

/// Whether every segment of a path that begins with `/` and hides nothing in escapes is fine at a
/// glance. A `false` means no more than that a closer look is needed.
pub(super) fn are_plainly_fine(path: &[u8]) -> bool {
    let short = path.len() <= PLACEHOLDER_MAX_LENGTH;
    let open = path.len() > 1 && path.ends_with(b"/");
    // Empty segments, and those that begin with a dot.
    let doubtful = || has_pair(path, |a, b| (a == b'/') & ((b == b'/') | (b == b'.')));
    (short && !open && !doubtful()) || is_each_fine(path)
}

fn is_each_fine(path: &[u8]) -> bool {
    path == b"/"
        || path[1..].split(|&byte| byte == b'/').all(|segment| {
            (1..=PLACEHOLDER_MAX_LENGTH).contains(&segment.len())
                && segment != b"."
                && segment != b".."
        })
}

pub(super) fn refusal_of_unrooted() -> PlaceholderRefusal {
    Fault::NotRooted.refusal()
}

/// Checks the decoded segments of a path half, handed over part by part.
///
/// The parts must begin with `/`, hold whole escapes only, and no byte that is refused anywhere.
pub(super) struct SegmentScan {
    /// The decoded bytes of the current segment, as many as matter.
    bytes: [u8; LONGEST_SEGMENT],
    length: usize,
    /// Which segment this is; number 0 is what precedes the leading `/`.
    number: usize,
    /// Who wrote the separator before it.
    opened_by: Writer,
    holds_value: bool,
    fold: FoldScan,
}

impl SegmentScan {
    pub(super) fn new() -> Self {
        Self {
            bytes: [0; LONGEST_SEGMENT],
            length: 0,
            number: 0,
            opened_by: Writer::Author,
            holds_value: false,
            fold: FoldScan::default(),
        }
    }

    /// Takes the next part of the path.
    pub(super) fn feed(&mut self, text: &str, writer: Writer) -> Result<(), PlaceholderRefusal> {
        self.take(text, writer).map_err(Fault::refusal)
    }

    /// Judges the last segment.
    pub(super) fn finish(&self) -> Result<(), PlaceholderRefusal> {
        self.end_segment(None).map_err(Fault::refusal)
    }

    fn take(&mut self, text: &str, writer: Writer) -> Result<(), Fault> {
        for byte in Decoded::new(text.as_bytes()).flatten() {
            if self.fold.feed(byte) {
                return Err(Fault::LookAlike);
            }
            if byte == b'/' {
                self.end_segment(Some(writer))?;
                self.number += 1;
                self.opened_by = writer;
                self.length = 0;
                self.holds_value = false;
            } else {
                if let Some(slot) = self.bytes.get_mut(self.length) {
                    *slot = byte;
                }
                self.length += 1;
                self.holds_value |= writer == Writer::Value;
            }
        }
        Ok(())
    }

    /// Judges the current segment, given who wrote the separator after it if there is one.
    fn end_segment(&self, closed_by: Option<Writer>) -> Result<(), Fault> {
        let Some(segment) = self.bytes.get(..self.length) else {
            return Err(Fault::TooLong);
        };
        if segment.is_empty() {
            return self.judge_empty(closed_by);
        }
        // Servers with matrix parameters cut a segment at `;` before they resolve dots.
        let named = match segment.iter().position(|&byte| byte == b';') {
            Some(at) if self.holds_value => &segment[..at],
            _ => segment,
        };
        if named == b"." || named == b".." {
            return Err(Fault::Relative);
        }
        if self.length > PLACEHOLDER_MAX_LENGTH && code_points(segment) > PLACEHOLDER_MAX_LENGTH {
            return Err(Fault::TooLong);
        }
        Ok(())
    }

    fn judge_empty(&self, closed_by: Option<Writer>) -> Result<(), Fault> {
        match (self.number, closed_by) {
            (0, Some(_)) | (1, None) => Ok(()),
            (0, None) | (1, Some(_)) => Err(Fault::NotRooted),
            (_, closed_by) => {
                let meant = self.opened_by == Writer::Author
                    && closed_by.is_none_or(|w| w == Writer::Author);
                if meant { Ok(()) } else { Err(Fault::Empty) }
            }
        }
    }
}

/// Code points of the text, each maximal piece of invalid UTF-8 counting as one.
fn code_points(bytes: &[u8]) -> usize {
    bytes
        .utf8_chunks()
        .map(|chunk| chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty()))
        .sum()
}

impl Fault {
    fn refusal(self) -> PlaceholderRefusal {
        let (rule, expected) = match self {
            Self::NotRooted => ("pathSegment", "must begin with a single `/`".to_owned()),
            Self::Empty => ("pathSegment", "must not be empty".to_owned()),
            Self::Relative => (
                "pathSegment",
                "must not be a relative path reference".to_owned(),
            ),
            Self::TooLong => (
                "segmentMaxLength",
                too_long_expectation(PLACEHOLDER_MAX_LENGTH),
            ),
            Self::LookAlike => (
                "pathSegment",
                "must hold no overlong UTF-8 and no look-alike of a separator, dot, query mark, \
                 fragment mark, backslash or percent sign"
                    .to_owned(),
            ),
        };
        PlaceholderRefusal::new(COMPOSED_PATH, rule, expected)
    }
}
