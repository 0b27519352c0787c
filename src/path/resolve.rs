//! Filling a template in two layers: `${var}` from variables, then `{key}` from the arguments.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::bytes::{BRACE, Decoded, PERCENT, class, classes};
use super::floor::check_value;
use super::nesting::{MAX_BODY_DEPTH, bounded, dismantle};
use super::place::Place;
use super::segments::{SegmentScan, Writer, are_plainly_fine};
use super::target::{BYTES_EXPECTATION, shows_all};
use super::template::{Kind, Piece};
use super::{Interpolation, PathTemplate, PlaceholderRefusal, PlaceholderRules, ResolvedTarget};

/// Why a template could not be filled. No message holds a value.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// A value, or the target they compose to, breaks a rule.
    #[error(transparent)]
    Refused(#[from] PlaceholderRefusal),
    /// A value is an array or an object.
    #[error("param '{name}' must be a string, a number, a boolean or null")]
    NotScalar {
        /// The placeholder or variable it was meant for.
        name: String,
    },
    /// A placeholder has no argument of its name.
    #[error("param '{key}' must be given")]
    MissingArgument {
        /// The placeholder.
        key: String,
    },
    /// An interpolation has no value.
    #[error("variable '{name}' must be defined")]
    UndefinedVariable {
        /// The variable.
        name: String,
    },
    /// The body nests deeper than [`MAX_BODY_DEPTH`].
    #[error("the body must not nest deeper than {MAX_BODY_DEPTH} levels")]
    BodyTooDeep,
}

/// A template after its first layer: no `${…}` is left, only literals and `{key}` placeholders.
#[derive(Debug, Clone)]
pub struct InterpolatedPath<'t> {
    template: &'t PathTemplate,
    text: Cow<'t, str>,
    pieces: Cow<'t, [Piece]>,
}

/// What a template and its arguments resolve to.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution {
    target: ResolvedTarget,
    body: Option<Value>,
}

impl PathTemplate {
    /// Fills both layers; see [`interpolate`](Self::interpolate) and
    /// [`InterpolatedPath::resolve`].
    ///
    /// # Errors
    ///
    /// A [`ResolveError`]; nothing is half-filled then, and nothing of it remains.
    ///
    /// ```
    /// use std::borrow::Cow;
    /// use proofmark::path::{PathTemplate, PlaceholderRules};
    /// use serde_json::json;
    ///
    /// let template = PathTemplate::parse("/v1/${kind}/{id}?q={q}")?;
    /// let kind = json!("items");
    /// let resolution = template.resolve(
    ///     "GET",
    ///     |variable| (variable.name() == Some("kind")).then_some(Cow::Borrowed(&kind)),
    ///     |_method, _template, _param| PlaceholderRules::default(),
    ///     Some(json!({"id": 7, "q": "salt & pepper", "limit": 10})),
    /// )?;
    /// assert_eq!(resolution.target().as_str(), "/v1/items/7?q=salt%20%26%20pepper");
    /// assert_eq!(resolution.body(), Some(&json!({"limit": 10})));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn resolve<'v, 'r>(
        &self,
        method: &str,
        value_of: impl FnMut(Interpolation<'_>) -> Option<Cow<'v, Value>>,
        rules: impl FnMut(&str, &str, &str) -> PlaceholderRules<'r>,
        body: Option<Value>,
    ) -> Result<Resolution, ResolveError> {
        let body = bounded_body(body)?.map(Cow::Owned);
        self.interpolate(value_of)?.fill(method, rules, body)
    }

