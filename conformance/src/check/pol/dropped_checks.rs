//! POL-10: a check that is dropped while it waits costs at most one unit, and jams nothing.

use std::time::{Duration, Instant};

use crate::outcome::Counterexample;
use crate::profile::Scope;
use crate::trial::{Abandoned, Finding, Instance, Judged, Load, Stop, Trial};

/// At most so many checks are dropped.
const MOST_DROPPED: u64 = 1_000;

/// The call whose checks are dropped, and one that is to notice nothing.
const CALL: &str = "call-a";
const OTHER: &str = "call-b";

/// A subject is waited for so many times longer than a fresh one took, within these bounds.
const PATIENCE: u32 = 100;
const SHORTEST_PATIENCE: Duration = Duration::from_millis(250);

/// What is done before the budget is spent.
#[derive(Debug, Clone, Copy)]
struct Plan {
    /// So many requests are sent first.
    before: u64,
    /// So many checks are polled once and dropped.
    dropped: u64,
    /// Whether they all wait before the first is dropped.
    together: bool,
}

impl Plan {
    fn described(&self) -> String {
        match self.dropped {
            1 => "a dropped check".to_owned(),
            many => format!("{many} dropped checks"),
        }
    }
}

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let profile = trial.profile();
    if profile.scope_in_force().is_none() {
        return Ok(Finding::NotApplicable(
            "the profile declares no budget and no rate".to_owned(),
        ));
    }
    trial.require_steered()?;
    let started = Instant::now();
    let (load, whole) = trial.spent_load()?;
    let usual = started.elapsed() / u32::try_from(whole + 1).unwrap_or(u32::MAX);
    let patience = (usual * PATIENCE).max(SHORTEST_PATIENCE);
    let patience = patience.min(trial.deadline() / 2);
    let mut cases = 0;
    for plan in plans(whole) {
        match judge(trial, (&load, whole), plan, patience)? {
            Finding::Held { cases: tried } => cases += tried,
            found => return Ok(found),
        }
    }
    Ok(Finding::Held { cases })
}

fn judge(
    trial: &Trial<'_>,
    (load, whole): (&Load, u64),
    mut plan: Plan,
    patience: Duration,
) -> Judged {
    let instance = trial.fresh()?;
    for index in 0..plan.before {
        instance.ask(&load.request(index).with_call(CALL))?;
    }
    let abandoned = abandon(&instance, load, &plan)?;
    if abandoned.waiting == 0 && plan.before < whole {
        return Ok(Finding::Undecided(format!(
            "the control failed: the profile says that checks wait, but `{}` was answered at its first poll; remove `pends`",
            load.request(plan.before).with_call(CALL)
        )));
    }
    // What another thread answered before it was looked at is like any other request.
    plan.before += abandoned.admitted;
    // What is refused at once, for want of budget or because too many wait, takes nothing.
    plan.dropped = abandoned.waiting;
    let due = whole.saturating_sub(plan.before);
    match spend(&instance, load, plan.before, patience)? {
        Some(after) if after > due || after < due.saturating_sub(plan.dropped) => {
            return Ok(Finding::broken(miscounted(load, &plan, due, after)));
        }
        Some(_) => {}
        None if is_jammed(trial, &instance, load, patience)? => {
            return Ok(Finding::broken(jammed(load, &plan, patience)));
        }
        None => {
            return Ok(Finding::Undecided(format!(
                "the machine is too busy to tell: an answer took more than {patience:?}, and not for good"
            )));
        }
    }
    let other = other_call(trial, &instance, load, whole, &plan)?;
    Ok(other.map_or(Finding::held(1), Finding::broken))
}

/// Simplest first. What gives back a unit that it never took shows only where one was taken.
fn plans(whole: u64) -> Vec<Plan> {
    let most = whole.min(MOST_DROPPED);
    let plan = |before, dropped, together| Plan {
        before,
        dropped,
        together,
    };
    vec![
        plan(0, 1, false),
        plan(1, 1, false),
        plan(whole, 1, false),
        plan(0, most, false),
        plan(0, most, true),
        plan(whole / 2, most.min(whole - whole / 2), true),
    ]
}

