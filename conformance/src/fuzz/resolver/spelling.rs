//! What template and values spell once decoded, and whether a target says the same.

use super::script::{Part, Script, Slot};
use super::value::{CAP, Decoded, Decoding, has_harmless_escapes};

/// What the escapes of values mean: a resolver may send harmless ones as they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Literal,
    Decoded,
}

/// In what a target differs from what was promised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Difference {
    Segments(String),
    /// The count of the pairs, or a key.
    Pairs(String),
    PairValue(String),
}

impl Difference {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Segments(text) | Self::Pairs(text) | Self::PairValue(text) => text,
        }
    }
}

/// The segments and pairs of a target, decoded.
#[derive(Debug)]
struct Spelling {
    path: Fields,
    /// Keys and values in turn.
    pairs: Option<Fields>,
    /// A value may bring further segments.
    may_add_segments: bool,
}

/// Byte strings, kept in one.
#[derive(Debug, Default)]
struct Fields {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Fields {
    fn new() -> Self {
        Self {
            bytes: Vec::with_capacity(64),
            ends: Vec::with_capacity(8),
        }
    }

    fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts
            .zip(&self.ends)
            .map(|(start, end)| self.bytes.get(*start..*end).unwrap_or_default())
    }
}

impl Spelling {
    fn of(script: &Script, reading: Reading) -> Self {
        let mut path = Fields::new();
        let mut query: Option<Fields> = None;
        let (mut in_value, mut may_add_segments) = (false, false);
        for (index, part) in script.parts.iter().enumerate() {
            let Some(pairs) = &mut query else {
                match part {
                    Part::Slash if index == 0 => {}
                    Part::Slash => path.end(),
                    Part::Question => {
                        path.end();
                        query = Some(Fields::new());
                    }
                    part => {
                        let slash = script.rules.slash;
                        may_add_segments |= slash && *part == Part::Key(script.rules.key);
                        write(&mut path.bytes, script, *part, reading, false);
                    }
                }
                continue;
            };
            match part {
                Part::And => {
                    end_pair(pairs, in_value);
                    in_value = false;
                }
                Part::Equals if !in_value => {
                    pairs.end();
                    in_value = true;
                }
                part => write(&mut pairs.bytes, script, *part, reading, true),
            }
        }
        match &mut query {
            Some(pairs) => end_pair(pairs, in_value),
            None => path.end(),
        }
        Self {
            path,
            pairs: query,
            may_add_segments,
        }
    }

    /// The decoded path, with its segments joined by slashes.
    fn joined_path(&self) -> Vec<u8> {
        let mut joined = Vec::with_capacity(self.path.bytes.len() + self.path.ends.len());
        for segment in self.path.iter() {
            joined.push(b'/');
            joined.extend_from_slice(segment);
        }
        joined
    }

    fn differs(&self, path: &str, query: Option<&str>) -> Option<Difference> {
        self.path_differs(path)
            .map(Difference::Segments)
            .or_else(|| self.query_differs(query))
    }

    fn path_differs(&self, path: &str) -> Option<String> {
        let Some(rest) = path.strip_prefix('/') else {
            return Some("the path does not begin with `/`".to_owned());
        };
        if self.may_add_segments {
            let wanted = self.joined_path();
            let fits = decodes_to(path, &wanted, false);
            return (!fits).then(|| format!("the path is not `{}`", shown(&wanted)));
        }
        let (found, wanted) = (rest.split('/').count(), self.path.ends.len());
        if found != wanted {
            return Some(format!("{found} segments instead of {wanted}"));
        }
        let mut both = rest.split('/').zip(self.path.iter());
        both.find_map(|(segment, wanted)| {
            let fits = decodes_to(segment, wanted, false);
            (!fits).then(|| {
                format!(
                    "the segment `{}` is not `{}`",
                    segment.escape_debug(),
                    shown(wanted)
                )
            })
        })
    }

    fn query_differs(&self, query: Option<&str>) -> Option<Difference> {
        let (query, wanted) = match (query, &self.pairs) {
            (None, None) => return None,
            (None, Some(_)) => return Some(Difference::Pairs("the query is gone".to_owned())),
            (Some(_), None) => return Some(Difference::Pairs("there is a query".to_owned())),
            (Some(query), Some(wanted)) => (query, wanted),
        };
        let (found, count) = (query.split('&').count(), wanted.ends.len() / 2);
        if found != count {
            return Some(Difference::Pairs(format!(
                "{found} pairs instead of {count}"
            )));
        }
        let mut fields = wanted.iter();
        for pair in query.split('&') {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (wanted_key, wanted_value) = (fields.next()?, fields.next()?);
            if !decodes_to(key, wanted_key, true) {
                let wanted = shown(wanted_key);
                return Some(Difference::Pairs(format!(
                    "the key `{key}` is not `{wanted}`"
                )));
            }
            if !decodes_to(value, wanted_value, true) {
                let wanted = shown(wanted_value);
                return Some(Difference::PairValue(format!(
                    "the value `{value}` of `{key}` is not `{wanted}`"
                )));
            }
        }
        None
    }
}

