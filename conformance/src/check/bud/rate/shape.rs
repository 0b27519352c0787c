//! What a declared rate allows, computed in whole nanoseconds.

use std::time::Duration;

use super::admissions::Admissions;
use crate::profile::{PolicyProfile, Window};

/// A millisecond in nanoseconds: windows are declared in these.
pub(in super::super) const MILLI: u64 = 1_000_000;

/// Nothing is judged over a longer time than this, so that no sum of times overflows: 50 years.
const LONGEST: u64 = 50 * 365 * 24 * 60 * 60 * 1_000 * MILLI;

/// A rate as its profile declares it.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Shape {
    window: Window,
    limit: u64,
    at_once: u64,
    period: u64,
}

impl Shape {
    /// The declared shape, if the profile declares one.
    pub(in super::super) fn declared(profile: &PolicyProfile) -> Option<Self> {
        let (limit, millis) = (profile.requests?, profile.window_ms?);
        Some(Self {
            window: profile.window?,
            limit: limit.max(1),
            at_once: profile.at_once()?.max(1),
            period: millis.saturating_mul(MILLI),
        })
    }

    /// The same shape with another burst: what a bucket that declares none was seen to admit.
    pub(in super::super) fn bursting(self, at_once: u64) -> Self {
        Self { at_once, ..self }
    }

    pub(super) fn window(&self) -> Window {
        self.window
    }

    /// How many are admitted at one instant.
    pub(in super::super) fn at_once(&self) -> u64 {
        self.at_once
    }

    /// The window in nanoseconds.
    pub(in super::super) fn period(&self) -> u64 {
        self.period
    }

    /// The time in which something comes due again: a window, or one request of a bucket.
    pub(in super::super) fn unit(&self) -> u64 {
        match self.window {
            Window::Bucket => self.period.div_ceil(self.limit),
            Window::Fixed | Window::Sliding => self.period,
        }
    }

    /// After how long without an ask everything that `asked` requests can have cost has run out,
    /// for a subject that charges even what it refuses. An eighth more and a millisecond are for
    /// whoever counts in steps of a window's tenth, or rounds up.
    pub(in super::super) fn run_out(&self, asked: u64) -> u64 {
        let exact = match self.window {
            Window::Bucket => self.unit().saturating_mul(asked),
            Window::Fixed | Window::Sliding => self.period,
        };
        let late = exact.saturating_add(exact / 8).saturating_add(MILLI);
        late.div_ceil(MILLI).saturating_mul(MILLI)
    }

    /// Whether its times can be added up.
    pub(in super::super) fn is_judged(&self) -> bool {
        self.run_out(self.at_once.saturating_add(64)) < LONGEST / 64
    }

    /// The most that may be admitted from one instant to another, both counted, so far apart.
    ///
    /// What a bucket gains is rounded up to whole requests: one that counts in whole units may have
    /// been in the middle of one when the span began. A unit that is rounded down to whole
    /// nanoseconds is not told from an exact one: no clock is finer.
    pub(in super::super) fn most_in(&self, span: u64) -> u64 {
        let windows = span / self.period;
        match self.window {
            Window::Sliding => self.limit.saturating_mul(windows + 1),
            // Windows are aligned to something: a span of less than one may touch two.
            Window::Fixed => self.limit.saturating_mul(windows + 2),
            Window::Bucket => {
                let exact = u128::from(span) * u128::from(self.limit);
                let exact = exact.div_ceil(u128::from(self.period));
                let rounded = match self.period / self.limit {
                    0 => 0,
                    unit => u128::from(span / unit),
                };
                let gained = u64::try_from(exact.max(rounded)).unwrap_or(u64::MAX);
                self.at_once.saturating_add(gained)
            }
        }
    }

    /// What says that more was admitted than the shape allows, if more was.
    pub(in super::super) fn surplus(&self, log: &Admissions) -> Option<String> {
        let &(now, _) = log.instants().last()?;
        let mut count = 0_u64;
        for &(since, admitted) in log.instants().iter().rev() {
            count = count.saturating_add(admitted);
            let most = self.most_in(now - since);
            if count > most {
                let span = Duration::from_nanos(now - since);
                return Some(format!("{count} within {span:?}, where {most} may be"));
            }
        }
        (self.window == Window::Fixed)
            .then(|| self.held_by_no_windows(log))
            .flatten()
    }

    /// The latest admissions that are too many for windows, if there are such.
    fn held_by_no_windows(&self, log: &Admissions) -> Option<String> {
        let instants = log.instants();
        if self.windows_hold(instants) {
            return None;
        }
        let fewer = |first: &usize| !self.windows_hold(&instants[*first..]);
        let latest = &instants[(0..instants.len()).rev().find(fewer)?..];
        let count: u64 = latest.iter().map(|(_, count)| count).sum();
        let (first, last) = (latest.first()?.0, latest.last()?.0);
        let (span, limit) = (Duration::from_nanos(last - first), self.limit);
        let window = Duration::from_nanos(self.period);
        Some(format!(
            "{count} within {span:?}, where windows of {window:?} hold {limit} each"
        ))
    }

