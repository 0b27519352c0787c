//! BUD-05 and BUD-16: however many ask at once, the limit is admitted, and never more.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::rate::Shape;
use crate::outcome::Counterexample;
use crate::profile::Window;
use crate::subject::RequestCase;
use crate::trial::{Finding, Instance, Judged, Load, Stop, Trial};

/// So many tasks, released together, in so many rounds, of which a slow subject runs fewer.
const TASKS: u64 = 24;
const TASK_ROUNDS: u32 = 24;

/// So many threads meet before each of so many subjects, fewer where these are slow, until they
/// have really met so often or have tried for so long: a machine that is busy seldom lets them.
const THREADS: usize = 2;
const SUBJECTS: u64 = 64;
const MEETINGS: u32 = 4_096;
const MOST_TRIED: Duration = Duration::from_millis(1_500);

/// They try for longer where they met less often than a part of that.
const LONGEST_TRIED: Duration = Duration::from_secs(3);
const FEW: u32 = 4;

/// So much of the budget is left when a race begins: only the last request may be admitted twice,
/// or one after another may be lost.
const LEFT: [u64; 3] = [1, 2, MOST_LEFT];
const MOST_LEFT: u64 = 32;

/// A racer looks so often for the others before it lets go of its core.
const LOOKS: u32 = 4_000;

/// BUD-05.
pub(super) fn never_more(trial: &Trial<'_>) -> Judged {
    let (load, most) = most_admitted(trial)?;
    // The last of the threads asks for what lies furthest down the row.
    if !load.spends_at(most + THREADS as u64 * (MOST_LEFT + 1)) {
        return Ok(Finding::Undecided(
            "the profile declares too few endpoints for many to ask for different ones at once: declare one with a `{name}` segment".to_owned(),
        ));
    }
    let exceeds = |race: &Race<'_>| race.before + race.raced > most;
    let crowd = Crowd::of(MEETINGS);
    let raced = races(
        trial,
        &load,
        &crowd,
        |left| readied(trial, &load, most, left),
        |race| Ok(exceeds(race).then(|| exceeded(race, &load, most))),
    )?;
    match (raced, come_due(trial)) {
        (Finding::Held { cases }, Some(due)) => races_for_what_came_due(trial, &load, due, cases),
        (raced, _) => Ok(raced),
    }
}

/// BUD-16.
pub(super) fn none_lost(trial: &Trial<'_>) -> Judged {
    let Some(limit) = trial.profile().requests else {
        return Ok(Finding::NotApplicable(
            "the profile declares no request budget".to_owned(),
        ));
    };
    let (load, whole) = trial.spent_load()?;
    if whole != limit {
        return Ok(Finding::Undecided(format!(
            "the control failed: one after another {whole} of {limit} are admitted, which BUD-02 is about"
        )));
    }
    let crowd = Crowd {
        limit: Some(limit),
        ..Crowd::of(MEETINGS / 4)
    };
    races(
        trial,
        &load,
        &crowd,
        |left| readied(trial, &load, limit, left),
        |race| {
            let admitted = race.before + race.raced;
            let due = limit.min(race.before + race.asked);
            Ok((admitted < due).then(|| lost(race, &load, due)))
        },
    )
}

fn lost(race: &Race<'_>, load: &Load, due: u64) -> Counterexample {
    let (before, raced, first) = (race.before, race.raced, load.request(0));
    Counterexample::new(format!(
        "only {} of {due} requests are admitted when many ask at once",
        before + raced
    ))
    .steps(before, &first, "allowed, one after another")
    .steps(race.asked, &first, format!("{raced} allowed, all at once"))
    .expected(format!("exactly {due} admitted"))
    .seen(format!(
        "{before} admitted one after another, then {raced} of {} at once",
        race.asked
    ))
    .twin("one after another, the whole limit was admitted")
}