    /// Fills every `${…}`. Each value faces the floor and the cap with default rules, wherever it
    /// stands, and holds no brace: so it is plain text from here on, and makes no placeholder.
    ///
    /// # Errors
    ///
    /// [`ResolveError::UndefinedVariable`], [`ResolveError::NotScalar`], or the refusal of a value.
    /// An expression is named by its position, as in `path expression #0`.
    pub fn interpolate<'v>(
        &self,
        mut value_of: impl FnMut(Interpolation<'_>) -> Option<Cow<'v, Value>>,
    ) -> Result<InterpolatedPath<'_>, ResolveError> {
        let mut interpolations = self.interpolations().peekable();
        if interpolations.peek().is_none() {
            return Ok(InterpolatedPath {
                template: self,
                text: Cow::Borrowed(self.as_str()),
                pieces: Cow::Borrowed(self.pieces()),
            });
        }
        let mut text = String::with_capacity(self.as_str().len() + 32);
        let mut pieces = Vec::with_capacity(self.pieces().len());
        for piece in self.pieces() {
            let start = text.len();
            let mut kind = piece.kind;
            match (piece.kind, interpolations.peek()) {
                (Kind::Interpolation, Some(&interpolation)) => {
                    let value = value_of(interpolation);
                    contribute(&mut text, piece.place, interpolation, value)?;
                    kind = Kind::Contribution;
                    interpolations.next();
                }
                _ => text.push_str(&self.as_str()[piece.span.clone()]),
            }
            pieces.push(Piece {
                span: start..text.len(),
                kind,
                place: piece.place,
            });
        }
        Ok(InterpolatedPath {
            template: self,
            text: Cow::Owned(text),
            pieces: Cow::Owned(pieces),
        })
    }
}

