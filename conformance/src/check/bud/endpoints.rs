//! BUD-17: a budget of endpoints counts each of them once, whatever query follows.

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Instance, Judged, Load, Stop, Trial};

/// So many further endpoints are asked for, as far as they go.
const FURTHER: u64 = 90;

/// So often is each endpoint used.
const USES: u64 = 4;

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let profile = trial.profile();
    let (Some(limit), None) = (profile.distinct_endpoints, profile.requests) else {
        return Ok(Finding::NotApplicable(
            "the profile bounds requests, so endpoints cannot be used up beside them".to_owned(),
        ));
    };
    let load = trial
        .load()
        .filter(|load| limit > 0 && load.spends_at(limit));
    let Some(load) = load else {
        return Ok(Finding::Undecided(format!(
            "the profile declares too few endpoints to use up a budget of {limit}: declare one with a `{{name}}` segment"
        )));
    };
    let old: Vec<RequestCase> = (0..limit).map(|index| load.request(index)).collect();
    let queried = queries(trial, &old[0])?;
    let mut cases = 0;
    for new in new_endpoints(trial, &load.request(limit), &old[0])? {
        let instance = trial.fresh()?;
        for request in &old {
            for with_query in &queried {
                cases += 1;
                let request = with_query(request);
                if !instance.ask(&request)?.allows() {
                    return used_endpoint(trial, &old, &request, cases <= 1);
                }
            }
        }
        if instance.ask(&new)?.allows() {
            return Ok(Finding::broken(one_too_many(&old, &new, limit)));
        }
        if let Some(further) = further(trial, &instance, &load, limit)? {
            return Ok(Finding::broken(one_too_many(&old, &further, limit)));
        }
        if let Some(lost) = old.iter().find_map(|request| match instance.ask(request) {
            Ok(answer) if answer.allows() => None,
            Ok(_) => Some(Ok(request)),
            Err(stop) => Some(Err(stop)),
        }) {
            return Ok(Finding::broken(lost_endpoint(&old, &new, lost?)));
        }
    }
    if cases == 0 {
        return Ok(Finding::Undecided(
            "the control failed: a fresh subject refuses every further endpoint; declare one with a `{name}` segment".to_owned(),
        ));
    }
    Ok(Finding::Held { cases })
}

/// The first of many further endpoints that is admitted, though a fresh subject refuses none of them:
/// whoever keeps less of an endpoint than all of it takes some for old ones.
fn further(
    trial: &Trial<'_>,
    instance: &Instance<'_>,
    load: &Load,
    limit: u64,
) -> Result<Option<RequestCase>, Stop> {
    for index in limit + 1..limit + FURTHER {
        if !load.spends_at(index) {
            break;
        }
        let request = load.request(index);
        if instance.ask(&request)?.allows() && trial.fresh()?.ask(&request)?.allows() {
            return Ok(Some(request));
        }
    }
    Ok(None)
}

/// Puts another query on a request.
type Query = Box<dyn Fn(&RequestCase) -> RequestCase>;

/// The ways to vary a query that a fresh subject admits; to vary nothing is always one.
fn queries(trial: &Trial<'_>, request: &RequestCase) -> Result<Vec<Query>, Stop> {
    let mut admitted: Vec<Query> = vec![Box::new(RequestCase::clone)];
    for page in 1..USES {
        let pair: Query =
            Box::new(move |request| request.clone().with_pair("page", &page.to_string()));
        let written: Query = Box::new(move |request| {
            let path = format!("{}?page={page}", request.path);
            request.clone().with_path(&path)
        });
        for query in [pair, written] {
            if trial.fresh()?.ask(&query(request))?.allows() {
                admitted.push(query);
            }
        }
    }
    Ok(admitted)
}

/// Endpoints that differ from all used ones: the next of the row, and, where any may be reached,
/// the first one's path on another host. A fresh subject admits them.
fn new_endpoints(
    trial: &Trial<'_>,
    next: &RequestCase,
    first: &RequestCase,
) -> Result<Vec<RequestCase>, Stop> {
    let mut candidates = vec![next.clone()];
    let path = first.path.splitn(4, '/').nth(3).unwrap_or_default();
    if trial.profile().declared_endpoints().next().is_none() {
        let elsewhere = format!("https://other.example.test/{path}");
        candidates.push(first.clone().with_path(&elsewhere));
    }
    let mut admitted = Vec::new();
    for candidate in candidates {
        if trial.fresh()?.ask(&candidate)?.allows() {
            admitted.push(candidate);
        }
    }
    Ok(admitted)
}

/// An endpoint within the budget was refused. Unless it was the very first ask, what came before
/// it was charged more than once.
fn used_endpoint(
    trial: &Trial<'_>,
    old: &[RequestCase],
    refused: &RequestCase,
    at_once: bool,
) -> Judged {
    if at_once || !trial.fresh()?.ask(refused)?.allows() {
        return Ok(Finding::Undecided(format!(
            "the control failed: a fresh subject refuses `{refused}`; declare a request under `allow` that it admits"
        )));
    }
    let limit = old.len();
    Ok(Finding::broken(
        Counterexample::new(format!(
            "an endpoint is charged again: one of {limit} is refused after repeats"
        ))
        .step(&old[0], "used several times, with other queries")
        .step(refused, "refused")
        .expected(format!(
            "allowed: no more than {limit} endpoints were used, whatever their queries"
        ))
        .seen("refused")
        .twin("a fresh subject allows it"),
    ))
}

fn one_too_many(old: &[RequestCase], new: &RequestCase, limit: u64) -> Counterexample {
    let mut counterexample = Counterexample::new(format!(
        "one endpoint more than {limit} is admitted: `{}`",
        new.path.chars().take(48).collect::<String>()
    ));
    for request in old.iter().take(4) {
        counterexample = counterexample.step(request, "used");
    }
    counterexample
        .step(new, "allowed")
        .expected(format!("refused: {limit} endpoints were used before"))
        .seen("allowed")
        .twin("the endpoints before it were allowed, as they should be")
}

fn lost_endpoint(old: &[RequestCase], new: &RequestCase, lost: &RequestCase) -> Counterexample {
    Counterexample::new("an endpoint that was counted is refused later")
        .step(&old[0], "used, and others after it")
        .step(new, "refused")
        .step(lost, "refused")
        .expected("allowed: what was counted stays usable")
        .seen("refused")
        .twin("it was allowed before")
}
