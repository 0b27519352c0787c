//! The trial a check is handed: the subject, the seed, and fresh instances.

use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use proofmark::policy::{PolicyRefusal, RequestPolicy, policy_fn};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRng, TestRunner};
use tokio::runtime::Runtime;

use super::ask::contained;
use super::finding::{Finding, Judged, Stop};
use super::instance::Instance;
use super::pool::UNRELATED;
use super::watch::Watch;
use crate::catalogue::RequirementId;
use crate::outcome::Counterexample;
use crate::profile::{Kind, PolicyProfile};
use crate::seed::Seed;
use crate::subject::{PolicyEnv, PolicySubject, RequestCase, Takes};

/// What steers every check of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// The run's seed.
    pub seed: Seed,
    /// How many cases a generated check tries.
    pub cases: u32,
    /// How long the subject may keep one answer to itself.
    pub deadline: Duration,
}

impl Settings {
    /// Cases tried unless told otherwise.
    pub const CASES: u32 = 256;
    /// The deadline unless told otherwise.
    pub const DEADLINE: Duration = Duration::from_secs(5);

    /// The usual settings with this seed.
    #[must_use]
    pub fn with_seed(seed: Seed) -> Self {
        Self {
            seed,
            cases: Self::CASES,
            deadline: Self::DEADLINE,
        }
    }
}

/// An answer slower than this makes generated checks try fewer cases.
const QUICK: Duration = Duration::from_micros(300);

/// Generated checks never try fewer cases than this.
const FEWEST_CASES: u32 = 8;

/// A check that has taken this long tries no more cases than it must.
const LONG: Duration = Duration::from_secs(10);

/// How long asking a great many times may take, and how many asks tell how long one takes: the
/// quickest of them counts, so that a busy machine changes nothing.
const AFFORDED: Duration = Duration::from_secs(2);
const TRIED: u32 = 8;

/// One check's run against one subject.
pub struct Trial<'a> {
    id: RequirementId,
    subject: &'a PolicySubject,
    settings: Settings,
    runtime: &'a Runtime,
    watch: Arc<Watch>,
    slowest_ns: AtomicU64,
    started: Instant,
}

impl<'a> Trial<'a> {
    /// A trial of `subject` for the row `id`.
    #[must_use]
    pub fn new(
        id: RequirementId,
        subject: &'a PolicySubject,
        settings: Settings,
        runtime: &'a Runtime,
        watch: Arc<Watch>,
    ) -> Self {
        Self {
            id,
            subject,
            settings,
            runtime,
            watch,
            slowest_ns: AtomicU64::new(0),
            started: Instant::now(),
        }
    }

