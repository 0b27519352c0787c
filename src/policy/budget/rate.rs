//! How many requests may be sent in how much time, and one group's standing against that.

use std::collections::VecDeque;
use std::time::Duration;

/// How many different instants a sliding window tells apart before it counts neighbours as one.
const MAX_STAMPS: usize = 1024;

/// A number of requests over time, counted in one of three ways.
///
/// All arithmetic is exact: no fraction of a request is lost or won, however often or seldom the
/// clock is read. A period of zero counts as one nanosecond; a longest one is 584 years.
///
/// ```
/// use std::time::Duration;
/// use proofmark::policy::{Rate, RateLimit};
///
/// // Ten at once, and from then on two a second.
/// let limit = RateLimit::new(Rate::bucket(10, 2, Duration::from_secs(1)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    kind: Kind,
    /// Nanoseconds of the window, or of the time in which a bucket gains `refill`.
    period: u64,
    limit: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bucket { refill: u64 },
    Fixed,
    Sliding,
}

/// What one group has sent lately. The default has sent nothing.
#[derive(Debug, Default)]
pub(super) struct Standing {
    time: Timeline,
    /// What counts against the limit: requests, or for a bucket requests × period.
    load: u128,
    /// For a sliding window: when the requests that count were sent, oldest first.
    stamps: VecDeque<(Duration, u64)>,
}

impl Rate {
    /// A bucket of `burst` requests, full at first, that gains `refill` each `period`, evenly:
    /// at most `burst + refill × t / period` in any time `t`.
    #[must_use]
    pub fn bucket(burst: u64, refill: u64, period: Duration) -> Self {
        Self::of(Kind::Bucket { refill }, burst, period)
    }

    /// At most `limit` requests in each of the windows that follow one another from the clock's
    /// origin. Around the border of two windows twice as many may be sent.
    #[must_use]
    pub fn fixed(limit: u64, window: Duration) -> Self {
        Self::of(Kind::Fixed, limit, window)
    }

    /// At most `limit` requests in any window: one sent at `t` counts until `t + window`.
    ///
    /// Up to 1,024 instants of sending are told apart for each group; of more, neighbours are
    /// counted as sent at the later one, so that some requests wait a little longer.
    #[must_use]
    pub fn sliding(limit: u64, window: Duration) -> Self {
        Self::of(Kind::Sliding, limit, window)
    }

    fn of(kind: Kind, limit: u64, period: Duration) -> Self {
        let period = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).max(1);
        Self {
            kind,
            period,
            limit,
        }
    }

    /// After how much time without a request nothing of what was sent counts any more.
    pub(super) fn horizon(self) -> Duration {
        let nanos = match self.kind {
            Kind::Bucket { refill } => match u128::from(refill) {
                0 => return Duration::MAX,
                refill => self.capacity().div_ceil(refill),
            },
            Kind::Fixed | Kind::Sliding => u128::from(self.period),
        };
        let subsecond = u32::try_from(nanos % 1_000_000_000).unwrap_or_default();
        let seconds = u64::try_from(nanos / 1_000_000_000);
        seconds.map_or(Duration::MAX, |seconds| Duration::new(seconds, subsecond))
    }

    /// Brings a standing up to the clock's reading.
    pub(super) fn bring(self, standing: &mut Standing, read: Duration) {
        let Moved {
            mut from,
            to,
            spent,
        } = standing.time.read(read, self.horizon());
        if let Some(since) = spent {
            from = since;
            standing.load = self.capacity();
            standing.stamps = VecDeque::from([(since, self.limit)]);
        }
        match self.kind {
            Kind::Bucket { refill } => {
                let gained = (to - from).as_nanos().saturating_mul(u128::from(refill));
                standing.load = standing.load.saturating_sub(gained);
            }
            Kind::Fixed => {
                let window = |time: Duration| time.as_nanos() / u128::from(self.period);
                if window(from) != window(to) {
                    standing.load = 0;
                }
            }
            Kind::Sliding => standing.expire(to, Duration::from_nanos(self.period)),
        }
    }

    /// Whether one more request may be sent at the time the standing was brought to.
    pub(super) fn admits(self, standing: &Standing) -> bool {
        let load = standing.load.checked_add(self.cost());
        load.is_some_and(|load| load <= self.capacity())
    }

    /// Counts one request as sent at the time the standing was brought to.
    pub(super) fn charge(self, standing: &mut Standing) {
        standing.load = standing.load.saturating_add(self.cost());
        if self.kind == Kind::Sliding {
            standing.stamp();
        }
    }

    fn cost(self) -> u128 {
        match self.kind {
            Kind::Bucket { .. } => u128::from(self.period),
            Kind::Fixed | Kind::Sliding => 1,
        }
    }

    /// Cannot overflow: both factors have 64 bits.
    fn capacity(self) -> u128 {
        u128::from(self.limit) * self.cost()
    }
}

