//! SUR-05: the policy is asked once for each logical request.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde_json::json;

use super::scene::{Scene, Sight};
use super::wanted::{Form, Wanted, forms, methods};
use crate::check::exe::stage::sound;
use crate::outcome::Counterexample;
use crate::recorder::{Recorded, Reply, Respond, Script as Backend};
use crate::subject::{Script, ScriptCall, SurfaceSubject, ToolCall};
use crate::trial::{Finding, Judged, Stop, Trial};

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let methods: Vec<String> = methods(trial)
        .into_iter()
        .filter(|method| ["GET", "POST"].contains(&method.as_str()))
        .collect();
    let wanted = |method: &str, id: &str| Wanted::new(method, "/items/{id}").with("id", id);
    let tools = methods
        .iter()
        .map(|method| wanted(method, "").tool(&format!("{method}_item")));
    let scene = Scene::new(trial, tools)?;
    let mut cases = 0;
    for form in forms(trial) {
        for method in &methods {
            let call = |id: &str| wanted(method, id).call(form, &format!("{method}_item"));
            let plain = call("7");
            scene.stage.backend.answer_with(sound());
            if let Some(found) = succeeding(&scene, &plain, 1)? {
                return Ok(Finding::broken(found));
            }
            cases += 1;
            for (what, failure) in failures() {
                scene.stage.backend.answer_with(FailsFirst::new(failure));
                let failing = call(&scene.stage.canary());
                if let Some(found) = failing_first(&scene, &failing, what)? {
                    return Ok(Finding::broken(found));
                }
                cases += 1;
            }
        }
    }
    if forms(trial).contains(&Form::Scripted) {
        scene.stage.backend.answer_with(sound());
        if let Some(found) = succeeding(&scene, &ToolCall::of_script(three()), 3)? {
            return Ok(Finding::broken(found));
        }
        cases += 1;
    }
    Ok(Finding::held(cases))
}

/// A script that sends three requests.
fn three() -> Script {
    let items = vec![json!(1), json!(2)];
    let body = Script::new().call(ScriptCall::new("GET", "/items/${item}"));
    Script::new()
        .call(ScriptCall::new("GET", "/items"))
        .for_each("item", items, body)
}

fn failures() -> [(&'static str, Backend); 2] {
    [
        ("status 503", Reply::new(503).into()),
        ("a reset", Backend::new().reset()),
    ]
}

/// A call whose requests are all answered at once.
fn succeeding(
    scene: &Scene<'_>,
    call: &ToolCall,
    requests: usize,
) -> Result<Option<Counterexample>, Stop> {
    let sight = scene.see(call)?;
    if !sight.called.is_value() || sight.requests.len() != requests {
        return Err(Stop::Undecided(format!(
            "the control failed: `{call}` does not send {requests} requests and end in a result: {}",
            sight.told()
        )));
    }
    let asked = questions(&sight);
    Ok((asked != requests).then(|| {
        counted(call, &sight, asked, requests).twin(format!(
            "the backend received exactly {requests}, and answered at once"
        ))
    }))
}

/// A call of one request, whose first attempt fails.
fn failing_first(
    scene: &Scene<'_>,
    call: &ToolCall,
    what: &str,
) -> Result<Option<Counterexample>, Stop> {
    let sight = scene.see(call)?;
    if sight.requests.is_empty() {
        return Err(Stop::Undecided(format!(
            "the control failed: nothing was sent to a backend with {what}: {}",
            sight.told()
        )));
    }
    let asked = questions(&sight);
    Ok((asked != 1).then(|| {
        counted(call, &sight, asked, 1).twin(format!(
            "where the first attempt does not end in {what}, the same call is shown once"
        ))
    }))
}

fn questions(sight: &Sight) -> usize {
    sight.views.iter().filter(|view| !view.preview).count()
}

fn counted(call: &ToolCall, sight: &Sight, asked: usize, logical: usize) -> Counterexample {
    let attempts = sight.requests.len();
    Counterexample::new(format!(
        "the policy is asked {asked} times about {logical} logical requests"
    ))
    .step(call.to_string(), &sight.called)
    .expected(format!("{logical}, however many attempts are made"))
    .seen(format!("{asked} questions, {attempts} attempts"))
}

/// Fails the first request of each target, and answers the others.
struct FailsFirst {
    failure: Backend,
    seen: Mutex<HashMap<Vec<u8>, usize>>,
}

impl FailsFirst {
    fn new(failure: Backend) -> Self {
        Self {
            failure,
            seen: Mutex::default(),
        }
    }
}

impl Respond for FailsFirst {
    fn respond(&self, request: &Recorded) -> Backend {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let count = seen.entry(request.path().to_vec()).or_default();
        *count += 1;
        if *count == 1 {
            self.failure.clone()
        } else {
            sound().into()
        }
    }
}
