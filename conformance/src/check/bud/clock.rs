//! BUD-11: a clock that goes back, leaps or is read very often grants nothing and starves nobody.

use std::time::Duration;

use super::rate::{MILLI, Run, Shape, Time, named};
use crate::outcome::Counterexample;
use crate::profile::{Kind, Scope, Window};
use crate::subject::RequestCase;
use crate::trial::{Finding, Instance, Judged, Load, Stop, Trial};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How far the clock leaps; one by so much that milliseconds in 32 bits end an hour before.
const LEAPS: &[Duration] = &[
    DAY,
    Duration::from_millis((1 << 32) - 3_600_000),
    Duration::from_secs(365 * 24 * 60 * 60),
    Duration::from_secs(100 * 365 * 24 * 60 * 60),
];

/// So many asks follow each move of the clock.
const ASKS: u64 = 3;

/// For so many units, and at least ten times as many as a burst, a rate is polled eagerly.
const UNITS: u64 = 30;

/// So many polls and admissions are made at most.
const POLLS: u64 = 20_000;

/// How long the eager caller waits between polls, in thousandths of a unit.
const POLLED: &[u64] = &[100, 300, 1_500];

/// How even the control's clock is.
const EVEN_STEPS: u64 = 4;

/// A spent budget or rate whose clock is about to misbehave.
struct Spent<'t> {
    trial: &'t Trial<'t>,
    load: Load,
    whole: u64,
    shape: Option<Shape>,
    rate: bool,
}

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let kind = trial.profile().kind;
    if !matches!(kind, Some(Kind::Budget | Kind::Rate)) {
        return Ok(Finding::NotApplicable(
            "the profile declares no budget and no rate".to_owned(),
        ));
    }
    let (load, whole) = trial.spent_load()?;
    let shape = Shape::declared(trial.profile()).map(|shape| match trial.profile().burst {
        None => shape.bursting(whole.min(shape.at_once())),
        Some(_) => shape,
    });
    if let Some(shape) = &shape {
        if !shape.is_judged() {
            return Ok(Finding::Undecided(
                "a rate that needs months to come back cannot be judged: declare a smaller `window_ms` and build the subject with it".to_owned(),
            ));
        }
        behaves_evenly(trial, shape)?;
    }
    let spent = Spent {
        trial,
        load,
        whole,
        shape,
        rate: kind == Some(Kind::Rate),
    };
    let mut cases = 0;
    for (what, moved) in spent.moves() {
        cases += 1;
        let found = match spent.judge(moved) {
            Err(Stop::Panicked(found)) => Some(panicked(&what, &found)),
            found => found?,
        };
        if let Some(found) = found {
            return Ok(Finding::broken(found));
        }
    }
    Ok(Finding::held(cases))
}

/// What is done with the clock.
#[derive(Debug, Clone, Copy)]
enum Move {
    Back(Duration),
    Leap(Duration),
    /// It is read each so many nanoseconds.
    Poll(u64),
}

