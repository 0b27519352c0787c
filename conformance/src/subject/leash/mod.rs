//! The leash seam: what makes gates, what a gate hands out, and the data both are described by.

mod authority;
mod seam;
mod spec;
mod toolkit;

use std::fmt;
use std::sync::Arc;

pub use authority::{CaveatSpec, CountSpec, ScopeSpec};
pub use seam::{Denial, Leash, LeashContext, LeashGate, Verdict};
pub use spec::{FenceSpec, GateSpec, ProgramSpec, Ran, SandboxChoice, SandboxSpec, Strength};
pub use toolkit::ToolkitLeash;

use crate::profile::{Capabilities, LeashProfile};
use crate::subject::named::named;

type Factory = Arc<dyn Fn() -> Box<dyn Leash> + Send + Sync>;

/// A leash that can be judged: its name, its profile, and a factory that makes a fresh one for
/// each check.
///
/// What has to be written is one implementation of [`Leash`], one of [`LeashGate`] and one of
/// [`LeashContext`]. Of these only [`Leash::gate`], [`LeashGate::authorize`],
/// [`LeashContext::caveats`] and [`LeashContext::duplicate`] are asked of every leash; the profile
/// says which of the others are offered.
///
/// ```
/// use proofmark_conformance::profile::LeashProfile;
/// use proofmark_conformance::subject::{
///     CaveatSpec, Denial, GateSpec, Leash, LeashContext, LeashGate, LeashSubject, Verdict,
/// };
///
/// struct Mine;
/// struct Gate;
/// #[derive(Clone)]
/// struct Context(CaveatSpec);
///
/// impl Leash for Mine {
///     fn gate(&self, _spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
///         Ok(Box::new(Gate))
///     }
/// }
///
/// impl LeashGate for Gate {
///     fn authorize(
///         &self,
///         granted: &CaveatSpec,
///         needed: &CaveatSpec,
///     ) -> Result<Box<dyn LeashContext>, Denial> {
///         Ok(Box::new(Context(granted.meet(needed))))
///     }
/// }
///
/// impl LeashContext for Context {
///     fn caveats(&self) -> CaveatSpec {
///         self.0.clone()
///     }
///
///     fn duplicate(&self) -> Box<dyn LeashContext> {
///         Box::new(self.clone())
///     }
///
///     fn check_net(&self, host: &str) -> Verdict {
///         if self.0.net.covers(host) { Ok(()) } else { Err(Denial::new("not granted")) }
///     }
/// }
///
/// let subject = LeashSubject::new("mine", LeashProfile::new().check_net(), || Mine);
/// assert_eq!(subject.name(), "mine");
/// ```
#[derive(Clone)]
pub struct LeashSubject {
    name: String,
    version: String,
    profile: LeashProfile,
    factory: Factory,
}

named!(LeashSubject held to LeashProfile);

impl LeashSubject {
    /// A subject of this name, held to this profile.
    #[must_use]
    pub fn new<L, F>(name: impl Into<String>, profile: LeashProfile, factory: F) -> Self
    where
        L: Leash + 'static,
        F: Fn() -> L + Send + Sync + 'static,
    {
        Self {
            name: name.into(),
            version: "unversioned".to_owned(),
            profile,
            factory: Arc::new(move || Box::new(factory())),
        }
    }

    /// What the profile lets the judge look at.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.profile.capabilities()
    }

    /// Makes a fresh leash.
    #[must_use]
    pub fn make(&self) -> Box<dyn Leash> {
        (self.factory)()
    }
}

impl fmt::Debug for LeashSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeashSubject")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("profile", &self.profile)
            .finish_non_exhaustive()
    }
}
