//! SUR-03: the policy is told which tool asks.

use super::scene::Scene;
use super::wanted::{Form, Wanted, forms};
use crate::outcome::Counterexample;
use crate::subject::{EXECUTE_CODE, RequestCase, SurfaceSubject, ToolCall, ToolSpec};
use crate::trial::{Finding, Judged, Stop, Trial};

/// So many calls of each tool are made at once.
const AT_ONCE: usize = 4;

/// A call, and the tool that the policy has to be told.
struct Named {
    call: ToolCall,
    tool: String,
}

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let forms = forms(trial);
    let stage = super::scene::stage(trial)?;
    let names = ["list", "get", "report"].map(|verb| format!("{verb}_{}", stage.canary()));
    let [list, get, report] = &names;
    let item = Wanted::new("GET", "/items/{id}").with("id", "");
    let mut tools = Vec::new();
    if forms.contains(&Form::Curated) {
        tools.extend([item.tool(list), item.tool(get)]);
    }
    if forms.contains(&Form::Scripted) {
        let script = Wanted::new("GET", "/reports").script();
        tools.push(ToolSpec::script(report, script));
    }
    let scene = Scene::under(trial, stage, crate::check::exe::spy::Verdict::Allow, tools)?;
    let named = |form: Form, tool: &str| {
        let wanted = Wanted::new("GET", "/items/{id}").with("id", "7");
        let (call, tool) = (wanted.call(form, tool), tool.to_owned());
        Named { call, tool }
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
            });
        }
        calls
    };
    let alone = round();
    if let Some(found) = one_by_one(&scene, &alone)? {
        return Ok(Finding::broken(found));
    }
    let together: Vec<Named> = (0..AT_ONCE).flat_map(|_| round()).collect();
    if let Some(found) = at_once(&scene, &together)? {
        return Ok(Finding::broken(found));
    }
    Ok(Finding::held(alone.len() + together.len()))
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

/// Whose request is whose is another row's question, so names are counted here.
fn at_once(scene: &Scene<'_>, calls: &[Named]) -> Result<Option<Counterexample>, Stop> {
    let before = scene.spy.seen().len();
    let all: Vec<ToolCall> = calls.iter().map(|named| named.call.clone()).collect();
    scene.surface.call_all(&all)?;
    let views = scene.spy.seen().split_off(before);
    if views.len() != calls.len() {
        return Ok(None);
    }
    let made = |name: &str| calls.iter().filter(|named| named.tool == name).count();
    let shown = |name: &str| views.iter().filter(|view| tool(view) == name).count();
    let lost = calls
        .iter()
        .find(|named| shown(&named.tool) < made(&named.tool));
    Ok(lost.map(|named| {
        let (name, made, shown) = (&named.tool, made(&named.tool), shown(&named.tool));
        Counterexample::new(format!(
            "requests of `{name}` are shown under another name, where calls are made at the same time"
        ))
        .step(
            named.call.to_string(),
            format!("made together with {} others", calls.len() - 1),
        )
        .expected(format!("{made} requests of `{name}`"))
        .seen(format!("{shown} requests of `{name}`, of {} in all", views.len()))
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
