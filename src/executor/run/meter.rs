//! Counts what a script uses up, and ends it before it uses more than it may.

use std::time::Duration;

use tokio::time::Instant;

use super::ExecutionConfig;
use super::interrupt::Interrupt;
use crate::executor::LimitReached;

/// How much may be calculated between two looks at the clock.
const WORK_BETWEEN_LOOKS: u64 = 1 << 14;

/// What one run has used up.
pub(super) struct Meter<'c> {
    config: &'c ExecutionConfig,
    deadline: Option<Instant>,
    calls: usize,
    iterations: usize,
    work: u64,
    next_look: u64,
}

impl<'c> Meter<'c> {
    /// A meter of a run that starts now.
    pub(super) fn new(config: &'c ExecutionConfig, now: Instant) -> Self {
        Self {
            config,
            deadline: config.time_limit.and_then(|limit| now.checked_add(limit)),
            calls: 0,
            iterations: 0,
            work: 0,
            next_look: WORK_BETWEEN_LOOKS,
        }
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Charges calls before they are made, and tells the time.
    pub(super) fn calls(&mut self, calls: usize) -> Result<Instant, Interrupt> {
        let limit = self.config.max_api_calls;
        self.calls = charged(self.calls, calls, limit).ok_or(LimitReached::Calls { limit })?;
        let now = Instant::now();
        self.check(now)?;
        Ok(now)
    }

    /// Charges an iteration before it begins.
    pub(super) fn iteration(&mut self) -> Result<(), Interrupt> {
        let limit = self.config.max_loop_iterations;
        self.iterations =
            charged(self.iterations, 1, limit).ok_or(LimitReached::Iterations { limit })?;
        self.look()
    }

    /// Charges calculation before it is done.
    pub(super) fn work(&mut self, units: usize) -> Result<(), Interrupt> {
        let limit = self.config.max_work;
        self.work = self
            .work
            .saturating_add(u64::try_from(units).unwrap_or(u64::MAX));
        if self.work > limit {
            return Err(LimitReached::Work { limit }.into());
        }
        if self.work >= self.next_look {
            self.next_look = self.work + WORK_BETWEEN_LOOKS;
            return self.look();
        }
        Ok(())
    }

    /// Ends the script if its time is over.
    fn look(&self) -> Result<(), Interrupt> {
        self.check(Instant::now())
    }

    fn check(&self, now: Instant) -> Result<(), Interrupt> {
        match self.deadline {
            Some(deadline) if now >= deadline => Err(self.out_of_time().into()),
            _ => Ok(()),
        }
    }

    pub(super) fn out_of_time(&self) -> LimitReached {
        out_of_time(self.config.time_limit.unwrap_or_default())
    }
}

pub(super) fn out_of_time(limit: Duration) -> LimitReached {
    LimitReached::Time {
        milliseconds: limit.as_millis(),
    }
}

/// The sum, unless it is above the limit.
fn charged(used: usize, more: usize, limit: usize) -> Option<usize> {
    used.checked_add(more).filter(|&sum| sum <= limit)
}