    /// The subject's profile.
    #[must_use]
    pub fn profile(&self) -> &'a PolicyProfile {
        self.subject.profile()
    }

    /// Which parts of its environment the subject's factory uses.
    #[must_use]
    pub fn takes(&self) -> Takes {
        self.subject.takes()
    }

    /// The same trial on another runtime: one whose time is paused, say.
    #[must_use]
    pub fn on<'b>(&'b self, runtime: &'b Runtime) -> Trial<'b> {
        Trial {
            id: self.id,
            subject: self.subject,
            settings: self.settings,
            runtime,
            watch: Arc::clone(&self.watch),
            slowest_ns: AtomicU64::new(0),
            started: self.started,
        }
    }

    /// The generator of this check's random choices.
    #[must_use]
    pub fn rng(&self) -> TestRng {
        self.settings.seed.rng(self.id)
    }

    pub(super) fn runtime(&self) -> &Runtime {
        self.runtime
    }

    pub(super) fn watch(&self) -> &Watch {
        &self.watch
    }

    pub(super) fn watch_shared(&self) -> &Arc<Watch> {
        &self.watch
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
        let started = Instant::now();
        let _in_flight = self.watch.lifecycle("making a fresh subject");
        // Policies may start tasks or timers when they are built.
        let _entered = self.runtime.enter();
        let policy = contained(|| self.subject.make(&env))
            .map_err(|message| Stop::Factory(format!("the factory panicked: {message}")))?;
        let taken = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.slowest_ns.fetch_max(taken, Ordering::Relaxed);
        Ok(Instance::new(self, policy, env.clock))
    }

    /// Says what the subject is about to be shown, so that it can be named if it ends the process.
    pub fn announce(&self, request: &RequestCase) {
        self.watch.announce(request);
    }

    /// Puts `request` under watch while a check polls the policy by hand.
    #[must_use]
    pub fn watched(&self, request: &RequestCase) -> impl Drop + '_ {
        self.watch.asking(request)
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

    /// The part of `full` that the settings ask for: all of it at the usual number of cases.
    #[must_use]
    pub fn share_of(&self, full: u64) -> u64 {
        let cases = u64::from(self.settings.cases.clamp(1, Settings::CASES));
        (full * cases).div_ceil(u64::from(Settings::CASES))
    }

    /// How long the subject may keep one answer to itself.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        self.settings.deadline
    }

    /// Runs code of the subject, and turns a panic into its message.
    ///
    /// # Errors
    ///
    /// The panic's message and place.
    pub fn contained<T>(work: impl FnOnce() -> T) -> Result<T, String> {
        contained(work)
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
        let taken = started.elapsed().max(Duration::from_nanos(
            self.slowest_ns.load(Ordering::Relaxed),
        ));
        let fitting = u128::from(self.settings.cases) * QUICK.as_nanos();
        let fitting = fitting / taken.max(QUICK).as_nanos();
        let fitting = u32::try_from(fitting).unwrap_or(u32::MAX);
        Ok(fitting.max(FEWEST_CASES).min(self.settings.cases.max(1)))
    }

    /// Whether the check has taken so long that it should come to its end.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.started.elapsed() > LONG
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

    /// Runs `property` on generated cases; the first that breaks it is shrunk to the simplest one
    /// that still does.
    ///
    /// # Errors
    ///
    /// Whatever stops the property.
    pub fn for_all<S>(
        &self,
        cases: u32,
        strategy: &S,
        property: impl Fn(S::Value) -> Result<Option<Counterexample>, Stop>,
    ) -> Judged
    where
        S: Strategy,
        S::Value: Debug,
    {
        let config = Config {
            cases,
            failure_persistence: None,
            max_shrink_iters: 2_000,
            max_shrink_time: 1_500,
            ..Config::default()
        };
        let mut runner = TestRunner::new_with_rng(config, self.rng());
        let last = RefCell::new(None);
        let tried = Cell::new(0);
        let result = runner.run(strategy, |value| {
            if tried.get() >= FEWEST_CASES && self.is_long() {
                return Ok(());
            }
            tried.set(tried.get() + 1);
            match property(value) {
                Ok(None) => Ok(()),
                Ok(Some(counterexample)) => {
                    *last.borrow_mut() = Some(Ok(counterexample));
                    Err(TestCaseError::fail("broken"))
                }
                Err(stop) => {
                    let mut last = last.borrow_mut();
                    // What stops a simpler case says nothing about the one that is being shrunk.
                    if matches!(*last, Some(Ok(_))) {
                        return Ok(());
                    }
                    *last = Some(Err(stop));
                    Err(TestCaseError::fail("stopped"))
                }
            }
        });
        match (result, last.into_inner()) {
            (Ok(()), _) => Ok(Finding::Held {
                cases: u64::from(tried.get()),
            }),
            // Shrinking ends on the last case that failed, which is the simplest one found.
            (Err(TestError::Fail(..)), Some(Ok(counterexample))) => {
                Ok(Finding::broken(counterexample))
            }
            (Err(TestError::Fail(..)), Some(Err(stop))) => Err(stop),
            (Err(cause), _) => Err(Stop::Harness(format!("no case could be made: {cause}"))),
        }
    }
}
