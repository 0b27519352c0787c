//! POL-06: a request that names no tool has no tool's rights.

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Trial};

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let profile = trial.profile();
    if profile.allow_unattributed {
        return Ok(Finding::NotApplicable(
            "the profile says that unattributed requests are allowed".to_owned(),
        ));
    }
    let mut cases = 0;
    let mut unmet = None;
    for base in trial.candidates() {
        for tool in &profile.tools {
            let named = base.clone().with_tool(tool);
            for named in [named.clone(), named.previewed()] {
                match judge(trial, &named)? {
                    Finding::Held { cases: tried } => cases += tried,
                    Finding::Undecided(reason) => unmet = unmet.or(Some(reason)),
                    found => return Ok(found),
                }
            }
        }
    }
    match unmet {
        Some(reason) if cases == 0 => Ok(Finding::Undecided(reason)),
        _ => Ok(Finding::Held { cases }),
    }
}

fn judge(trial: &Trial<'_>, named: &RequestCase) -> Judged {
    let unlisted = trial.unlisted(named);
    let unnamed = named.clone().with_tool("");
    if !trial.fresh()?.ask(named)?.allows() {
        return Ok(Finding::Undecided(format!(
            "the control failed: `{named}` was refused; declare a request under `allow` that a listed tool may send"
        )));
    }
    if trial.fresh()?.ask(&unlisted)?.allows() {
        return Ok(Finding::Undecided(format!(
            "the control failed: `{unlisted}` was allowed, although its tool is on no list; declare `tools` only where others are refused"
        )));
    }
    let answer = trial.fresh()?.ask(&unnamed)?;
    if !answer.allows() {
        return Ok(Finding::held(1));
    }
    Ok(Finding::broken(
        Counterexample::new("a request that names no tool is allowed")
            .step(&unnamed, &answer)
            .expected("refused: an empty tool name is no listed tool's")
            .seen("allowed")
            .twin(format!("`{named}` was allowed, `{unlisted}` was refused")),
    ))
}