    /// Whether windows can be laid side by side, or further apart, so that they hold everything and
    /// none of them more than the limit. What they are aligned to is the subject's choice: the
    /// clock's origin, its own construction, or the first request after the last window.
    fn windows_hold(&self, instants: &[(u64, u64)]) -> bool {
        let period = i128::from(self.period);
        // The earliest end of windows that hold the first so many instants.
        let mut ends = vec![Some(i128::from(i64::MIN))];
        for (last, &(at, _)) in instants.iter().enumerate() {
            let at = i128::from(at);
            let mut held = 0_u64;
            let mut earliest: Option<i128> = None;
            for first in (0..=last).rev() {
                let (since, admitted) = instants[first];
                let since = i128::from(since);
                held = held.saturating_add(admitted);
                if held > self.limit || at - since >= period {
                    break;
                }
                let Some(free) = ends[first] else { continue };
                let start = free.max(at - period + 1);
                if start <= since {
                    let end = start + period;
                    earliest = Some(earliest.map_or(end, |other| other.min(end)));
                }
            }
            ends.push(earliest);
        }
        ends.last().is_some_and(Option::is_some)
    }

    /// When the next request may be admitted at the earliest, as far as the log tells.
    pub(super) fn next(&self, log: &Admissions, now: u64) -> u64 {
        let instants = log.instants();
        let mut next = now;
        let mut count = 0_u64;
        for &(since, admitted) in instants.iter().rev() {
            count = count.saturating_add(admitted);
            let wait = match self.window {
                Window::Fixed => continue,
                Window::Sliding if count < self.limit => continue,
                Window::Sliding => self.period,
                Window::Bucket if count < self.at_once => continue,
                Window::Bucket => {
                    let owed = count + 1 - self.at_once;
                    let exact = u128::from(owed) * u128::from(self.period);
                    let exact = exact.div_ceil(u128::from(self.limit));
                    let rounded = u128::from(owed) * u128::from(self.period / self.limit);
                    let wait = if rounded == 0 {
                        exact
                    } else {
                        exact.min(rounded)
                    };
                    u64::try_from(wait).unwrap_or(u64::MAX)
                }
            };
            next = next.max(since.saturating_add(wait));
            if self.window == Window::Sliding {
                break;
            }
        }
        if self.window == Window::Fixed {
            return (now / self.period + 1).saturating_mul(self.period);
        }
        next
    }

