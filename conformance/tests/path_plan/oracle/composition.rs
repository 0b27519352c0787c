//! What the requirements say of a template and the values that fill it: PATH-10 to 14, 16 to 27.

use proofmark_conformance::vectors::path::{
    Answer, EncodedValue, Expectation, RefusalRule, RulesFor,
};
use serde_json::{Map, Value};

use super::spelling::{Fold, decoded, fold_of_bytes, fold_of_characters, has_two_dots_together};
use super::target::of_target;
use super::value::{CAP, Declared, Half, judge};

/// A template and all that fills it.
#[derive(Clone)]
pub struct Case {
    pub method: &'static str,
    pub template: String,
    pub variables: Map<String, Value>,
    pub arguments: Option<Value>,
    pub rules: Vec<(RulesFor, Declared)>,
}

/// Which kind of resolver is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    Refused,
    Encoded,
}

/// What is right for a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    pub result: Answer,
    pub rule: Option<RefusalRule>,
    pub expect: Option<Expectation>,
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Author(char),
    Variable(String),
    Key(String),
}

/// A piece with its place and, if it is none of the author's, its value.
struct Filled {
    half: Half,
    what: What,
}

enum What {
    Author(char),
    Value { text: String, mode: Carried },
}

/// How a value is written.
#[derive(Clone, Copy, PartialEq)]
enum Carried {
    /// As it stands: its escapes are decoded with the rest.
    Raw,
    /// So that one decoding gives it back.
    Encoded,
    /// One of the two.
    Unknown,
}

/// The answer so far, and whether what is sent is known.
struct Sum {
    result: Answer,
    known: bool,
}

impl Sum {
    fn open(&mut self) {
        self.result = Answer::Either;
    }

    fn unknown(&mut self) {
        self.open();
        self.known = false;
    }
}

pub fn resolve(case: &Case, reserved: Reserved) -> Resolved {
    match fill(case, reserved) {
        Ok((result, expect)) => Resolved {
            result,
            rule: None,
            expect,
        },
        Err(rule) => Resolved {
            result: Answer::Refuse,
            rule: Some(rule),
            expect: None,
        },
    }
}

fn fill(case: &Case, reserved: Reserved) -> Result<(Answer, Option<Expectation>), RefusalRule> {
    let pieces = pieces_of(&case.template)?;
    let mut sum = Sum {
        result: Answer::Accept,
        known: true,
    };
    // What the author wrote is judged with a harmless letter in each place.
    let stand_in: String = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Author(character) => *character,
            _ => 'x',
        })
        .collect();
    let authors = of_target(&stand_in);
    match authors.result {
        Answer::Refuse => return Err(authors.rule.unwrap()),
        Answer::Either => sum.open(),
        Answer::Accept => {}
    }
    let filled = filled(case, &pieces, reserved, &mut sum)?;
    let segments = segments(&filled, reserved, &mut sum)?;
    let pairs = pairs(&filled);
    let expect = match (segments, pairs) {
        (Some(segments), Some(pairs)) if sum.known => Some(Expectation {
            segments,
            pairs,
            body: left_over(case, &pieces),
        }),
        _ => None,
    };
    Ok((sum.result, expect))
}

fn pieces_of(template: &str) -> Result<Vec<Piece>, RefusalRule> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(first) = rest.chars().next() {
        let opening = ["${", "{"].into_iter().find(|mark| rest.starts_with(mark));
        match (opening, first) {
            (Some(mark), _) => {
                let (name, after) = rest[mark.len()..]
                    .split_once('}')
                    .ok_or(RefusalRule::Brace)?;
                if name.is_empty() || name.contains('{') {
                    return Err(RefusalRule::Brace);
                }
                pieces.push(match mark {
                    "${" => Piece::Variable(name.to_owned()),
                    _ => Piece::Key(name.to_owned()),
                });
                rest = after;
            }
            (None, '}') => return Err(RefusalRule::Brace),
            (None, character) => {
                pieces.push(Piece::Author(character));
                rest = &rest[character.len_utf8()..];
            }
        }
    }
    Ok(pieces)
}

/// Gives every piece its value, each judged for itself.
fn filled(
    case: &Case,
    pieces: &[Piece],
    reserved: Reserved,
    sum: &mut Sum,
) -> Result<Vec<Filled>, RefusalRule> {
    let between = between_the_layers(case, pieces)?;
    let mut half = Half::Path;
    let mut filled = Vec::new();
    for piece in pieces {
        let (value, declared) = match piece {
            Piece::Author(character) => {
                if *character == '?' {
                    half = Half::Query;
                }
                filled.push(Filled {
                    half,
                    what: What::Author(*character),
                });
                continue;
            }
            Piece::Variable(name) => (case.variables.get(name), Declared::default()),
            Piece::Key(name) => {
                let arguments = case.arguments.as_ref().and_then(Value::as_object);
                let value = arguments.and_then(|arguments| arguments.get(name));
                (value, declared_for(case, &between, name))
            }
        };
        let text = rendered(value.ok_or(RefusalRule::Missing)?, sum)?;
        let mode = admit(&text, &declared, half, reserved, sum)?;
        filled.push(Filled {
            half,
            what: What::Value { text, mode },
        });
    }
    Ok(filled)
}

