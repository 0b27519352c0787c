//! BUD-05: never more than the limit is admitted, however many ask at once.

use std::sync::Barrier;
use std::thread;

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Instance, Judged, Load, Stop, Trial};

/// So many tasks, released together.
const TASKS: usize = 24;

/// So many threads, each of which asks so often as fast as it can.
const THREADS: usize = 4;
const ASKS: usize = 16;

/// So many rounds of either kind, of which a slow subject runs fewer.
const ROUNDS: u32 = 48;

/// So much of the budget is left when the race begins.
const LEFT: u64 = 2;

pub(super) fn never_more(trial: &Trial<'_>) -> Judged {
    let (load, most) = most_admitted(trial)?;
    let rounds = (trial.cases()? * ROUNDS).div_ceil(256).max(4);
    let mut cases = 0;
    for _ in 0..rounds {
        for race in [among_tasks, among_threads] {
            let instance = trial.fresh()?;
            let mut before = 0;
            for index in 0..most.saturating_sub(LEFT) {
                before += u64::from(instance.ask(&load.request(index))?.allows());
            }
            let raced = race(&instance, &load, before)?;
            cases += 1;
            if before + raced > most {
                return Ok(Finding::broken(exceeded(&load, most, before, raced)));
            }
        }
    }
    Ok(Finding::held(cases))
}

/// The load and its limit. Where requests are counted, the profile says how many there are; what
/// bytes and endpoints admit one after another is the measure of what they may at once.
fn most_admitted(trial: &Trial<'_>) -> Result<(Load, u64), Stop> {
    match (trial.profile().requests, trial.load()) {
        (Some(limit), Some(load)) => Ok((load, limit)),
        _ => trial.spent_load(),
    }
}

fn exceeded(load: &Load, whole: u64, before: u64, raced: u64) -> Counterexample {
    let base = load.request(before);
    Counterexample::new(format!(
        "{} requests are admitted at once where {whole} may be",
        before + raced
    ))
    .steps(before, &load.request(0), "allowed, one after another")
    .steps(TASKS as u64, &base, format!("{raced} allowed, all at once"))
    .expected(format!("at most {whole} admitted"))
    .seen(format!(
        "{before} admitted one after another, then {raced} more at once"
    ))
    .twin(format!(
        "one after another, {whole} were admitted and the next was refused"
    ))
}

fn among_tasks(instance: &Instance<'_>, load: &Load, before: u64) -> Result<u64, Stop> {
    let requests = (0..TASKS as u64).map(|index| load.request(before + index));
    let answers = instance.ask_together(requests.collect())?;
    Ok(answers.iter().filter(|answer| answer.allows()).count() as u64)
}

fn among_threads(instance: &Instance<'_>, load: &Load, before: u64) -> Result<u64, Stop> {
    let barrier = Barrier::new(THREADS);
    thread::scope(|scope| {
        let asking: Vec<_> = (0..THREADS)
            .map(|thread| {
                let requests: Vec<RequestCase> = (0..ASKS)
                    .map(|ask| load.request(before + (thread * ASKS + ask) as u64))
                    .collect();
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    let mut admitted = 0;
                    for request in &requests {
                        admitted += u64::from(instance.ask(request)?.allows());
                    }
                    Ok(admitted)
                })
            })
            .collect();
        asking.into_iter().try_fold(0, |total, thread| {
            let admitted = thread
                .join()
                .map_err(|_| Stop::Harness("an asking thread panicked".to_owned()))?;
            Ok(total + admitted?)
        })
    })
}
