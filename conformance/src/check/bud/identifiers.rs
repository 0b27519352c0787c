//! BUD-12: what is outside the declared scope does not refill the budget.

use crate::outcome::Counterexample;
use crate::profile::Scope;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Load, Stop, Trial};

type Change = fn(&RequestCase) -> RequestCase;

const TOOLS: &[(&str, Change)] = &[
    ("another tool", |r| {
        r.clone().with_tool("proofmark_other_tool")
    }),
    ("no tool", |r| r.clone().with_tool("")),
];

const CALLS: &[(&str, Change)] = &[
    ("another call", |r| r.clone().with_call("call-other")),
    ("no call", |r| r.clone().with_call("")),
];

/// These are in no scope at all.
const ELSEWHERE: &[(&str, Change)] = &[
    ("another query", |r| r.clone().with_pair("ids", "1,2")),
    ("another query order", |r| {
        r.clone().with_pair("b", "1").with_pair("a", "2")
    }),
    ("another path", |r| {
        r.clone().with_path(&format!("{}-2", r.path))
    }),
    ("another method", |r| r.clone().with_method("HEAD")),
];

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let (load, whole) = trial.spent_load()?;
    let Some(scope) = trial.profile().scope_in_force() else {
        return Ok(Finding::NotApplicable(
            "the profile declares no scope".to_owned(),
        ));
    };
    let mut changes: Vec<(&str, Change)> = ELSEWHERE.to_vec();
    if trial.profile().distinct_endpoints.is_some() && trial.profile().requests.is_none() {
        // Another path or method may be another endpoint.
        changes.truncate(3);
    }
    if !scope.by_tool() {
        changes.extend(TOOLS);
    }
    if !scope.by_call() {
        changes.extend(CALLS);
    }
    let mut cases = 0;
    for (name, change) in changes {
        let refused = load.request(whole);
        let changed = change(&refused);
        // What a fresh subject refuses anyway says nothing about the budget.
        if !trial.fresh()?.ask(&change(&load.request(0)))?.allows() {
            continue;
        }
        cases += 1;
        let instance = trial.fresh()?;
        load.spend(&instance, |request| request)?;
        if instance.ask(&changed)?.allows() {
            return Ok(Finding::broken(refilled(
                &load, whole, &changed, name, scope,
            )));
        }
    }
    if !scope.by_call() {
        match unattributed_counts(trial, &load, whole)? {
            Some(finding) => return Ok(finding),
            None => cases += 1,
        }
    }
    if cases == 0 {
        return Ok(Finding::Undecided(
            "the control failed: a fresh subject refuses every request whose identifiers differ"
                .to_owned(),
        ));
    }
    Ok(Finding::held(cases))
}

fn refilled(
    load: &Load,
    whole: u64,
    changed: &RequestCase,
    name: &str,
    scope: Scope,
) -> Counterexample {
    let scope = match scope {
        Scope::Call => "per call",
        Scope::Tool => "per tool",
        Scope::ToolAndCall => "per tool and call",
        Scope::Global => "global",
    };
    Counterexample::new(format!("{name} refills a budget that is {scope}"))
        .steps(whole + 1, &load.request(0), "refused at the last")
        .step(changed, "allowed")
        .expected("refused: the budget is used up, and what changed is outside its scope")
        .seen("allowed")
        .twin(format!(
            "without the change, `{}` was refused",
            load.request(whole)
        ))
}

/// An empty call id still counts where calls share one budget.
fn unattributed_counts(
    trial: &Trial<'_>,
    load: &Load,
    whole: u64,
) -> Result<Option<Finding>, Stop> {
    let instance = trial.fresh()?;
    let spent = load.spend(&instance, |request| request.with_call(""))?;
    if spent.refused && spent.admitted <= whole {
        return Ok(None);
    }
    let base = load.request(0);
    Ok(Some(Finding::broken(
        Counterexample::new("requests without a call id are not counted")
            .steps(spent.admitted, &base.clone().with_call(""), "allowed")
            .expected(format!(
                "at most {whole} admitted: an empty call id counts where calls share a budget"
            ))
            .seen(format!("{} admitted", spent.admitted))
            .twin(format!("with a call id {whole} were admitted")),
    )))
}
