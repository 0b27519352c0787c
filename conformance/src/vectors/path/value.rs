//! Single values, for the path half of a target.

use serde::{Deserialize, Serialize};

use super::{Answer, RefusalRule, ValueRules, VectorSet, VectorText};
use crate::catalogue::{FieldId, Level, RequirementId};
use crate::vectors::{VectorFile, VectorsError};

/// One value with what is declared for it, to be put into the path half of a template where a whole
/// segment is its own, such as `/items/{id}/x`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueVector {
    /// Never reused, and changed whenever the case itself changes.
    pub id: String,
    /// The requirement that it shows.
    pub requirement: RequirementId,
    /// How binding that requirement is.
    pub level: Level,
    /// The rendered value.
    pub value: VectorText,
    /// What is declared for it.
    #[serde(default, skip_serializing_if = "ValueRules::are_default")]
    pub rules: ValueRules,
    /// The answer of a resolver that refuses reserved characters.
    pub result: Answer,
    /// Why a refusal is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RefusalRule>,
    /// The answer of a resolver that encodes them.
    pub encode: EncodedValue,
    /// The id of a vector that is accepted under the same kind of rules and lacks what is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// Why this is the right answer, in words that vectors of one kind share.
    pub reason: String,
    /// The public fault that it is taken from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<FieldId>,
}

/// The answer of a resolver that encodes reserved characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EncodedValue {
    /// It accepts.
    Accept,
    /// It refuses: no encoding helps.
    Refuse,
    /// It refuses, or sends one segment that gives the value back when it is decoded once.
    OneSegment,
    /// It may do either.
    Either,
}

impl ValueVector {
    /// The vectors of `vectors/path_value.json`.
    ///
    /// # Errors
    ///
    /// When the file of this crate is damaged, which a test excludes.
    pub fn built_in() -> Result<Vec<Self>, VectorsError> {
        VectorFile::read::<VectorSet<Self>>("path_value.json").map(|set| set.vectors)
    }
}