impl Spent<'_> {
    fn moves(&self) -> Vec<(String, Move)> {
        let mut back = vec![
            Duration::from_millis(1),
            Duration::from_secs(5),
            Duration::from_secs(3_600),
            DAY,
        ];
        let mut steps: Vec<u64> = Vec::new();
        if let Some(shape) = &self.shape {
            back.insert(1, Duration::from_nanos(shape.period() / 2));
            back.insert(2, Duration::from_nanos(shape.unit()));
            for part in POLLED {
                let whole = (shape.unit() / 1_000).saturating_mul(*part) / MILLI;
                let step = whole.max(1) * MILLI;
                // Whoever holds one request at most loses what comes due while it is full.
                let faster = step < shape.unit() || shape.at_once() > 1;
                if faster && !steps.contains(&step) {
                    steps.push(step);
                }
            }
        }
        // The clock stands a day after its origin, and cannot be set back further.
        let back = back
            .into_iter()
            .filter(|by| *by <= DAY)
            .map(|by| (format!("a clock set back by {by:?}"), Move::Back(by)));
        let leaps = LEAPS.iter().map(|by| {
            let days = by.as_secs() / DAY.as_secs();
            (
                format!("a clock that leaps by {days} days"),
                Move::Leap(*by),
            )
        });
        let polls = steps.into_iter().map(|step| {
            let every = Duration::from_nanos(step);
            (format!("a clock read every {every:?}"), Move::Poll(step))
        });
        back.chain(leaps).chain(polls).collect()
    }

    fn judge(&self, moved: Move) -> Result<Option<Counterexample>, Stop> {
        match (moved, &self.shape) {
            (Move::Back(by), _) => self.set_back(by),
            (Move::Leap(by), _) if self.rate => match self.leap_of_rate(by, false)? {
                None => self.leap_of_rate(by, true),
                found => Ok(found),
            },
            (Move::Leap(by), _) => self.leap_of_budget(by),
            (Move::Poll(step), Some(shape)) => polled(self.trial, shape, step),
            (Move::Poll(_), None) => Ok(None),
        }
    }

    /// A fresh subject whose budget was spent.
    fn fresh(&self) -> Result<Instance<'_>, Stop> {
        let instance = self.trial.fresh()?;
        self.load.spend(&instance, |request| request)?;
        Ok(instance)
    }

    fn refused(&self) -> RequestCase {
        self.load.request(self.whole)
    }

    /// How far the clock may be set back so that, put right again, it says that nothing has come
    /// due. A rate that was set back further may have started anew.
    fn remembers(&self, by: Duration) -> bool {
        let by_call = self
            .trial
            .profile()
            .scope_in_force()
            .is_some_and(Scope::by_call);
        let idle = self.trial.profile().idle_ms.filter(|_| by_call);
        let kept = idle.is_none_or(|idle| by < Duration::from_millis(idle));
        let owed = |shape: &Shape| match self.trial.profile().window {
            Some(Window::Bucket) => shape.unit().saturating_mul(shape.at_once()),
            _ => shape.period(),
        };
        let within = match (&self.shape, self.rate) {
            (Some(shape), _) => by <= Duration::from_nanos(owed(shape)),
            (None, rate) => !rate,
        };
        kept && within
    }

    fn set_back(&self, by: Duration) -> Result<Option<Counterexample>, Stop> {
        let instance = self.fresh()?;
        let refused = self.refused();
        instance.clock().step_back(by);
        if instance.admits(ASKS, &refused)? > 0 {
            return Ok(Some(self.refilled("a clock set back refills", by)));
        }
        instance.clock().advance(by);
        let again = instance.admits(ASKS, &refused)? > 0;
        if again && self.remembers(by) {
            return Ok(Some(
                self.refilled("a clock set back and put right refills", by),
            ));
        }
        self.comes_back(&instance, "a clock that was set back starves", by)
    }

    fn refilled(&self, headline: &str, by: Duration) -> Counterexample {
        Counterexample::new(format!("{headline}, by {by:?}"))
            .steps(self.whole + 1, &self.load.request(0), "refused at the last")
            .step(&self.refused(), "allowed")
            .expected("refused: nothing came due")
            .seen("allowed")
            .twin("before the clock was moved it was refused")
    }

    /// Once nothing can be owed any more, a rate admits again.
    fn comes_back(
        &self,
        instance: &Instance<'_>,
        headline: &str,
        by: Duration,
    ) -> Result<Option<Counterexample>, Stop> {
        let Some(shape) = &self.shape else {
            return Ok(None);
        };
        let asked = self.whole.saturating_add(4 * ASKS);
        let rest = Duration::from_nanos(shape.run_out(asked.max(2 * shape.at_once())));
        instance.clock().advance(rest);
        if instance.ask(&self.refused())?.allows() {
            return Ok(None);
        }
        Ok(Some(
            Counterexample::new(format!("{headline}, by {by:?}"))
                .steps(self.whole + 1, &self.load.request(0), "refused at the last")
                .step(&self.refused(), format!("refused, {rest:?} after that"))
                .expected("allowed: nothing is owed any more")
                .seen("refused")
                .twin("under a clock that moves on evenly it came back"),
        ))
    }

    /// Of a rate that was spent before the leap, or that nobody had asked yet.
    fn leap_of_rate(&self, by: Duration, spent: bool) -> Result<Option<Counterexample>, Stop> {
        let instance = match spent {
            true => self.fresh()?,
            false => self.trial.fresh()?,
        };
        instance.clock().advance(by);
        let most = self.trial.profile().at_once().unwrap_or(self.whole);
        let refused = self.refused();
        let admitted = instance.admits_until_refused(most.saturating_add(1), &refused)?;
        if admitted > most {
            return Ok(Some(
                Counterexample::new(format!(
                    "a clock that leaps by {by:?} grants more than {most} at once"
                ))
                .steps(admitted, &refused, format!("allowed, {by:?} later"))
                .expected(format!("at most {most} admitted at one instant"))
                .seen(format!("{admitted} admitted"))
                .twin(format!("without the leap {} were admitted", self.whole)),
            ));
        }
        self.comes_back(&instance, "a clock that leapt starves", by)
    }

    /// A call may have ended long before so much time has passed; other budgets never come back.
    fn leap_of_budget(&self, by: Duration) -> Result<Option<Counterexample>, Stop> {
        let instance = self.fresh()?;
        instance.clock().advance(by);
        let admitted = instance.admits(ASKS, &self.refused())?;
        let lives = !self
            .trial
            .profile()
            .scope_in_force()
            .is_some_and(Scope::by_call);
        if admitted > 0 && lives {
            return Ok(Some(self.refilled("a clock that leaps refills", by)));
        }
        Ok(None)
    }
}

