//! BUD-07: a refusal for want of budget is final for its call.

use crate::outcome::Counterexample;
use crate::trial::{Finding, Judged, Stop, Trial};

/// Where no idle time is declared after which a call may be forgotten, one that asks every half
/// hour lives.
const UNDECLARED_IDLE_MS: u64 = 60 * 60 * 1_000;

/// So often is the refused request repeated.
const REPEATS: u64 = 12;

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
        let instance = trial.fresh()?;
        load.spend(&instance, |request| request)?;
        for _ in 0..REPEATS {
            for other in between {
                instance.ask(other)?;
            }
            cases += 1;
            if instance.ask(&refused)?.allows() {
                let mut counterexample = Counterexample::new(format!(
                    "a refused request is admitted {when}"
                ))
                .steps(whole + 1, &load.request(0), "refused at the last");
                for other in between {
                    counterexample = counterexample.step(other, "asked meanwhile");
                }
                return Ok(Finding::broken(
                    counterexample
                        .step(&refused, "allowed")
                        .expected(
                            "refused: the budget of the call is used up and does not come back",
                        )
                        .seen(format!("allowed {when}"))
                        .twin("the same request had been refused before"),
                ));
            }
        }
    }
    time_changes_nothing(trial, &load, whole)?.map_or(Ok(Finding::held(cases)), Ok)
}

/// A budget does not come back with time, so long as the call may not have been forgotten.
fn time_changes_nothing(
    trial: &Trial<'_>,
    load: &crate::trial::Load,
    whole: u64,
) -> Result<Option<Finding>, Stop> {
    if !trial.takes().clock {
        return Ok(None);
    }
    let idle = trial.profile().idle_ms.unwrap_or(UNDECLARED_IDLE_MS);
    let instance = trial.fresh()?;
    load.spend(&instance, |request| request)?;
    let refused = load.request(whole);
    for _ in 0..4 {
        instance
            .clock()
            .advance(std::time::Duration::from_millis(idle / 2));
        if instance.ask(&refused)?.allows() {
            return Ok(Some(Finding::broken(
                Counterexample::new("a used-up budget comes back with time")
                    .step(&refused, "allowed")
                    .expected("refused: only a rate comes back with time")
                    .seen(format!("allowed {} ms after it was last refused", idle / 2))
                    .twin("the same request had been refused before"),
            )));
        }
    }
    Ok(None)
}
