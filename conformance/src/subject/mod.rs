//! The seams: what can be judged, and the requests it is shown.

mod executor;
mod identity;
mod leash;
mod named;
mod part_resolver;
mod policy;
mod request_case;
mod resolve_case;
mod resolved;
mod resolver;
mod scanner;
mod shown;
mod surface;

use std::fmt::Debug;
use std::sync::Arc;

pub use executor::{
    Always, BuildError, Described, ExecutorEnv, ExecutorSubject, IntoExecutor, MadeExecutor,
    Perhaps, Telling,
};
#[doc(hidden)]
pub use executor::{HasDebug, HasNoDebug, Probe};
pub use identity::Identity;
pub use leash::{
    CaveatSpec, CountSpec, Denial, FenceSpec, GateSpec, Leash, LeashContext, LeashGate,
    LeashSubject, ProgramSpec, Ran, SandboxChoice, SandboxSpec, ScopeSpec, Strength, ToolkitLeash,
    Verdict,
};
pub use part_resolver::{RuleLookup, by_rules, by_value};
pub use policy::{PolicyEnv, PolicySubject, Takes};
pub use request_case::RequestCase;
pub use resolve_case::{Declared, Lookup, ResolveCase};
pub use resolved::{Refused, Resolved};
pub use resolver::{Resolver, ResolverSubject, awaited, resolver_fn};
pub use scanner::ScannerSubject;
pub use surface::{
    EXECUTE_CODE, IntoSurface, MadeSurface, OperationSpec, ParameterSpec, Place, Script,
    ScriptCall, ScriptFault, ScriptStep, ScriptValue, Surface, SurfaceEnv, SurfaceSubject,
    ToolAction, ToolCall, ToolFailure, ToolSpec, surface_fn,
};

use crate::catalogue::SubjectKind;
use crate::profile::{Capabilities, Profile};

/// Anything that can be judged. Sealed, since the judge has to know how.
pub trait Subject: Debug + Send + Sync + sealed::Sealed {
    /// The subject's name.
    fn name(&self) -> &str;

    /// The subject's version.
    fn version(&self) -> &str;

    /// The subject as what it is.
    fn view(&self) -> View<'_>;
}

/// A subject as what it is.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum View<'a> {
    /// A request policy.
    Policy(&'a PolicySubject),
    /// Whatever sends requests.
    Executor(&'a ExecutorSubject),
    /// Whatever turns a template and values into a request target.
    Resolver(&'a ResolverSubject),
    /// A searcher for secrets.
    Scanner(&'a ScannerSubject),
    /// A leash.
    Leash(&'a LeashSubject),
    /// Whatever answers the calls of tools.
    Surface(&'a SurfaceSubject),
}

impl View<'_> {
    /// The kind of subject.
    #[must_use]
    pub fn kind(self) -> SubjectKind {
        match self {
            Self::Policy(_) => SubjectKind::Policy,
            Self::Executor(_) => SubjectKind::Executor,
            Self::Resolver(_) => SubjectKind::Resolver,
            Self::Scanner(_) => SubjectKind::Scanner,
            Self::Leash(_) => SubjectKind::Leash,
            Self::Surface(_) => SubjectKind::Surface,
        }
    }

    /// What the subject lets the judge look at.
    #[must_use]
    pub fn capabilities(self) -> Capabilities {
        match self {
            Self::Policy(policy) => policy.capabilities(),
            Self::Executor(executor) => executor.capabilities(),
            Self::Resolver(resolver) => resolver.capabilities(),
            Self::Scanner(_) => Capabilities::default(),
            Self::Leash(leash) => leash.capabilities(),
            Self::Surface(surface) => surface.capabilities(),
        }
    }

    /// What the subject promises; `None` where subjects of its kind have no profile.
    #[must_use]
    pub fn profile(self) -> Option<Profile> {
        match self {
            Self::Policy(policy) => Some(policy.profile().clone().into()),
            Self::Executor(executor) => Some(executor.profile().clone().into()),
            Self::Resolver(resolver) => Some(resolver.profile().clone().into()),
            Self::Scanner(_) => None,
            Self::Leash(leash) => Some(leash.profile().clone().into()),
            Self::Surface(surface) => Some(surface.profile().clone().into()),
        }
    }

    /// The subject held to another profile; `None` where that is no profile of its kind.
    #[must_use]
    pub fn held_to(self, profile: &Profile) -> Option<Arc<dyn Subject>> {
        match (self, profile) {
            (Self::Policy(policy), Profile::Policy(profile)) => {
                Some(Arc::new(policy.clone().held_to(profile.clone())))
            }
            (Self::Leash(leash), Profile::Leash(profile)) => {
                Some(Arc::new(leash.clone().held_to(profile.clone())))
            }
            (Self::Resolver(resolver), Profile::Resolver(profile)) => {
                Some(Arc::new(resolver.clone().held_to(profile.clone())))
            }
            (Self::Executor(executor), Profile::Executor(profile)) => {
                Some(Arc::new(executor.clone().held_to(profile.clone())))
            }
            (Self::Surface(surface), Profile::Surface(profile)) => {
                Some(Arc::new(surface.clone().held_to(profile.clone())))
            }
            _ => None,
        }
    }
}

impl Subject for PolicySubject {
    fn name(&self) -> &str {
        Self::name(self)
    }

    fn version(&self) -> &str {
        Self::version(self)
    }

    fn view(&self) -> View<'_> {
        View::Policy(self)
    }
}

impl Subject for ResolverSubject {
    fn name(&self) -> &str {
        Self::name(self)
    }

    fn version(&self) -> &str {
        Self::version(self)
    }

    fn view(&self) -> View<'_> {
        View::Resolver(self)
    }
}

impl Subject for ExecutorSubject {
    fn name(&self) -> &str {
        Self::name(self)
    }

    fn version(&self) -> &str {
        Self::version(self)
    }

    fn view(&self) -> View<'_> {
        View::Executor(self)
    }
}

impl Subject for ScannerSubject {
    fn name(&self) -> &str {
        Self::name(self)
    }

    fn version(&self) -> &str {
        Self::version(self)
    }

    fn view(&self) -> View<'_> {
        View::Scanner(self)
    }
}

impl Subject for LeashSubject {
    fn name(&self) -> &str {
        Self::name(self)
    }

    fn version(&self) -> &str {
        Self::version(self)
    }

    fn view(&self) -> View<'_> {
        View::Leash(self)
    }
}

impl Subject for SurfaceSubject {
    fn name(&self) -> &str {
        Self::name(self)
    }

    fn version(&self) -> &str {
        Self::version(self)
    }

    fn view(&self) -> View<'_> {
        View::Surface(self)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::PolicySubject {}
    impl Sealed for super::ExecutorSubject {}
    impl Sealed for super::ResolverSubject {}
    impl Sealed for super::ScannerSubject {}
    impl Sealed for super::LeashSubject {}
    impl Sealed for super::SurfaceSubject {}
}
