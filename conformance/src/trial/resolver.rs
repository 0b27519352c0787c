//! What a check of a resolver is handed besides: its profile, and fresh instances of it.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use super::case::Trial;
use super::finding::Stop;
use crate::profile::ResolverProfile;
use crate::subject::{Lookup, Refused, ResolveCase, Resolved, Resolver, ResolverSubject};

/// What a resolver said to one case.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// A target came out.
    Resolved(Resolved),
    /// There is none.
    Refused(Refused),
}

impl Reply {
    /// The target and the rest of the body, if a target came out.
    #[must_use]
    pub fn resolved(&self) -> Option<&Resolved> {
        match self {
            Self::Resolved(resolved) => Some(resolved),
            Self::Refused(_) => None,
        }
    }

    /// The refusal, if no target came out.
    #[must_use]
    pub fn refused(&self) -> Option<&Refused> {
        match self {
            Self::Resolved(_) => None,
            Self::Refused(refused) => Some(refused),
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resolved(resolved) => resolved.fmt(f),
            Self::Refused(_) => f.write_str("refused"),
        }
    }
}

/// A fresh resolver under trial.
pub struct Resolving<'t> {
    trial: &'t Trial<'t, ResolverSubject>,
    resolver: Arc<dyn Resolver>,
}

impl Resolving<'_> {
    /// Asks once.
    ///
    /// # Errors
    ///
    /// [`Stop::Panicked`] where the resolver panics.
    pub fn ask(&self, case: &ResolveCase) -> Result<Reply, Stop> {
        self.ask_noting(case).map(|(reply, _)| reply)
    }

    /// Asks once, and notes what rules were asked for meanwhile.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub fn ask_noting(&self, case: &ResolveCase) -> Result<(Reply, Vec<Lookup>), Stop> {
        let asked = case.unasked();
        let _entered = self.trial.runtime().enter();
        let answer = self
            .trial
            .during(case, || self.resolver.resolve(&asked))
            .map(|answer| match answer {
                Ok(resolved) => Reply::Resolved(resolved),
                Err(refused) => Reply::Refused(refused),
            })?;
        Ok((answer, asked.lookups()))
    }
}

impl<'a> Trial<'a, ResolverSubject> {
    /// The subject's profile.
    #[must_use]
    pub fn profile(&self) -> &'a ResolverProfile {
        self.subject().profile()
    }

    /// A fresh resolver.
    ///
    /// # Errors
    ///
    /// [`Stop::Factory`] where the factory panics.
    pub fn fresh(&self) -> Result<Resolving<'_>, Stop> {
        let resolver = self.making(|| self.subject().make())?;
        Ok(Resolving {
            trial: self,
            resolver,
        })
    }

    /// Asks a fresh resolver.
    ///
    /// # Errors
    ///
    /// As [`fresh`](Self::fresh) and [`Resolving::ask`].
    pub fn resolve(&self, case: &ResolveCase) -> Result<Reply, Stop> {
        self.fresh()?.ask(case)
    }

    /// How many cases a generated check tries: those asked for, fewer where the subject is slow.
    ///
    /// # Errors
    ///
    /// As [`resolve`](Self::resolve).
    pub fn cases(&self) -> Result<u32, Stop> {
        let started = Instant::now();
        self.resolve(&ResolveCase::new("/items/{id}").argument("id", "7"))?;
        Ok(self.fitting(started.elapsed()))
    }
}