/// What a script promises, under either reading of the escapes in its values.
#[derive(Debug)]
pub(super) struct Promise {
    literal: Spelling,
    decoded: Option<Spelling>,
}

impl Promise {
    pub(super) fn of(script: &Script) -> Self {
        let has_escapes = has_escapes(script);
        Self {
            literal: Spelling::of(script, Reading::Literal),
            decoded: has_escapes.then(|| Spelling::of(script, Reading::Decoded)),
        }
    }

    /// In what a path and a query differ from it.
    pub(super) fn differs(&self, path: &str, query: Option<&str>) -> Option<Difference> {
        let difference = self.literal.differs(path, query)?;
        match &self.decoded {
            Some(decoded) => decoded.differs(path, query).and(Some(difference)),
            None => Some(difference),
        }
    }

    /// What is wrong with a segment that values made together, whoever reads them how.
    pub(super) fn composes_badly(&self, encodes: bool) -> Option<&'static str> {
        if encodes {
            // A slash that was allowed may be encoded, and then parts nothing.
            return if self.literal.may_add_segments {
                None
            } else {
                self.literal.path.iter().find_map(bad_segment)
            };
        }
        let shortest = self.decoded.as_ref().unwrap_or(&self.literal);
        if !shortest.may_add_segments {
            return shortest.path.iter().find_map(bad_segment);
        }
        let joined = shortest.joined_path();
        let mut segments = joined.split(|byte| *byte == b'/').skip(1);
        segments.find_map(|segment| match segment {
            [] => Some("composition leaves a segment empty"),
            segment => bad_segment(segment),
        })
    }
}

fn bad_segment(segment: &[u8]) -> Option<&'static str> {
    if segment == b"." || segment == b".." {
        return Some("the values make a dot segment together");
    }
    let is_long =
        segment.len() > CAP && String::from_utf8_lossy(segment).chars().nth(CAP).is_some();
    is_long.then_some("a segment has more than 256 code points")
}

fn has_escapes(script: &Script) -> bool {
    let mut slots = script.parts.iter().filter_map(|part| part.slot());
    slots.any(|slot| {
        script
            .text(slot)
            .is_some_and(|text| has_harmless_escapes(&text))
    })
}

fn end_pair(pairs: &mut Fields, in_value: bool) {
    pairs.end();
    if !in_value {
        // A pair without `=` has an empty value.
        pairs.end();
    }
}

fn write(bytes: &mut Vec<u8>, script: &Script, part: Part, reading: Reading, form: bool) {
    match part {
        Part::Slash => bytes.push(b'/'),
        Part::Question => bytes.push(b'?'),
        Part::And => bytes.push(b'&'),
        Part::Equals => bytes.push(b'='),
        Part::Text(text) => bytes.extend(decoded(text, form)),
        Part::Key(index) => write_value(bytes, script, Slot::Key(index), reading),
        Part::Variable(index) => write_value(bytes, script, Slot::Variable(index), reading),
    }
}

fn write_value(bytes: &mut Vec<u8>, script: &Script, slot: Slot, reading: Reading) {
    let Some(text) = script.text(slot) else {
        return;
    };
    if reading == Reading::Decoded && has_harmless_escapes(&text) {
        bytes.extend(decoded(&text, false));
    } else {
        bytes.extend_from_slice(text.as_bytes());
    }
}

fn decoded(text: &str, form: bool) -> impl Iterator<Item = u8> {
    Decoding::of(text).map(move |byte| match byte {
        Decoded::Literal(b'+') if form => b' ',
        byte => byte.byte(),
    })
}

/// Whether one decoding of the text gives these bytes. A malformed escape decodes to nothing.
fn decodes_to(text: &str, wanted: &[u8], form: bool) -> bool {
    let mut wanted = wanted.iter();
    let fits = Decoding::of(text).all(|byte| {
        let byte = match byte {
            Decoded::Malformed => return false,
            Decoded::Literal(b'+') if form => b' ',
            byte => byte.byte(),
        };
        wanted.next() == Some(&byte)
    });
    fits && wanted.next().is_none()
}

fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let shown: String = text.chars().take(80).collect();
    shown.escape_debug().to_string()
}