/// PATH-14: the text of a scalar.
fn rendered(value: &Value, sum: &mut Sum) -> Result<String, RefusalRule> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Bool(value) => Ok(if *value { "true" } else { "false" }.to_owned()),
        Value::Null => {
            sum.open();
            Ok("null".to_owned())
        }
        Value::Number(number) if number.is_i64() || number.is_u64() => Ok(number.to_string()),
        Value::Number(number) => {
            let float = number.as_f64().unwrap();
            // JSON has several spellings of very large, very small and whole ones.
            if float.fract() == 0.0 || float.abs() < 1e-3 {
                sum.unknown();
                return Ok("0".to_owned());
            }
            Ok(float.to_string())
        }
        Value::Array(_) | Value::Object(_) => Err(RefusalRule::Scalar),
    }
}

/// Judges one value where it stands, and says how it is written.
fn admit(
    text: &str,
    declared: &Declared,
    half: Half,
    reserved: Reserved,
    sum: &mut Sum,
) -> Result<Carried, RefusalRule> {
    let told = judge(text, declared, half);
    let refusal = || told.rule.unwrap_or(RefusalRule::CharacterFloor);
    let escapes = text.contains('%');
    // PATH-21 and 27: these are refused or encoded in the query half.
    if half == Half::Query && text.contains(['&', '=', ';', '+']) {
        sum.open();
    }
    match (reserved, told.result, told.encode) {
        (Reserved::Refused, Answer::Refuse, _) | (Reserved::Encoded, _, EncodedValue::Refuse) => {
            return Err(refusal());
        }
        (Reserved::Refused, Answer::Accept, _) => return Ok(Carried::Raw),
        (Reserved::Encoded, _, EncodedValue::Accept) if !escapes => return Ok(Carried::Encoded),
        (Reserved::Encoded, _, EncodedValue::OneSegment) => {
            sum.open();
            return Ok(Carried::Encoded);
        }
        _ => {}
    }
    sum.open();
    // Escapes and slashes may be carried or encoded.
    let slashes = reserved == Reserved::Encoded && text.contains('/');
    Ok(match escapes || slashes {
        true => Carried::Unknown,
        false => Carried::Raw,
    })
}

/// PATH-17: the template after `${var}` and before `{key}`.
fn between_the_layers(case: &Case, pieces: &[Piece]) -> Result<String, RefusalRule> {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Author(character) => Ok(character.to_string()),
            Piece::Key(name) => Ok(format!("{{{name}}}")),
            Piece::Variable(name) => match case.variables.get(name) {
                Some(Value::String(text)) => Ok(text.clone()),
                Some(other) => Ok(other.to_string()),
                None => Err(RefusalRule::Missing),
            },
        })
        .collect()
}

/// PATH-16 and 26: the rules of this method, this template and this parameter, or none.
fn declared_for(case: &Case, template: &str, param: &str) -> Declared {
    case.rules
        .iter()
        .find(|(row, _)| {
            row.method == case.method && row.template == template && row.param == param
        })
        .map(|(_, declared)| *declared)
        .unwrap_or_default()
}

/// PATH-10: the segments, decoded once; nothing if they are not known.
fn segments(
    filled: &[Filled],
    reserved: Reserved,
    sum: &mut Sum,
) -> Result<Option<Vec<String>>, RefusalRule> {
    let mut segments = vec![Segment::default()];
    for piece in filled.iter().filter(|piece| piece.half == Half::Path) {
        match &piece.what {
            What::Author('/') => segments.push(Segment::default()),
            What::Author(character) => segments.last_mut().unwrap().author(*character),
            What::Value { text, mode } => {
                let split = reserved == Reserved::Refused || *mode == Carried::Raw;
                let parts: Vec<&str> = match split {
                    true => text.split('/').collect(),
                    false => vec![text],
                };
                for (number, part) in parts.iter().enumerate() {
                    if number > 0 {
                        segments.last_mut().unwrap().beside_a_values_slash = true;
                        segments.push(Segment {
                            beside_a_values_slash: true,
                            ..Segment::default()
                        });
                    }
                    segments.last_mut().unwrap().value(part, *mode);
                }
            }
        }
    }
    // What precedes the leading slash is nothing.
    let segments = &segments[1..];
    for (number, segment) in segments.iter().enumerate() {
        segment.judge(number == 0 && segments.len() > 1, reserved, sum)?;
    }
    let texts = segments.iter().map(|segment| {
        let text = String::from_utf8(segment.decoded()).ok();
        text.filter(|_| segment.known)
    });
    Ok(texts.collect())
}

