//! EXE-17: nothing of one call appears in the next.

use std::time::Duration;

use serde_json::json;

use super::stage::{Stage, listen, scanner, sent_methods, sound, supports};
use crate::outcome::Counterexample;
use crate::recorder::{Recorded, Recorder, Reply, Script};
use crate::scan::{Scanner, Secret};
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Driven, Ending, Finding, Judged, Stop, Trial};

/// The path of the second call.
const NEXT: &str = "/next/7";

fn ends(value: &str) -> Vec<(&'static str, Script)> {
    vec![
        ("it succeeded", sound().into()),
        (
            "it was answered with a cookie",
            sound()
                .header("set-cookie", format!("last={value}; Path=/"))
                .into(),
        ),
        (
            "status 500",
            Reply::json(500, &json!({"error": "x"})).into(),
        ),
        (
            "an answer that is no JSON",
            Reply::text(200, "nonsense").into(),
        ),
        ("a reset", Script::new().reset()),
        (
            "it was dropped",
            Script::new().wait(Duration::from_secs(60)),
        ),
    ]
}

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let mut stage = Stage::new(trial)?;
    let control = trial.executor(&stage.env())?;
    stage.control(&control)?;
    let methods = sent_methods(trial, &stage, &control)?;
    let mut cases = 0;
    for index in 0..ends("").len() {
        for first in ["GET", "POST"]
            .into_iter()
            .filter(|method| supports(trial, method))
        {
            let all: [String; 5] = [(); 5].map(|()| stage.canary());
            let (end, script) = ends(&all[3]).swap_remove(index);
            let secrets = ["path", "author's query", "key", "value", "nested value"];
            let scanner = scanner(
                secrets
                    .iter()
                    .zip(&all)
                    .map(|(name, value)| Secret::new(*name, value.as_str())),
            )?;
            stage.backend = backend(script.clone())?;
            let executor = trial.executor(&stage.env())?;
            let full = full(first, &all)?;
            make(&stage, &executor, &full, end)?;
            let record = stage.backend.requests();
            if !record
                .iter()
                .any(|request| request.contains(all[3].as_bytes()))
            {
                return Ok(Finding::Undecided(format!(
                    "the control failed: `{full}` does not arrive with its values"
                )));
            }
            let is_tried = |method: &&&str| index == 0 || matches!(**method, "GET" | "POST");
            for second in methods.iter().filter(is_tried) {
                // The next call is the one that follows at once.
                if !matches!(*second, "GET" | "POST") {
                    make(&stage, &executor, &full, end)?;
                }
                let next = Call::new(second, NEXT)?.with_body(json!({"limit": "1"}));
                let observed = stage.observe(&executor, &next)?;
                cases += 1;
                if let Some(seen) = left_over(&scanner, &observed.requests) {
                    return Ok(Finding::broken(
                        Counterexample::new(format!("after a {first}, {end}: the next call carries what was in it"))
                            .step(full.to_string(), end)
                            .step(next.to_string(), observed.told())
                            .expected("no field, header or body byte of one call in a later one")
                            .seen(seen)
                            .twin("the first call's record holds these values, and no other call was given them"),
                    ));
                }
            }
        }
    }
    Ok(Finding::held(cases))
}

fn backend(script: Script) -> Result<Recorder, Stop> {
    listen(move |request: &Recorded| {
        if request.path() == NEXT.as_bytes() {
            return Script::from(sound());
        }
        script.clone()
    })
}

/// A call that is full of canaries.
fn full(method: &str, all: &[String; 5]) -> Result<Call, Stop> {
    let [path, author, key, value, nested] = all;
    let call = Call::new(method, &format!("/items/{path}?own={author}"))?;
    Ok(call.with_body(match method {
        "GET" => json!({key: "1", "name": value, "other": nested}),
        _ => json!({key: "1", "name": value, "deep": {"other": [nested]}}),
    }))
}

fn make(stage: &Stage, executor: &Driven<'_>, call: &Call, end: &str) -> Result<(), Stop> {
    if end != "it was dropped" {
        executor.call(call)?;
        return Ok(());
    }
    let running = executor.start(call)?;
    if !stage.backend.wait_for(1, executor.patience()) {
        return Err(Stop::Undecided(format!(
            "the control failed: `{call}` does not arrive"
        )));
    }
    let ending = running.wait(Duration::ZERO);
    if ending == Ending::Unanswered && !running.drop_call(executor.patience()) {
        return Err(Stop::Undecided(
            "a call that was dropped did not come to an end".to_owned(),
        ));
    }
    Ok(())
}

fn left_over(scanner: &Scanner, requests: &[Recorded]) -> Option<String> {
    // A repetition of the first call may still come; it is not the next call.
    let next = requests
        .iter()
        .filter(|request| request.path() == NEXT.as_bytes());
    next.into_iter().find_map(|request| {
        let found = scanner.scan(request.bytes());
        let found = found.findings.first()?;
        Some(format!(
            "the first call's {} ({}) stands in: {request}",
            found.secret, found.encoding
        ))
    })
}
