//! EXE-09: whatever the backend does, the executor ends with an error or a value, in time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;

use super::acts::{Acts, ResetsAtOnce, SHORT};
use super::stage::{Stage, listen, supports};
use crate::outcome::Counterexample;
use crate::recorder::{Hostility, Recorded, Recorder, Script};
use crate::subject::{ExecutorEnv, ExecutorSubject};
use crate::trial::{Call, Driven, Ending, Finding, Judged, Running, Stop, Trial};

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let stage = Stage::new(trial)?;
    let acts = Hostility::all();
    stage
        .backend
        .answer_with(Acts(acts.iter().map(|act| act.script.clone()).collect()));
    let control = trial.executor(&stage.env())?;
    let took = Instant::now();
    stage.control(&control)?;
    let took = took.elapsed();
    let resets = listen(ResetsAtOnce)?;
    let mut cases = match every_act(trial, &stage.env(), &acts, took)? {
        Finding::Held { cases } => cases,
        other => return Ok(other),
    };
    cases += 1;
    if let Some(found) = too_many_attempts(trial, &stage)? {
        return Ok(Finding::broken(found));
    }
    if let Some(found) = hostile_endpoint(trial, &stage, took)? {
        return Ok(Finding::broken(found));
    }
    let at_once = at_once(trial, &stage, &resets)?;
    Ok(at_once.map_or_else(|| Finding::Held { cases }, Finding::broken))
}

