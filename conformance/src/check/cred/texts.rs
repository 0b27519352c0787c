//! CRED-04: refusals, errors and traces are free of the credential.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::json;
use tracing_subscriber::layer::SubscriberExt as _;

use crate::check::exe::acts::{Acts, SHORT};
use crate::check::exe::spy::{Asked, Spy, Verdict};
use crate::check::exe::stage::{KNOWN, Stage, has_pairs, leak, listen, sound, supports};
use crate::outcome::Counterexample;
use crate::profile::AuthScheme;
use crate::recorder::Hostility;
use crate::scan::{Scanner, TraceCapture, ViewError, Views};
use crate::subject::{ExecutorEnv, ExecutorSubject};
use crate::trial::{Call, Driven, Ending, Finding, Judged, Running, Stop, Trial};

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
    let mut tried = Vec::new();
    for (index, scheme) in trial.profile().schemes.iter().enumerate() {
        tried.push(UnderWay::begin(trial, scheme, index == 0)?);
    }
    let mut cases = 0;
    for under_way in tried {
        cases += under_way.calls.len();
        if let Some(found) = under_way.ended(capture)? {
            return Ok(Finding::broken(found));
        }
    }
    Ok(Finding::held(cases))
}

/// The calls under one scheme. All are made at once: some take their whole deadline.
struct UnderWay<'t> {
    scheme: &'t AuthScheme,
    scanner: Scanner,
    calls: Vec<(String, Driven<'t>, Running)>,
    /// Answers as long as calls are made.
    _stage: Stage,
}

impl<'t> UnderWay<'t> {
    fn begin(
        trial: &'t Trial<'_, ExecutorSubject>,
        scheme: &'t AuthScheme,
        is_first: bool,
    ) -> Result<Self, Stop> {
        let stage = Stage::of(trial, Some(scheme.clone()))?;
        let executor = trial.executor(&stage.env())?;
        let control = stage.control(&executor)?;
        if stage.times_carried(&control) == 0 {
            return Err(Stop::Undecided(format!(
                "the control failed: under `{scheme}` the credential is not found in: {control}"
            )));
        }
        let mut calls = Vec::new();
        for (what, env, call) in ways(trial, &stage, is_first)? {
            let executor = trial.executor(&env)?;
            let running = executor.start(&call)?;
            calls.push((what, executor, running));
        }
        Ok(Self {
            scheme,
            scanner: stage.scanner()?,
            calls,
            _stage: stage,
        })
    }

    /// Waits for the calls, and looks at what they showed.
    fn ended(self, capture: &TraceCapture) -> Result<Option<Counterexample>, Stop> {
        let scheme = self.scheme;
        let told = |holder: &str, what: String, place: String| {
            Counterexample::new(format!("under `{scheme}`, {holder} holds the credential"))
                .step(what, "its texts were scanned")
                .expected("no refusal, error or trace holds the credential in any form")
                .seen(place)
                .twin("the credential reached the wire, and the subscriber recorded an event of the judge's own")
        };
        for (what, executor, running) in self.calls {
            if let Some(place) = leak(&self.scanner, &executor.shown()) {
                return Ok(Some(told(
                    "the executor's `Debug`",
                    "it is built".to_owned(),
                    place,
                )));
            }
            let left = executor.brief_patience().saturating_sub(running.elapsed());
            let ending = running.wait(left.max(Duration::from_millis(20)));
            if let Ending::Failed(shown) = &ending
                && let Some(place) = leak(&self.scanner, shown)
            {
                return Ok(Some(told("an error", what, place)));
            }
            if ending == Ending::Unanswered && !running.drop_call(executor.patience()) {
                return Err(Stop::Undecided(
                    "a call that was dropped did not come to an end: it holds its thread"
                        .to_owned(),
                ));
            }
        }
        let place = traced(&self.scanner, capture)?;
        Ok(place.map(|place| told("a trace", "all of these calls".to_owned(), place)))
    }
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

/// The acts of a backend that stand for all others under a further scheme: one of each kind of
/// failure.
const EACH_KIND: &[&str] = &[
    "status 401",
    "status 500",
    "a body that is no JSON",
    "a body cut short",
    "a reset after the request",
    "no answer",
];

/// Each way to succeed, to refuse and to fail.
fn ways(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    is_first: bool,
) -> Result<Vec<(String, ExecutorEnv, Call)>, Stop> {
    let env = stage.env().with_deadline(SHORT);
    let plain = Call::new("GET", "/items/7")?;
    let refusing = Spy::new(Verdict::RefuseTarget("/"));
    let refusing = env.clone().with_policy(Arc::new(Asked(refusing)));
    // Nobody listens there any more once it is dropped.
    let closed = env.clone().with_base_url(listen(sound())?.base_url());
    let nested = plain.clone().with_body(json!({"a": {"b": 1}}));
    let odd = Call::new("GET\r\n", "/items/7")?;
    let mut ways = vec![
        ("success".to_owned(), env.clone(), plain.clone()),
        ("a refusing policy".to_owned(), refusing, plain.clone()),
        ("a backend that nobody reaches".to_owned(), closed, plain),
        ("a method that there is not".to_owned(), env.clone(), odd),
        (
            "a field that a query cannot carry".to_owned(),
            env.clone(),
            nested,
        ),
    ];
    let tried = KNOWN.into_iter().filter(|method| supports(trial, method));
    for method in tried.filter(|method| is_first || *method == "POST") {
        let body = json!({"name": "x"});
        let call = Call::new(method, "/items/7?own=1")?.with_body(body.clone());
        ways.push((format!("a {method}"), env.clone(), call));
        if !has_pairs(method) && is_first {
            let call = Call::new(method, "/act/0")?.with_body(body);
            ways.push((format!("a {method} that fails"), env.clone(), call));
        }
    }
    let mut acts = Hostility::all();
    if !is_first {
        acts.retain(|act| EACH_KIND.contains(&act.name));
    }
    stage
        .backend
        .answer_with(Acts(acts.iter().map(|act| act.script.clone()).collect()));
    for (number, act) in acts.iter().enumerate() {
        let call = Call::new("GET", &format!("/act/{number}"))?;
        ways.push((format!("a backend with {}", act.name), env.clone(), call));
    }
    Ok(ways)
}