impl Standing {
    fn expire(&mut self, now: Duration, window: Duration) {
        while let Some(&(sent, count)) = self.stamps.front() {
            if now.saturating_sub(sent) < window {
                break;
            }
            self.load = self.load.saturating_sub(u128::from(count));
            self.stamps.pop_front();
        }
    }

    fn stamp(&mut self) {
        let now = self.time.at;
        match self.stamps.back_mut() {
            Some((sent, count)) if *sent == now => *count = count.saturating_add(1),
            _ => self.stamps.push_back((now, 1)),
        }
        if self.stamps.len() > MAX_STAMPS {
            self.halve();
        }
    }

    /// Counts each two neighbours as sent at the later instant, which never admits more.
    fn halve(&mut self) {
        let mut halved = VecDeque::with_capacity(MAX_STAMPS);
        let mut stamps = self.stamps.drain(..);
        while let Some((sent, count)) = stamps.next() {
            let (later, more) = stamps.next().unwrap_or((sent, 0));
            halved.push_back((later, count.saturating_add(more)));
        }
        drop(stamps);
        self.stamps = halved;
    }
}

/// The readings of a clock that may go back.
#[derive(Debug, Default)]
struct Timeline {
    at: Duration,
    /// The furthest reading before the clock was set back, until it is reached again.
    ahead: Option<Duration>,
}

/// A step from one time to another that is not earlier.
struct Moved {
    from: Duration,
    to: Duration,
    /// When everything must be taken as spent, since what was sent around then is not known.
    spent: Option<Duration>,
}