/// The control: under a clock that moves on evenly a caller gets what the shape owes it, and asks
/// for no more.
fn behaves_evenly(trial: &Trial<'_>, shape: &Shape) -> Result<(), Stop> {
    let mut run = Run::new(trial, Time::Steered)?;
    for _ in 0..EVEN_STEPS {
        let admitted = run.ask_out(shape.at_once())?;
        if admitted < shape.at_once() || shape.surplus(run.log()).is_some() {
            return Err(Stop::Undecided(format!(
                "the control failed: under a clock that moves on evenly {admitted} of {} were admitted, which BUD-08 is about",
                shape.at_once()
            )));
        }
        run.wait(shape.run_out(shape.at_once()));
    }
    Ok(())
}

/// Asks far more often than anything comes due.
fn polled(trial: &Trial<'_>, shape: &Shape, step: u64) -> Result<Option<Counterexample>, Stop> {
    let bucket = trial.profile().window == Some(Window::Bucket);
    let units = match bucket {
        true => UNITS.max(shape.at_once().saturating_mul(10)),
        false => UNITS.min(POLLS / shape.at_once()).max(3),
    };
    let polls = (units.saturating_mul(shape.unit()) / step).min(POLLS);
    let mut run = Run::new(trial, Time::Steered)?;
    let most = shape.at_once().saturating_add(1);
    run.ask_out(most)?;
    let mut admitted = 0;
    for _ in 0..polls {
        run.wait(step);
        admitted += run.ask_out(most)?;
    }
    let every = Duration::from_nanos(step);
    if let Some(surplus) = shape.surplus(run.log()) {
        return Ok(Some(
            run.told(format!("polled every {every:?}, the rate admits too many"))
                .expected(format!("no more than `{}` allows", named(shape)))
                .seen(surplus)
                .twin("under a clock that moves on evenly it kept to its shape"),
        ));
    }
    let least = shape.least((1..=polls).map(|poll| poll * step));
    if admitted >= least {
        return Ok(None);
    }
    Ok(Some(
        run.told(format!(
            "polled every {every:?}, the rate starves its caller"
        ))
        .expected(format!("at least {least} admitted in {polls} polls"))
        .seen(format!("{admitted} admitted"))
        .twin("under a clock that moves on evenly it came back"),
    ))
}

fn panicked(what: &str, found: &Counterexample) -> Counterexample {
    let mut counterexample = found.clone();
    counterexample.headline = format!("{what} makes it panic");
    counterexample.twin = "before the clock was moved it answered".to_owned();
    counterexample
}
