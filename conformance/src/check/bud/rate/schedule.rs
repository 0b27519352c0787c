//! Callers that come at generated times: one takes all it can get, one only what is its due.

use proptest::collection::vec;
use proptest::prelude::*;

use super::run::{Run, Time, named};
use super::shape::{MILLI, Shape};
use crate::outcome::Counterexample;
use crate::profile::Window;
use crate::trial::{Finding, Judged, Stop, Trial};

/// About so many asks are made in all.
const ASKS: u64 = 60_000;

/// For so many units the steady caller comes, unless it makes too many asks.
const STEADY_STEPS: u64 = 400;
const STEADY_ASKS: u64 = 20_000;

/// A step of the greedy caller's: it waits, and then asks.
#[derive(Debug, Clone, Copy)]
struct Step {
    pause: Pause,
    asks: u64,
}

#[derive(Debug, Clone, Copy)]
enum Pause {
    /// So many eighths of a window.
    Eighths(u64),
    /// So many units of a bucket.
    Units(u64),
    /// Until something comes due, with an ask the least while before.
    Edge,
    /// So many times as long as it takes until nothing is owed.
    Idle(u64),
}

/// What the patient caller does after it owed nothing: asks for a part, and later for the rest.
#[derive(Debug, Clone, Copy)]
struct Round {
    part: u64,
    eighths: u64,
}

pub(super) fn judge(trial: &Trial<'_>, time: Time<'_>, shape: &Shape) -> Judged {
    let at_once = shape.at_once();
    let fitting = ASKS / at_once.saturating_add(2).saturating_mul(12);
    let fitting = u32::try_from(fitting).unwrap_or(u32::MAX).max(2);
    let cases = trial.cases()?.min(fitting);
    let taken = trial.for_all(cases, &vec(steps(at_once), 1..8), |steps| {
        greedy(trial, time, shape, &steps)
    })?;
    let Finding::Held { cases: taken } = taken else {
        return Ok(taken);
    };
    if let Some(found) = steady(trial, time, shape)? {
        return Ok(Finding::broken(found));
    }
    let owed = trial.for_all(cases, &vec(rounds(at_once), 1..6), |rounds| {
        patient(trial, time, shape, &rounds)
    })?;
    Ok(match owed {
        Finding::Held { cases: owed } => Finding::Held {
            cases: taken + owed,
        },
        other => other,
    })
}

fn steps(at_once: u64) -> impl Strategy<Value = Step> {
    let pause = prop_oneof![
        3 => (1_u64..20).prop_map(Pause::Eighths),
        2 => (1_u64..6).prop_map(Pause::Units),
        3 => Just(Pause::Edge),
        1 => (1_u64..40).prop_map(Pause::Idle),
    ];
    let asks = prop_oneof![
        1 => 1..=at_once,
        2 => Just(at_once.saturating_add(2)),
    ];
    (pause, asks).prop_map(|(pause, asks)| Step { pause, asks })
}

fn rounds(at_once: u64) -> impl Strategy<Value = Round> {
    (1..=at_once, 0_u64..8).prop_map(|(part, eighths)| Round { part, eighths })
}

/// Asks until it is refused, previews and asks again, and convicts a surplus; at the end it rests
/// until nothing can be owed any more, and must be admitted again.
fn greedy(
    trial: &Trial<'_>,
    time: Time<'_>,
    shape: &Shape,
    steps: &[Step],
) -> Result<Option<Counterexample>, Stop> {
    let mut run = Run::new(trial, time)?;
    for step in steps {
        pause(&mut run, shape, step.pause)?;
        if run.ask_out(step.asks)? < step.asks {
            run.preview()?;
            run.ask()?;
        }
        if let Some(surplus) = shape.surplus(run.log()) {
            return Ok(Some(exceeded(&run, shape, &surplus)));
        }
    }
    run.wait_for_millisecond();
    run.wait(shape.run_out(run.asked()));
    if run.ask()? {
        return Ok(None);
    }
    Ok(Some(withheld(&run, shape)))
}

/// Takes all it can get for a long time: a rate that is a little too high adds up to a surplus.
fn steady(
    trial: &Trial<'_>,
    time: Time<'_>,
    shape: &Shape,
) -> Result<Option<Counterexample>, Stop> {
    let most = shape.at_once().saturating_add(1);
    let mut run = Run::new(trial, time)?;
    for _ in 0..(STEADY_ASKS / most).clamp(4, STEADY_STEPS) {
        run.ask_out(most)?;
        run.wait(whole_millis(shape.unit()));
    }
    run.ask_out(most)?;
    let surplus = shape.surplus(run.log());
    Ok(surplus.map(|surplus| exceeded(&run, shape, &surplus)))
}

fn whole_millis(nanos: u64) -> u64 {
    nanos.div_ceil(MILLI).max(1) * MILLI
}

fn pause(run: &mut Run<'_>, shape: &Shape, pause: Pause) -> Result<(), Stop> {
    run.wait_for_millisecond();
    match pause {
        Pause::Eighths(eighths) => run.wait(whole_millis(shape.period() / 8 * eighths)),
        Pause::Units(units) => run.wait(whole_millis(shape.unit() * units)),
        Pause::Idle(times) => run.wait(shape.run_out(shape.at_once()) * times),
        Pause::Edge => {
            let edge = shape.next(run.log(), run.now());
            let least = least_while(shape);
            if edge >= run.now() + least {
                run.wait(edge - run.now() - least);
                run.ask()?;
                run.wait(least);
            }
        }
    }
    Ok(())
}

/// A nanosecond; where windows are long, whoever keeps seconds in floating point cannot tell one.
fn least_while(shape: &Shape) -> u64 {
    if shape.period() <= 3_600_000 * MILLI {
        1
    } else {
        MILLI
    }
}

/// Asks for no more than the limit, and only after everything owed has run out; so it must never
/// be refused.
fn patient(
    trial: &Trial<'_>,
    time: Time<'_>,
    shape: &Shape,
    rounds: &[Round],
) -> Result<Option<Counterexample>, Stop> {
    let mut run = Run::new(trial, time)?;
    for round in rounds {
        for part in [round.part, shape.at_once() - round.part] {
            for _ in 0..part {
                if !run.ask()? {
                    return Ok(Some(withheld(&run, shape)));
                }
            }
            run.wait(shape.period() / 8 / MILLI * MILLI * round.eighths);
        }
        run.wait(shape.run_out(shape.at_once()));
    }
    Ok(None)
}

fn exceeded(run: &Run<'_>, shape: &Shape, surplus: &str) -> Counterexample {
    let name = named(shape);
    run.told(format!("the rate admits too many: {surplus}"))
        .expected(format!("no more than `{name}` allows"))
        .seen(format!("{surplus}, as `{name}` counts"))
        .twin(run.twin(shape))
}

fn withheld(run: &Run<'_>, shape: &Shape) -> Counterexample {
    let name = named(shape);
    let hint = match shape.window() {
        Window::Bucket => "; a bucket that admits fewer at once declares `burst = N`",
        Window::Fixed | Window::Sliding => "",
    };
    run.told("what is due is refused".to_owned())
        .expected(format!(
            "allowed: nothing that `{name}` counts stands against it any more{hint}"
        ))
        .seen("refused")
        .twin(run.twin(shape))
}
