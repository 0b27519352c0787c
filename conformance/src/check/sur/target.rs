//! SUR-01: the policy sees the finished target, never a template.

use url::Url;

use super::scene::{PREFIX, Scene};
use super::wanted::{Form, Wanted, forms, methods};
use crate::outcome::Counterexample;
use crate::subject::{RequestCase, Script, ScriptValue, SurfaceSubject, ToolCall};
use crate::trial::{Finding, Judged, Stop, Trial};

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let templates = ["/items", "/items/{id}", "/items/{id}/parts/{part}"];
    let methods = methods(trial);
    let tools = methods.iter().flat_map(|method| {
        templates.iter().enumerate().map(move |(index, path)| {
            let fields = Wanted::new(method, path);
            let keys = ["id", "part"].into_iter();
            let keys = keys.filter(|key| path.contains(&format!("{{{key}}}")));
            keys.fold(fields, |wanted, key| wanted.with(key, ""))
                .tool(&format!("{method}_tool_{index}"))
        })
    });
    let scene = Scene::new(trial, tools)?;
    let mut cases = 0;
    for form in forms(trial) {
        let all = methods.iter();
        let all = all.flat_map(|method| calls(&scene, form, method, &templates));
        for (call, target) in all {
            if let Some(found) = case(&scene, &call, &target)? {
                return Ok(Finding::broken(found));
            }
            cases += 1;
        }
    }
    Ok(Finding::held(cases))
}

/// Calls of each kind of target, with the target that has to come of them.
fn calls(
    scene: &Scene<'_>,
    form: Form,
    method: &str,
    templates: &[&str],
) -> Vec<(ToolCall, String)> {
    let canary = || scene.stage.canary();
    let mut calls: Vec<(ToolCall, String)> = templates
        .iter()
        .enumerate()
        .map(|(index, path)| {
            let keys = ["id", "part"].into_iter();
            let keys = keys.filter(|key| path.contains(&format!("{{{key}}}")));
            let wanted = keys.fold(Wanted::new(method, path), |wanted, key| {
                wanted.with(key, canary())
            });
            let call = wanted.call(form, &format!("{method}_tool_{index}"));
            (call, wanted.filled())
        })
        .collect();
    if form == Form::Scripted {
        let (variable, argument) = (canary(), canary());
        let wanted = Wanted::new(method, "/lists/${list}/{id}").with("id", argument.as_str());
        let script = Script::new()
            .assign("list", variable.as_str())
            .keep("answer", wanted.script_call())
            .returning(ScriptValue::variable("answer"));
        let target = format!("/lists/{variable}/{argument}");
        calls.push((ToolCall::of_script(script), target));
    }
    calls
}

fn case(scene: &Scene<'_>, call: &ToolCall, target: &str) -> Result<Option<Counterexample>, Stop> {
    let sight = scene.see(call)?;
    let sent = |request| scene.target(request) == target.as_bytes();
    if !sight.requests.iter().any(sent) || sight.views.is_empty() {
        return Err(Stop::Undecided(format!(
            "the control failed: `{call}` does not send `{target}` after the policy was asked: {}",
            sight.told()
        )));
    }
    let base = scene.stage.backend.base_url();
    let fault = sight
        .views
        .iter()
        .find_map(|view| Some((view, unfinished(view, &base, target)?)));
    Ok(fault.map(|(view, what)| {
        Counterexample::new(format!("the policy is shown {what}"))
            .step(call.to_string(), &sight.called)
            .expected(format!("the path `{base}{PREFIX}{target}`"))
            .seen(format!("the view {view}"))
            .twin(format!(
                "the backend received `{PREFIX}{target}`, so the call itself is sound"
            ))
    }))
}

/// What is unfinished about the target that a policy was shown.
fn unfinished(view: &RequestCase, base: &str, target: &str) -> Option<&'static str> {
    if view.path.contains(['{', '}']) {
        return Some("a template");
    }
    let wanted = Url::parse(&format!("{base}{PREFIX}{target}")).ok()?;
    let Ok(shown) = Url::parse(&view.path) else {
        return Some("a path that the base URL is not joined on");
    };
    if shown.origin() != wanted.origin() || !shown.path().starts_with(PREFIX) {
        return Some("another base URL than the one it is sent to");
    }
    (shown.path() != wanted.path()).then_some("another target than the one that is sent")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("http://127.0.0.1:9/v1/items/7", None)]
    #[case("http://127.0.0.1:9/v1/items/7?own=1", None)]
    #[case("http://127.0.0.1:9/v1/items/{id}", Some("a template"))]
    #[case("http://127.0.0.1:9/v1/items/${id}", Some("a template"))]
    #[case("/v1/items/7", Some("a path that the base URL is not joined on"))]
    #[case(
        "http://127.0.0.1:9/items/7",
        Some("another base URL than the one it is sent to")
    )]
    #[case(
        "http://127.0.0.1:9/v1/items/id",
        Some("another target than the one that is sent")
    )]
    fn what_is_unfinished_is_said(#[case] path: &str, #[case] said: Option<&str>) {
        let view = RequestCase::get(path);
        assert_eq!(unfinished(&view, "http://127.0.0.1:9", "/items/7"), said);
    }
}
