//! Counterexamples that the checks of a leash have in common, and their usual control.

use super::LeashTrial;
use crate::outcome::Counterexample;
use crate::subject::{CaveatSpec, GateSpec};
use crate::trial::{Act, FreshContext, Stop, authorizing};

/// The context allowed what it must deny, for this reason.
pub(super) fn wrongly_allowed(
    context: &FreshContext<'_>,
    act: &Act,
    why: &str,
    twin: impl Into<String>,
) -> Counterexample {
    let granted = context.granted();
    Counterexample::new(format!("{act} is allowed: {why}"))
        .step(authorizing(granted, &CaveatSpec::top()), "a context")
        .step(act.to_string(), "allowed")
        .expected(format!("denied: {why}"))
        .seen("allowed")
        .twin(twin)
}

/// The context denied what it must allow, for this reason.
pub(super) fn wrongly_denied(
    context: &FreshContext<'_>,
    act: &Act,
    why: &str,
    twin: impl Into<String>,
) -> Counterexample {
    let granted = context.granted();
    Counterexample::new(format!("{act} is denied: {why}"))
        .step(authorizing(granted, &CaveatSpec::top()), "a context")
        .step(act.to_string(), "denied")
        .expected(format!("allowed: {why}"))
        .seen("denied")
        .twin(twin)
}

/// A context with this authority; `None` where the gate refuses to authorise it at all. To refuse
/// a grant that means nothing is stricter than to let it cover nothing.
pub(super) fn unless_refused<'t>(
    trial: &'t LeashTrial<'t>,
    granted: &CaveatSpec,
) -> Result<Option<FreshContext<'t>>, Stop> {
    let gate = trial.gate(&GateSpec::new())?;
    Ok(gate.authorize(granted, &CaveatSpec::top())?.ok())
}

/// The usual control: the context allows what it was plainly granted. A context that denies
/// everything would pass whatever asks for denials.
pub(super) fn must_allow(context: &FreshContext<'_>, act: &Act) -> Result<String, Stop> {
    if context.allows(act)? {
        return Ok(format!("{act} is granted, and allowed"));
    }
    Err(Stop::Undecided(format!(
        "the control failed: {act} is denied under {}, so a denial proves nothing",
        context.granted()
    )))
}
