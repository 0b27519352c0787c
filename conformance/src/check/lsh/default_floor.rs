//! LSH-18: the default floor is Advisory, and a context keeps the floor it was minted with.

use super::LeashTrial;
use crate::outcome::Counterexample;
use crate::subject::{CaveatSpec, GateSpec, Strength};
use crate::trial::{Finding, FreshContext, FreshGate, Judged, Stop};

/// LSH-18.
pub(super) fn advisory(trial: &LeashTrial<'_>) -> Judged {
    let top = CaveatSpec::top();
    let raised = trial
        .leash()?
        .gate(&GateSpec::new().floor(Strength::Kernel))?;
    let gate = trial.gate(&GateSpec::new())?;
    let context = gate.context(&top, &top)?;
    let Some(default) = floor(&context)? else {
        return Ok(Finding::NotApplicable(
            "the leash's contexts tell no floor".to_owned(),
        ));
    };
    let can_be_set = raised.is_ok();
    let raised = match raised {
        Ok(gate) => told(floor(&gate.context(&top, &top)?)?),
        Err(_) => "no floor, for none can be set".to_owned(),
    };
    let twin =
        format!("a gate whose floor was raised to Kernel mints a context that tells {raised}");
    if default != Strength::Advisory {
        return Ok(Finding::broken(
            start(
                &gate,
                "a gate on which no floor was set does not mint Advisory contexts",
            )
            .step("ask a context for its floor".to_owned(), default)
            .expected("Advisory")
            .seen(default.to_string())
            .twin(twin),
        ));
    }
    if let Some(found) = changed(&gate, &context, default)? {
        return Ok(Finding::broken(found.twin(twin)));
    }
    if !can_be_set {
        return Ok(Finding::Noted {
            cases: 1,
            note: "no floor can be set on a gate, so the default is the only one".to_owned(),
        });
    }
    if raised != told(Some(Strength::Kernel)) {
        return Ok(Finding::Undecided(format!("the control failed: {twin}")));
    }
    Ok(Finding::held(4))
}

fn start(gate: &FreshGate<'_>, headline: &str) -> Counterexample {
    Counterexample::new(headline).step(gate.spec().to_string(), "a gate")
}

/// Sets floors on the living gate, where that can be done, and looks at a context that it minted
/// before, and at its clone.
fn changed(
    gate: &FreshGate<'_>,
    context: &FreshContext<'_>,
    minted: Strength,
) -> Result<Option<Counterexample>, Stop> {
    let clone = context.duplicate()?;
    let top = CaveatSpec::top();
    for later in [Strength::Kernel, Strength::Advisory, Strength::Interceptor] {
        if !gate.set_floor(later)? {
            break;
        }
        let _minted_later = gate.context(&top, &top)?;
        for (whose, context) in [("a context", context), ("a clone", &clone)] {
            let now = floor(context)?;
            if now != Some(minted) {
                return Ok(Some(
                    start(gate, "a context's floor changed after it was minted")
                        .step(format!("set the gate's floor to {later}"), "set")
                        .step(
                            format!("ask {whose} minted before for its floor"),
                            told(now),
                        )
                        .expected(told(Some(minted)))
                        .seen(told(now)),
                ));
            }
        }
    }
    Ok(None)
}

fn floor(context: &FreshContext<'_>) -> Result<Option<Strength>, Stop> {
    context.tell("its floor", |context| context.strength_floor())
}

fn told(floor: Option<Strength>) -> String {
    floor.map_or_else(|| "none".to_owned(), |floor| floor.to_string())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;

    #[test]
    fn the_toolkits_default_is_advisory() {
        held("LSH-18");
    }

    #[rstest]
    #[case::kernel_by_default(
        Double { floor: |_| Some(Strength::Kernel), ..Double::SOUND },
        Outcome::Fail
    )]
    #[case::never_raised(
        Double { floor: |_| Some(Strength::Advisory), ..Double::SOUND },
        Outcome::Inconclusive
    )]
    #[case::tells_none(Double { floor: |_| None, ..Double::SOUND }, Outcome::NotApplicable)]
    fn another_floor_is_noticed(#[case] double: Double, #[case] expected: Outcome) {
        let row = judged("LSH-18", double);
        assert_eq!(row.outcome, expected, "{row:?}");
    }
}
