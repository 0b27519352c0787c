//! BUD-15: fresh calls, however many, never refill a spent one.

use crate::outcome::Counterexample;
use crate::trial::{Finding, Judged, Load, Stop, Trial};

/// So many fresh calls appear, where the profile does not bound them.
const CALLS: u64 = 10_000;

/// So often the spent call asks again meanwhile.
const LOOKS: u64 = 16;

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    // The spent call is one of those that are remembered.
    let bound = trial.profile().max_calls.unwrap_or(CALLS + 1) - 1;
    if bound == 0 {
        return Ok(Finding::NotApplicable(
            "the profile declares that one call is remembered, so none appears beside it"
                .to_owned(),
        ));
    }
    let (load, whole) = trial.spent_load()?;
    let calls = trial.affordable(bound.min(CALLS))?;
    let mut fewest = calls;
    for silent in [false, true] {
        match flooded(trial, &load, calls, silent)? {
            Flood::Refilled(after) => {
                return Ok(Finding::broken(refilled(&load, whole, after, silent)));
            }
            Flood::Held(fresh) => fewest = fewest.min(fresh),
        }
    }
    // A policy that refuses what it cannot remember keeps the promise: it is the spent call that
    // must not come back. One that admits no other call at all proves nothing.
    if fewest == 0 {
        return Ok(Finding::Undecided(
            "the control failed: not one fresh call was admitted, so nothing took up any room; declare a request under `allow` that is admitted in any call".to_owned(),
        ));
    }
    Ok(Finding::Held { cases: 2 * fewest })
}

enum Flood {
    /// The spent call was admitted after so many fresh ones.
    Refilled(u64),
    /// It stayed refused, and so many fresh calls were admitted.
    Held(u64),
}

/// Spends one call, and lets fresh ones ask once each while time stands still. A silent call asks
/// again at the end only.
fn flooded(trial: &Trial<'_>, load: &Load, calls: u64, silent: bool) -> Result<Flood, Stop> {
    let instance = trial.fresh()?;
    let spent = load.spend(&instance, |request| request)?;
    let refused = load.request(spent.admitted);
    let fresh = load.request(0);
    let every = if silent { calls } else { calls / LOOKS }.max(1);
    let mut admitted = 0;
    for call in 1..=calls {
        let request = fresh.clone().with_call(&format!("flood-{call:08x}"));
        admitted += u64::from(instance.ask(&request)?.allows());
        if (call % every == 0 || call == calls) && instance.ask(&refused)?.allows() {
            return Ok(Flood::Refilled(call));
        }
    }
    Ok(Flood::Held(admitted))
}

fn refilled(load: &Load, whole: u64, after: u64, silent: bool) -> Counterexample {
    let fresh = load.request(0).with_call("flood-00000001");
    let how = if silent {
        "silent"
    } else {
        "asking now and then"
    };
    Counterexample::new(format!("{after} fresh calls refill a spent one"))
        .steps(whole + 1, &load.request(0), "refused at the last")
        .steps(after, &fresh, "each under another call id")
        .step(&load.request(whole), "allowed")
        .expected("refused: no other call gives a live one its budget back")
        .seen(format!(
            "allowed after {after} fresh calls, {how} meanwhile"
        ))
        .twin("before the fresh calls it was refused")
}
