//! BUD-12: what is outside the declared scope does not refill the budget.

use serde_json::{Value, json};

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

/// These are in no scope at all, nor do they make another endpoint.
const ELSEWHERE: &[(&str, Change)] = &[
    ("another query", |r| r.clone().with_pair("ids", "1,2")),
    ("another query order", |r| {
        r.clone().with_pair("b", "1").with_pair("a", "2")
    }),
    ("another query in the path", |r| {
        let joint = if r.path.contains('?') { '&' } else { '?' };
        r.clone().with_path(&format!("{}{joint}ids=1,2", r.path))
    }),
    ("another body", |r| with_ids(r, json!([1, 2]))),
    ("another body of equal length", |r| {
        with_ids(r, json!([2, 1]))
    }),
];

/// These are in no scope either, but may make another endpoint.
const ENDPOINTS: &[(&str, Change)] = &[
    ("another path", |r| {
        r.clone().with_path(&format!("{}-2", r.path))
    }),
    ("another first segment", |r| {
        r.clone().with_path(&with_segment(&r.path))
    }),
    ("another host", |r| {
        r.clone().with_path(&r.path.replacen("://", "://other.", 1))
    }),
    ("another method", |r| r.clone().with_method("HEAD")),
    ("another method with a body", |r| {
        with_ids(&r.clone().with_method("PUT"), json!([1]))
    }),
];

/// The request with ids among its body's members. One that has no body is posted.
fn with_ids(request: &RequestCase, ids: Value) -> RequestCase {
    let mut body = request.body.clone().unwrap_or_else(|| json!({}));
    match body.as_object_mut() {
        Some(members) => {
            members.insert("ids".to_owned(), ids);
        }
        None => body = json!({"ids": ids}),
    }
    let method = match (&request.body, request.method.as_str()) {
        (None, "GET" | "HEAD") => "POST",
        (_, method) => method,
    };
    request.clone().with_method(method).with_body(body)
}

/// The URL with one more segment in front of its path.
fn with_segment(url: &str) -> String {
    let path = url.match_indices('/').nth(2);
    let (origin, path) = path.map_or((url, ""), |(at, _)| url.split_at(at));
    format!("{origin}/other{path}")
}

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let (load, whole) = trial.spent_load()?;
    let Some(scope) = trial.profile().scope_in_force() else {
        return Ok(Finding::NotApplicable(
            "the profile declares no scope".to_owned(),
        ));
    };
    let mut changes: Vec<(&str, Change)> = ELSEWHERE.to_vec();
    let profile = trial.profile();
    if profile.distinct_endpoints.is_some() && profile.requests.is_none() {
        // A body makes a request another method's, too.
        let posted =
            |(_, change): &(&str, Change)| change(load.base()).method == load.base().method;
        changes.retain(posted);
    } else {
        changes.extend(ENDPOINTS);
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
    cases += match other_samples(trial, &load, whole, scope)? {
        Finding::Held { cases } => usize::try_from(cases).unwrap_or(usize::MAX),
        found => return Ok(found),
    };
    if cases == 0 {
        return Ok(Finding::NotApplicable(format!(
            "a fresh policy refuses every request that differs from `{}` in what is outside the scope, so no name can be changed; if it allows others, declare them under `allow`",
            load.request(0)
        )));
    }
    Ok(Finding::held(cases))
}

/// The other requests that the profile allows, as the same tool and call make them.
fn other_samples(trial: &Trial<'_>, load: &Load, whole: u64, scope: Scope) -> Judged {
    let profile = trial.profile();
    let mut cases = 0;
    if profile.distinct_endpoints.is_some() {
        return Ok(Finding::held(cases));
    }
    for candidate in trial.candidates() {
        let mut other = candidate.with_call(&load.base().call_id);
        if scope.by_tool() {
            other.tool.clone_from(&load.base().tool);
        }
        // A request that is smaller than those that used up the bytes may still fit.
        if profile.bytes.is_some() || other == *load.base() {
            continue;
        }
        if !trial.fresh()?.ask(&other)?.allows() {
            continue;
        }
        cases += 1;
        let instance = trial.fresh()?;
        load.spend(&instance, |request| request)?;
        if instance.ask(&other)?.allows() {
            let name = "another allowed request";
            return Ok(Finding::broken(refilled(load, whole, &other, name, scope)));
        }
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
