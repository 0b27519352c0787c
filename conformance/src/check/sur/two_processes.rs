//! SUR-13: two processes do not make the same call ids.

use std::collections::HashSet;

use crate::outcome::Counterexample;
use crate::subject::SurfaceSubject;
use crate::trial::{Finding, Judged, Stop, Trial};
use crate::worker::{Errand, is_worker};

/// So many calls are made in each process.
const CALLS: u64 = 10_000;

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    if !is_worker() {
        return Ok(Finding::Undecided(
            "this process cannot start itself a second time: judge the row in a worker".to_owned(),
        ));
    }
    let calls = u32::try_from(trial.share_of(CALLS)).unwrap_or(u32::MAX);
    // Both are started before either is waited for.
    let started = [1, 2].map(|process| {
        let errand = Errand::CallIds { process, calls };
        errand.start(trial.subject(), trial.settings())
    });
    let mut collected = Vec::new();
    for errand in started {
        let errand = errand
            .map_err(|cause| Stop::Harness(format!("no second process can be started: {cause}")))?;
        let ids = errand.call_ids(trial.deadline() * 4).map_err(|cause| {
            Stop::Undecided(format!(
                "the control failed: a second process gave no ids: {cause}"
            ))
        })?;
        collected.push(ids);
    }
    let [first, second] = collected.as_slice() else {
        return Err(Stop::Harness("there are not two processes".to_owned()));
    };
    let mut sets = Vec::new();
    for ids in [first, second] {
        let set: HashSet<&String> = ids.iter().collect();
        let wanted = usize::try_from(calls).unwrap_or(usize::MAX);
        if ids.len() != wanted || set.len() != ids.len() || set.iter().any(|id| id.is_empty()) {
            return Ok(Finding::Undecided(format!(
                "the control failed: {calls} calls of one process were shown under {} ids that are not empty",
                set.iter().filter(|id| !id.is_empty()).count()
            )));
        }
        sets.push(set);
    }
    let common: Vec<&&String> = first.iter().filter_map(|id| sets[1].get(id)).collect();
    let Some(id) = common.first() else {
        return Ok(Finding::held(first.len() + second.len()));
    };
    Ok(Finding::broken(
        Counterexample::new("two processes make the same call ids")
            .steps(
                u64::from(calls),
                "a call in each of two processes".to_owned(),
                "refused by a policy that notes the id",
            )
            .expected("no id in common")
            .seen(format!(
                "{} ids in common, `{}` among them",
                common.len(),
                id.escape_debug()
            ))
            .twin(format!("within each process the {calls} ids are distinct")),
    ))
}
