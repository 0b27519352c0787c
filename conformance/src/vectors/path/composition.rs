//! Whole templates with the values that fill them.

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use url::form_urlencoded;

use super::{Answer, RefusalRule, RulesFor, ValueRules, VectorSet};
use crate::catalogue::{FieldId, Level, RequirementId};
use crate::vectors::{VectorFile, VectorsError};

/// One template, filled from variables and arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompositionVector {
    /// Never reused, and changed whenever the case itself changes.
    pub id: String,
    /// The requirement that it shows.
    pub requirement: RequirementId,
    /// How binding that requirement is.
    pub level: Level,
    /// The method, in upper case.
    pub method: String,
    /// The template as its author wrote it: `${var}` is filled first, `{key}` after it.
    pub template: String,
    /// What `${var}` stands for.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub variables: Map<String, Value>,
    /// The arguments, or body, that `{key}` is filled from; nothing if there is none.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub arguments: Option<Value>,
    /// What is declared, for this endpoint or for others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RulesFor>,
    /// The answer of a resolver that refuses reserved characters.
    pub result: Answer,
    /// Why a refusal is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RefusalRule>,
    /// What is sent where it is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expectation>,
    /// The answer of a resolver that encodes them, where it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encode: Option<EncodedAnswer>,
    /// The parameter that a refusal has to name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<String>,
    /// A part of a refused value, which a refusal must not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hides: Option<String>,
    /// The id of a vector that is accepted and lacks what is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// Why this is the right answer, in words that vectors of one kind share.
    pub reason: String,
    /// The public fault that it is taken from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<FieldId>,
}

/// What is sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The segments of the path half behind its first `/`, each decoded once. The path `/` has one
    /// segment, which is empty.
    pub segments: Vec<String>,
    /// The pairs of the query half, decoded as a form. A value of `null` is not judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<(String, Option<String>)>,
    /// What is left of the arguments. No body, `null` and `{}` are one and the same here.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub body: Value,
}

/// The answer of a resolver that encodes reserved characters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncodedAnswer {
    /// What it has to do.
    pub result: Answer,
    /// What is sent where it accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expectation>,
}

impl CompositionVector {
    /// The vectors of `vectors/path_composition.json`.
    ///
    /// # Errors
    ///
    /// When the file of this crate is damaged, which a test excludes.
    pub fn built_in() -> Result<Vec<Self>, VectorsError> {
        VectorFile::read::<VectorSet<Self>>("path_composition.json").map(|set| set.vectors)
    }

    /// The answer of a resolver that encodes reserved characters, or of one that refuses them, and
    /// what either sends.
    #[must_use]
    pub fn answer(&self, encodes: bool) -> (Answer, Option<&Expectation>) {
        match &self.encode {
            Some(encoded) if encodes => (encoded.result, encoded.expect.as_ref()),
            _ => (self.result, self.expect.as_ref()),
        }
    }

    /// What is declared for a parameter of an endpoint, if anything is.
    ///
    /// `template` is the one after `${var}` and before `{key}`.
    #[must_use]
    pub fn declared(&self, method: &str, template: &str, param: &str) -> Option<&ValueRules> {
        self.rules
            .iter()
            .find(|row| row.method == method && row.template == template && row.param == param)
            .map(|row| &row.rules)
    }
}

impl Expectation {
    /// The first part in which what is sent differs from what is expected, if there is one.
    ///
    /// ```
    /// use proofmark_conformance::vectors::path::Expectation;
    ///
    /// let expected: Expectation =
    ///     serde_json::from_str(r#"{"segments": ["p", "a b"], "pairs": [["k", null]]}"#)?;
    /// assert_eq!(expected.difference("/p/a%20b?k=1", None), None);
    /// assert_eq!(expected.difference("/p/a/b?k=1", None).as_deref(), Some("the path's segments"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn difference(&self, target: &str, body: Option<&Value>) -> Option<String> {
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (target, None),
        };
        let Some(path) = path.strip_prefix('/') else {
            return Some("the leading slash".to_owned());
        };
        let segments = path
            .split('/')
            .map(|segment| percent_decode_str(segment).decode_utf8_lossy());
        if !segments.eq(self.segments.iter().map(String::as_str)) {
            return Some("the path's segments".to_owned());
        }
        let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        if pairs.count() != self.pairs.len() {
            return Some("the number of the query's pairs".to_owned());
        }
        let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        for (number, (seen, expected)) in pairs.zip(&self.pairs).enumerate() {
            let same_value = expected.1.as_ref().is_none_or(|value| *value == seen.1);
            if seen.0 != expected.0 || !same_value {
                return Some(format!("the query's pair {number}"));
            }
        }
        (something(body) != something(Some(&self.body))).then(|| "the body".to_owned())
    }
}

/// A body, unless it says nothing.
fn something(body: Option<&Value>) -> Option<&Value> {
    body.filter(|body| match body {
        Value::Null => false,
        Value::Object(members) => !members.is_empty(),
        _ => true,
    })
}

/// Tells a member that is `null` from one that is not there.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
