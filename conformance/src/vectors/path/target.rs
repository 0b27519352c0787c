//! Finished targets, of which it is not known who wrote what.

use serde::{Deserialize, Serialize};

use super::{Answer, RefusalRule, VectorSet, VectorText};
use crate::catalogue::{FieldId, Level, RequirementId};
use crate::vectors::{VectorFile, VectorsError};

/// One finished target, to be judged as a target, where one `?` may stand, and as a path, where none
/// may.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetVector {
    /// Never reused, and changed whenever the case itself changes.
    pub id: String,
    /// The requirement that it shows.
    pub requirement: RequirementId,
    /// How binding that requirement is.
    pub level: Level,
    /// The text.
    pub target: VectorText,
    /// The answer where one `?` may stand.
    pub result: Answer,
    /// Why a refusal is right there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RefusalRule>,
    /// The answer where none may.
    pub path_only: Answer,
    /// Why a refusal is right there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_only_rule: Option<RefusalRule>,
    /// The answer, where one `?` may stand, of a resolver that encodes reserved characters, and so
    /// meets their escapes in targets of its own.
    pub encode: Answer,
    /// The id of a vector that is accepted and lacks what is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// Why this is the right answer, in words that vectors of one kind share.
    pub reason: String,
    /// The public fault that it is taken from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<FieldId>,
}

impl TargetVector {
    /// The vectors of `vectors/path_target.json`.
    ///
    /// # Errors
    ///
    /// When the file of this crate is damaged, which a test excludes.
    pub fn built_in() -> Result<Vec<Self>, VectorsError> {
        VectorFile::read::<VectorSet<Self>>("path_target.json").map(|set| set.vectors)
    }
}
