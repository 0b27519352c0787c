//! A path template: literal text, `{key}` placeholders and `${var}` interpolations.

use std::collections::BTreeMap;
use std::ops::Range;

use super::PLACEHOLDER_MAX_LENGTH;
use super::bytes::{BRACE, DENIED, Decoded, SLASH, Unsound, class, classes};
use super::place::{Half, Place};

/// A request path as its author wrote it, parsed once.
///
/// `${var}` is filled first, from a script's variables; `{key}` after it, from the arguments. One
/// `?` splits the path half from the query half. The text begins with a single `/`, so that no
/// value can come to stand where an origin would.
///
/// ```
/// use proofmark::path::{PathTemplate, TemplateError};
///
/// let template = PathTemplate::parse("/v1/${kind}/{id}?full={full}")?;
/// assert!(template.is_dynamic());
/// assert_eq!(template.placeholders().collect::<Vec<_>>(), ["id", "full"]);
///
/// assert_eq!(PathTemplate::parse("/v1/{id"), Err(TemplateError::Unbalanced { at: 4 }));
/// # Ok::<(), TemplateError>(())
/// ```
///
/// Source: seed 001.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathTemplate {
    text: String,
    pieces: Vec<Piece>,
    keys: Vec<Key>,
    by_name: BTreeMap<String, usize>,
}

/// One part of a path as a script's compiler finds it.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathPart {
    /// Text of the script, which may hold `{key}` placeholders; `${` has no meaning in it.
    Literal(String),
    /// A variable by its name: `${id}`.
    Variable(String),
    /// An expression, which has no name: `${user.id}`.
    Expression,
}

/// One `${…}` of a template, to be given a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interpolation<'t> {
    index: usize,
    name: &'t str,
}

/// Why a text is not a path template. Positions are byte offsets into the text; for parts, into the
/// text that [`PathTemplate::as_str`] would give.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The path could be read as one that names its own origin.
    #[error("a path template must begin with a single `/`")]
    NotRooted,
    /// A brace has no partner.
    #[error("the brace at byte {at} has no partner")]
    Unbalanced {
        /// Where it is.
        at: usize,
    },
    /// Nothing stands between two braces.
    #[error("the placeholder at byte {at} has no name")]
    EmptyName {
        /// Where the placeholder begins.
        at: usize,
    },
    /// A name holds a separator, a mark or a control character, or is over-long.
    #[error(
        "the placeholder at byte {at} must be named by at most 256 characters, none of them \
         `/`, `\\`, `?`, `#` or a control character"
    )]
    BadName {
        /// Where the placeholder begins.
        at: usize,
    },
    /// A query is already open.
    #[error("the `?` at byte {at} is the second")]
    SecondQuery {
        /// Where it is.
        at: usize,
    },
    /// Nothing follows the `?`.
    #[error("nothing follows the `?`")]
    DanglingQuery,
    /// A percent escape is malformed, or stands for a percent sign.
    #[error("the text from byte {at} holds a malformed percent escape, or an escaped percent sign")]
    Escape {
        /// Where the literal with the escape begins.
        at: usize,
    },
    /// A fragment mark, backslash, control character, or an escaped one of these or of a query
    /// mark or a brace.
    #[error(
        "the text from byte {at} holds a fragment mark, a backslash or a control character, or \
         an escaped one, or an escaped query mark or brace"
    )]
    Forbidden {
        /// Where the literal with it begins.
        at: usize,
    },
}

/// A stretch of a template's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
    pub(super) place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text of the author.
    Literal,
    /// A `${…}` that has no value yet.
    Interpolation,
    /// What the value of a `${…}` contributed: plain text from now on.
    Contribution,
    /// A `{key}`, by its place among the keys.
    Placeholder(usize),
}

/// A name that placeholders ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) name: String,
    /// The stricter half of those it stands in.
    pub(super) half: Half,
}

impl PathTemplate {
    /// Parses a text with `{key}` placeholders and `${var}` interpolations.
    ///
    /// # Errors
    ///
    /// A [`TemplateError`] that says where.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut builder = Builder::default();
        builder.literal(text, true)?;
        builder.finish()
    }

    /// A path without interpolations: `{key}` is a placeholder, `${` has no meaning.
    ///
    /// # Errors
    ///
    /// A [`TemplateError`] that says where.
    pub fn static_path(text: &str) -> Result<Self, TemplateError> {
        let mut builder = Builder::default();
        builder.literal(text, false)?;
        builder.finish()
    }

    /// Puts a template together from the parts that a script's compiler found. A brace in one part
    /// never pairs with one in another.
    ///
    /// # Errors
    ///
    /// A [`TemplateError`] that says where.
    ///
    /// ```
    /// use proofmark::path::{PathPart, PathTemplate};
    ///
    /// let parts = [
    ///     PathPart::Literal("/items/".to_owned()),
    ///     PathPart::Variable("id".to_owned()),
    /// ];
    /// assert_eq!(PathTemplate::from_parts(parts)?, PathTemplate::parse("/items/${id}")?);
    /// # Ok::<(), proofmark::path::TemplateError>(())
    /// ```
    pub fn from_parts(parts: impl IntoIterator<Item = PathPart>) -> Result<Self, TemplateError> {
        let mut builder = Builder::default();
        for part in parts {
            match part {
                PathPart::Literal(text) => builder.literal(&text, false)?,
                PathPart::Variable(name) => builder.interpolation(&name)?,
                PathPart::Expression => builder.push_interpolation(""),
            }
        }
        builder.finish()
    }

    /// The text, with an expression shown as `${}`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether there is a `${…}` to fill.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        self.interpolations().next().is_some()
    }

    /// The names of the `{key}` placeholders, each once, in order of appearance.
    pub fn placeholders(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|key| key.name.as_str())
    }

    /// The `${…}` interpolations in order.
    pub fn interpolations(&self) -> impl Iterator<Item = Interpolation<'_>> {
        self.pieces
            .iter()
            .filter(|piece| piece.kind == Kind::Interpolation)
            .enumerate()
            .map(|(index, piece)| Interpolation {
                index,
                name: &self.text[piece.span.start + 2..piece.span.end - 1],
            })
    }

    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    pub(super) fn keys(&self) -> &[Key] {
        &self.keys
    }

    pub(super) fn asks_for(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }
}

