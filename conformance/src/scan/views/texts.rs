//! The texts that a value consists of, searched one by one and joined.

use std::ops::Range;
use std::sync::Arc;

use crate::scan::{EncodingChain, Finding, Scanner};

/// What a text is within its value. A secret that is split over neighbours is looked for in all
/// texts joined, in all but the keys, in the strings alone and in the keys alone.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// A key of a map, or of a query pair.
    Key,
    /// A string, or bytes.
    String,
    /// The text of a number or of another scalar.
    Scalar,
}

/// Texts in the order in which they stand in a value.
#[derive(Default)]
pub(super) struct Texts {
    fields: Vec<Field>,
    bytes: Vec<u8>,
}

struct Field {
    name: String,
    kind: TextKind,
    bytes: Range<usize>,
}

/// A secret in one text or across several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Occurrence {
    pub(super) field: String,
    pub(super) secret: Arc<str>,
    pub(super) encoding: EncodingChain,
    /// Line and column, when it stands in one text of several lines.
    pub(super) position: Option<(u64, u64)>,
}

/// Stands between texts that are searched one by one: no decoder reaches across it.
const BARRIER: &[u8] = &[0xff, 0xff];

impl Texts {
    pub(super) fn push(&mut self, name: String, kind: TextKind, text: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text);
        let bytes = start..self.bytes.len();
        self.fields.push(Field { name, kind, bytes });
    }

    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// The text that was pushed last, if it is one.
    pub(super) fn last(&self) -> Option<&str> {
        let last = self.fields.last()?;
        std::str::from_utf8(&self.bytes[last.bytes.clone()]).ok()
    }

    /// Every occurrence: in single texts first, then those that are split over several.
    pub(super) fn search(&self, scanner: &Scanner) -> Vec<Occurrence> {
        let all = Chosen::new(self, BARRIER, |_| true);
        let mut found = all.search(scanner, |fields| fields.len() == 1);
        found.extend(self.search_splits(scanner));
        found
    }

    /// The occurrences that are split over several texts.
    pub(super) fn search_splits(&self, scanner: &Scanner) -> Vec<Occurrence> {
        let joins: [fn(TextKind) -> bool; 4] = [
            |_| true,
            |kind| kind != TextKind::Key,
            |kind| kind == TextKind::String,
            |kind| kind == TextKind::Key,
        ];
        let mut found = Vec::new();
        for join in joins {
            let chosen = Chosen::new(self, &[], join);
            for split in chosen.search(scanner, |fields| fields.len() > 1) {
                if !found.contains(&split) {
                    found.push(split);
                }
            }
        }
        found
    }
}

/// Some of the texts in one buffer.
struct Chosen<'t> {
    fields: Vec<&'t Field>,
    places: Vec<Range<usize>>,
    buffer: Vec<u8>,
}

impl<'t> Chosen<'t> {
    fn new(texts: &'t Texts, between: &[u8], choose: fn(TextKind) -> bool) -> Self {
        let mut chosen = Self {
            fields: Vec::new(),
            places: Vec::new(),
            buffer: Vec::new(),
        };
        for field in texts.fields.iter().filter(|field| choose(field.kind)) {
            let start = chosen.buffer.len();
            chosen
                .buffer
                .extend_from_slice(&texts.bytes[field.bytes.clone()]);
            chosen.places.push(start..chosen.buffer.len());
            chosen.fields.push(field);
            chosen.buffer.extend_from_slice(between);
        }
        chosen
    }

    /// The occurrences whose fields are wanted.
    fn search(&self, scanner: &Scanner, wanted: fn(&[&Field]) -> bool) -> Vec<Occurrence> {
        let findings = scanner.scan(&self.buffer).findings;
        let located = findings.iter().filter_map(|finding| {
            let (start, end) = (finding.span.start as usize, finding.span.end as usize);
            let first = self.places.partition_point(|place| place.end <= start);
            let after = self.places.partition_point(|place| place.start < end);
            let fields = self.fields.get(first..after)?;
            wanted(fields).then(|| self.occurrence(first, fields, finding))
        });
        located.collect()
    }

    fn occurrence(&self, first: usize, fields: &[&Field], finding: &Finding) -> Occurrence {
        let text = &self.buffer[self.places[first].clone()];
        let before = &text[..finding.span.start as usize - self.places[first].start];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let several_lines = fields.len() == 1 && text.contains(&b'\n');
        Occurrence {
            field: name_of(fields),
            secret: finding.secret.clone(),
            encoding: finding.encoding,
            position: several_lines.then(|| {
                let line = memchr::memchr_iter(b'\n', before).count() + 1;
                (line as u64, (before.len() - line_start) as u64 + 1)
            }),
        }
    }
}

/// `a`, `a + b`, or `a … d` for more.
fn name_of(fields: &[&Field]) -> String {
    match fields {
        [] => String::new(),
        [one] => one.name.clone(),
        [first, last] => format!("{} + {}", first.name, last.name),
        [first, .., last] => format!("{} … {}", first.name, last.name),
    }
}

#[cfg(test)]
impl Texts {
    /// Name, kind and text of each field.
    pub(super) fn show(&self) -> Vec<String> {
        let show = |field: &Field| {
            let text = self.bytes[field.bytes.clone()].escape_ascii();
            format!("{} {:?} {text}", field.name, field.kind)
        };
        self.fields.iter().map(show).collect()
    }
}
