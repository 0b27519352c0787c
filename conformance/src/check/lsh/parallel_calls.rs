//! LSH-04: of M calls at once exactly N are authorised.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::LeashTrial;
use crate::outcome::Counterexample;
use crate::profile::Capability;
use crate::subject::{CaveatSpec, GateSpec, LeashGate};
use crate::trial::{Finding, FreshGate, Judged, Stop, authorizing, contained};

/// Threads that meet at each gate.
const THREADS: usize = 4;

/// So many gates, one after another, in one meeting of the threads; so many meetings.
const GATES: usize = 64;
const MEETINGS: u64 = 48;

/// A gate's budget, and how many calls each thread makes: fewer, or one thread alone could spend
/// what others were wrongly denied.
const BUDGET: u64 = 3;
const CALLS: u64 = 2;

/// After so many looks a waiting thread lets others run.
const LOOKS: u32 = 1_000;

/// How long it may take in all.
const MOST: Duration = Duration::from_secs(4);

/// LSH-04.
pub(super) fn exactly(trial: &LeashTrial<'_>) -> Judged {
    let spec = GateSpec::new().budget(BUDGET);
    let alone = one_after_another(&trial.gate(&spec)?)?;
    if alone != BUDGET {
        return Ok(Finding::Undecided(format!(
            "the control failed: asked one after another, a {spec} authorises {alone} calls of {}",
            BUDGET + 1
        )));
    }
    let meetings = trial.share_of(MEETINGS).max(4);
    let started = Instant::now();
    for _ in 0..meetings {
        if started.elapsed() > MOST {
            break;
        }
        let fresh = (0..GATES).map(|_| trial.gate(&spec));
        let fresh = fresh.collect::<Result<Vec<_>, _>>()?;
        for admitted in meet(trial, &fresh)? {
            if admitted != BUDGET {
                return Ok(Finding::broken(other_number(&spec, admitted)));
            }
        }
    }
    if trial.offers(Capability::Generation)
        && let Some(found) = beside_stale(trial, meetings)?
    {
        return Ok(Finding::broken(found));
    }
    // How many meetings there was time for depends on how busy the machine is, which a report does
    // not tell.
    Ok(Finding::Held {
        cases: meetings * GATES as u64,
    })
}

/// As many valid calls as there is budget, each of a thread of its own, beside stale ones.
fn beside_stale(trial: &LeashTrial<'_>, meetings: u64) -> Result<Option<Counterexample>, Stop> {
    let spec = GateSpec::new().generation(1).budget(BUDGET);
    let (top, stale) = (CaveatSpec::top(), CaveatSpec::top().generations([2]));
    // What a stale call costs one after another, another row is about.
    let alone = trial.gate(&spec)?;
    if alone.authorize(&stale, &top)?.is_ok() || one_after_another(&alone)? != BUDGET {
        return Ok(None);
    }
    let started = Instant::now();
    for _ in 0..meetings {
        if started.elapsed() > MOST {
            break;
        }
        let fresh = (0..GATES).map(|_| trial.gate(&spec));
        let fresh = fresh.collect::<Result<Vec<_>, _>>()?;
        let raw: Vec<&dyn LeashGate> =
            fresh.iter().map(FreshGate::raw).collect::<Result<_, _>>()?;
        let race = Race {
            of_thread: [(&stale, CALLS), (&top, 1), (&top, 1), (&top, 1)],
            gates: &raw,
            start: Barrier::new(THREADS),
            arrived: AtomicUsize::new(0),
            lost: AtomicBool::new(false),
        };
        let asked = "valid and stale calls at once";
        for admitted in trial.during(&asked, || race.run())?? {
            if admitted != BUDGET {
                return Ok(Some(
                    Counterexample::new(format!(
                        "beside stale calls {admitted} of {BUDGET} valid calls at once are authorised"
                    ))
                    .step(spec.to_string(), "a gate")
                    .steps(CALLS, authorizing(&stale, &top), "denied")
                    .steps(BUDGET, authorizing(&top, &top), format!("{admitted} authorised"))
                    .expected(format!("exactly {BUDGET} authorised"))
                    .seen(format!("{admitted} authorised, by {THREADS} threads at once"))
                    .twin(format!("without stale calls exactly {BUDGET} are authorised")),
                ));
            }
        }
    }
    Ok(None)
}