/// The load and its limit. Where requests are counted, the profile says how many there are; what
/// bytes and endpoints admit one after another is the measure of what they may at once.
fn most_admitted(trial: &Trial<'_>) -> Result<(Load, u64), Stop> {
    match (trial.profile().at_once(), trial.load()) {
        (Some(limit), Some(load)) => Ok((load, limit)),
        _ => trial.spent_load(),
    }
}

fn exceeded(race: &Race<'_>, load: &Load, most: u64) -> Counterexample {
    let (before, raced) = (race.before, race.raced);
    let total = before + raced;
    Counterexample::new(format!(
        "{total} requests are admitted at once where {most} may be"
    ))
    .steps(before, &load.request(0), "allowed, one after another")
    .steps(
        raced,
        &load.request(before),
        "allowed, at once with others that were refused",
    )
    .expected(format!("at most {most} admitted"))
    .seen(format!(
        "{before} admitted one after another, then {raced} more at once"
    ))
    .twin(format!(
        "a budget that counts under one lock admits {most} and refuses the next"
    ))
}

/// What comes due when a spent rate has waited, and how long that takes.
#[derive(Debug, Clone, Copy)]
struct Due {
    after: Duration,
    count: u64,
}

/// A whole window, or one request of a bucket: where a clock can be moved to that very instant.
fn come_due(trial: &Trial<'_>) -> Option<Due> {
    let shape = Shape::declared(trial.profile()).filter(|_| trial.takes().clock)?;
    let count = match trial.profile().window? {
        Window::Bucket => shape.most_in(shape.unit()) - shape.at_once(),
        Window::Fixed | Window::Sliding => shape.at_once(),
    };
    Some(Due {
        after: Duration::from_nanos(shape.unit()),
        count,
    })
}

/// Two who see at once that a window has turned must not both open it.
fn races_for_what_came_due(trial: &Trial<'_>, load: &Load, due: Due, before: u64) -> Judged {
    let Due { after, count } = due;
    let spent = |_| {
        let instance = trial.fresh()?;
        load.spend(&instance, |request| request)?;
        instance.clock().advance(after);
        let before = 0;
        Ok(Readied { instance, before })
    };
    let crowd = Crowd::of(MEETINGS / 4);
    let raced = races(trial, load, &crowd, spent, |race| {
        let most = count.saturating_add(1);
        let rest = race
            .instance
            .admits_until_refused(most, load.base())?
            .saturating_add(race.raced);
        if rest <= count {
            return Ok(None);
        }
        let (base, raced) = (load.base(), race.raced);
        Ok(Some(
            Counterexample::new(format!(
                "{rest} requests are admitted where {count} came due"
            ))
            .steps(1, base, "refused: the rate is used up")
            .steps(
                race.asked,
                base,
                format!("{raced} allowed, all at once after {after:?}"),
            )
            .expected(format!("at most {count} admitted"))
            .seen(format!(
                "{raced} admitted at once, and {} more after that",
                rest - raced
            ))
            .twin("before that, no more than the limit were admitted at once"),
        ))
    })?;
    Ok(match raced {
        Finding::Held { cases } => Finding::Held {
            cases: cases + before,
        },
        broken => broken,
    })
}

/// A subject with all but a little of its budget spent.
struct Readied<'t> {
    instance: Instance<'t>,
    before: u64,
}

fn readied<'t>(
    trial: &'t Trial<'_>,
    load: &Load,
    most: u64,
    left: u64,
) -> Result<Readied<'t>, Stop> {
    let instance = trial.fresh()?;
    let mut before = 0;
    for index in 0..most.saturating_sub(left) {
        before += u64::from(instance.ask(&load.request(index))?.allows());
    }
    Ok(Readied { instance, before })
}

/// What came of a race: how many had been admitted one after another, and how many of those that
/// asked at once were.
struct Race<'r> {
    instance: &'r Instance<'r>,
    before: u64,
    raced: u64,
    asked: u64,
}

/// How many ask at once.
#[derive(Debug, Clone, Copy)]
struct Crowd {
    /// So often threads are to meet.
    meetings: u32,
    /// The limit, where no more are to ask than one beyond what is left of it: of more, those that
    /// are turned away for nothing hide behind those that are turned away rightly.
    limit: Option<u64>,
}