/// A segment while it is put together.
struct Segment {
    /// The author's text and the values, as they would be written by a resolver that encodes none.
    written: String,
    /// Each stretch, and whether it has to be decoded.
    stretches: Vec<(String, bool)>,
    known: bool,
    beside_a_values_slash: bool,
}

impl Default for Segment {
    fn default() -> Self {
        Self {
            written: String::new(),
            stretches: Vec::new(),
            known: true,
            beside_a_values_slash: false,
        }
    }
}

impl Segment {
    fn author(&mut self, character: char) {
        self.written.push(character);
        match self.stretches.last_mut() {
            Some((stretch, true)) => stretch.push(character),
            _ => self.stretches.push((character.to_string(), true)),
        }
    }

    fn value(&mut self, text: &str, mode: Carried) {
        self.written.push_str(text);
        self.known &= mode != Carried::Unknown;
        self.stretches
            .push((text.to_owned(), mode != Carried::Encoded));
    }

    fn decoded(&self) -> Vec<u8> {
        self.stretches
            .iter()
            .flat_map(|(text, escaped)| match escaped {
                true => decoded(text),
                false => text.as_bytes().to_vec(),
            })
            .collect()
    }

    fn judge(
        &self,
        names_a_host: bool,
        reserved: Reserved,
        sum: &mut Sum,
    ) -> Result<(), RefusalRule> {
        let bytes = self.decoded();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if bytes.is_empty() && self.beside_a_values_slash {
            return Err(match names_a_host {
                true => RefusalRule::Origin,
                false => RefusalRule::PathSegment,
            });
        }
        if text == "." || text == ".." {
            return Err(RefusalRule::PathSegment);
        }
        let over = |text: &str| text.chars().count() > CAP;
        match (over(&self.written), over(&text), reserved) {
            (_, true, Reserved::Encoded) | (true, true, _) => {
                return Err(RefusalRule::SegmentMaxLength);
            }
            (false, false, _) => {}
            _ => sum.open(),
        }
        let step =
            has_two_dots_together(&bytes) || [".", ".."].contains(&text.split(';').next().unwrap());
        let folds = fold_of_characters(&text).max(fold_of_bytes(&bytes)) != Fold::No;
        // Parts of a value that was let in with its slashes escaped.
        let empty_part = reserved == Reserved::Refused
            && text.contains('/')
            && text.split('/').any(|part| part.is_empty() || part == ".");
        if step || folds || empty_part {
            sum.open();
        }
        Ok(())
    }
}

/// PATH-21: the pairs as the author wrote them, decoded as a form; nothing if a name is not known.
fn pairs(filled: &[Filled]) -> Option<Vec<(String, Option<String>)>> {
    let query: Vec<&What> = filled
        .iter()
        .filter(|piece| piece.half == Half::Query)
        .map(|piece| &piece.what)
        .skip(1)
        .collect();
    if query.is_empty() {
        return Some(Vec::new());
    }
    let is = |what: &&What, mark: char| matches!(what, What::Author(c) if *c == mark);
    query
        .split(|what| is(what, '&'))
        .map(|pair| {
            let end = pair
                .iter()
                .position(|what| is(what, '='))
                .unwrap_or(pair.len());
            let value = pair.get(end + 1..).unwrap_or_default();
            Some((said(&pair[..end])?, said(value)))
        })
        .collect()
}

/// What a form decoder reads; nothing where an escape of a value makes that open.
fn said(pieces: &[&What]) -> Option<String> {
    let mut bytes = Vec::new();
    let mut author = String::new();
    let flush = |author: &mut String, bytes: &mut Vec<u8>| {
        bytes.extend(decoded(&std::mem::take(author).replace('+', " ")));
    };
    for piece in pieces {
        match piece {
            What::Author(character) => author.push(*character),
            What::Value { text, mode } => {
                flush(&mut author, &mut bytes);
                if text.contains('%') && *mode != Carried::Encoded {
                    return None;
                }
                bytes.extend(text.as_bytes());
            }
        }
    }
    flush(&mut author, &mut bytes);
    String::from_utf8(bytes).ok()
}

/// PATH-18: the arguments without the keys that filled a placeholder.
fn left_over(case: &Case, pieces: &[Piece]) -> Value {
    match case.arguments.clone().unwrap_or_default() {
        Value::Object(members) => {
            let used = |name: &String| pieces.contains(&Piece::Key(name.clone()));
            let left: Map<String, Value> = members
                .into_iter()
                .filter(|(name, _)| !used(name))
                .collect();
            match left.is_empty() {
                true => Value::Null,
                false => Value::Object(left),
            }
        }
        other => other,
    }
}
