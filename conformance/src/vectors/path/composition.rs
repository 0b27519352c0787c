//! Whole templates with the values that fill them.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

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

    /// What is declared for a parameter of an endpoint; the default rules where nothing is.
    ///
    /// `template` is the one after `${var}` and before `{key}`.
    #[must_use]
    pub fn rules(&self, method: &str, template: &str, param: &str) -> ValueRules {
        self.rules
            .iter()
            .find(|row| row.method == method && row.template == template && row.param == param)
            .map(|row| row.rules.clone())
            .unwrap_or_default()
    }
}

/// Tells a member that is `null` from one that is not there.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