impl<'t> Interpolation<'t> {
    /// Which interpolation of the template this is, from 0.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The variable's name; an expression has none.
    #[must_use]
    pub fn name(&self) -> Option<&'t str> {
        (!self.name.is_empty()).then_some(self.name)
    }
}

struct Builder {
    text: String,
    pieces: Vec<Piece>,
    keys: Vec<Key>,
    by_name: BTreeMap<String, usize>,
    place: Place,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            text: String::new(),
            pieces: Vec::new(),
            keys: Vec::new(),
            by_name: BTreeMap::new(),
            place: Place::Path,
        }
    }
}

impl Builder {
    fn literal(&mut self, literal: &str, interpolate: bool) -> Result<(), TemplateError> {
        let mut rest = literal;
        while let Some(at) = rest.find(['{', '}', '?']) {
            let (before, from) = rest.split_at(at);
            let named = from.strip_prefix('{').filter(|_| interpolate);
            match (before.strip_suffix('$'), named) {
                (Some(before), Some(named)) => {
                    self.run(before)?;
                    let name = self.name_in(named, 1)?;
                    self.interpolation(name)?;
                    rest = &named[name.len() + 1..];
                }
                _ => {
                    self.run(before)?;
                    rest = self.special(from)?;
                }
            }
        }
        self.run(rest)
    }

    /// Takes the brace or query mark at the start of `from`, and returns what follows.
    fn special<'a>(&mut self, from: &'a str) -> Result<&'a str, TemplateError> {
        let at = self.text.len();
        if let Some(named) = from.strip_prefix('{') {
            let name = self.name_in(named, 0)?;
            self.placeholder(name)?;
            return Ok(&named[name.len() + 1..]);
        }
        if from.starts_with('}') {
            return Err(TemplateError::Unbalanced { at });
        }
        if self.place != Place::Path {
            return Err(TemplateError::SecondQuery { at });
        }
        self.place = self.place.after(b'?');
        self.push("?", Kind::Literal);
        Ok(&from[1..])
    }

    /// The name up to the closing brace; the opening one is `offset` bytes after the text so far.
    fn name_in<'a>(&self, named: &'a str, offset: usize) -> Result<&'a str, TemplateError> {
        match named.find(['{', '}']) {
            Some(end) if named[end..].starts_with('}') => Ok(&named[..end]),
            _ => Err(TemplateError::Unbalanced {
                at: self.text.len() + offset,
            }),
        }
    }

    /// Takes literal text without braces and query marks.
    fn run(&mut self, run: &str) -> Result<(), TemplateError> {
        let at = self.text.len();
        for byte in Decoded::new(run.as_bytes()) {
            let byte = byte.map_err(|Unsound| TemplateError::Escape { at })?;
            if class(byte) & (DENIED | BRACE) != 0 {
                return Err(TemplateError::Forbidden { at });
            }
        }
        if !run.is_empty() {
            self.push(run, Kind::Literal);
        }
        self.place = run.bytes().fold(self.place, Place::after);
        Ok(())
    }

    fn placeholder(&mut self, name: &str) -> Result<(), TemplateError> {
        self.check_name(name)?;
        let half = self.place.half();
        let index = match self.by_name.get(name) {
            Some(&index) => index,
            None => {
                self.by_name.insert(name.to_owned(), self.keys.len());
                self.keys.push(Key {
                    name: name.to_owned(),
                    half,
                });
                self.keys.len() - 1
            }
        };
        if half == Half::Path {
            self.keys[index].half = half;
        }
        self.push(&format!("{{{name}}}"), Kind::Placeholder(index));
        Ok(())
    }

    fn interpolation(&mut self, name: &str) -> Result<(), TemplateError> {
        self.check_name(name)?;
        self.push_interpolation(name);
        Ok(())
    }

    fn push_interpolation(&mut self, name: &str) {
        self.push(&format!("${{{name}}}"), Kind::Interpolation);
    }

    fn check_name(&self, name: &str) -> Result<(), TemplateError> {
        let at = self.text.len();
        if name.is_empty() {
            return Err(TemplateError::EmptyName { at });
        }
        let refused = classes(name.as_bytes()) & (DENIED | SLASH | BRACE) != 0;
        if refused || name.chars().nth(PLACEHOLDER_MAX_LENGTH).is_some() {
            return Err(TemplateError::BadName { at });
        }
        Ok(())
    }

    fn push(&mut self, text: &str, kind: Kind) {
        let start = self.text.len();
        self.text.push_str(text);
        self.pieces.push(Piece {
            span: start..self.text.len(),
            kind,
            place: self.place,
        });
    }

    fn finish(self) -> Result<PathTemplate, TemplateError> {
        if !self.text.starts_with('/') || self.text.starts_with("//") {
            return Err(TemplateError::NotRooted);
        }
        if self.place != Place::Path && self.text.ends_with('?') {
            return Err(TemplateError::DanglingQuery);
        }
        Ok(PathTemplate {
            text: self.text,
            pieces: self.pieces,
            keys: self.keys,
            by_name: self.by_name,
        })
    }
}