/// Every act, by a GET and a POST; and once more an ordinary call on each executor that came through.
fn every_act(
    trial: &Trial<'_, ExecutorSubject>,
    usual: &ExecutorEnv,
    acts: &[Hostility],
    took: Duration,
) -> Judged {
    // Only what has no end is to end by the deadline: a busy machine is late with an answer.
    let short = usual.clone().with_deadline(SHORT);
    let mut running: Vec<(&Hostility, Driven<'_>, Call, Running)> = Vec::new();
    let methods = ["GET", "POST"].into_iter();
    let methods = methods.filter(|method| *method == "GET" || supports(trial, method));
    for (method, (number, act)) in
        methods.flat_map(|method| acts.iter().enumerate().map(move |act| (method, act)))
    {
        // What is large is large whatever was asked.
        if method != "GET" && act.name.contains("MiB") {
            continue;
        }
        // Each has an executor of its own: what one act leaves of a connection is no other's affair.
        let executor = trial.executor(if act.stalls { &short } else { usual })?;
        let mut call = Call::new(method, &format!("/act/{number}"))?;
        if method != "GET" {
            call = call.with_body(json!({"name": "x"}));
        }
        let started = executor.start(&call)?;
        running.push((act, executor, call, started));
    }
    let next = Call::new("GET", "/items/7")?;
    let mut cases = 0;
    for (act, executor, call, running) in running {
        let mut ending = wait(&executor, &running);
        if ending == Ending::Unanswered {
            // Whether it lets itself be dropped is another row's affair.
            let _ = running.drop_call(Duration::from_millis(100));
            // Once more and alone: among so many, a busy machine may have been slow.
            ending = executor.start(&call)?.wait(executor.patience());
        }
        cases += 1;
        if let Some(found) = convicts(act.into(), &call, &ending, &executor, took) {
            return Ok(Finding::broken(found));
        }
        if call.method != "GET" {
            continue;
        }
        let after = Act {
            name: "a sound answer, after one with a fault",
            is_failure: false,
        };
        let ending = executor.start(&next)?.wait(executor.patience());
        if let Some(found) = convicts(after, &next, &ending, &executor, took) {
            let before = format!("the backend answered with {}", act.name);
            return Ok(Finding::broken(found.step(call.to_string(), before)));
        }
    }
    Ok(Finding::held(cases))
}

/// The deadline of an executor that may repeat a request: long enough to tell one from two.
const REPEATED: Duration = Duration::from_millis(250);

/// A deadline is one of the call and not of each attempt: none begins once it is over.
fn too_many_attempts(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
) -> Result<Option<Counterexample>, Stop> {
    if !trial.profile().retries {
        return Ok(None);
    }
    let mut late = None;
    // A busy machine may be late once.
    for _ in 0..2 {
        let arrivals: Arc<Mutex<Vec<Instant>>> = Arc::default();
        let kept = Arc::clone(&arrivals);
        let backend = listen(move |_: &Recorded| {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push(Instant::now());
            Script::new()
        })?;
        let env = stage.env().with_base_url(backend.base_url());
        let executor = trial.executor(&env.with_deadline(REPEATED))?;
        let deadline = executor.deadline();
        if deadline > REPEATED * 2 {
            return Ok(None);
        }
        let call = Call::new("GET", "/items/7")?;
        let running = executor.start(&call)?;
        let ending = running.wait(executor.patience());
        let arrivals = arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        let span = arrivals
            .first()
            .zip(arrivals.last())
            .map(|(first, last)| *last - *first);
        let Some(span) = span.filter(|span| *span > deadline * 5 / 4) else {
            return Ok(None);
        };
        let seen = format!(
            "{} attempts, the last {} ms after the first, for a deadline of {} ms",
            arrivals.len(),
            span.as_millis(),
            deadline.as_millis()
        );
        late = Some(
            Counterexample::new("the backend does not answer: an attempt began after the deadline")
                .step(call.to_string(), &ending)
                .expected("an error within the deadline, however many attempts are made")
                .seen(seen)
                .twin("a sound answer came back as a value in time"),
        );
    }
    Ok(late)
}

/// What a token endpoint may do that never comes to an end.
fn hostile_endpoint(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    took: Duration,
) -> Result<Option<Counterexample>, Stop> {
    let Some(tokens) = &stage.tokens else {
        return Ok(None);
    };
    for (name, script) in [
        ("no answer of its token endpoint", Script::new()),
        (
            "an answer without end of its token endpoint",
            Script::new()
                .raw("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{")
                .endless(" ".repeat(16 << 10), Duration::from_millis(2)),
        ),
    ] {
        tokens.answer_with(script);
        let executor = trial.executor(&stage.env().with_deadline(SHORT))?;
        let call = Call::new("GET", "/items/7")?;
        let ending = executor.start(&call)?.wait(executor.patience());
        let act = Act {
            name,
            is_failure: true,
        };
        let found = convicts(act, &call, &ending, &executor, took);
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Waits for the end.
fn wait(executor: &Driven<'_>, running: &Running) -> Ending {
    let left = executor.brief_patience().saturating_sub(running.elapsed());
    // One that has ended meanwhile is there at once.
    running.wait(left.max(Duration::from_millis(20)))
}

/// What the backend did, and whether a value would be a success that there was none of.
#[derive(Clone, Copy)]
struct Act<'a> {
    name: &'a str,
    is_failure: bool,
}

impl From<&Hostility> for Act<'_> {
    fn from(act: &Hostility) -> Self {
        Self {
            name: act.name,
            is_failure: act.is_failure,
        }
    }
}

fn convicts(
    act: Act<'_>,
    call: &Call,
    ending: &Ending,
    executor: &Driven<'_>,
    took: Duration,
) -> Option<Counterexample> {
    let headline = match ending {
        Ending::Panicked(_) => "it panicked",
        Ending::Unanswered => "it did not end in time",
        Ending::Value(_) if act.is_failure => "it took a failure for a success",
        Ending::Value(_) | Ending::Failed(_) => return None,
    };
    let seen = match ending {
        Ending::Unanswered => format!(
            "no answer after {} ms, for a deadline of {} ms; an executor that does not take `env.deadline()` declares its own with `deadline_ms`",
            executor.patience().as_millis(),
            executor.deadline().as_millis(),
        ),
        other => other.to_string(),
    };
    Some(
        Counterexample::new(format!("the backend answers with {}: {headline}", act.name))
            .step(call.to_string(), ending)
            .expected("an error or a value within the deadline, and an error for any status other than 2xx")
            .seen(seen)
            .twin(format!("a sound answer came back as a value within {} ms", took.as_millis())),
    )
}

fn at_once(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    resets: &Recorder,
) -> Result<Option<Counterexample>, Stop> {
    let env = stage
        .env()
        .with_base_url(resets.base_url())
        .with_deadline(SHORT);
    let executor = trial.executor(&env)?;
    let call = Call::new("GET", "/items/7")?;
    let ending = executor.start(&call)?.wait(executor.patience());
    let act = Act {
        name: "a reset before the request",
        is_failure: true,
    };
    Ok(convicts(act, &call, &ending, &executor, Duration::ZERO))
}
