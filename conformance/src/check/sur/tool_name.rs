//! SUR-03: the policy is told which tool asks.

use super::scene::Scene;
use super::wanted::{Form, Wanted, forms};
use crate::outcome::Counterexample;
use crate::subject::{
    EXECUTE_CODE, RequestCase, Script, ScriptCall, ScriptValue, SurfaceSubject, ToolCall, ToolSpec,
};
use crate::trial::{Finding, Judged, Stop, Trial};

/// So many calls of each tool are made at once.
const AT_ONCE: usize = 4;

/// A call, and the tool that the policy has to be told.
struct Named {
    call: ToolCall,
    tool: String,
    /// What the targets of its requests hold, and those of no other call.
    mark: String,
    /// How many requests it makes.
    requests: usize,
}

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let forms = forms(trial);
    let stage = super::scene::stage(trial)?;
    let names = ["list", "get-Item", "report"].map(|verb| format!("{verb}_{}", stage.canary()));
    let [list, get, report] = &names;
    let item = Wanted::new("GET", "/items/{id}");
    let declared = item.clone().with("id", "");
    let mut tools = Vec::new();
    if forms.contains(&Form::Curated) {
        tools.extend([declared.tool(list), declared.tool(get)]);
    }
    if forms.contains(&Form::Scripted) {
        let script = Wanted::new("GET", "/reports").script();
        tools.push(ToolSpec::script(report, script));
    }
    let scene = Scene::under(trial, stage, crate::check::exe::spy::Verdict::Allow, tools)?;
    let named = |form: Form, tool: &str| {
        let id = scene.stage.canary();
        let call = match form {
            Form::Curated => item.clone().with("id", id.as_str()).call(form, tool),
            Form::Scripted => ToolCall::of_script(two_calls(&id)),
        };
        let (tool, mark) = (tool.to_owned(), id);
        let requests = if form == Form::Scripted { 2 } else { 1 };
        Named {
            call,
            tool,
            mark,
            requests,
        }
    };
    let round = || -> Vec<Named> {
        let mut calls = Vec::new();
        if forms.contains(&Form::Curated) {
            calls.extend([named(Form::Curated, list), named(Form::Curated, get)]);
        }
        if forms.contains(&Form::Scripted) {
            calls.push(named(Form::Scripted, EXECUTE_CODE));
            calls.push(Named {
                call: ToolCall::new(report, serde_json::json!({})),
                tool: report.clone(),
                mark: "/reports".to_owned(),
                requests: 1,
            });
        }
        calls
    };
    let alone = round();
    let together: Vec<Named> = (0..AT_ONCE).flat_map(|_| round()).collect();
    let found = one_by_one(&scene, &alone)?;
    let found = found.map_or_else(|| at_once(&scene, &together), |found| Ok(Some(found)))?;
    if let Some(found) = found {
        return Ok(Finding::broken(found));
    }
    if forms.contains(&Form::Scripted)
        && trial.profile().validates_scripts
        && let Some(found) = previewed(&scene)?
    {
        return Ok(Finding::broken(found));
    }
    Ok(Finding::held(alone.len() + together.len()))
}

/// A script's previews are shown under its name as well.
fn previewed(scene: &Scene<'_>) -> Result<Option<Counterexample>, Stop> {
    let script = two_calls("7");
    let before = scene.spy.seen().len();
    scene.surface.validate(&script)?;
    let previews = scene.spy.seen().split_off(before);
    let named = Named {
        call: ToolCall::of_script(script),
        tool: EXECUTE_CODE.to_owned(),
        mark: String::new(),
        requests: 2,
    };
    let other = previews.iter().find(|view| tool(view) != EXECUTE_CODE);
    Ok(other.map(|view| {
        let twin = "executed, such a script is shown under its own name";
        misnamed(&named, view).twin(twin)
    }))
}

/// A script whose later request needs its name as much as its first.
fn two_calls(id: &str) -> Script {
    Script::new()
        .keep("first", ScriptCall::new("GET", format!("/items/{id}")))
        .keep(
            "second",
            ScriptCall::new("GET", format!("/items/{id}/parts")),
        )
        .returning(ScriptValue::variable("second"))
}

fn one_by_one(scene: &Scene<'_>, calls: &[Named]) -> Result<Option<Counterexample>, Stop> {
    for named in calls {
        let sight = scene.control(&named.call)?;
        let other = sight.views.iter().find(|view| tool(view) != named.tool);
        if let Some(view) = other {
            return Ok(Some(
                misnamed(named, view)
                    .twin("the call was sent and answered, so that tool really ran"),
            ));
        }
    }
    Ok(None)
}

/// Each request is one of the call whose mark its target holds.
fn at_once(scene: &Scene<'_>, calls: &[Named]) -> Result<Option<Counterexample>, Stop> {
    let before = scene.spy.seen().len();
    let all: Vec<ToolCall> = calls.iter().map(|named| named.call.clone()).collect();
    scene.surface.call_all(&all)?;
    let views = scene.spy.seen().split_off(before);
    // Where calls share what their targets are made of, nobody knows whose a request is: that is
    // another row's affair.
    let is_apart = |named: &Named| {
        let shown = views.iter().filter(|view| view.path.contains(&named.mark));
        let alike = calls.iter().filter(|other| other.mark == named.mark);
        shown.count() == alike.map(|other| other.requests).sum::<usize>()
    };
    if !calls.iter().all(is_apart) {
        return Ok(None);
    }
    let misnamed_view = views.iter().find_map(|view| {
        let owner = calls.iter().find(|named| view.path.contains(&named.mark))?;
        (tool(view) != owner.tool).then_some((owner, view))
    });
    Ok(misnamed_view.map(|(named, view)| {
        let others = calls.len() - 1;
        misnamed(named, view)
            .step(
                named.call.to_string(),
                format!("made together with {others} others"),
            )
            .twin("one after another, the same calls were each shown under their own name")
    }))
}

fn tool(view: &RequestCase) -> &str {
    view.tool.as_deref().unwrap_or_default()
}

fn misnamed(named: &Named, view: &RequestCase) -> Counterexample {
    Counterexample::new(format!(
        "a request of `{}` is shown as one of `{}`",
        named.tool,
        tool(view).escape_debug()
    ))
    .step(named.call.to_string(), "the policy was asked")
    .expected(format!("the tool `{}`", named.tool))
    .seen(format!("the view {view}"))
}
