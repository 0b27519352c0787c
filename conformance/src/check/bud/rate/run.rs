//! One fresh subject whose time the judge moves, and what it admitted when.

use std::time::Duration;

use proofmark::clock::SteeredClock;
use tokio::runtime::Runtime;

use super::admissions::Admissions;
use super::shape::{MILLI, Shape};
use crate::check::paused::advance;
use crate::outcome::Counterexample;
use crate::profile::{Scope, Window};
use crate::subject::RequestCase;
use crate::trial::{Instance, Stop, Trial};

/// What moves a subject's time.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum Time<'r> {
    /// The clock that its factory took.
    Steered,
    /// The paused time of this runtime, for a subject that reads `tokio::time`.
    Paused(&'r Runtime),
}

/// What was asked at one instant.
#[derive(Debug, Clone, Copy)]
struct Moment {
    at: u64,
    asked: u64,
    admitted: u64,
}

/// A fresh subject that is asked the same request again and again.
pub(in super::super) struct Run<'t> {
    instance: Instance<'t>,
    time: Time<'t>,
    request: RequestCase,
    /// How long a pause may make the subject forget what it counted.
    forgets_after: Option<u64>,
    start: u64,
    now: u64,
    asked: u64,
    log: Admissions,
    story: Vec<Moment>,
}

impl<'t> Run<'t> {
    pub(in super::super) fn new(trial: &'t Trial<'_>, time: Time<'t>) -> Result<Self, Stop> {
        let profile = trial.profile();
        let by_call = profile.scope_in_force().is_some_and(Scope::by_call);
        let idle = profile.idle_ms.filter(|_| by_call);
        let start = u64::try_from(SteeredClock::START.as_nanos()).unwrap_or_default();
        Ok(Self {
            instance: trial.fresh()?,
            time,
            request: trial.base(),
            forgets_after: idle.map(|millis| millis.saturating_mul(MILLI)),
            start,
            now: start,
            asked: 0,
            log: Admissions::default(),
            story: Vec::new(),
        })
    }

    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// How often it was asked.
    pub(in super::super) fn asked(&self) -> u64 {
        self.asked
    }

    pub(in super::super) fn log(&self) -> &Admissions {
        &self.log
    }

    /// Lets so many nanoseconds pass.
    pub(in super::super) fn wait(&mut self, nanos: u64) {
        let step = Duration::from_nanos(nanos);
        match self.time {
            Time::Steered => self.instance.clock().advance(step),
            Time::Paused(runtime) => advance(runtime, step),
        }
        self.now += nanos;
        if self.forgets_after.is_some_and(|idle| nanos >= idle) {
            self.log.forget();
        }
    }

    /// Lets time pass up to the next whole millisecond: whoever counts in these is not to be
    /// convicted for reading two instants as one.
    pub(super) fn wait_for_millisecond(&mut self) {
        match self.now % MILLI {
            0 => {}
            over => self.wait(MILLI - over),
        }
    }

    /// Asks once, and says whether it was admitted.
    pub(in super::super) fn ask(&mut self) -> Result<bool, Stop> {
        let admitted = self.instance.ask(&self.request)?.allows();
        self.asked += 1;
        let at = self.now - self.start;
        if self.story.last().is_none_or(|moment| moment.at != at) {
            self.story.push(Moment {
                at,
                asked: 0,
                admitted: 0,
            });
        }
        if let Some(moment) = self.story.last_mut() {
            moment.asked += 1;
            moment.admitted += u64::from(admitted);
        }
        if admitted {
            self.log.admit(self.now);
        }
        Ok(admitted)
    }

    /// Previews once: for a subject that charges it, that counts as an ask.
    pub(super) fn preview(&mut self) -> Result<(), Stop> {
        self.asked += 1;
        self.instance
            .ask(&self.request.clone().previewed())
            .map(drop)
    }

    /// Asks until it refuses, at most `most` times, and says how many were admitted.
    pub(in super::super) fn ask_out(&mut self, most: u64) -> Result<u64, Stop> {
        for admitted in 0..most {
            if !self.ask()? {
                return Ok(admitted);
            }
        }
        Ok(most)
    }

    /// A counterexample of what was asked so far; of a long story its end.
    pub(in super::super) fn told(&self, headline: String) -> Counterexample {
        const TOLD: usize = 12;
        let mut counterexample = Counterexample::new(headline);
        let skipped = self.story.len().saturating_sub(TOLD);
        for moment in &self.story[skipped..] {
            let at = Duration::from_nanos(moment.at);
            let verdict = match (moment.asked, moment.admitted) {
                (1, 1) => format!("allowed after {at:?}"),
                (1, _) => format!("refused after {at:?}"),
                (_, admitted) => format!("{admitted} allowed after {at:?}"),
            };
            counterexample = counterexample.steps(moment.asked, &self.request, verdict);
        }
        counterexample
    }

    /// How many of the same asks a counter of the judge's own admits that keeps to the shape.
    pub(in super::super) fn twin(&self, shape: &Shape) -> String {
        let mut log = Admissions::default();
        let mut admitted = 0_u64;
        for moment in &self.story {
            for _ in 0..moment.asked {
                let mut with = log.clone();
                with.admit(self.start + moment.at);
                if shape.surplus(&with).is_none() {
                    log = with;
                    admitted += 1;
                }
            }
        }
        format!("asked the same, a counter of the judge's own with this shape admits {admitted}")
    }
}

/// How a shape is named in a finding.
pub(in super::super) fn named(shape: &Shape) -> &'static str {
    match shape.window() {
        Window::Fixed => "fixed",
        Window::Sliding => "sliding",
        Window::Bucket => "bucket",
    }
}
