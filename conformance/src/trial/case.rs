//! The trial a check is handed: the subject, the seed, and fresh instances.

use std::cell::{Cell, RefCell};
use std::fmt::{Debug, Display};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRng, TestRunner};
use tokio::runtime::Runtime;

use super::contained::contained;
use super::finding::{Finding, Judged, Stop};
use super::watch::Watch;
use crate::catalogue::RequirementId;
use crate::outcome::Counterexample;
use crate::seed::Seed;
use crate::subject::PolicySubject;

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
pub(super) const FEWEST_CASES: u32 = 8;

/// A check that has taken this long tries no more cases than it must.
const LONG: Duration = Duration::from_secs(10);

/// One check's run against one subject.
///
/// What any kind of subject needs is here; what one kind is asked is in a file of its own.
pub struct Trial<'a, S = PolicySubject> {
    id: RequirementId,
    subject: &'a S,
    settings: Settings,
    runtime: &'a Runtime,
    watch: Arc<Watch>,
    slowest_ns: AtomicU64,
    started: Instant,
}

impl<'a, S> Trial<'a, S> {
    /// A trial of `subject` for the row `id`.
    #[must_use]
    pub fn new(
        id: RequirementId,
        subject: &'a S,
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

    /// The same trial on another runtime: one whose time is paused, say.
    #[must_use]
    pub fn on<'b>(&'b self, runtime: &'b Runtime) -> Trial<'b, S> {
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

    pub(super) fn id(&self) -> RequirementId {
        self.id
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

    /// Says what the subject is about to be shown, so that it can be named if it ends the process.
    pub fn announce(&self, asked: &dyn Display) {
        self.watch.announce(asked);
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

    /// What is judged.
    #[must_use]
    pub fn subject(&self) -> &'a S {
        self.subject
    }

    /// What steers the run.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Runs code of the subject that answers at once, under watch: if it never comes back, or ends
    /// the process, `asked` says what it was asked.
    ///
    /// # Errors
    ///
    /// [`Stop::Panicked`] where it panics.
    pub fn during<T>(&self, asked: &dyn Display, work: impl FnOnce() -> T) -> Result<T, Stop> {
        let _polling = self.watch.polling();
        self.awaiting(asked, work)
    }

    /// As [`during`](Self::during), for code that waits for something else, a program that the
    /// judge chose, say: that it takes long is not held against the subject.
    ///
    /// # Errors
    ///
    /// [`Stop::Panicked`] where it panics.
    pub fn awaiting<T>(&self, asked: &dyn Display, work: impl FnOnce() -> T) -> Result<T, Stop> {
        let _in_flight = self.watch.asked(asked);
        contained(work).map_err(|message| {
            Stop::Panicked(Box::new(
                Counterexample::new(format!("the subject panicked: {message}"))
                    .step(asked.to_string(), "panicked")
                    .expected("an answer")
                    .seen(format!("a panic: {message}"))
                    .twin("a subject that refuses everything answers the same"),
            ))
        })
    }

    /// Runs the subject's factory, under watch.
    ///
    /// # Errors
    ///
    /// [`Stop::Factory`] where it panics.
    pub fn making<T>(&self, work: impl FnOnce() -> T) -> Result<T, Stop> {
        let started = Instant::now();
        let _in_flight = self.watch.lifecycle("making a fresh subject");
        // Subjects may start tasks or timers when they are built.
        let _entered = self.runtime.enter();
        let made = contained(work)
            .map_err(|message| Stop::Factory(format!("the factory panicked: {message}")))?;
        let taken = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.slowest_ns.fetch_max(taken, Ordering::Relaxed);
        Ok(made)
    }

    /// How many cases a generated check tries where one of them takes `taken`: those asked for,
    /// fewer where the subject is slow.
    #[must_use]
    pub fn fitting(&self, taken: Duration) -> u32 {
        let slowest = Duration::from_nanos(self.slowest_ns.load(Ordering::Relaxed));
        let taken = taken.max(slowest).max(QUICK);
        let fitting = u128::from(self.settings.cases) * QUICK.as_nanos() / taken.as_nanos();
        let fitting = u32::try_from(fitting).unwrap_or(u32::MAX);
        fitting.max(FEWEST_CASES).min(self.settings.cases.max(1))
    }

    /// Whether the check has taken so long that it should come to its end.
    #[must_use]
    pub fn is_long(&self) -> bool {
        self.started.elapsed() > LONG
    }

    /// Runs `property` on generated cases; the first that breaks it is shrunk to the simplest one
    /// that still does.
    ///
    /// # Errors
    ///
    /// Whatever stops the property.
    pub fn for_all<T>(
        &self,
        cases: u32,
        strategy: &T,
        property: impl Fn(T::Value) -> Result<Option<Counterexample>, Stop>,
    ) -> Judged
    where
        T: Strategy,
        T::Value: Debug,
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
