//! BUD-03: using up one call's budget leaves every other call's whole.

use crate::check::call_names::{confusable, shown};
use crate::outcome::Counterexample;
use crate::trial::{Finding, Instance, Judged, Load, Stop, Trial};

/// About so many requests are asked for the sake of names, and as many again in a crowd.
const ASKS: u64 = 20_000;

/// The plainest names are always asked.
const FEWEST: u64 = 4;

/// So many calls are used up side by side at most: two of them share a place if there are fewer than
/// some hundred thousand places.
const CROWD: u64 = 3_000;

/// So often is a call refused that has nothing left.
const REFUSED: u64 = 8;

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let (load, whole) = trial.spent_load()?;
    let affordable = trial.affordable(ASKS)?;
    let mut cases = 0;
    let most = (affordable / (3 * (whole + 1))).max(FEWEST);
    for names in confusable()
        .iter()
        .take(usize::try_from(most).unwrap_or(usize::MAX))
    {
        let instance = trial.fresh()?;
        for (at, name) in names.iter().enumerate() {
            let spent = load.spend(&instance, |request| request.with_call(name))?;
            if at == 0 && !spent.refused {
                return Ok(Finding::Undecided(format!(
                    "the control failed: the budget of call `{}` never ran out",
                    shown(name)
                )));
            }
            cases += 1;
            if spent.admitted != whole
                && let Some(found) = conviction(trial, &load, &names[..at], name)?
            {
                return Ok(Finding::broken(found));
            }
        }
    }
    let crowd = (affordable / (whole + 1 + REFUSED)).min(CROWD);
    match crowded(trial, (&load, whole), crowd)? {
        Finding::Held { cases: more } => Ok(Finding::Held {
            cases: cases + more,
        }),
        found => Ok(found),
    }
}

/// Many calls are used up one after another. Whoever keeps fewer buckets than there are calls lets
/// one of them spend another's.
fn crowded(trial: &Trial<'_>, (load, whole): (&Load, u64), crowd: u64) -> Judged {
    let bound = trial.profile().max_calls.unwrap_or(u64::MAX);
    let crowd = crowd.min(bound);
    let names: Vec<String> = (0..crowd).map(|call| format!("crowd-{call:08x}")).collect();
    let instance = trial.fresh()?;
    for (at, name) in names.iter().enumerate() {
        if exhausted(&instance, load, name)? == whole {
            continue;
        }
        // A policy that has no room for so many calls may refuse new ones: it takes one call that
        // leaves another less than its due.
        for used in names[..at].iter().rev() {
            let instance = trial.fresh()?;
            exhausted(&instance, load, used)?;
            let left = load.spend(&instance, |request| request.with_call(name))?;
            let used = std::slice::from_ref(used);
            if left.admitted != whole
                && let Some(found) = conviction(trial, load, used, name)?
            {
                return Ok(Finding::broken(found));
            }
        }
        return Ok(Finding::held(at));
    }
    Ok(Finding::Held { cases: crowd })
}

/// How many of the call's requests are admitted before it is refused some times.
fn exhausted(instance: &Instance<'_>, load: &Load, name: &str) -> Result<u64, Stop> {
    let spent = load.spend(instance, |request| request.with_call(name))?;
    let refused = load.request(spent.admitted).with_call(name);
    for _ in 1..REFUSED {
        instance.ask(&refused)?;
    }
    Ok(spent.admitted)
}

/// What shows that used-up calls leave `other` more or less than it gets alone; the fewest of them
/// are told.
fn conviction(
    trial: &Trial<'_>,
    load: &Load,
    used: &[String],
    other: &str,
) -> Result<Option<Counterexample>, Stop> {
    let alone = left_by(trial, load, &[], other)?;
    let mut shortest = used;
    for name in used {
        let one = std::slice::from_ref(name);
        if left_by(trial, load, one, other)? != alone {
            shortest = one;
        }
    }
    let left = left_by(trial, load, shortest, other)?;
    if left == alone {
        return Ok(None);
    }
    let base = load.request(0);
    let mut counterexample = Counterexample::new(format!(
        "using up one call leaves another {left} of its {alone} requests"
    ));
    for name in shortest {
        let used = base.clone().with_call(name);
        let most = load.most_steps() + REFUSED;
        counterexample = counterexample.steps(most, &used, "refused once it was used up");
    }
    let used = shortest.last().map(|name| shown(name)).unwrap_or_default();
    Ok(Some(
        counterexample
            .steps(left + 1, &base.with_call(other), "refused at the last")
            .expected(format!("{alone} requests of the other call admitted"))
            .seen(format!(
                "{left} admitted of `{}`, after `{used}` was used up",
                shown(other)
            ))
            .twin(format!("on a fresh subject {alone} were admitted")),
    ))
}

fn left_by(trial: &Trial<'_>, load: &Load, used: &[String], other: &str) -> Result<u64, Stop> {
    let instance = trial.fresh()?;
    for name in used {
        exhausted(&instance, load, name)?;
    }
    let spent = load.spend(&instance, |request| request.with_call(other))?;
    Ok(spent.admitted)
}
