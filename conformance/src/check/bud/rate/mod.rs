//! BUD-08: a rate admits what its declared shape allows, and again when it is due.

mod admissions;
mod real;
mod run;
mod schedule;
mod shape;

use std::time::Instant;

pub(super) use run::{Run, Time, named};
pub(super) use shape::{MILLI, Shape};

use crate::check::paused::paused;
use crate::outcome::Counterexample;
use crate::profile::Window;
use crate::trial::{Finding, Judged, Stop, Trial};

/// What a user is told whose subject's time cannot be moved.
const NO_CLOCK: &str = "no clock can be steered: take the clock in the factory, as in `|clock| …`";

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let limit = trial.profile().at_once().unwrap_or_default();
    let base = trial.base();
    let most = limit.saturating_add(1);
    let whole = trial.fresh()?.admits_until_refused(most, &base)?;
    if whole == 0 {
        return Ok(Finding::Undecided(format!(
            "the control failed: a fresh subject refuses `{base}`, so nothing can be spent; declare a request under `allow` that it admits"
        )));
    }
    let Some(shape) = Shape::declared(trial.profile()) else {
        return at_one_instant(trial, limit, whole);
    };
    let shape = match trial.profile().burst {
        // Of a bucket that declares no burst a smaller one than its `requests` is no fault.
        None if shape.window() == Window::Bucket => shape.bursting(whole.min(shape.at_once())),
        _ => shape,
    };
    if !shape.is_judged() {
        return Ok(Finding::Undecided(
            "a rate that needs months to come back cannot be judged: declare a smaller `window_ms` and build the subject with it".to_owned(),
        ));
    }
    if trial.takes().clock {
        return schedule::judge(trial, Time::Steered, &shape);
    }
    let paused = paused()?;
    let on_paused = trial.on(&paused);
    let time = Time::Paused(&paused);
    match obeys(&on_paused, time, &shape) {
        Ok(true) => return schedule::judge(&on_paused, time, &shape),
        // Some things can be done on a runtime of several threads only.
        Ok(false) | Err(Stop::Panicked(_)) => {}
        Err(stop) => return Err(stop),
    }
    if shape.period() <= real::LONGEST {
        return real::judge(trial, &shape);
    }
    Ok(Finding::Undecided(NO_CLOCK.to_owned()))
}

/// Without a shape nothing is declared about what comes back when; only the limit at one instant
/// is.
fn at_one_instant(trial: &Trial<'_>, limit: u64, whole: u64) -> Judged {
    if whole <= limit {
        return Ok(Finding::NotApplicable(
            "the profile declares no `window_ms` with `fixed`, `sliding` or `bucket`; at one instant no more than `requests` were admitted".to_owned(),
        ));
    }
    if !trial.takes().clock {
        return Ok(Finding::Undecided(NO_CLOCK.to_owned()));
    }
    let request = trial.base();
    Ok(Finding::broken(
        Counterexample::new(format!(
            "more than the declared {limit} requests are admitted at one instant"
        ))
        .steps(limit + 1, &request, "allowed")
        .expected(format!(
            "at most {limit} admitted while the clock stands still"
        ))
        .seen(format!("request {} was allowed", limit + 1))
        .twin(format!(
            "request 1 was allowed, as it should be within {limit}"
        )),
    ))
}

/// Whether the subject's rate comes back when the runtime's time is moved, and not by itself.
fn obeys(trial: &Trial<'_>, time: Time<'_>, shape: &Shape) -> Result<bool, Stop> {
    let started = Instant::now();
    let mut run = Run::new(trial, time)?;
    run.ask_out(shape.at_once().saturating_add(1))?;
    let spent = !run.ask()?;
    run.wait(shape.run_out(run.asked()));
    let back = run.ask()?;
    let quick = started.elapsed().as_nanos() < u128::from(shape.unit());
    Ok(spent && back && quick)
}