    /// How many a subject admits at least that is asked at each of `polls` until it refuses,
    /// having been used up at 0: one that gives back an eighth too slowly.
    pub(in super::super) fn least(&self, polls: impl Iterator<Item = u64>) -> u64 {
        let unit = self.unit() + self.unit() / 8;
        let (mut admitted, mut last, mut gained) = (0_u64, 0_u64, 0_u64);
        for at in polls {
            match self.window {
                Window::Bucket => {
                    let full = unit.saturating_mul(self.at_once);
                    gained = gained.saturating_add(at - last).min(full);
                    last = at;
                    admitted += gained / unit;
                    gained %= unit;
                }
                Window::Fixed | Window::Sliding if at - last >= unit => {
                    last = at;
                    admitted += self.limit;
                }
                Window::Fixed | Window::Sliding => {}
            }
        }
        admitted.saturating_sub(self.at_once)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    const SECOND: u64 = 1_000 * MILLI;

    fn rate() -> PolicyProfile {
        PolicyProfile::new().rate().requests(3).window_ms(1_000)
    }

    fn shape(profile: &PolicyProfile) -> Shape {
        Shape::declared(profile).unwrap()
    }

    /// So many admissions at each instant, in milliseconds and nanoseconds.
    fn log(instants: &[(u64, u64, u64)]) -> Admissions {
        let mut log = Admissions::default();
        for &(millis, nanos, count) in instants {
            for _ in 0..count {
                log.admit(millis * MILLI + nanos);
            }
        }
        log
    }

    #[rstest]
    #[case::at_once(rate().sliding(), &[(0, 0, 3)], false)]
    #[case::once_too_often(rate().sliding(), &[(0, 0, 4)], true)]
    #[case::on_the_edge(rate().sliding(), &[(0, 0, 3), (1_000, 0, 3)], false)]
    #[case::before_the_edge(rate().sliding(), &[(0, 0, 3), (999, 999_999, 1)], true)]
    #[case::around_an_edge(rate().fixed(), &[(900, 0, 3), (1_000, 0, 3)], false)]
    #[case::three_times_around_an_edge(rate().fixed(), &[(0, 0, 3), (900, 0, 3), (1_000, 0, 3)], true)]
    #[case::windows_of_another_origin(rate().fixed(), &[(0, 0, 3), (700, 0, 3), (1_700, 0, 3)], false)]
    #[case::windows_too_short(rate().fixed(), &[(0, 0, 3), (999, 0, 3), (1_998, 0, 3), (1_999, 0, 1)], true)]
    #[case::a_burst(rate().bucket().burst(5), &[(0, 0, 5)], false)]
    #[case::more_than_a_burst(rate().bucket().burst(5), &[(0, 0, 6)], true)]
    #[case::in_the_middle_of_a_unit(rate().bucket(), &[(0, 0, 3), (100, 0, 1)], false)]
    #[case::rounded_down(rate().bucket(), &[(0, 0, 3), (333, 333_333, 1), (666, 666_666, 1)], false)]
    #[case::before_it_is_due(rate().bucket(), &[(0, 0, 3), (333, 333_332, 2)], true)]
    #[case::a_hoard(rate().bucket(), &[(0, 0, 3), (9_000, 0, 4)], true)]
    fn more_than_the_shape_allows_is_a_surplus(
        #[case] profile: PolicyProfile,
        #[case] instants: &[(u64, u64, u64)],
        #[case] expected: bool,
    ) {
        let found = shape(&profile).surplus(&log(instants));
        assert_eq!(found.is_some(), expected, "{found:?}");
    }

    #[test]
    fn a_surplus_says_how_many_in_which_time() {
        let found = shape(&rate().sliding()).surplus(&log(&[(0, 0, 3), (999, 0, 1)]));
        assert_eq!(found.as_deref(), Some("4 within 999ms, where 3 may be"));
    }

    #[test]
    fn windows_too_short_are_told_by_the_latest_that_do_not_fit() {
        let instants = [(0, 0, 3), (5_000, 0, 3), (5_900, 0, 3), (6_000, 0, 3)];
        let found = shape(&rate().fixed()).surplus(&log(&instants));
        assert_eq!(
            found.as_deref(),
            Some("9 within 1s, where windows of 1s hold 3 each")
        );
    }

    #[rstest]
    #[case::window(rate().sliding(), &[(0, 0, 1), (400, 0, 2)], 1_000 * MILLI)]
    #[case::unit(rate().bucket(), &[(0, 0, 3)], 333_333_333)]
    #[case::nothing_owed(rate().bucket(), &[(400, 0, 1)], 400 * MILLI)]
    #[case::edge(rate().fixed(), &[(400, 0, 3)], 1_000 * MILLI)]
    fn the_next_is_admitted_when_the_shape_allows_it(
        #[case] profile: PolicyProfile,
        #[case] instants: &[(u64, u64, u64)],
        #[case] expected: u64,
    ) {
        let log = log(instants);
        let now = log.instants().last().unwrap().0;
        assert_eq!(shape(&profile).next(&log, now), expected);
    }

    #[rstest]
    #[case::a_tenth(100, 26 - 3)]
    #[case::a_third(300, 26 - 3)]
    fn eager_polls_owe_what_a_slow_bucket_gives(#[case] step: u64, #[case] expected: u64) {
        let bucket = shape(&rate().bucket());
        let step = step * bucket.unit() / 1_000;
        let polls = (1..).map(|poll| poll * step);
        let polls = polls.take_while(|at| *at <= 30 * bucket.unit());
        assert_eq!(bucket.least(polls), expected);
    }

    proptest! {
        /// Whatever sound windows are aligned to, their admissions are no surplus.
        #[test]
        fn sound_windows_of_any_origin_give_no_surplus(
            origin in 0..SECOND,
            anchored in any::<bool>(),
            asks in prop::collection::vec((0..SECOND, 1_u64..5), 1..40),
        ) {
            let shape = shape(&rate().fixed());
            let (mut now, mut start, mut used) = (3_600 * SECOND, 0, 0);
            let mut log = Admissions::default();
            for (pause, wanted) in asks {
                now += pause;
                let aligned = now - (now + origin) % SECOND;
                if anchored && now >= start + SECOND {
                    (start, used) = (now, 0);
                } else if !anchored && aligned != start {
                    (start, used) = (aligned, 0);
                }
                for _ in 0..wanted.min(3 - used) {
                    used += 1;
                    log.admit(now);
                }
            }
            prop_assert_eq!(shape.surplus(&log), None);
        }

        /// A bucket that rounds its unit down gives no surplus, nor does one that gains a whole
        /// request at each tick of its own.
        #[test]
        fn sound_buckets_give_no_surplus(
            limit in 1_u64..50,
            ticks in any::<bool>(),
            asks in prop::collection::vec((0..SECOND, 1_u64..5), 1..60),
        ) {
            let shape = shape(&rate().requests(limit).bucket());
            let unit = if ticks { SECOND.div_ceil(limit) } else { SECOND / limit };
            let (mut now, mut due) = (0, 0);
            let (mut tokens, mut ticked) = (limit, 0);
            let mut log = Admissions::default();
            for (pause, wanted) in asks {
                now += pause;
                tokens = limit.min(tokens + now / unit - ticked);
                ticked = now / unit;
                for _ in 0..wanted {
                    if ticks && tokens > 0 {
                        tokens -= 1;
                        log.admit(now);
                    } else if !ticks && due <= now + (limit - 1) * unit {
                        due = due.max(now) + unit;
                        log.admit(now);
                    }
                }
                prop_assert_eq!(shape.surplus(&log), None);
            }
        }
    }
}
