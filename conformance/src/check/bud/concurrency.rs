//! BUD-05: never more than the limit is admitted, however many ask at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Instance, Judged, Load, Stop, Trial};

/// So many tasks, released together, in so many rounds, of which a slow subject runs fewer.
const TASKS: u64 = 24;
const TASK_ROUNDS: u32 = 24;

/// So many threads meet before each of so many subjects, until they have really met so often or
/// have tried for so long: a machine that is busy seldom lets them.
const THREADS: usize = 2;
const SUBJECTS: usize = 64;
const MEETINGS: u32 = 4_096;
const MOST_TRIED: Duration = Duration::from_millis(1_500);

/// So much of the budget is left when a race begins: only the last request may be admitted twice,
/// or one after another may be lost.
const LEFT: [u64; 3] = [1, 2, 32];

/// A racer looks so often for the others before it lets go of its core.
const LOOKS: u32 = 4_000;

pub(super) fn never_more(trial: &Trial<'_>) -> Judged {
    let (load, most) = most_admitted(trial)?;
    let cases = trial.cases()?;
    let mut raced = 0;
    for round in 0..(cases * TASK_ROUNDS).div_ceil(256).max(4) {
        let readied = [Readied::new(trial, &load, most, left(round))?];
        raced += 1;
        let admitted = [among_tasks(&readied[0], &load)?];
        if let Some(counterexample) = exceeded(&readied, &admitted, &load, most) {
            return Ok(Finding::broken(counterexample));
        }
    }
    let wanted = cases * MEETINGS / 256;
    let (mut met, started) = (0, Instant::now());
    for round in 0_u32.. {
        if met >= wanted || started.elapsed() > MOST_TRIED || trial.is_long() {
            break;
        }
        let readied = (0..SUBJECTS).map(|_| Readied::new(trial, &load, most, left(round)));
        let readied = readied.collect::<Result<Vec<_>, _>>()?;
        let (admitted, meetings) = among_threads(&readied, &load, left(round) + 1)?;
        met += meetings;
        raced += readied.len();
        if let Some(counterexample) = exceeded(&readied, &admitted, &load, most) {
            return Ok(Finding::broken(counterexample));
        }
    }
    Ok(Finding::held(raced))
}

fn left(round: u32) -> u64 {
    LEFT[round as usize % LEFT.len()]
}

/// The load and its limit. Where requests are counted, the profile says how many there are; what
/// bytes and endpoints admit one after another is the measure of what they may at once.
fn most_admitted(trial: &Trial<'_>) -> Result<(Load, u64), Stop> {
    match (trial.profile().requests, trial.load()) {
        (Some(limit), Some(load)) => Ok((load, limit)),
        _ => trial.spent_load(),
    }
}

/// A subject with all but a little of its budget spent.
struct Readied<'t> {
    instance: Instance<'t>,
    before: u64,
}

impl<'t> Readied<'t> {
    fn new(trial: &'t Trial<'_>, load: &Load, most: u64, left: u64) -> Result<Self, Stop> {
        let instance = trial.fresh()?;
        let mut before = 0;
        for index in 0..most.saturating_sub(left) {
            before += u64::from(instance.ask(&load.request(index))?.allows());
        }
        Ok(Self { instance, before })
    }
}

/// The first race in which more was admitted than may be.
fn exceeded(
    readied: &[Readied<'_>],
    admitted: &[u64],
    load: &Load,
    most: u64,
) -> Option<Counterexample> {
    let mut races = readied.iter().zip(admitted);
    let (Readied { before, .. }, raced) =
        races.find(|(readied, raced)| readied.before + **raced > most)?;
    let total = before + raced;
    Some(
        Counterexample::new(format!(
            "{total} requests are admitted at once where {most} may be"
        ))
        .steps(*before, &load.request(0), "allowed, one after another")
        .steps(
            *raced,
            &load.request(*before),
            "allowed, at once with others that were refused",
        )
        .expected(format!("at most {most} admitted"))
        .seen(format!(
            "{before} admitted one after another, then {raced} more at once"
        ))
        .twin(format!(
            "a budget that counts under one lock admits {most} and refuses the next"
        )),
    )
}

/// How many are admitted of requests that many tasks make at once.
fn among_tasks(readied: &Readied<'_>, load: &Load) -> Result<u64, Stop> {
    let requests = (0..TASKS).map(|index| load.request(readied.before + index));
    let answers = readied.instance.ask_together(requests.collect())?;
    Ok(answers
        .iter()
        .map(|answer| u64::from(answer.allows()))
        .sum())
}

/// How many each admits of requests that threads make as fast as they can, and how often the
/// threads really met.
fn among_threads(readied: &[Readied<'_>], load: &Load, asks: u64) -> Result<(Vec<u64>, u32), Stop> {
    let arrived = AtomicUsize::new(0);
    let raced: Vec<(Vec<u64>, u32)> = thread::scope(|scope| {
        let racing: Vec<_> = (0..THREADS)
            .map(|_| scope.spawn(|| race(readied, load, asks, &arrived)))
            .collect();
        let joined = racing.into_iter().map(|thread| {
            let lost = |_| Stop::Harness("an asking thread panicked".to_owned());
            thread.join().map_err(lost)?
        });
        joined.collect::<Result<_, Stop>>()
    })?;
    let sum = |index: usize| raced.iter().map(|(counts, _)| counts[index]).sum();
    let met = raced.iter().map(|(_, met)| *met).min().unwrap_or_default();
    Ok(((0..readied.len()).map(sum).collect(), met))
}

fn race(
    readied: &[Readied<'_>],
    load: &Load,
    asks: u64,
    arrived: &AtomicUsize,
) -> Result<(Vec<u64>, u32), Stop> {
    let mut counts = vec![0; readied.len()];
    let mut met = 0;
    let mut stopped = Ok(());
    for (round, (readied, count)) in readied.iter().zip(&mut counts).enumerate() {
        let requests: Vec<RequestCase> = (0..asks)
            .map(|ask| load.request(readied.before + ask))
            .collect();
        arrived.fetch_add(1, Ordering::SeqCst);
        let mut looks = 0;
        while arrived.load(Ordering::SeqCst) < (round + 1) * THREADS {
            looks += 1;
            if looks % LOOKS == 0 {
                thread::yield_now();
            }
            std::hint::spin_loop();
        }
        met += u32::from(looks < LOOKS);
        // A thread that stops still has to meet the others, which would wait for it for ever.
        match readied.instance.ask_in_haste(&requests) {
            Ok(admitted) => *count = admitted,
            Err(stop) => stopped = Err(stop),
        }
    }
    stopped.map(|()| (counts, met))
}
