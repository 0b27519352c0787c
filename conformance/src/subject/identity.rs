//! What is known of a subject without asking it anything.

use serde::{Deserialize, Serialize};

use super::Subject;
use crate::catalogue::SubjectKind;
use crate::profile::{Capabilities, Profile};

/// A subject's name, version and kind, what it promises, and what it lets the judge look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Identity {
    /// The subject's name.
    pub name: String,
    /// The subject's version.
    pub version: String,
    /// The kind of subject.
    pub kind: SubjectKind,
    /// What it promises, if its kind has profiles.
    pub profile: Option<Profile>,
    /// What it lets the judge look at.
    pub capabilities: Capabilities,
}

impl Identity {
    /// What is known of `subject`.
    #[must_use]
    pub fn of(subject: &dyn Subject) -> Self {
        let view = subject.view();
        Self {
            name: subject.name().to_owned(),
            version: subject.version().to_owned(),
            kind: view.kind(),
            profile: view.profile(),
            capabilities: view.capabilities(),
        }
    }
}
