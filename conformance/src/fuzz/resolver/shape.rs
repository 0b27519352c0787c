//! What is to be said of a template before any value is looked at.

use super::script::{Part, Script, Slot};
use super::value::Decoding;

/// The template of a script at a glance.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shape {
    /// It begins with one slash, so that there are segments to promise.
    pub(super) rooted: bool,
    /// It has more than one `?`, or nothing behind it.
    pub(super) ill_queried: bool,
    /// The author wrote a control character, `#` or a backslash.
    pub(super) raw: bool,
    /// The author wrote a brace that belongs to no placeholder.
    pub(super) brace: bool,
    /// The author wrote an empty segment or a dot segment, of which nothing is said.
    pub(super) unclear: bool,
    /// It has a `?`.
    pub(super) has_query: bool,
}

impl Shape {
    pub(super) fn of(script: &Script) -> Self {
        let parts = script.parts.as_slice();
        let mut shape = Self::default();
        let mut questions = 0;
        for part in parts {
            match part {
                Part::Question => questions += 1,
                Part::Text(text) => {
                    shape.raw |= text.contains(is_raw);
                    shape.brace |= text.contains(['{', '}']);
                }
                _ => {}
            }
        }
        shape.has_query = questions > 0;
        shape.ill_queried = questions > 1 || parts.last() == Some(&Part::Question);
        shape.read_segments(path_half(parts));
        shape
    }

    fn read_segments(&mut self, path: &[Part]) {
        let mut segments = path.split(|part| *part == Part::Slash);
        let begins_with_slash = segments.next().is_some_and(<[Part]>::is_empty) && !path.is_empty();
        self.rooted = begins_with_slash && path.get(1) != Some(&Part::Slash);
        let is_root = path.len() == 1;
        for segment in segments {
            self.unclear |= segment.is_empty() && !is_root;
            self.unclear |= is_dots(segment);
        }
    }
}

/// The parts before the `?`.
pub(super) fn path_half(parts: &[Part]) -> &[Part] {
    let end = parts.iter().position(|part| *part == Part::Question);
    &parts[..end.unwrap_or(parts.len())]
}

/// The parts behind the `?`.
pub(super) fn query_half(parts: &[Part]) -> &[Part] {
    &parts[path_half(parts).len()..]
}

/// Whether the slot stands in these parts.
pub(super) fn holds(parts: &[Part], slot: Slot) -> bool {
    parts.iter().any(|part| part.slot() == Some(slot))
}

/// A character that no part of a target may hold as it is.
pub(super) fn is_raw(c: char) -> bool {
    c.is_ascii_control() || c == '#' || c == '\\'
}

/// Whether a segment without values is `.` or `..`.
fn is_dots(segment: &[Part]) -> bool {
    let mut dots = 0;
    for part in segment {
        let Part::Text(text) = part else {
            return false;
        };
        for byte in Decoding::of(text) {
            if byte.byte() != b'.' {
                return false;
            }
            dots += 1;
        }
    }
    (1..=2).contains(&dots)
}
