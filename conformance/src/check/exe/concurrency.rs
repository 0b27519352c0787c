//! EXE-12: concurrent calls each get their own answer.

use std::time::Duration;

use serde_json::json;

use super::stage::{Stage, supports};
use crate::outcome::Counterexample;
use crate::recorder::{Recorded, Reply, Script};
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Driven, Ending, Finding, Judged, Stop, Trial};

/// So many calls are made at once, in so many rounds.
const AT_ONCE: usize = 16;
const ROUNDS: u64 = 4;

/// After how many milliseconds calls are answered that have one path.
const ALIKE: usize = 3;

/// The call that is answered after so many milliseconds ends in a reset.
const RESET: usize = 5;

/// How late a call is answered that nobody waits for, in milliseconds.
const TOO_LATE: usize = 20;

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let stage = Stage::new(trial)?;
    let executor = trial.executor(&stage.env())?;
    stage
        .backend
        .answer_with(|request: &Recorded| answer(request));
    let canaries = || -> Vec<String> {
        (0..AT_ONCE)
            .map(|index| format!("{index:02}{}", stage.canary()))
            .collect()
    };
    for own in canaries() {
        let call = call_of(&own, 0)?;
        let ending = executor.call(&call)?;
        if !holds(&ending, &own) {
            return Ok(Finding::Undecided(format!(
                "the control failed: one after another, `{call}` does not get its own answer but {ending}"
            )));
        }
    }
    let mut cases = 0;
    let mut earlier: Vec<String> = Vec::new();
    for round in 0..trial.share_of(ROUNDS) {
        let all = canaries();
        let mut running = Vec::new();
        for (index, own) in all.iter().enumerate() {
            // The later it is asked, the earlier it is answered.
            let call = match index % 3 {
                1 => by_pair(own, ALIKE)?,
                2 if supports(trial, "POST") => by_body(own, ALIKE)?,
                _ => call_of(own, AT_ONCE - index)?,
            };
            running.push((own, executor.start(&call)?, call));
        }
        for (own, running, call) in running {
            let ending = executor.ended(&call, running.wait(executor.patience()))?;
            cases += 1;
            let other = all
                .iter()
                .chain(&earlier)
                .find(|other| *other != own && holds(&ending, other));
            if let Some(other) = other {
                return Ok(Finding::broken(confused(&call, &ending, own, other, round)));
            }
        }
        earlier.extend(all);
    }
    abandoned(&stage, &executor, &canaries, cases)
}

/// A call whose answer nobody waits for must not become the answer to the next.
fn abandoned(
    stage: &Stage,
    executor: &Driven<'_>,
    canaries: &impl Fn() -> Vec<String>,
    mut cases: usize,
) -> Judged {
    let all = canaries();
    for pair in all.chunks_exact(2).take(4) {
        let [given_up, next] = pair else { continue };
        let before = stage.backend.requests().len();
        let running = executor.start(&call_of(given_up, TOO_LATE)?)?;
        if !stage.backend.wait_for(before + 1, executor.patience()) {
            return Err(Stop::Undecided(
                "the control failed: a call that is to be dropped does not arrive".to_owned(),
            ));
        }
        if !running.drop_call(executor.patience()) {
            return Err(Stop::Undecided(
                "a call that was dropped did not come to an end".to_owned(),
            ));
        }
        let call = call_of(next, 0)?;
        let ending = executor.call(&call)?;
        cases += 1;
        if holds(&ending, given_up) {
            return Ok(Finding::broken(confused(&call, &ending, next, given_up, 0)));
        }
    }
    Ok(Finding::held(cases))
}

fn confused(call: &Call, ending: &Ending, own: &str, other: &str, round: u64) -> Counterexample {
    Counterexample::new(format!(
        "a call got the answer to another: `{other}` instead of `{own}`"
    ))
    .step(call.to_string(), ending)
    .expected("each of the concurrent calls gets the response to that very request")
    .seen(format!(
        "in round {round}, with {AT_ONCE} calls in flight: {ending}"
    ))
    .twin("one after another, the same calls each got their own answer")
}

fn call_of(canary: &str, delay: usize) -> Result<Call, Stop> {
    Call::new("GET", &format!("/echo/{canary}/{delay}"))
}

/// A call whose canary is no part of its path.
fn by_pair(canary: &str, delay: usize) -> Result<Call, Stop> {
    let call = Call::new("GET", &format!("/echo/-/{delay}"))?;
    Ok(call.with_body(json!({"own": canary})))
}

/// A call whose canary stands in its body alone.
fn by_body(canary: &str, delay: usize) -> Result<Call, Stop> {
    let call = Call::new("POST", &format!("/echo/-/{delay}"))?;
    Ok(call.with_body(json!({"own": canary})))
}

fn answer(request: &Recorded) -> Script {
    let path = String::from_utf8_lossy(request.path()).into_owned();
    let mut parts = path.rsplit('/');
    let delay: usize = parts
        .next()
        .and_then(|part| part.parse().ok())
        .unwrap_or_default();
    let in_path = parts.next().unwrap_or_default().to_owned();
    let pairs = request.pairs();
    let in_pair = pairs.iter().find(|(key, _)| key == "own");
    let body = request.json();
    let in_body = body.as_ref().and_then(|body| body.get("own")?.as_str());
    let canary = in_pair
        .map(|(_, own)| own.as_str())
        .or(in_body)
        .unwrap_or(&in_path);
    let waited = Script::new().wait(Duration::from_millis(delay as u64));
    if delay == RESET {
        return waited.reset();
    }
    waited.reply(Reply::json(200, &json!({"echo": canary})))
}

fn holds(ending: &Ending, canary: &str) -> bool {
    matches!(ending, Ending::Value(value) if value.to_string().contains(canary))
}
