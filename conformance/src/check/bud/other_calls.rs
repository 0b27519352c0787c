//! BUD-03: using up one call's budget leaves every other call's whole.

use crate::outcome::Counterexample;
use crate::trial::{Finding, Judged, Trial};

/// The call that is used up, and one that a careless key takes for it.
const CALLS: &[(&str, &str)] = &[
    ("call-a", "call-b"),
    ("call-1", "call-10"),
    ("call-10", "call-1"),
    ("aB", "Ab"),
    ("a:b", "a"),
    (
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab-1",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab-2",
    ),
];

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let (load, whole) = trial.spent_load()?;
    for (used, other) in CALLS {
        let instance = trial.fresh()?;
        let spent = load.spend(&instance, |request| request.with_call(used))?;
        if !spent.refused {
            return Ok(Finding::Undecided(format!(
                "the control failed: the budget of call `{used}` never ran out"
            )));
        }
        let left = load
            .spend(&instance, |request| request.with_call(other))?
            .admitted;
        if left < whole {
            let base = load.request(0);
            return Ok(Finding::broken(
                Counterexample::new(format!(
                    "using up one call leaves another {left} of its {whole} requests"
                ))
                .steps(
                    spent.admitted + 1,
                    &base.clone().with_call(used),
                    "refused at the last",
                )
                .steps(left + 1, &base.with_call(other), "refused at the last")
                .expected(format!("{whole} requests of the other call admitted"))
                .seen(format!("{left} admitted"))
                .twin(format!("on a fresh subject {whole} were admitted")),
            ));
        }
    }
    Ok(Finding::held(CALLS.len()))
}