fn one_after_another(gate: &FreshGate<'_>) -> Result<u64, Stop> {
    let top = CaveatSpec::top();
    let mut admitted = 0;
    for _ in 0..=BUDGET {
        admitted += u64::from(gate.authorize(&top, &top)?.is_ok());
    }
    Ok(admitted)
}

fn other_number(spec: &GateSpec, admitted: u64) -> Counterexample {
    let top = CaveatSpec::top();
    let calls = CALLS * THREADS as u64;
    Counterexample::new(format!(
        "{admitted} of {calls} calls at once are authorised on a budget of {BUDGET}"
    ))
    .step(spec.to_string(), "a gate")
    .steps(
        calls,
        authorizing(&top, &top),
        format!("{admitted} authorised"),
    )
    .expected(format!("exactly {BUDGET} authorised"))
    .seen(format!(
        "{admitted} authorised, by {THREADS} threads at once"
    ))
    .twin(format!(
        "one after another, exactly {BUDGET} are authorised"
    ))
}

/// How many calls each gate authorises, when all threads come to it at the same time.
fn meet(trial: &LeashTrial<'_>, gates: &[FreshGate<'_>]) -> Result<Vec<u64>, Stop> {
    let raw = gates.iter().map(FreshGate::raw);
    let raw: Vec<&dyn LeashGate> = raw.collect::<Result<_, _>>()?;
    let asked = format!("{THREADS} threads authorise at once");
    let top = CaveatSpec::top();
    let race = Race {
        of_thread: [(&top, CALLS); THREADS],
        gates: &raw,
        start: Barrier::new(THREADS),
        arrived: AtomicUsize::new(0),
        lost: AtomicBool::new(false),
    };
    trial.during(&asked, || race.run())?
}

struct Race<'g> {
    /// What is granted to each thread, and how often it calls.
    of_thread: [(&'g CaveatSpec, u64); THREADS],
    gates: &'g [&'g dyn LeashGate],
    start: Barrier,
    arrived: AtomicUsize,
    lost: AtomicBool,
}

