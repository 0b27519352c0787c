//! POL-07: an empty call id is no call of its own, and no part of another.

use crate::outcome::Counterexample;
use crate::trial::{Answer, Finding, Instance, Judged, Load, Stop, Trial};

const CALLS: [&str; 2] = ["call-a", "call-b"];

/// So many unattributed requests are asked at least.
const MANY: u64 = 2_000;

/// What the unattributed requests are compared with.
const STRANGER: &str = "call-stranger";

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let (load, whole) = trial.spent_load()?;
    let beyond = load.request(whole);
    if !trial.fresh()?.ask(&beyond)?.allows() {
        return Ok(Finding::Undecided(format!(
            "the control failed: a fresh subject refuses `{beyond}`, so that it does not fit a budget cannot be told; declare more requests under `allow`"
        )));
    }
    if let Some(counterexample) = two_verdicts(trial, &load, whole)? {
        return Ok(Finding::broken(counterexample));
    }
    // A rate that comes back by itself grants more to whoever takes longer.
    let changed = match trial.is_steered() {
        true => changes_named(trial, &load, whole)?,
        false => None,
    };
    Ok(changed.map_or(
        Finding::Held {
            cases: load.most_steps(),
        },
        Finding::broken,
    ))
}

/// More unattributed requests than the limit, nothing else.
fn two_verdicts(
    trial: &Trial<'_>,
    load: &Load,
    whole: u64,
) -> Result<Option<Counterexample>, Stop> {
    let instance = trial.fresh()?;
    let first = instance.ask(&load.request(0).with_call(""))?;
    // A bucket that all of them share may be larger than that of a call.
    let many = trial.affordable(load.most_steps().max(MANY))?;
    for index in 1..many.max(load.most_steps()) {
        let request = load.request(index).with_call("");
        let later = instance.ask(&request)?;
        if later.word() != first.word() {
            return Ok(Some(changed(load, &first, index, &later, whole)));
        }
    }
    Ok(None)
}

fn changed(load: &Load, first: &Answer, index: u64, later: &Answer, whole: u64) -> Counterexample {
    Counterexample::new(format!(
        "unattributed requests are {first} {index} times and then {later}"
    ))
    .steps(index, &load.request(0).with_call(""), first)
    .step(&load.request(index).with_call(""), later)
    .expected(
        "one verdict for all of them: an empty call id is no call, and has no budget to use up",
    )
    .seen(format!("{first} {index} times, then {later}"))
    .twin(format!(
        "under one name, {whole} were allowed and the next was refused"
    ))
}

/// What each of two calls is granted while `between`, as many requests as use up a budget, come
/// from elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Granted([u64; 2]);

fn granted(
    instance: &Instance<'_>,
    load: &Load,
    whole: u64,
    between: &str,
) -> Result<Granted, Stop> {
    let [own, other] = CALLS;
    let part = whole.div_ceil(2);
    let mut admitted = 0;
    for index in 0..part {
        admitted += instance.admits(1, &load.request(index).with_call(own))?;
    }
    for index in 0..load.most_steps() {
        instance.ask(&load.request(index).with_call(between))?;
    }
    for index in part..load.most_steps() {
        if !instance.ask(&load.request(index).with_call(own))?.allows() {
            break;
        }
        admitted += 1;
    }
    let spent = load.spend(instance, |request| request.with_call(other))?;
    Ok(Granted([admitted, spent.admitted]))
}

fn changes_named(
    trial: &Trial<'_>,
    load: &Load,
    whole: u64,
) -> Result<Option<Counterexample>, Stop> {
    let found = granted(&trial.fresh()?, load, whole, "")?;
    let usual = granted(&trial.fresh()?, load, whole, STRANGER)?;
    if usual != Granted([whole; 2]) {
        return Err(Stop::Undecided(format!(
            "the control failed: with another call in between, two calls were granted {} and {} of {whole} requests, which BUD-03 is about",
            usual.0[0], usual.0[1]
        )));
    }
    let Some(index) = (0..2).find(|&index| found.0[index] != whole) else {
        return Ok(None);
    };
    let (call, count) = (CALLS[index], found.0[index]);
    let part = whole.div_ceil(2);
    let first = load.request(0);
    let mut counterexample = Counterexample::new(format!(
        "unattributed requests leave call `{call}` {count} of {whole} requests"
    ));
    if index == 0 {
        counterexample = counterexample.steps(part, &first.clone().with_call(call), "allowed");
    }
    Ok(Some(
        counterexample
            .steps(
                load.most_steps(),
                &first.clone().with_call(""),
                "asked in between",
            )
            .steps(
                load.most_steps(),
                &first.with_call(call),
                "asked until it is refused",
            )
            .expected(format!("{whole} requests of the call admitted in all"))
            .seen(format!("{count} admitted"))
            .twin(format!(
                "with as many requests of call `{STRANGER}` in between, {whole} were admitted"
            )),
    ))
}
