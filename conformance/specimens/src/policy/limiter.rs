//! A policy that keeps a rate, in one of three shapes; and that policy with one fault at a time.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use proofmark::async_trait;
use proofmark::clock::SteeredClock;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::{OutboundRequest, RequestPhase};
use proofmark_conformance::profile::{PolicyProfile, Window};
use proofmark_conformance::subject::{PolicySubject, Takes};

use super::bud;
use crate::Specimen;

/// So many requests in each window, whatever the shape.
const LIMIT: u64 = 3;

/// What is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    SavesIdleCredit,
    ForgetsAtTheEdge,
    RefillsAtHalfSpeed,
    CountsWholeSeconds,
    TurnsTwice,
    LosesFractions,
    PanicsGoingBack,
    RewindsItsStamp,
    RestartsItsWindow,
}

pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = of_shape();
    specimens.extend(of_clock());
    specimens
}

fn of_shape() -> Vec<Specimen> {
    vec![
        Specimen::new(
            bud(8),
            "adds up what comes due beyond the burst",
            subject(
                "saves_idle_credit",
                Window::Bucket,
                1_000,
                Fault::SavesIdleCredit,
            ),
        )
        .also(
            bud(11),
            "a clock that leaps is a long idle time, and its credit a surplus",
        ),
        Specimen::new(
            bud(8),
            "forgets everything when a window of the clock turns, though it declares a sliding one",
            subject(
                "forgets_at_the_edge",
                Window::Sliding,
                1_000,
                Fault::ForgetsAtTheEdge,
            ),
        )
        .also(
            bud(11),
            "an eager caller finds the edge: what two windows admit lies closer than a window",
        ),
        Specimen::new(
            bud(8),
            "gives back half of what comes due",
            subject(
                "refills_at_half_speed",
                Window::Bucket,
                1_000,
                Fault::RefillsAtHalfSpeed,
            ),
        ),
        Specimen::new(
            bud(8),
            "cuts its window of a second and a half to whole seconds",
            subject(
                "counts_whole_seconds",
                Window::Fixed,
                1_500,
                Fault::CountsWholeSeconds,
            ),
        )
        .also(
            bud(11),
            "an eager caller uses every window of a second, where windows of a second and a half may be used",
        ),
        Specimen::new(
            bud(5),
            "opens a new window twice when two see it turn",
            subject("turns_twice", Window::Fixed, 1_000, Fault::TurnsTwice),
        ),
    ]
}

fn of_clock() -> Vec<Specimen> {
    vec![
        Specimen::new(
            bud(11),
            "counts whole requests gained and forgets the rest of the time",
            subject(
                "loses_fractions",
                Window::Bucket,
                1_000,
                Fault::LosesFractions,
            ),
        ),
        Specimen::new(
            bud(11),
            "subtracts an earlier time that may be later",
            subject(
                "panics_going_back",
                Window::Bucket,
                1_000,
                Fault::PanicsGoingBack,
            ),
        ),
        Specimen::new(
            bud(11),
            "sets its time stamp back with the clock",
            subject(
                "rewinds_its_stamp",
                Window::Bucket,
                1_000,
                Fault::RewindsItsStamp,
            ),
        ),
        Specimen::new(
            bud(11),
            "begins its window anew with every ask",
            subject(
                "restarts_its_window",
                Window::Fixed,
                1_000,
                Fault::RestartsItsWindow,
            ),
        ),
    ]
}

fn subject(name: &str, window: Window, millis: u64, fault: Fault) -> PolicySubject {
    let profile = PolicyProfile::new()
        .rate()
        .requests(LIMIT)
        .window_ms(millis);
    let profile = match window {
        Window::Fixed => profile.fixed(),
        Window::Sliding => profile.sliding(),
        Window::Bucket => profile.bucket(),
    };
    PolicySubject::with_env(name, profile, Takes::CLOCK, move |env| {
        let now = env.clock.now();
        let mut limiter = Limiter {
            window,
            period: Duration::from_millis(millis),
            fault,
            clock: env.clock.clone(),
            state: Mutex::new(State {
                last: now,
                level: 0,
                turn: 0,
                sent: VecDeque::new(),
            }),
        };
        let turn = limiter.turn(now);
        limiter
            .state
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .turn = turn;
        limiter
    })
}

