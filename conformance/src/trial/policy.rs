//! What a check of a policy is handed besides: its profile, and fresh instances of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use proofmark::policy::{PolicyRefusal, RequestPolicy, policy_fn};

use super::case::{FEWEST_CASES, Trial};
use super::finding::Stop;
use super::instance::Instance;
use super::pool::UNRELATED;
use crate::profile::{Kind, PolicyProfile};
use crate::subject::{PolicyEnv, PolicySubject, RequestCase, Takes};

/// How long asking a great many times may take, and how many asks tell how long one takes: the
/// quickest of them counts, so that a busy machine changes nothing.
const AFFORDED: Duration = Duration::from_secs(2);
const TRIED: u32 = 8;

impl<'a> Trial<'a, PolicySubject> {
    /// The subject's profile.
    #[must_use]
    pub fn profile(&self) -> &'a PolicyProfile {
        self.subject().profile()
    }

    /// Which parts of its environment the subject's factory uses.
    #[must_use]
    pub fn takes(&self) -> Takes {
        self.subject().takes()
    }

    /// The limit a subject is built with where a check does not choose another.
    #[must_use]
    pub fn declared_limit(&self) -> u64 {
        let profile = self.profile();
        let limits = [profile.requests, profile.bytes, profile.distinct_endpoints];
        limits.into_iter().flatten().next().unwrap_or_default()
    }

    /// A fresh policy with a clock of its own. A combinator combines one member, which refuses
    /// the unrelated host of [`unrelated`](Self::unrelated) and allows everything else.
    ///
    /// # Errors
    ///
    /// [`Stop::Factory`] where the factory panics.
    pub fn fresh(&self) -> Result<Instance<'_>, Stop> {
        let mut env = PolicyEnv::new(self.declared_limit());
        if self.profile().combinator {
            env.members.push(Arc::new(policy_fn(|request| {
                if request.path == UNRELATED {
                    Err(PolicyRefusal::new("the host is not allowed"))
                } else {
                    Ok(())
                }
            })));
        }
        self.fresh_in(env)
    }

    /// A policy of the judge's own, to be asked as a subject is: a control.
    pub fn control(&self, policy: impl RequestPolicy + 'static) -> Instance<'_> {
        Instance::new(self, Arc::new(policy), PolicyEnv::new(0).clock)
    }

    /// A fresh policy in an environment that the check chose.
    ///
    /// # Errors
    ///
    /// [`Stop::Factory`] where the factory panics.
    pub fn fresh_in(&self, env: PolicyEnv) -> Result<Instance<'_>, Stop> {
        let policy = self.making(|| self.subject().make(&env))?;
        Ok(Instance::new(self, policy, env.clock))
    }

    /// Puts `request` under watch while a check polls the policy by hand.
    #[must_use]
    pub fn watched(&self, request: &RequestCase) -> impl Drop + '_ {
        self.watch().asking(request)
    }

    /// Whether nothing comes back to a subject unless the judge moves its clock.
    #[must_use]
    pub fn is_steered(&self) -> bool {
        self.profile().kind != Some(Kind::Rate) || self.takes().clock
    }

    /// Stops a check that counts what a subject has left while a rate comes back by itself.
    ///
    /// # Errors
    ///
    /// [`Stop::Undecided`] where the subject [is not steered](Self::is_steered).
    pub fn require_steered(&self) -> Result<(), Stop> {
        if self.is_steered() {
            return Ok(());
        }
        Err(Stop::Undecided(
            "the rate comes back by itself while the check runs: let the factory take the clock"
                .to_owned(),
        ))
    }

    /// How many cases a generated check tries: those asked for, fewer where the subject is slow.
    ///
    /// # Errors
    ///
    /// As [`Instance::ask`].
    pub fn cases(&self) -> Result<u32, Stop> {
        let instance = self.fresh()?;
        let started = Instant::now();
        instance.ask(&self.base())?;
        Ok(self.fitting(started.elapsed()))
    }

    /// So many of `most` asks as a check can afford: all of them, or fewer where the subject is
    /// slow.
    ///
    /// # Errors
    ///
    /// As [`Instance::ask`].
    pub fn affordable(&self, most: u64) -> Result<u64, Stop> {
        let instance = self.fresh()?;
        let base = self.base();
        let mut each = AFFORDED;
        for _ in 0..TRIED {
            let started = Instant::now();
            instance.ask(&base)?;
            each = each.min(started.elapsed());
        }
        let fitting = AFFORDED.as_nanos() / each.as_nanos().max(1);
        let fitting = u64::try_from(fitting).unwrap_or(u64::MAX);
        Ok(fitting.max(u64::from(FEWEST_CASES)).min(most))
    }
}