impl Race<'_> {
    fn run(&self) -> Result<Vec<u64>, Stop> {
        let counts = thread::scope(|scope| {
            let racing: Vec<_> = self
                .of_thread
                .iter()
                .map(|(granted, calls)| scope.spawn(|| self.call(granted, *calls)))
                .collect();
            let counts = racing.into_iter().map(|thread| {
                let lost = |_| Err("an authorising thread is lost".to_owned());
                thread.join().unwrap_or_else(lost)
            });
            counts.collect::<Result<Vec<Vec<u64>>, String>>()
        });
        let counts = counts.map_err(|message| {
            Stop::Panicked(Box::new(
                Counterexample::new(format!("the subject panicked: {message}"))
                    .step(
                        "authorise from several threads at once".to_owned(),
                        "panicked",
                    )
                    .expected("an answer")
                    .seen(format!("a panic: {message}"))
                    .twin("one after another, the same calls are answered"),
            ))
        })?;
        let sum = |gate: usize| counts.iter().map(|of_thread| of_thread[gate]).sum();
        Ok((0..self.gates.len()).map(sum).collect())
    }

    /// One thread's calls at each gate, begun when all threads have come to it.
    fn call(&self, granted: &CaveatSpec, calls: u64) -> Result<Vec<u64>, String> {
        let top = CaveatSpec::top();
        let mut counts = Vec::with_capacity(self.gates.len());
        self.start.wait();
        for (round, gate) in self.gates.iter().enumerate() {
            self.arrived.fetch_add(1, Ordering::SeqCst);
            self.meet(round);
            let called = contained(|| {
                let calls = (0..calls).map(|_| u64::from(gate.authorize(granted, &top).is_ok()));
                calls.sum()
            });
            match called {
                Ok(count) => counts.push(count),
                Err(message) => {
                    // The others would wait for this thread for ever.
                    self.lost.store(true, Ordering::SeqCst);
                    return Err(message);
                }
            }
        }
        Ok(counts)
    }

    fn meet(&self, round: usize) {
        let mut looks: u32 = 0;
        while self.arrived.load(Ordering::SeqCst) < (round + 1) * THREADS
            && !self.lost.load(Ordering::SeqCst)
        {
            looks += 1;
            if looks.is_multiple_of(LOOKS) {
                thread::yield_now();
            }
            std::hint::spin_loop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::super::double::{held, row_of};
    use super::*;
    use crate::outcome::Outcome;
    use crate::profile::LeashProfile;
    use crate::subject::{Denial, Leash, LeashContext, LeashSubject, ToolkitLeash};

    #[test]
    fn the_toolkits_gates_count_at_once() {
        held("LSH-04");
    }

    /// Looks at what is left, and takes from it in a second step, between which it lets others
    /// run.
    struct TwoSteps;

    impl Leash for TwoSteps {
        fn gate(&self, spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
            let unbounded = GateSpec::new().generation(spec.generation);
            Ok(Box::new(TwoStepGate {
                left: AtomicU64::new(BUDGET),
                sound: ToolkitLeash.gate(&unbounded)?,
            }))
        }
    }

    struct TwoStepGate {
        left: AtomicU64,
        sound: Box<dyn LeashGate>,
    }

    impl LeashGate for TwoStepGate {
        fn authorize(
            &self,
            granted: &CaveatSpec,
            needed: &CaveatSpec,
        ) -> Result<Box<dyn LeashContext>, Denial> {
            let left = self.left.load(Ordering::SeqCst);
            let taken = left.checked_sub(1).ok_or_else(|| Denial::new("spent"))?;
            thread::yield_now();
            self.left.store(taken, Ordering::SeqCst);
            self.sound.authorize(granted, needed)
        }
    }

    /// Denies whoever comes while a call is being authorised, which takes until all have come.
    struct Busy;

    impl Leash for Busy {
        fn gate(&self, spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
            Ok(Box::new(BusyGate {
                busy: AtomicBool::new(false),
                waited: AtomicBool::new(false),
                denied: AtomicU64::new(0),
                sound: ToolkitLeash.gate(spec)?,
            }))
        }
    }

    struct BusyGate {
        busy: AtomicBool,
        waited: AtomicBool,
        denied: AtomicU64,
        sound: Box<dyn LeashGate>,
    }

    impl LeashGate for BusyGate {
        fn authorize(
            &self,
            granted: &CaveatSpec,
            needed: &CaveatSpec,
        ) -> Result<Box<dyn LeashContext>, Denial> {
            if self.busy.swap(true, Ordering::SeqCst) {
                self.denied.fetch_add(1, Ordering::SeqCst);
                return Err(Denial::new("busy"));
            }
            let others = (THREADS as u64 - 1) * CALLS;
            let first = !self.waited.swap(true, Ordering::SeqCst);
            for _ in 0..if first { 100 * LOOKS } else { 0 } {
                if self.denied.load(Ordering::SeqCst) == others {
                    break;
                }
                thread::yield_now();
            }
            let authorised = self.sound.authorize(granted, needed);
            self.busy.store(false, Ordering::SeqCst);
            authorised
        }
    }

    #[test]
    fn a_gate_that_denies_while_it_is_busy_is_convicted() {
        let profile = LeashProfile::new().call_budget();
        let row = row_of("LSH-04", &LeashSubject::new("busy", profile, || Busy));
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }

    #[test]
    fn a_gate_that_tests_and_charges_in_two_steps_is_convicted() {
        let profile = LeashProfile::new().call_budget();
        let row = row_of(
            "LSH-04",
            &LeashSubject::new("two_steps", profile, || TwoSteps),
        );
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }
}
