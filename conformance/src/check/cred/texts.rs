//! CRED-04: refusals, errors and traces are free of the credential.

use std::sync::{Arc, OnceLock};

use serde_json::json;
use tracing_subscriber::layer::SubscriberExt as _;

use crate::check::exe::acts::{Acts, SHORT, acts};
use crate::check::exe::spy::{Asked, Spy, Verdict};
use crate::check::exe::stage::{Stage, leak, listen, sound, supports};
use crate::outcome::Counterexample;
use crate::scan::{Scanner, TraceCapture, ViewError, Views};
use crate::subject::{ExecutorEnv, ExecutorSubject};
use crate::trial::{Call, Ending, Finding, Judged, Stop, Trial};

/// What this process traces from the first time it is asked for; `None` where somebody else
/// listens already.
fn capture() -> Option<&'static TraceCapture> {
    static CAPTURE: OnceLock<Option<TraceCapture>> = OnceLock::new();
    let kept = CAPTURE.get_or_init(|| {
        let capture = TraceCapture::new();
        let subscriber = tracing_subscriber::registry().with(capture.clone());
        tracing::subscriber::set_global_default(subscriber).ok()?;
        Some(capture)
    });
    kept.as_ref()
}

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let Some(capture) = capture() else {
        return Ok(Finding::Undecided(
            "another subscriber listens to `tracing` in this process: judge the row in a worker"
                .to_owned(),
        ));
    };
    let events = capture.events();
    tracing::trace!("the judge listens");
    if capture.events() == events {
        return Ok(Finding::Undecided(
            "the control failed: an event was not captured".to_owned(),
        ));
    }
    let mut cases = 0;
    for scheme in &trial.profile().schemes {
        let stage = Stage::of(trial, Some(scheme.clone()))?;
        let scanner = stage.scanner()?;
        let told = |what: String, place: String| {
            Counterexample::new(format!("under `{scheme}`, {what}: {place}"))
                .step(what, "its texts were scanned")
                .expected("no refusal, error or trace holds the credential in any form")
                .seen(place)
                .twin("the credential reached the wire, and the subscriber recorded an event of the judge's own")
        };
        let executor = trial.executor(&stage.env())?;
        let control = stage.control(&executor)?;
        if stage.times_carried(&control) == 0 {
            return Ok(Finding::Undecided(format!(
                "the control failed: under `{scheme}` the credential is not found in: {control}"
            )));
        }
        for (what, env, call) in ways(trial, &stage)? {
            let executor = trial.executor(&env)?;
            let running = executor.start(&call)?;
            let ending = running.wait(executor.patience());
            cases += 1;
            if let Ending::Failed(shown) = &ending
                && let Some(place) = leak(&scanner, shown)
            {
                return Ok(Finding::broken(told(what, place)));
            }
            if ending == Ending::Unanswered && !running.drop_call(executor.patience()) {
                return Err(Stop::Undecided(
                    "a call that was dropped did not come to an end: it holds its thread"
                        .to_owned(),
                ));
            }
        }
        if let Some(place) = traced(&scanner, capture)? {
            return Ok(Finding::broken(told("a trace".to_owned(), place)));
        }
    }
    Ok(Finding::held(cases))
}

fn traced(scanner: &Scanner, capture: &TraceCapture) -> Result<Option<String>, Stop> {
    let mut views = Views::new(scanner);
    views.source(capture);
    match views.finish() {
        Ok(()) => Ok(None),
        Err(ViewError::Found(found)) => Ok(Some(found.to_string())),
        Err(cause) => Err(Stop::Harness(format!(
            "the traces cannot be scanned: {cause}"
        ))),
    }
}

/// Each way to succeed, to refuse and to fail.
fn ways(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
) -> Result<Vec<(String, ExecutorEnv, Call)>, Stop> {
    let env = stage.env().with_deadline(SHORT);
    let plain = Call::new("GET", "/items/7")?;
    let refusing = Spy::new(Verdict::RefuseTarget("/"));
    // Nobody listens there any more once it is dropped.
    let closed = listen(sound())?.base_url();
    let mut ways = vec![
        ("success".to_owned(), env.clone(), plain.clone()),
        (
            "a refusing policy".to_owned(),
            env.clone().with_policy(Arc::new(Asked(refusing))),
            plain.clone(),
        ),
        (
            "a backend that nobody reaches".to_owned(),
            env.clone().with_base_url(closed),
            plain.clone(),
        ),
        (
            "a method that there is not".to_owned(),
            env.clone(),
            Call::new("GET\r\n", "/items/7")?,
        ),
        (
            "a field that a query cannot carry".to_owned(),
            env.clone(),
            Call::new("GET", "/items/7")?.with_body(json!({"a": {"b": 1}})),
        ),
    ];
    if supports(trial, "POST") {
        let post = Call::new("POST", "/items/7")?.with_body(json!({"name": "x"}));
        ways.push(("a POST".to_owned(), env.clone(), post));
    }
    // The slow ones each take a whole deadline: the first of them stands for all.
    let acts = acts();
    let slow = acts
        .iter()
        .position(|act| act.name == "no answer")
        .unwrap_or_default();
    stage
        .backend
        .answer_with(Acts(acts.iter().map(|act| act.script.clone()).collect()));
    for (number, act) in acts.iter().enumerate().take(slow + 1) {
        let call = Call::new("GET", &format!("/act/{number}"))?;
        ways.push((format!("a backend with {}", act.name), env.clone(), call));
    }
    Ok(ways)
}
