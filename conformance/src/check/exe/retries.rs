//! EXE-14: a retry repeats the same request, and no unsafe one.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::stage::{Observed, Stage, listen, sound, supports};
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
struct FailsFirst {
    left: AtomicUsize,
    failure: Script,
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
    ]
}

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let mut stage = Stage::new(trial)?;
    stage.control(&trial.executor(&stage.env())?)?;
    let mut repeated = 0;
    let mut cases = 0;
    for (name, failure) in failures() {
        for method in ["GET", "POST", "PATCH"]
            .into_iter()
            .filter(|method| supports(trial, method))
        {
            stage.backend = listen(FailsFirst {
                left: AtomicUsize::new(1),
                failure: failure.clone(),
            })?;
            let executor = trial.executor(&stage.env())?;
            let call = Call::new(method, "/items/7?own=1")?.with_body(json!({"name": "x y"}));
            let observed = stage.observe(&executor, &call)?;
            cases += 1;
            if method == "GET" {
                repeated += usize::from(observed.requests.len() > 1);
            }
            if let Some((headline, seen)) = fault(&stage, &observed, method) {
                return Ok(Finding::broken(
                    Counterexample::new(format!("after {name}, {headline}"))
                        .step(call.to_string(), observed.told())
                        .expected("a repetition is the identical request, and POST and PATCH are not repeated once any byte of them was sent")
                        .seen(seen)
                        .twin("a request that does not fail is sent once"),
                ));
            }
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

fn fault(stage: &Stage, observed: &Observed, method: &str) -> Option<(String, String)> {
    let (first, later) = observed.requests.split_first()?;
    if !later.is_empty() && method != "GET" {
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
    lines.sort();
    (
        request.request_line().to_vec(),
        lines,
        request.body().to_vec(),
    )
}
