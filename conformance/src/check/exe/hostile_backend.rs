//! EXE-09: whatever the backend does, the executor ends with an error or a value, in time.

use std::time::{Duration, Instant};

use super::acts::{Acts, ResetsAtOnce, SHORT};
use super::stage::{Stage, listen};
use crate::outcome::Counterexample;
use crate::recorder::{Hostility, Recorder, Script};
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Driven, Ending, Finding, Judged, Running, Stop, Trial};

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let stage = Stage::new(trial)?;
    let acts = Hostility::all();
    stage
        .backend
        .answer_with(Acts(acts.iter().map(|act| act.script.clone()).collect()));
    let env = stage.env().with_deadline(SHORT);
    let control = trial.executor(&stage.env())?;
    let took = Instant::now();
    stage.control(&control)?;
    let took = took.elapsed();
    let resets = listen(ResetsAtOnce)?;
    let mut running: Vec<(&Hostility, Driven<'_>, Call, Running)> = Vec::new();
    for (number, act) in acts.iter().enumerate() {
        // Each has an executor of its own: what one act leaves of a connection is no other's affair.
        let executor = trial.executor(&env)?;
        let call = Call::new("GET", &format!("/act/{number}"))?;
        let started = executor.start(&call)?;
        running.push((act, executor, call, started));
    }
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
        if let Some(found) = convicts(act, &call, &ending, &executor, took) {
            return Ok(Finding::broken(found));
        }
    }
    let at_once = at_once(trial, &stage, &resets)?;
    Ok(at_once.map_or_else(|| Finding::held(cases + 1), Finding::broken))
}

/// Waits for the end.
fn wait(executor: &Driven<'_>, running: &Running) -> Ending {
    let left = executor.brief_patience().saturating_sub(running.elapsed());
    // One that has ended meanwhile is there at once.
    running.wait(left.max(Duration::from_millis(20)))
}

fn convicts(
    act: &Hostility,
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
    let act = Hostility {
        name: "a reset before the request",
        script: Script::new(),
        is_failure: true,
    };
    Ok(convicts(&act, &call, &ending, &executor, Duration::ZERO))
}