impl InterpolatedPath<'_> {
    /// The template as rules are looked up by it: after `${…}`, before `{key}`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Fills every `{key}` from the fields of `body`, each under the rules that `rules` returns for
    /// (`method`, [`as_str`](Self::as_str), key), and takes those fields out of it.
    ///
    /// Strings, numbers (their JSON text), booleans and `null` have a text; a value in the query
    /// half is encoded so that it stays in its pair. The composed target is checked as a whole, so
    /// that neighbours do not make together what each may not be alone. The other fields stay as
    /// they are; a body that is left without any is no body.
    ///
    /// # Errors
    ///
    /// A [`ResolveError`]; nothing is half-filled then.
    pub fn resolve<'r>(
        &self,
        method: &str,
        rules: impl FnMut(&str, &str, &str) -> PlaceholderRules<'r>,
        body: Option<Value>,
    ) -> Result<Resolution, ResolveError> {
        self.fill(method, rules, bounded_body(body)?.map(Cow::Owned))
    }

    /// As [`resolve`](Self::resolve), of a body that is known to nest no deeper than it may.
    pub(crate) fn fill<'r>(
        &self,
        method: &str,
        mut rules: impl FnMut(&str, &str, &str) -> PlaceholderRules<'r>,
        body: Option<Cow<'_, Value>>,
    ) -> Result<Resolution, ResolveError> {
        let fields = body.as_deref().and_then(Value::as_object);
        let mut values = Vec::with_capacity(self.template.keys().len());
        for key in self.template.keys() {
            let value = fields
                .and_then(|fields| fields.get(&key.name))
                .ok_or_else(|| ResolveError::MissingArgument {
                    key: key.name.clone(),
                })?;
            let text = text_of(&key.name, value)?;
            let declared = rules(method, &self.text, &key.name);
            check_value(&key.name, &text, &declared, key.half)?;
            check_braces(&key.name, &text)?;
            values.push(text);
        }
        let target = self.compose(&values)?;
        drop(values);
        Ok(Resolution {
            target,
            body: body.and_then(|body| self.take_consumed(body)),
        })
    }

    /// Writes the target in one pass over the pieces, and checks what only the whole can show.
    fn compose(&self, values: &[Cow<'_, str>]) -> Result<ResolvedTarget, PlaceholderRefusal> {
        let room: usize = values.iter().map(|value| value.len()).sum();
        let mut out = String::with_capacity(self.text.len() + room);
        let mut path_end = 0;
        for piece in self.pieces.iter() {
            self.write(&mut out, piece, values);
            if piece.place == Place::Path {
                path_end = out.len();
            }
        }
        let path = &out.as_bytes()[..path_end];
        if !shows_all(path) || path.contains(&b';') || !are_plainly_fine(path) {
            self.check_path(values)?;
        }
        Ok(ResolvedTarget::from_resolution(out))
    }

    /// Checks the segments of the path half, knowing who wrote what.
    fn check_path(&self, values: &[Cow<'_, str>]) -> Result<(), PlaceholderRefusal> {
        let mut scan = SegmentScan::new();
        let mut part = String::new();
        for piece in self
            .pieces
            .iter()
            .filter(|piece| piece.place == Place::Path)
        {
            let writer = match piece.kind {
                Kind::Literal => Writer::Author,
                Kind::Placeholder(_) | Kind::Contribution | Kind::Interpolation => Writer::Value,
            };
            part.clear();
            self.write(&mut part, piece, values);
            scan.feed(&part, writer)?;
        }
        scan.finish()
    }

    fn write(&self, out: &mut String, piece: &Piece, values: &[Cow<'_, str>]) {
        match piece.kind {
            Kind::Placeholder(key) => piece.place.write(out, &values[key]),
            _ => out.push_str(&self.text[piece.span.clone()]),
        }
    }

    /// What the path leaves of a body; of a borrowed one, only that is copied.
    fn take_consumed(&self, body: Cow<'_, Value>) -> Option<Value> {
        let keys = self.template.keys().len();
        let all = body.as_object().map_or(0, Map::len);
        // All keys were found, so if there are no more fields than keys, none is left.
        if body.is_object() && all == keys {
            return None;
        }
        let is_left = |name: &str| !self.template.asks_for(name);
        Some(match body {
            Cow::Borrowed(Value::Object(fields)) if keys > 0 => {
                let left = fields.iter().filter(|(name, _)| is_left(name));
                Value::Object(
                    left.map(|(name, field)| (name.clone(), field.clone()))
                        .collect(),
                )
            }
            Cow::Owned(Value::Object(mut fields)) if keys > 0 => {
                fields.retain(|name, _| is_left(name));
                Value::Object(fields)
            }
            whole => whole.into_owned(),
        })
    }
}

impl Resolution {
    /// The checked target.
    #[must_use]
    pub fn target(&self) -> &ResolvedTarget {
        &self.target
    }

    /// What is left of the body.
    #[must_use]
    pub fn body(&self) -> Option<&Value> {
        self.body.as_ref()
    }

    /// The target and what is left of the body.
    #[must_use]
    pub fn into_parts(self) -> (ResolvedTarget, Option<Value>) {
        (self.target, self.body)
    }
}

fn bounded_body(body: Option<Value>) -> Result<Option<Value>, ResolveError> {
    match body {
        None => Ok(None),
        Some(body) => bounded(body).map(Some).ok_or(ResolveError::BodyTooDeep),
    }
}

/// Writes the value of an interpolation into the template's text.
fn contribute(
    text: &mut String,
    place: Place,
    interpolation: Interpolation<'_>,
    value: Option<Cow<'_, Value>>,
) -> Result<(), ResolveError> {
    let name = match interpolation.name() {
        Some(name) => Cow::Borrowed(name),
        None => Cow::Owned(format!("path expression #{}", interpolation.index())),
    };
    let value = value.ok_or_else(|| ResolveError::UndefinedVariable {
        name: name.to_string(),
    })?;
    let written = text_of(&name, &value).and_then(|rendered| {
        check_value(&name, &rendered, &PlaceholderRules::default(), place.half())?;
        check_braces(&name, &rendered)?;
        place.write(text, &rendered);
        Ok(())
    });
    if let Cow::Owned(value) = value {
        dismantle(value);
    }
    written
}

/// The text of a scalar; what is no scalar has none.
fn text_of<'v>(name: &str, value: &'v Value) -> Result<Cow<'v, str>, ResolveError> {
    match value {
        Value::String(text) => Ok(Cow::Borrowed(text)),
        Value::Number(number) => Ok(Cow::Owned(number.to_string())),
        Value::Bool(true) => Ok(Cow::Borrowed("true")),
        Value::Bool(false) => Ok(Cow::Borrowed("false")),
        Value::Null => Ok(Cow::Borrowed("null")),
        Value::Array(_) | Value::Object(_) => Err(ResolveError::NotScalar {
            name: name.to_owned(),
        }),
    }
}

/// A brace in a value is no placeholder, and must not look like one that was left unfilled.
fn check_braces(name: &str, text: &str) -> Result<(), PlaceholderRefusal> {
    let seen = classes(text.as_bytes());
    let holds_brace = seen & BRACE != 0
        || (seen & PERCENT != 0
            && Decoded::new(text.as_bytes())
                .any(|byte| byte.is_ok_and(|byte| class(byte) & BRACE != 0)));
    if holds_brace {
        return Err(PlaceholderRefusal::new(
            name,
            "pathSegment",
            BYTES_EXPECTATION,
        ));
    }
    Ok(())
}