impl Timeline {
    /// A clock that goes back by less than `horizon` stands still until it has caught up. One set
    /// back further starts anew, with nothing left to send, and so it does when it comes past the
    /// time where it had been: neither gives a surplus, and neither waits for longer than the
    /// horizon.
    fn read(&mut self, read: Duration, horizon: Duration) -> Moved {
        let from = self.at;
        if read < self.at && self.at - read >= horizon {
            self.ahead = self.ahead.max(Some(self.at));
            self.at = read;
            return Moved {
                from: read,
                to: read,
                spent: Some(read),
            };
        }
        self.at = self.at.max(read);
        let spent = self.ahead.filter(|&ahead| ahead <= self.at);
        if spent.is_some() {
            self.ahead = None;
        }
        Moved {
            from,
            to: self.at,
            spent,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// Reads the clock at `time`, sends as much as is admitted, at most `wanted`.
    fn send(rate: Rate, standing: &mut Standing, time: Duration, wanted: u64) -> u64 {
        rate.bring(standing, time);
        let mut sent = 0;
        while sent < wanted && rate.admits(standing) {
            rate.charge(standing);
            sent += 1;
        }
        sent
    }

    const START: Duration = Duration::from_secs(24 * 60 * 60);

    #[rstest]
    #[case::bucket(Rate::bucket(3, 3, millis(1000)))]
    #[case::fixed(Rate::fixed(3, millis(1000)))]
    #[case::sliding(Rate::sliding(3, millis(1000)))]
    fn the_limit_is_admitted_at_once_and_again_when_due(#[case] rate: Rate) {
        let mut standing = Standing::default();

        assert_eq!(send(rate, &mut standing, START, 9), 3);
        assert_eq!(send(rate, &mut standing, START, 9), 0);
        assert_eq!(send(rate, &mut standing, START + millis(1000), 9), 3);
        assert_eq!(send(rate, &mut standing, START + millis(9000), 9), 3);
    }

    #[rstest]
    #[case::bucket(Rate::bucket(3, 3, millis(1000)))]
    #[case::fixed(Rate::fixed(3, millis(1000)))]
    #[case::sliding(Rate::sliding(3, millis(1000)))]
    fn a_clock_set_back_gives_no_surplus_and_waits_for_no_longer_than_the_horizon(
        #[case] rate: Rate,
        #[values(1, 400, 999, 1000, 5000, 3_600_000)] back: u64,
    ) {
        let mut standing = Standing::default();
        send(rate, &mut standing, START, 9);

        let earlier = START - millis(back);
        assert_eq!(send(rate, &mut standing, earlier, 9), 0);
        assert_eq!(
            send(rate, &mut standing, START, 9),
            0,
            "back where it had been"
        );
        assert_eq!(send(rate, &mut standing, START + millis(1000), 9), 3);

        let mut standing = Standing::default();
        send(rate, &mut standing, START, 9);
        send(rate, &mut standing, earlier, 9);
        assert!(send(rate, &mut standing, earlier + millis(2000), 9) > 0);
    }

    #[test]
    fn frequent_readings_lose_no_fraction_and_a_long_pause_wins_none() {
        let rate = Rate::bucket(5, 1, millis(1000));
        let mut standing = Standing::default();
        assert_eq!(send(rate, &mut standing, START, 99), 5);

        let polled = (1..=100).map(|step| send(rate, &mut standing, START + millis(300 * step), 9));
        assert_eq!(polled.sum::<u64>(), 30);

        assert_eq!(send(rate, &mut standing, START * 2, 99), 5);
    }

    #[test]
    fn a_third_of_a_second_is_not_rounded() {
        let rate = Rate::bucket(3, 3, millis(1000));
        let mut standing = Standing::default();
        send(rate, &mut standing, START, 3);

        assert_eq!(
            send(
                rate,
                &mut standing,
                START + Duration::from_nanos(333_333_333),
                1
            ),
            0
        );
        assert_eq!(
            send(
                rate,
                &mut standing,
                START + Duration::from_nanos(333_333_334),
                1
            ),
            1
        );
        assert_eq!(
            send(
                rate,
                &mut standing,
                START + Duration::from_nanos(666_666_667),
                1
            ),
            1
        );
        assert_eq!(
            send(
                rate,
                &mut standing,
                START + Duration::from_nanos(1_000_000_000),
                1
            ),
            1
        );
    }

    #[rstest]
    #[case(Rate::bucket(0, 1, millis(1)), 0)]
    #[case(Rate::bucket(u64::MAX, u64::MAX, Duration::MAX), 99)]
    #[case(Rate::bucket(2, 0, millis(1)), 2)]
    #[case(Rate::bucket(2, 1, Duration::ZERO), 2)]
    #[case(Rate::fixed(0, Duration::ZERO), 0)]
    #[case(Rate::fixed(u64::MAX, Duration::MAX), 99)]
    #[case(Rate::sliding(0, Duration::ZERO), 0)]
    #[case(Rate::sliding(u64::MAX, Duration::MAX), 99)]
    fn extreme_rates_and_times_neither_panic_nor_wrap(#[case] rate: Rate, #[case] expected: u64) {
        for times in [
            [Duration::ZERO, Duration::MAX],
            [Duration::MAX, Duration::ZERO],
        ] {
            let mut standing = Standing::default();
            assert_eq!(send(rate, &mut standing, times[0], 99), expected);
            send(rate, &mut standing, times[1], 99);
        }
    }

    #[test]
    fn a_sliding_window_remembers_a_bounded_number_of_instants() {
        let rate = Rate::sliding(u64::MAX, millis(1_000_000));
        let mut standing = Standing::default();

        for step in 0..100_000 {
            assert_eq!(send(rate, &mut standing, START + millis(step), 1), 1);
        }

        assert!(standing.stamps.len() <= MAX_STAMPS);
        assert_eq!(standing.load, 100_000);
    }

    /// Instants in quarter periods, and how many requests are wanted at each.
    fn demand() -> impl Strategy<Value = Vec<(u64, u64)>> {
        prop::collection::vec((0u64..7, 1u64..6), 1..60)
    }

    proptest! {
        #[test]
        fn no_kind_admits_more_than_it_says_and_each_admits_when_due(
            steps in demand(), limit in 1u64..5
        ) {
            let period = millis(1000);
            for rate in [
                Rate::bucket(limit, limit, period),
                Rate::fixed(limit, period),
                Rate::sliding(limit, period),
            ] {
                let mut standing = Standing::default();
                let (mut time, mut log) = (START, Vec::<Duration>::new());
                for &(pause, wanted) in &steps {
                    time += millis(250 * pause);
                    let sent = send(rate, &mut standing, time, wanted);
                    log.extend((0..sent).map(|_| time));
                    // The most that the definition leaves, and no less.
                    let since = |from| log.iter().filter(|&&at| at >= from).count() as u64;
                    match rate.kind {
                        Kind::Fixed => {
                            let start = Duration::from_secs(time.as_secs());
                            prop_assert!(since(start) <= limit);
                            prop_assert!(sent == wanted || since(start) == limit);
                        }
                        Kind::Sliding => {
                            let start = time - period + Duration::from_nanos(1);
                            prop_assert!(since(start) <= limit);
                            prop_assert!(sent == wanted || since(start) == limit);
                        }
                        Kind::Bucket { .. } => {
                            let free = |&&from: &&Duration| {
                                let gained = (time - from).as_millis() as u64 * limit / 1000;
                                limit + gained - since(from)
                            };
                            let least = log.iter().map(|from| free(&from)).min();
                            prop_assert!(sent == wanted || least == Some(0));
                        }
                    }
                }
            }
        }
    }
}
