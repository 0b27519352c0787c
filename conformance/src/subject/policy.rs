//! The policy seam: a factory of fresh policies and the profile they are held to.

use std::fmt;
use std::sync::Arc;

use proofmark::clock::SteeredClock;
use proofmark::policy::RequestPolicy;
use serde::{Deserialize, Serialize};

use super::named::named;
use crate::profile::{Capabilities, Capability, PolicyProfile};

/// What a factory is handed for one fresh policy.
#[derive(Clone)]
#[non_exhaustive]
pub struct PolicyEnv {
    /// A clock that moves only when the judge moves it.
    pub clock: SteeredClock,
    /// The limit to build the policy with: the declared one, or an extreme one.
    pub limit: u64,
    /// The members a combinator is to combine, in order.
    pub members: Vec<Arc<dyn RequestPolicy>>,
}

impl PolicyEnv {
    /// An environment with a clock of its own, and this limit.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self {
            clock: SteeredClock::new(),
            limit,
            members: Vec::new(),
        }
    }
}

impl fmt::Debug for PolicyEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyEnv")
            .field("clock", &self.clock)
            .field("limit", &self.limit)
            .field("members", &self.members.len())
            .finish()
    }
}

/// Which parts of its environment a factory uses; rows that steer another part do not apply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Takes {
    /// It takes the steered clock.
    pub clock: bool,
    /// It takes the limit.
    pub limit: bool,
}

impl Takes {
    /// The factory takes nothing.
    pub const NOTHING: Self = Self {
        clock: false,
        limit: false,
    };
    /// The factory takes the clock.
    pub const CLOCK: Self = Self {
        clock: true,
        limit: false,
    };
    /// The factory takes the clock and the limit.
    pub const CLOCK_AND_LIMIT: Self = Self {
        clock: true,
        limit: true,
    };
}

type Factory = Arc<dyn Fn(&PolicyEnv) -> Arc<dyn RequestPolicy> + Send + Sync>;

/// A policy that can be judged: its name, its profile, and a factory that makes a fresh one for
/// each check.
///
/// ```
/// use proofmark_conformance::profile::PolicyProfile;
/// use proofmark_conformance::subject::PolicySubject;
/// use proofmark_conformance::toolkit::policy::{PolicyRefusal, policy_fn};
///
/// let profile = PolicyProfile::new().stateless().refuse_methods(["DELETE"]);
/// let subject = PolicySubject::new("read_only", profile, || {
///     policy_fn(|request| match request.method {
///         "GET" => Ok(()),
///         _ => Err(PolicyRefusal::new("only reading is allowed")),
///     })
/// });
/// assert_eq!(subject.name(), "read_only");
/// ```
#[derive(Clone)]
pub struct PolicySubject {
    name: String,
    version: String,
    profile: PolicyProfile,
    takes: Takes,
    factory: Factory,
}

named!(PolicySubject held to PolicyProfile);

impl PolicySubject {
    /// A subject whose factory takes nothing.
    #[must_use]
    pub fn new<P, F>(name: impl Into<String>, profile: PolicyProfile, factory: F) -> Self
    where
        P: RequestPolicy + 'static,
        F: Fn() -> P + Send + Sync + 'static,
    {
        Self::with_env(name, profile, Takes::NOTHING, move |_| factory())
    }

    /// A subject whose factory takes parts of its environment, which `takes` names.
    #[must_use]
    pub fn with_env<P, F>(
        name: impl Into<String>,
        profile: PolicyProfile,
        takes: Takes,
        factory: F,
    ) -> Self
    where
        P: RequestPolicy + 'static,
        F: Fn(&PolicyEnv) -> P + Send + Sync + 'static,
    {
        Self {
            name: name.into(),
            version: "unversioned".to_owned(),
            profile,
            takes,
            factory: Arc::new(move |env| Arc::new(factory(env))),
        }
    }

    /// Which parts of its environment the factory uses.
    #[must_use]
    pub fn takes(&self) -> Takes {
        self.takes
    }

    /// Makes a fresh policy.
    #[must_use]
    pub fn make(&self, env: &PolicyEnv) -> Arc<dyn RequestPolicy> {
        (self.factory)(env)
    }

    /// What the profile and the factory together let the judge look at.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        let mut capabilities = self.profile.capabilities();
        let takes = [
            (Capability::TakesClock, self.takes.clock),
            (Capability::TakesLimit, self.takes.limit),
        ];
        capabilities.extend(
            takes
                .into_iter()
                .filter_map(|(c, offered)| offered.then_some(c)),
        );
        capabilities
    }
}

impl fmt::Debug for PolicySubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicySubject")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("profile", &self.profile)
            .finish_non_exhaustive()
    }
}
