//! BUD-05: never more than the limit is admitted, however many ask at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Instance, Judged, Load, Stop, Trial};

/// So many tasks, released together.
const TASKS: usize = 24;

/// So many threads, each of which asks so often in each round.
const THREADS: usize = 2;
const ASKS: usize = 4;

/// Rounds among tasks, of which a slow subject runs fewer; rounds among threads are short, and it
/// takes many of them for two threads to meet between a read and a write.
const ROUNDS: u32 = 48;
const THREAD_ROUNDS: u32 = 16;

/// So much of the budget is left when the race begins.
const LEFT: u64 = 2;

pub(super) fn never_more(trial: &Trial<'_>) -> Judged {
    let (load, most) = most_admitted(trial)?;
    let scale = trial.cases()?;
    let rounds = (scale * ROUNDS).div_ceil(256).max(4);
    let mut cases = 0;
    for round in 0..rounds {
        let instances = if round % 2 == 0 {
            1
        } else {
            scale * THREAD_ROUNDS / rounds + 1
        };
        let race = if round % 2 == 0 {
            among_tasks
        } else {
            among_threads
        };
        let mut readied = Vec::new();
        for _ in 0..instances {
            readied.push(Readied::new(trial, &load, most)?);
        }
        for (readied, raced) in readied.iter().zip(race(&readied, &load)?) {
            cases += 1;
            if readied.before + raced > most {
                return Ok(Finding::broken(exceeded(
                    &load,
                    most,
                    readied.before,
                    raced,
                )));
            }
        }
        if trial.is_long() {
            break;
        }
    }
    Ok(Finding::held(cases))
}

/// A subject with almost all of its budget spent.
struct Readied<'t> {
    instance: Instance<'t>,
    before: u64,
}

impl<'t> Readied<'t> {
    fn new(trial: &'t Trial<'_>, load: &Load, most: u64) -> Result<Self, Stop> {
        let instance = trial.fresh()?;
        let mut before = 0;
        for index in 0..most.saturating_sub(LEFT) {
            before += u64::from(instance.ask(&load.request(index))?.allows());
        }
        Ok(Self { instance, before })
    }
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

/// How many each admits of requests that many tasks make at once.
fn among_tasks(readied: &[Readied<'_>], load: &Load) -> Result<Vec<u64>, Stop> {
    let raced = readied.iter().map(|readied| {
        let requests = (0..TASKS as u64).map(|index| load.request(readied.before + index));
        let answers = readied.instance.ask_together(requests.collect())?;
        Ok(answers.iter().filter(|answer| answer.allows()).count() as u64)
    });
    raced.collect()
}

/// How many each admits of requests that threads make as fast as they can. They meet anew before
/// each subject, without sleeping, so that they really run at once.
fn among_threads(readied: &[Readied<'_>], load: &Load) -> Result<Vec<u64>, Stop> {
    let arrived = AtomicUsize::new(0);
    let counts: Vec<Vec<u64>> = thread::scope(|scope| {
        let racing: Vec<_> = (0..THREADS)
            .map(|_| scope.spawn(|| race(readied, load, &arrived)))
            .collect();
        let joined = racing.into_iter().map(|thread| {
            let lost = |_| Stop::Harness("an asking thread panicked".to_owned());
            thread.join().map_err(lost)?
        });
        joined.collect::<Result<_, Stop>>()
    })?;
    let sum = |index: usize| counts.iter().map(|counts| counts[index]).sum();
    Ok((0..readied.len()).map(sum).collect())
}

fn race(readied: &[Readied<'_>], load: &Load, arrived: &AtomicUsize) -> Result<Vec<u64>, Stop> {
    let mut counts = vec![0; readied.len()];
    let mut stopped = Ok(());
    for (round, (readied, count)) in readied.iter().zip(&mut counts).enumerate() {
        let requests: Vec<RequestCase> = (0..ASKS as u64)
            .map(|ask| load.request(readied.before + ask))
            .collect();
        arrived.fetch_add(1, Ordering::SeqCst);
        while arrived.load(Ordering::SeqCst) < (round + 1) * THREADS {
            thread::yield_now();
        }
        // A thread that stops still has to meet the others, which would wait for it for ever.
        for request in &requests {
            match readied.instance.ask(request) {
                Ok(answer) => *count += u64::from(answer.allows()),
                Err(stop) => stopped = Err(stop),
            }
        }
    }
    stopped.map(|()| counts)
}
