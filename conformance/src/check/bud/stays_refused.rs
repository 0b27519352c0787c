//! BUD-07: a refusal for want of budget is final for its call.

use std::time::Duration;

use crate::check::paused::{advance, paused};
use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Instance, Judged, Load, Stop, Trial};

/// Where no idle time is declared after which a call may be forgotten, one that asks every half
/// hour lives.
const UNDECLARED_IDLE_MS: u64 = 60 * 60 * 1_000;

/// So often is the refused request repeated.
const REPEATS: u64 = 12;

/// So often it is repeated with nothing in between: a counter of 16 bits that counts refusals, too, is
/// back at nothing before.
const INSISTS: u64 = 70_000;

/// The clock moves on by half the time after which a call may be forgotten, so often: by ten days,
/// where that is an hour.
const HALVES: u64 = 480;

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let (load, whole) = trial.spent_load()?;
    let refused = load.request(whole);
    let base = load.base();
    let meanwhile = [
        ("at once", vec![]),
        ("after a preview", vec![refused.clone().previewed()]),
        (
            "after a request of another call",
            vec![refused.clone().with_call("call-other")],
        ),
        (
            "after a request of another tool",
            vec![refused.clone().with_tool("proofmark_other_tool")],
        ),
        (
            "after an unattributed request",
            vec![refused.clone().with_call("").with_tool("")],
        ),
        (
            "after another request",
            vec![
                base.clone().with_pair("other", "1"),
                refused.clone().with_method("HEAD"),
            ],
        ),
    ];
    let mut cases = 0;
    for (when, between) in &meanwhile {
        match insists(trial, (&load, whole), when, between)? {
            Finding::Held { cases: asked } => cases += asked,
            found => return Ok(found),
        }
    }
    time_changes_nothing(trial, &load, whole)?.map_or(Ok(Finding::Held { cases }), Ok)
}

/// Repeats the refused request, with others in between.
fn insists(
    trial: &Trial<'_>,
    (load, whole): (&Load, u64),
    when: &str,
    between: &[RequestCase],
) -> Judged {
    let refused = load.request(whole);
    let instance = trial.fresh()?;
    load.spend(&instance, |request| request)?;
    let repeats = match between {
        [] => trial.affordable(INSISTS)?,
        _ => REPEATS,
    };
    for repeat in 0..repeats {
        if repeat >= REPEATS && trial.is_long() {
            break;
        }
        for other in between {
            instance.ask(other)?;
        }
        if !instance.ask(&refused)?.allows() {
            continue;
        }
        let when = match repeat {
            0 => when.to_owned(),
            many => format!("{when}, {many} refusals later"),
        };
        let mut counterexample = Counterexample::new(format!(
            "a refused request is admitted {when}"
        ))
        .steps(whole + 1, &load.request(0), "refused at the last");
        if repeat > 0 {
            counterexample = counterexample.steps(repeat, &refused, "refused");
        }
        for other in between {
            counterexample = counterexample.step(other, "asked meanwhile");
        }
        return Ok(Finding::broken(
            counterexample
                .step(&refused, "allowed")
                .expected("refused: the budget of the call is used up and does not come back")
                .seen(format!("allowed {when}"))
                .twin("the same request had been refused before"),
        ));
    }
    Ok(Finding::Held { cases: repeats })
}

/// A budget does not come back with time, so long as the call may not have been forgotten. Where the
/// factory takes no clock, a subject that reads the runtime's time is seen on a paused one.
fn time_changes_nothing(
    trial: &Trial<'_>,
    load: &Load,
    whole: u64,
) -> Result<Option<Finding>, Stop> {
    let idle = trial.profile().idle_ms.unwrap_or(UNDECLARED_IDLE_MS);
    let step = Duration::from_millis(idle / 2);
    if trial.takes().clock {
        return comes_back(trial, load, whole, step, |instance| {
            instance.clock().advance(step);
        });
    }
    let runtime = paused()?;
    let on_paused = trial.on(&runtime);
    match comes_back(&on_paused, load, whole, step, |_| advance(&runtime, step)) {
        // Some things can be done on a runtime of several threads only.
        Err(Stop::Panicked(_) | Stop::Factory(_)) => Ok(None),
        judged => judged,
    }
}

fn comes_back(
    trial: &Trial<'_>,
    load: &Load,
    whole: u64,
    step: Duration,
    wait: impl Fn(&Instance<'_>),
) -> Result<Option<Finding>, Stop> {
    let instance = trial.fresh()?;
    let spent = load.spend(&instance, |request| request)?;
    let refused = load.request(whole);
    if spent.admitted != whole || instance.ask(&refused)?.allows() {
        return Ok(None);
    }
    for halves in 1..=trial.affordable(HALVES)? {
        wait(&instance);
        if !instance.ask(&refused)?.allows() {
            continue;
        }
        let passed = step * u32::try_from(halves).unwrap_or(u32::MAX);
        return Ok(Some(Finding::broken(
            Counterexample::new("a used-up budget comes back with time")
                .steps(whole + 1, &load.request(0), "refused at the last")
                .step(&refused, format!("allowed, {passed:?} later"))
                .expected("refused: only a rate comes back with time")
                .seen(format!(
                    "allowed {passed:?} later, though the call asked every {step:?}"
                ))
                .twin("the same request had been refused before"),
        )));
    }
    Ok(None)
}
