//! POL-03: a stateless policy answers alike in both phases.

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Answer, Finding, Judged, Stop, Trial};

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    for request in trial.declared_requests() {
        if let Some(counterexample) = differs(trial, &request)? {
            return Ok(Finding::broken(counterexample));
        }
    }
    let cases = trial.cases()?;
    trial.for_all(cases, &trial.requests(), |request| differs(trial, &request))
}

fn differs(trial: &Trial<'_>, request: &RequestCase) -> Result<Option<Counterexample>, Stop> {
    let sent = request.clone().sent();
    let preview = request.clone().previewed();
    let executed = settled(trial, &sent)?;
    let validated = settled(trial, &preview)?;
    if executed.word() == validated.word() {
        return Ok(None);
    }
    confirmed(trial, &[(&sent, &executed), (&preview, &validated)])?;
    Ok(Some(
        Counterexample::new(format!(
            "the preview is {validated}, the request itself {executed}"
        ))
        .step(&preview, &validated)
        .step(&sent, &executed)
        .expected("the same verdict in both phases: the profile declares the policy stateless")
        .seen(format!("{validated} as a preview, {executed} when sent"))
        .twin(format!(
            "asked on two fresh subjects each, the preview was {validated} twice and the request {executed} twice"
        )),
    ))
}

/// The verdict of two fresh subjects, which must agree before requests can be compared.
pub(super) fn settled(trial: &Trial<'_>, request: &RequestCase) -> Result<Answer, Stop> {
    let first = trial.fresh()?.ask(request)?;
    let second = trial.fresh()?.ask(request)?;
    if first.word() == second.word() {
        return Ok(first);
    }
    Err(Stop::Undecided(format!(
        "two fresh subjects disagree about `{request}` itself already, which POL-02 is about"
    )))
}

/// Asks fresh subjects again about what is to convict. One that answers by chance is not convicted
/// of a rule.
pub(super) fn confirmed(
    trial: &Trial<'_>,
    answers: &[(&RequestCase, &Answer)],
) -> Result<(), Stop> {
    const TIMES: usize = 8;
    for _ in 0..TIMES {
        for (request, answer) in answers {
            if trial.fresh()?.ask(request)?.word() != answer.word() {
                return Err(Stop::Undecided(format!(
                    "fresh subjects disagree about `{request}` itself already, which POL-02 is about"
                )));
            }
        }
    }
    Ok(())
}
