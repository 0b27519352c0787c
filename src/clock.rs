//! Time as a seam: what a policy asks instead of the system, so that a test can steer it.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A source of time: how long ago an arbitrary, fixed origin lies.
///
/// Readings are meant to grow, but an implementation may go back (a wall clock does); whoever
/// reads one must neither panic nor hand out a surplus then. Every
/// `Fn() -> Duration + Send + Sync` is a clock.
///
/// ```
/// use std::time::Duration;
/// use proofmark::clock::Clock;
///
/// let frozen = || Duration::from_secs(7);
/// assert_eq!(frozen.now(), Duration::from_secs(7));
/// ```
pub trait Clock: Send + Sync {
    /// The time passed since this clock's origin.
    fn now(&self) -> Duration;
}

impl<F: Fn() -> Duration + Send + Sync> Clock for F {
    fn now(&self) -> Duration {
        self()
    }
}

/// The machine's monotonic clock, counted from the first reading in this process.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        static ORIGIN: OnceLock<Instant> = OnceLock::new();
        ORIGIN.get_or_init(Instant::now).elapsed()
    }
}

/// A clock that stands still until it is told to move. Clones share one time.
///
/// The judge hands one to every factory that takes a clock. A subject that keeps its own notion
/// of time can read it as [`Duration`] ([`SteeredClock::now`]) or as an [`Instant`]
/// ([`SteeredClock::instant`]).
///
/// ```
/// use std::time::Duration;
/// use proofmark::clock::SteeredClock;
///
/// let clock = SteeredClock::new();
/// let seen_by_subject = clock.clone();
/// clock.advance(Duration::from_millis(1500));
/// assert_eq!(seen_by_subject.now() - SteeredClock::START, Duration::from_millis(1500));
/// ```
#[derive(Clone)]
pub struct SteeredClock {
    nanos: Arc<AtomicU64>,
    base: Instant,
}

impl SteeredClock {
    /// Where a new clock stands: a day after its origin, so that it can be set back.
    pub const START: Duration = Duration::from_secs(24 * 60 * 60);

    /// A clock that stands at [`SteeredClock::START`].
    #[must_use]
    pub fn new() -> Self {
        Self {
            nanos: Arc::new(AtomicU64::new(saturating_nanos(Self::START))),
            base: Instant::now(),
        }
    }

    /// The time passed since the clock's origin.
    #[must_use]
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.nanos.load(Ordering::SeqCst))
    }

    /// The same reading as an [`Instant`], for subjects whose seam is one.
    #[must_use]
    pub fn instant(&self) -> Instant {
        self.base + self.now()
    }

    /// Moves the clock on by `step`; it stops at the end of what 64 bits of nanoseconds hold.
    pub fn advance(&self, step: Duration) {
        let step = saturating_nanos(step);
        self.update(|nanos| nanos.saturating_add(step));
    }

    /// Sets the clock back by `step`, at most to its origin.
    pub fn step_back(&self, step: Duration) {
        let step = saturating_nanos(step);
        self.update(|nanos| nanos.saturating_sub(step));
    }

    fn update(&self, change: impl Fn(u64) -> u64) {
        // The closure always answers `Some`, so the update cannot fail.
        let _ = self
            .nanos
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |nanos| {
                Some(change(nanos))
            });
    }
}

impl Default for SteeredClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SteeredClock {
    fn now(&self) -> Duration {
        Self::now(self)
    }
}

impl fmt::Debug for SteeredClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SteeredClock").field(&self.now()).finish()
    }
}

fn saturating_nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_of_a_steered_clock_share_one_time() {
        let clock = SteeredClock::new();
        let seen = clock.clone();

        clock.advance(Duration::from_secs(3));
        clock.step_back(Duration::from_secs(1));

        assert_eq!(seen.now(), SteeredClock::START + Duration::from_secs(2));
        assert_eq!(seen.instant() - clock.base, seen.now());
    }

    #[test]
    fn a_steered_clock_saturates_at_both_ends() {
        let clock = SteeredClock::new();
        clock.step_back(Duration::MAX);
        assert_eq!(clock.now(), Duration::ZERO);
        clock.advance(Duration::MAX);
        clock.advance(Duration::MAX);
        assert_eq!(clock.now(), Duration::from_nanos(u64::MAX));
    }
}
