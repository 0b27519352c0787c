//! EXE-15: a dropped call sends nothing later.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::refused::{await_asked, delayed_control, listen_on};
use super::spy::{Asked, Spy, Verdict};
use super::stage::{Mark, Stage, supports};
use crate::outcome::Counterexample;
use crate::recorder::Reply;
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Ending, Finding, Judged, Stop, Trial};

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let mut cases = 0;
    for method in ["GET", "POST"]
        .into_iter()
        .filter(|method| supports(trial, method))
    {
        match while_pending(trial, method)? {
            Finding::Held { cases: more } => cases += more,
            other => return Ok(other),
        }
    }
    if !trial.profile().retries {
        return Ok(Finding::Held { cases });
    }
    between_attempts(trial, &Call::new("GET", "/items/7")?)
}

/// Dropped while its policy is pending.
fn while_pending(trial: &Trial<'_, ExecutorSubject>, method: &str) -> Judged {
    let stage = Stage::new(trial)?;
    let call = Call::new(method, "/items/7")?;
    let took = delayed_control(trial, &stage, &call)?;
    let spy = Spy::new(Verdict::OnceReleased);
    let env = stage.env().with_policy(Arc::new(Asked(Arc::clone(&spy))));
    let executor = trial.executor(&env)?;
    let mark = Mark::of(&stage.backend);
    let running = executor.start(&call)?;
    await_asked(&spy, &executor)?;
    if !running.drop_call(executor.patience()) {
        return Err(held_on());
    }
    spy.release();
    let observed = listen_on(trial, &stage, &mark, took, Ending::Unanswered)?;
    if !observed.silent {
        return Ok(Finding::broken(
            Counterexample::new(
                "a call that was dropped while its policy was pending is sent later",
            )
            .step(
                call.to_string(),
                "dropped while the policy was pending; then the policy allowed it",
            )
            .expected("nothing is sent from then on")
            .seen(observed.told())
            .twin("not dropped, the same call arrived once the policy was released"),
        ));
    }
    Ok(Finding::held(1))
}

fn held_on() -> Stop {
    Stop::Undecided(
        "a call that was dropped did not come to an end: it holds its thread".to_owned(),
    )
}

/// An attempt that is under way when the call is dropped may still come to the wire; one that
/// comes every time was sent later.
const ROUNDS: usize = 3;

/// Dropped after an attempt that failed.
fn between_attempts(trial: &Trial<'_, ExecutorSubject>, call: &Call) -> Judged {
    let stage = Stage::new(trial)?;
    stage.backend.answer_with(Reply::new(503));
    let mut sent_later = None;
    let env = stage.env();
    let executor = trial.executor(&env)?;
    let running = executor.start(call)?;
    if !stage.backend.wait_for(1, executor.patience()) {
        return Err(Stop::Undecided(format!(
            "the control failed: `{call}` does not arrive"
        )));
    }
    let started = Instant::now();
    let twice = stage.backend.wait_for(2, executor.patience());
    let pause = started.elapsed();
    let ending = running.wait(executor.patience());
    executor.ended(call, ending)?;
    if !twice {
        return Ok(Finding::Undecided(
            "the profile declares retries, and a GET answered with status 503 is not repeated"
                .to_owned(),
        ));
    }
    for _ in 0..ROUNDS {
        let executor = trial.executor(&env)?;
        let before = stage.backend.requests().len();
        let running = executor.start(call)?;
        if !stage.backend.wait_for(before + 1, executor.patience()) {
            return Err(Stop::Undecided(format!(
                "the control failed: `{call}` does not arrive"
            )));
        }
        if !running.drop_call(executor.patience()) {
            return Err(held_on());
        }
        let mark = Mark::of(&stage.backend);
        env.clock().advance(Duration::from_secs(60));
        let observed = listen_on(trial, &stage, &mark, pause, Ending::Unanswered)?;
        if observed.silent {
            return Ok(Finding::held(2));
        }
        sent_later = Some(observed.told());
    }
    let Some(seen) = sent_later else {
        return Ok(Finding::held(2));
    };
    Ok(Finding::broken(
        Counterexample::new("a call that was dropped between two attempts is sent again")
            .step(
                call.to_string(),
                "dropped after its first attempt was answered with status 503",
            )
            .expected("nothing is sent from then on")
            .seen(seen)
            .twin("not dropped, the same call was repeated"),
    ))
}
