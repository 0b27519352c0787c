//! BUD-09: identical requests are charged one by one, and each is judged by what it is.

use serde_json::json;

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Answer, Finding, Instance, Judged, Stop, Trial};

/// Makes the request of this number: no two are equal, and all are of one size.
type Vary = fn(&RequestCase, u64) -> RequestCase;

const VARIATIONS: &[(&str, Vary)] = &[
    ("pairs", |r, n| r.clone().with_pair("n", &format!("{n:06}"))),
    ("path segments", |r, n| {
        r.clone().with_path(&format!("{}-{n:06}", r.path))
    }),
    ("bodies", |r, n| {
        let number = format!("{n:06}");
        r.clone()
            .with_method("POST")
            .with_body(json!({"n": number}))
    }),
];

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let Some(limit) = trial.profile().requests else {
        return Ok(Finding::NotApplicable(
            "the profile declares no request budget".to_owned(),
        ));
    };
    let base = trial.admitted()?;
    let Some((name, vary, whole)) = cut_off(trial, &base, limit)? else {
        // Where no two requests can differ, identical ones are cut off, or nothing can be told.
        let alone = trial.fresh()?.admits_until_refused(limit + 1, &base)?;
        if alone <= limit {
            return verdicts_follow_content(trial, &base, limit, alone);
        }
        return Ok(Finding::Undecided(
            "the control failed: requests that differ are refused at once, or never; declare a request under `allow` that is admitted with other pairs, too".to_owned(),
        ));
    };
    let instance = trial.fresh()?;
    let admitted = instance.admits_until_refused(whole + 1, &base)?;
    if admitted > whole {
        return Ok(Finding::broken(
            Counterexample::new(format!(
                "identical requests cost less: {admitted} are admitted, but {whole} that differ"
            ))
            .steps(admitted, &base, "allowed")
            .expected(format!(
                "{whole} admitted: requests that are equal in every byte are charged each"
            ))
            .seen(format!("request {admitted} was allowed"))
            .twin(format!(
                "of requests with different {name}, as `{}`, {whole} were admitted",
                vary(&base, 0)
            )),
        ));
    }
    verdicts_follow_content(trial, &base, limit, whole)
}

/// How requests can differ so that a fresh subject admits some of them and then no more, and how
/// many.
fn cut_off(
    trial: &Trial<'_>,
    base: &RequestCase,
    limit: u64,
) -> Result<Option<(&'static str, Vary, u64)>, Stop> {
    for &(name, vary) in VARIATIONS {
        let instance = trial.fresh()?;
        let mut admitted = 0;
        while admitted <= limit && instance.ask(&vary(base, admitted))?.allows() {
            admitted += 1;
        }
        if (1..=limit).contains(&admitted) {
            return Ok(Some((name, vary, admitted)));
        }
    }
    Ok(None)
}

/// A call asks for what is allowed, and then for what is refused; and the other way round.
fn verdicts_follow_content(
    trial: &Trial<'_>,
    allowed: &RequestCase,
    limit: u64,
    cases: u64,
) -> Judged {
    let mut judged = 0;
    for refused in trial.refused_requests() {
        // The control, and what leaves out the requests that only a spent budget refuses.
        if trial.fresh()?.ask(&refused)?.allows() {
            continue;
        }
        judged += 1;
        let refused = refused.with_call(&allowed.call_id);
        let instance = trial.fresh()?;
        let first = instance.ask(allowed)?;
        if first.allows() && instance.ask(&refused)?.allows() {
            return Ok(Finding::broken(remembered(allowed, &refused, &first)));
        }
        // A refused request may be charged, so there has to be more than one.
        if limit > 1 && follows(&trial.fresh()?, &refused, allowed)? {
            let first = Answer::Refused(String::new());
            return Ok(Finding::broken(remembered(&refused, allowed, &first)));
        }
    }
    Ok(Finding::Held {
        cases: cases + 2 * judged,
    })
}

/// Whether what would be admitted is refused after what is refused.
fn follows(
    instance: &Instance<'_>,
    refused: &RequestCase,
    allowed: &RequestCase,
) -> Result<bool, Stop> {
    Ok(!instance.ask(refused)?.allows() && !instance.ask(allowed)?.allows())
}

fn remembered(first: &RequestCase, second: &RequestCase, answer: &Answer) -> Counterexample {
    let other = if answer.allows() {
        "refused"
    } else {
        "allowed"
    };
    Counterexample::new(format!(
        "a call's first verdict, {answer}, is given to another request of the call"
    ))
    .step(first, answer)
    .step(second, answer)
    .expected(format!("{other}: each request is judged by what it is"))
    .seen(answer.to_string())
    .twin(format!("`{second}` alone was {other} by a fresh subject"))
}
