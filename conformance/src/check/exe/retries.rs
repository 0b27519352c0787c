//! EXE-14: a retry repeats the same request, and no unsafe one.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::acts::SHORT;
use super::stage::{Mark, Observed, Stage, listen, sent_methods, sound};
use crate::outcome::Counterexample;
use crate::profile::AuthScheme;
use crate::recorder::{Recorded, Reply, Respond, Script};
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Finding, Judged, Stop, Trial};

/// Header lines that a repetition has to renew.
const RENEWED: &[&str] = &[
    "date",
    "authorization",
    "traceparent",
    "x-request-id",
    "request-id",
];

/// Fails so many requests, and then is sound.
pub(in crate::check) struct FailsFirst {
    left: AtomicUsize,
    failure: Script,
}

impl FailsFirst {
    pub(in crate::check) fn new(requests: usize, failure: impl Into<Script>) -> Self {
        Self {
            left: AtomicUsize::new(requests),
            failure: failure.into(),
        }
    }
}

impl Respond for FailsFirst {
    fn respond(&self, _: &Recorded) -> Script {
        let one_less = |left: usize| left.checked_sub(1);
        match self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less)
        {
            Ok(_) => self.failure.clone(),
            Err(_) => sound().into(),
        }
    }
}

fn failures() -> Vec<(&'static str, Script)> {
    vec![
        ("status 503", Reply::new(503).into()),
        ("status 502", Reply::new(502).into()),
        ("status 504", Reply::new(504).into()),
        (
            "status 429",
            Reply::new(429).header("retry-after", "0").into(),
        ),
        ("a reset after the request", Script::new().reset()),
        ("an empty answer", Script::new().close()),
        (
            "status 503 and a time to wait",
            Reply::new(503).header("retry-after", "0").into(),
        ),
        ("status 500", Reply::new(500).into()),
        ("status 408", Reply::new(408).into()),
        ("status 425", Reply::new(425).into()),
        ("status 401", Reply::new(401).into()),
        ("status 409", Reply::new(409).into()),
        (
            "an answer cut short",
            Script::new()
                .raw("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")
                .close(),
        ),
        (
            "an answer that is no HTTP",
            Script::new().raw("?\r\n\r\n").close(),
        ),
        (
            "an answer that is no JSON",
            Reply::text(200, "<html>").into(),
        ),
    ]
}

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let mut stage = Stage::new(trial)?;
    let control = trial.executor(&stage.env())?;
    stage.control(&control)?;
    let methods = sent_methods(trial, &stage, &control)?;
    let mut repeated = 0;
    let mut cases = 0;
    for (index, (name, failure)) in failures().into_iter().enumerate() {
        for (call, times) in calls(&methods, index)? {
            stage.backend = listen(FailsFirst::new(times, failure.clone()))?;
            let executor = trial.executor(&stage.env())?;
            let observed = stage.observe(&executor, &call)?;
            cases += 1;
            if call.method == "GET" {
                repeated += usize::from(observed.requests.len() > 1);
            }
            if let Some(fault) = fault(&stage, &observed, &call.method) {
                return Ok(Finding::broken(found(name, &call, &observed, fault)));
            }
        }
    }
    if let Some(method) = methods.into_iter().find(|method| is_unsafe(method)) {
        stage.backend = listen(FailsFirst::new(1, Script::new()))?;
        let executor = trial.executor(&stage.env().with_deadline(SHORT))?;
        let call = call(method)?;
        let mark = Mark::of(&stage.backend);
        // That it does not end is another row's affair.
        let ending = executor.start(&call)?.wait(executor.patience());
        let observed = mark.observed(&stage.backend, ending);
        cases += 1;
        if let Some(fault) = fault(&stage, &observed, method) {
            return Ok(Finding::broken(found(
                "a time-out",
                &call,
                &observed,
                fault,
            )));
        }
    }
    if repeated == 0 {
        return Err(Stop::Undecided(
            "the profile declares retries, and no GET was repeated, whatever the backend did"
                .to_owned(),
        ));
    }
    Ok(Finding::held(cases))
}

/// Whether a method's request must not be repeated once it was sent.
fn is_unsafe(method: &str) -> bool {
    matches!(method, "POST" | "PATCH")
}

fn call(method: &str) -> Result<Call, Stop> {
    Ok(Call::new(method, "/items/7?own=1")?.with_body(json!({"name": "x y"})))
}

/// So many of the failures are those that invite a repetition; the others are for what must not be
/// repeated.
const INVITING: usize = 6;

/// What is called against a failure, and how often that comes before a sound answer.
fn calls(methods: &[&str], failure: usize) -> Result<Vec<(Call, usize)>, Stop> {
    let mut calls = Vec::new();
    for &method in methods {
        let is_usual = match method {
            "GET" => failure < INVITING,
            other => other == "POST",
        };
        // What is repeated at all is repeated after the first of the failures.
        if is_usual || failure == 0 {
            calls.push((call(method)?, 1));
        }
        if failure == 0 && !is_unsafe(method) {
            calls.push((call(method)?, 2));
        }
        if failure == 0 && is_unsafe(method) {
            calls.push((Call::new(method, "/items/7")?, 1));
        }
    }
    Ok(calls)
}

fn found(
    name: &str,
    call: &Call,
    observed: &Observed,
    (headline, seen): (String, String),
) -> Counterexample {
    Counterexample::new(format!("after {name}, {headline}"))
        .step(call.to_string(), observed.told())
        .expected("a repetition is the identical request, and POST and PATCH are not repeated once any byte of them was sent")
        .seen(seen)
        .twin("a request that does not fail is sent once")
}

fn fault(stage: &Stage, observed: &Observed, method: &str) -> Option<(String, String)> {
    let (first, later) = observed.requests.split_first()?;
    if !later.is_empty() && is_unsafe(method) {
        return Some((format!("a {method} is sent again"), observed.told()));
    }
    let other = later
        .iter()
        .find(|other| essence(stage, other) != essence(stage, first))?;
    let seen = format!(
        "first `{}`, then `{}`",
        first.bytes().escape_ascii(),
        other.bytes().escape_ascii()
    );
    Some(("the repetition is another request".to_owned(), seen))
}

/// What must be equal: all of it but what has to be renewed.
fn essence(stage: &Stage, request: &Recorded) -> (Vec<u8>, Vec<Vec<u8>>, Vec<u8>) {
    let key = match &stage.scheme {
        Some(AuthScheme::HeaderKey(name)) => name.as_str(),
        _ => "authorization",
    };
    let is_renewed = |line: &[u8]| {
        let name = line.split(|&byte| byte == b':').next().unwrap_or_default();
        let is = |other: &&str| name.eq_ignore_ascii_case(other.as_bytes());
        RENEWED.iter().any(&is) || is(&key)
    };
    let mut lines: Vec<Vec<u8>> = request
        .header_lines()
        .filter(|line| !is_renewed(line))
        .map(<[u8]>::to_vec)
        .collect();
    // What authenticates may be renewed, and must not be left out.
    lines.extend(request.values_of(key).map(|_| key.as_bytes().to_vec()));
    lines.sort();
    (
        request.request_line().to_vec(),
        lines,
        request.body().to_vec(),
    )
}