impl Crowd {
    fn of(meetings: u32) -> Self {
        let limit = None;
        Self { meetings, limit }
    }

    /// So many tasks ask once each; where few are to, many do in every other turn.
    fn tasks(&self, round: u32) -> u64 {
        let turn = round as usize / LEFT.len();
        match self.limit.filter(|_| turn.is_multiple_of(2)) {
            Some(limit) => left(round).min(limit) + 1,
            None => TASKS,
        }
    }

    /// So often each of the threads asks.
    fn each(&self, round: u32) -> u64 {
        match self.limit {
            Some(limit) => (left(round).min(limit) + 1).div_ceil(THREADS as u64),
            None => left(round) + 1,
        }
    }
}

/// Races tasks and threads for what is left of `ready` subjects, until `judge` finds a race that
/// broke the promise.
fn races<'t>(
    trial: &'t Trial<'_>,
    load: &Load,
    crowd: &Crowd,
    ready: impl Fn(u64) -> Result<Readied<'t>, Stop>,
    judge: impl Fn(&Race<'_>) -> Result<Option<Counterexample>, Stop>,
) -> Judged {
    let found = |readied: &[Readied<'t>], admitted: &[u64], asked: u64| {
        for (Readied { instance, before }, &raced) in readied.iter().zip(admitted) {
            let before = *before;
            let race = Race {
                instance,
                before,
                raced,
                asked,
            };
            if let Some(found) = judge(&race)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    };
    let cases = trial.cases()?;
    let rounds = (cases * TASK_ROUNDS).div_ceil(256).max(4);
    for round in 0..rounds {
        let readied = [ready(left(round))?];
        let tasks = crowd.tasks(round);
        let admitted = [among_tasks(&readied[0], load, tasks)?];
        if let Some(counterexample) = found(&readied, &admitted, tasks)? {
            return Ok(Finding::broken(counterexample));
        }
    }
    let wanted = cases * crowd.meetings / 256;
    let subjects = trial.affordable(SUBJECTS * MOST_LEFT)? / MOST_LEFT + 1;
    let (mut met, started) = (0, Instant::now());
    for round in 0_u32.. {
        let most = if met < wanted / FEW {
            LONGEST_TRIED
        } else {
            MOST_TRIED
        };
        if met >= wanted || started.elapsed() > most || trial.is_long() {
            break;
        }
        let asks = crowd.each(round);
        let readied = (0..subjects).map(|_| ready(left(round)));
        let readied = readied.collect::<Result<Vec<_>, _>>()?;
        let (admitted, really) = among_threads(&readied, load, asks)?;
        met += really;
        let asked = asks * THREADS as u64;
        if let Some(counterexample) = found(&readied, &admitted, asked)? {
            return Ok(Finding::broken(counterexample));
        }
    }
    // How many really met is a matter of how busy the machine is, which a report does not tell.
    Ok(Finding::Held {
        cases: u64::from(rounds + wanted),
    })
}

fn left(round: u32) -> u64 {
    LEFT[round as usize % LEFT.len()]
}

/// How many are admitted of requests that many tasks make at once.
fn among_tasks(readied: &Readied<'_>, load: &Load, tasks: u64) -> Result<u64, Stop> {
    let requests = (0..tasks).map(|index| load.request(readied.before + index));
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
            .map(|thread| {
                let (arrived, first) = (&arrived, thread as u64 * asks);
                scope.spawn(move || race(readied, load, first..first + asks, arrived))
            })
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
    asks: Range<u64>,
    arrived: &AtomicUsize,
) -> Result<(Vec<u64>, u32), Stop> {
    let mut counts = vec![0; readied.len()];
    let mut met = 0;
    let mut stopped = Ok(());
    for (round, (readied, count)) in readied.iter().zip(&mut counts).enumerate() {
        let requests: Vec<RequestCase> = asks
            .clone()
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
