//! SUR-05: the policy is asked once for each logical request.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde_json::json;

use super::scene::{Scene, Sight};
use super::wanted::{Form, Wanted, forms, methods, runs_loops};
use crate::check::exe::spy::Verdict;
use crate::check::exe::stage::sound;
use crate::outcome::Counterexample;
use crate::recorder::{Recorded, Reply, Respond, Script as Backend};
use crate::subject::{Script, ScriptCall, ScriptValue, SurfaceSubject, ToolCall, ToolSpec};
use crate::trial::{Finding, Judged, Stop, Trial};

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let methods = methods(trial);
    let wanted = |method: &str, id: &str| Wanted::new(method, "/items/{id}").with("id", id);
    let tools = methods
        .iter()
        .map(|method| wanted(method, "").tool(&format!("{method}_item")));
    let report = Wanted::new("GET", "/reports").script();
    let scripted = forms(trial).contains(&Form::Scripted);
    let tools = tools.chain(scripted.then(|| ToolSpec::script("report", report)));
    let scene = Scene::new(trial, tools)?;
    let mut cases = 0;
    for form in forms(trial) {
        for method in &methods {
            let call = |id: &str| wanted(method, id).call(form, &format!("{method}_item"));
            let plain = call("7");
            scene.stage.backend.answer_with(sound());
            // Made again, it is another request.
            for _ in 0..2 {
                if let Some(found) = succeeding(&scene, &plain, 1)? {
                    return Ok(Finding::broken(found));
                }
                cases += 1;
            }
            if !["GET", "POST"].contains(&method.as_str()) {
                continue;
            }
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
    if scripted {
        scene.stage.backend.answer_with(sound());
        let mut calls = vec![
            (ToolCall::new("report", json!({})), 1),
            (ToolCall::of_script(alike()), 3),
        ];
        if runs_loops(&scene)? {
            calls.push((ToolCall::of_script(three()), 3));
        }
        for (call, requests) in calls {
            if let Some(found) = succeeding(&scene, &call, requests)? {
                return Ok(Finding::broken(found));
            }
            cases += 1;
        }
    }
    if let Some(found) = sent_first(trial, &methods)? {
        return Ok(Finding::broken(found));
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

/// A script that sends one request three times.
fn alike() -> Script {
    let call = || ScriptCall::new("GET", "/items/7");
    let script = Script::new().call(call()).call(call()).call(call());
    script.returning(ScriptValue::literal("done"))
}

/// What the policy refuses is not sent before the policy says so.
fn sent_first(
    trial: &Trial<'_, SurfaceSubject>,
    methods: &[String],
) -> Result<Option<Counterexample>, Stop> {
    let wanted = |method: &str, path: &str| Wanted::new(method, path).with("id", "7");
    let tools = methods.iter().flat_map(|method| {
        let allowed = wanted(method, "/items/{id}").tool(&format!("{method}_item"));
        let refused = wanted(method, "/forbidden/{id}").tool(&format!("{method}_forbidden"));
        [allowed, refused]
    });
    let verdict = Verdict::RefuseTarget("/forbidden/");
    let scene = Scene::under(trial, super::scene::stage(trial)?, verdict, tools)?;
    for form in forms(trial) {
        for method in methods {
            let allowed = wanted(method, "/items/{id}").call(form, &format!("{method}_item"));
            scene.control(&allowed)?;
            let refused = wanted(method, "/forbidden/{id}");
            let refused = refused.call(form, &format!("{method}_forbidden"));
            let sight = scene.see(&refused)?;
            // What is answered in spite of a refusal is another row's affair.
            if sight.silent || sight.called.is_value() {
                continue;
            }
            return Ok(Some(
                Counterexample::new("a request is sent before the policy was asked about it")
                    .step(refused.to_string(), &sight.called)
                    .expected("the policy is asked before the first attempt, and it refuses")
                    .seen(sight.told())
                    .twin(format!("`{allowed}`, which the policy allows, is sent")),
            ));
        }
    }
    Ok(None)
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