struct Limiter {
    window: Window,
    period: Duration,
    fault: Fault,
    clock: SteeredClock,
    state: Mutex<State>,
}

struct State {
    /// The clock's furthest reading.
    last: Duration,
    /// What is owed: of a window so many requests, of a bucket so many requests × nanoseconds.
    level: i128,
    /// The number of the window that `level` belongs to.
    turn: u128,
    /// When the requests of a sliding window were sent.
    sent: VecDeque<Duration>,
}

#[async_trait]
impl RequestPolicy for Limiter {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let now = self.clock.now();
        if self.fault == Fault::TurnsTwice && self.turn(now) > self.state().turn {
            // So often that others see the window turn before it does.
            for _ in 0..32 {
                tokio::task::yield_now().await;
            }
            let mut state = self.state();
            (state.turn, state.level) = (self.turn(now), 0);
        }
        let mut state = self.state();
        let now = self.clock.now();
        match self.window {
            Window::Bucket => self.drain(&mut state, now),
            Window::Fixed => self.turn_to(&mut state, now),
            Window::Sliding => self.slide(&mut state, now),
        }
        let cost = self.cost();
        if state.level + cost > i128::from(LIMIT) * cost {
            return Err(PolicyRefusal::new("the rate is used up"));
        }
        if request.phase == RequestPhase::Execute {
            state.level += cost;
            if self.window == Window::Sliding {
                let now = state.last;
                state.sent.push_back(now);
            }
        }
        Ok(())
    }
}

impl Limiter {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A bucket's request costs as many nanoseconds as there are in a window, so that each
    /// nanosecond gives back as many as there are requests in it.
    fn cost(&self) -> i128 {
        match self.window {
            Window::Bucket => signed(self.period.as_nanos()),
            Window::Fixed | Window::Sliding => 1,
        }
    }

    fn turn(&self, now: Duration) -> u128 {
        let period = match self.fault {
            Fault::CountsWholeSeconds => Duration::from_secs(self.period.as_secs()),
            _ => self.period,
        };
        now.as_nanos() / period.as_nanos()
    }

    fn drain(&self, state: &mut State, now: Duration) {
        let passed = match self.fault {
            Fault::PanicsGoingBack => now - state.last,
            _ => now.saturating_sub(state.last),
        };
        let mut gained = signed(passed.as_nanos()) * i128::from(LIMIT);
        if self.fault == Fault::LosesFractions {
            gained -= gained % self.cost();
        }
        if self.fault == Fault::RefillsAtHalfSpeed {
            gained /= 2;
        }
        state.level -= gained;
        if self.fault != Fault::SavesIdleCredit {
            state.level = state.level.max(0);
        }
        state.last = match self.fault {
            Fault::RewindsItsStamp => now,
            _ => state.last.max(now),
        };
    }

    fn turn_to(&self, state: &mut State, now: Duration) {
        if self.fault == Fault::RestartsItsWindow {
            if now.saturating_sub(state.last) >= self.period {
                state.level = 0;
            }
            state.last = state.last.max(now);
            return;
        }
        let turn = self.turn(now);
        if turn > state.turn {
            (state.turn, state.level) = (turn, 0);
        }
    }

    fn slide(&self, state: &mut State, now: Duration) {
        state.last = state.last.max(now);
        if self.fault == Fault::ForgetsAtTheEdge {
            let turn = self.turn(now);
            if turn > state.turn {
                state.turn = turn;
                state.sent.clear();
            }
        } else {
            while let Some(sent) = state.sent.front() {
                if now.saturating_sub(*sent) < self.period {
                    break;
                }
                state.sent.pop_front();
            }
        }
        state.level = state.sent.len() as i128;
    }
}

fn signed(number: u128) -> i128 {
    i128::try_from(number).unwrap_or(i128::MAX)
}