fn abandon(instance: &Instance<'_>, load: &Load, plan: &Plan) -> Result<Abandoned, Stop> {
    let requests: Vec<_> = (0..plan.dropped)
        .map(|index| load.request(plan.before + index).with_call(CALL))
        .collect();
    if plan.together {
        return instance.abandon(&requests);
    }
    let mut abandoned = Abandoned::default();
    for request in requests.chunks(1) {
        let one = instance.abandon(request)?;
        abandoned.waiting += one.waiting;
        abandoned.admitted += one.admitted;
    }
    Ok(abandoned)
}

/// How many more of the call's requests are admitted; `None` where one is not answered in time.
fn spend(
    instance: &Instance<'_>,
    load: &Load,
    before: u64,
    patience: Duration,
) -> Result<Option<u64>, Stop> {
    for index in before..=before + load.most_steps() {
        let request = load.request(index).with_call(CALL);
        match instance.ask_within(&request, patience)? {
            None => return Ok(None),
            Some(answer) if answer.allows() => {}
            Some(_) => return Ok(Some(index - before)),
        }
    }
    Ok(Some(load.most_steps()))
}

/// Whether the subject stays silent while a fresh one answers in a part of that time.
fn is_jammed(
    trial: &Trial<'_>,
    instance: &Instance<'_>,
    load: &Load,
    patience: Duration,
) -> Result<bool, Stop> {
    let request = load.request(0).with_call(CALL);
    let fresh = trial.fresh()?.ask_within(&request, patience / 4)?;
    let again = instance.ask_within(&request, patience)?;
    Ok(fresh.is_some() && again.is_none())
}

fn dropped(headline: String, load: &Load, plan: &Plan) -> Counterexample {
    let own = load.request(0).with_call(CALL);
    let mut counterexample = Counterexample::new(headline);
    if plan.before > 0 {
        counterexample = counterexample.steps(plan.before, &own, "allowed");
    }
    let how = if plan.together {
        "polled once, all dropped while they waited"
    } else {
        "polled once and dropped while it waited"
    };
    counterexample.steps(plan.dropped, &own, how)
}

fn jammed(load: &Load, plan: &Plan, patience: Duration) -> Counterexample {
    let headline = format!("after {} the next is never answered", plan.described());
    dropped(headline, load, plan)
        .step(&load.request(0).with_call(CALL), "no answer")
        .expected("an answer: whoever hangs up leaves no lock behind")
        .seen(format!(
            "no answer within {} ms, and none when asked again",
            patience.as_millis()
        ))
        .twin(format!(
            "a fresh subject answered the same request within {} ms",
            patience.as_millis() / 4
        ))
}

fn miscounted(load: &Load, plan: &Plan, due: u64, after: u64) -> Counterexample {
    let headline = format!(
        "after {} {after} requests are admitted, where {due} were left",
        plan.described()
    );
    let least = due.saturating_sub(plan.dropped);
    dropped(headline, load, plan)
        .steps(
            after + 1,
            &load.request(0).with_call(CALL),
            "refused at the last",
        )
        .expected(format!("between {least} and {due} more requests admitted"))
        .seen(format!("{after} admitted"))
        .twin(format!(
            "with no check dropped, {due} more are admitted and the next is refused"
        ))
}

/// Another call has the whole of its own budget, where calls have one.
fn other_call(
    trial: &Trial<'_>,
    instance: &Instance<'_>,
    load: &Load,
    whole: u64,
    plan: &Plan,
) -> Result<Option<Counterexample>, Stop> {
    if !trial.profile().scope_in_force().is_some_and(Scope::by_call) {
        return Ok(None);
    }
    let given = load
        .spend(instance, |request| request.with_call(OTHER))?
        .admitted;
    if given == whole {
        return Ok(None);
    }
    let headline = format!(
        "after {} another call is left {given} of {whole} requests",
        plan.described()
    );
    Ok(Some(
        dropped(headline, load, plan)
            .steps(
                given + 1,
                &load.request(0).with_call(OTHER),
                "refused at the last",
            )
            .expected(format!("{whole} requests of the other call admitted"))
            .seen(format!("{given} admitted"))
            .twin(format!("on a fresh subject {whole} were admitted")),
    ))
}
