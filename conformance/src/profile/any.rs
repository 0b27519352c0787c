//! The profile of any kind of subject.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    ExecutorProfile, LeashProfile, PolicyProfile, ProfileError, ResolverProfile, SurfaceProfile,
};
use crate::catalogue::SubjectKind;

/// What a subject promises, whatever kind it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(
    clippy::large_enum_variant,
    reason = "there are few profiles, and none is moved often"
)]
#[non_exhaustive]
pub enum Profile {
    /// What a policy promises.
    Policy(PolicyProfile),
    /// What an executor promises.
    Executor(ExecutorProfile),
    /// What a leash offers.
    Leash(LeashProfile),
    /// What a resolver promises.
    Resolver(ResolverProfile),
    /// What a surface promises.
    Surface(SurfaceProfile),
}

impl Profile {
    /// Reads a profile file of a subject of this kind. `None` where such a subject has no profile.
    ///
    /// # Errors
    ///
    /// As [`PolicyProfile::from_toml`].
    pub fn from_toml(kind: SubjectKind, text: &str) -> Option<Result<Self, ProfileError>> {
        match kind {
            SubjectKind::Policy => Some(PolicyProfile::from_toml(text).map(Self::Policy)),
            SubjectKind::Executor => Some(ExecutorProfile::from_toml(text).map(Self::Executor)),
            SubjectKind::Leash => Some(LeashProfile::from_toml(text).map(Self::Leash)),
            SubjectKind::Resolver => Some(ResolverProfile::from_toml(text).map(Self::Resolver)),
            SubjectKind::Surface => Some(SurfaceProfile::from_toml(text).map(Self::Surface)),
            _ => None,
        }
    }

    /// Says whether the profile can be judged.
    ///
    /// # Errors
    ///
    /// The first [`ProfileError`] found; each says how to mend it.
    pub fn validate(&self) -> Result<(), ProfileError> {
        match self {
            Self::Policy(profile) => profile.validate(),
            Self::Executor(profile) => profile.validate(),
            Self::Leash(profile) => profile.validate(),
            Self::Resolver(profile) => profile.validate(),
            Self::Surface(profile) => profile.validate(),
        }
    }

    /// SHA-256 of the profile's JSON with its keys in order, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> String {
        // A profile is plain data whose keys are texts, so it always has a JSON form.
        let value = match self {
            Self::Policy(profile) => serde_json::to_value(profile),
            Self::Executor(profile) => serde_json::to_value(profile),
            Self::Leash(profile) => serde_json::to_value(profile),
            Self::Resolver(profile) => serde_json::to_value(profile),
            Self::Surface(profile) => serde_json::to_value(profile),
        };
        let mut value = value.unwrap_or_default();
        // Another crate of the build may make maps keep the order of insertion.
        value.sort_all_objects();
        Sha256::digest(value.to_string())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

impl From<PolicyProfile> for Profile {
    fn from(profile: PolicyProfile) -> Self {
        Self::Policy(profile)
    }
}

impl From<LeashProfile> for Profile {
    fn from(profile: LeashProfile) -> Self {
        Self::Leash(profile)
    }
}

impl From<ResolverProfile> for Profile {
    fn from(profile: ResolverProfile) -> Self {
        Self::Resolver(profile)
    }
}

impl From<ExecutorProfile> for Profile {
    fn from(profile: ExecutorProfile) -> Self {
        Self::Executor(profile)
    }
}

impl From<SurfaceProfile> for Profile {
    fn from(profile: SurfaceProfile) -> Self {
        Self::Surface(profile)
    }
}
