//! SUR-15: a GET-like request is shown without a body.

use serde_json::{Value, json};

use super::scene::{Scene, Sight, env, stage};
use super::wanted::{Form, Wanted, forms, is_get_like, methods};
use crate::check::exe::spy::{Spy, Verdict, pairs_of};
use crate::outcome::Counterexample;
use crate::subject::{ParameterSpec, RequestCase, SurfaceSubject, ToolCall, ToolSpec};
use crate::trial::{Finding, Judged, Stop, Trial};

/// Fields of each type that a query can carry.
fn fields() -> Vec<Option<Value>> {
    vec![
        None,
        Some(json!("a b&c")),
        Some(json!(7)),
        Some(json!(true)),
        Some(json!("")),
        Some(json!(["x", "y"])),
    ]
}

fn wanted(method: &str, field: Option<&Value>) -> Wanted {
    let wanted = Wanted::new(method, "/items/{id}").with("id", "7");
    match field {
        Some(field) => wanted.with("field", field.clone()),
        None => wanted,
    }
}

fn name(method: &str, field: Option<&Value>) -> String {
    let with = if field.is_some() { "with" } else { "without" };
    format!("{method}_{with}_field")
}

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let get_like: Vec<String> = methods(trial)
        .into_iter()
        .filter(|method| is_get_like(method))
        .collect();
    if get_like.is_empty() {
        return Ok(Finding::NotApplicable(
            "the profile declares no GET-like method".to_owned(),
        ));
    }
    let posts = methods(trial).iter().any(|method| method == "POST");
    let all = get_like
        .iter()
        .cloned()
        .chain(posts.then(|| "POST".to_owned()));
    let tools = all.flat_map(|method| {
        [None, Some(json!(""))].map(|field| {
            let field = field.as_ref();
            wanted(&method, field).tool(&name(&method, field))
        })
    });
    let scene = Scene::new(trial, tools)?;
    let mut cases = 0;
    for form in forms(trial) {
        let twin = match posts {
            true => control(&scene, form)?,
            false => "a POST is not sent by this surface".to_owned(),
        };
        for method in get_like.iter().filter(|_| form == Form::Curated) {
            if let Some(found) = declared(trial, method)? {
                return Ok(Finding::broken(found.twin(twin)));
            }
            cases += 1;
        }
        for method in &get_like {
            for field in fields() {
                let wanted = wanted(method, field.as_ref());
                let call = wanted.call(form, &name(method, field.as_ref()));
                let sight = scene.see(&call)?;
                let found =
                    shown_body(&sight.views, &call).or_else(|| missing(&scene, &sight, &call));
                if let Some(found) = found {
                    return Ok(Finding::broken(found.twin(twin)));
                }
                cases += 1;
                if form == Form::Scripted && trial.profile().validates_scripts {
                    let before = scene.spy.seen().len();
                    scene.surface.validate(&wanted.script())?;
                    let views = scene.spy.seen().split_off(before);
                    if let Some(found) = shown_body(&views, &call) {
                        return Ok(Finding::broken(found.twin(twin)));
                    }
                    cases += 1;
                }
            }
        }
    }
    Ok(Finding::held(cases))
}

/// A tool of the method whose argument is declared to be a member of the body: that may be refused,
/// or become a pair.
fn declared(
    trial: &Trial<'_, SurfaceSubject>,
    method: &str,
) -> Result<Option<Counterexample>, Stop> {
    let stage = stage(trial)?;
    let spy = Spy::new(Verdict::Allow);
    let parameters = [ParameterSpec::body("field")];
    let tool = ToolSpec::operation("find_items", method, "/items", parameters);
    let env = env(&stage, &spy).with_tools([tool]);
    let Some(surface) = trial.surface_unless_refused(&env)? else {
        return Ok(None);
    };
    let scene = Scene {
        stage,
        spy,
        surface,
    };
    let call = ToolCall::new("find_items", json!({"field": "x"}));
    let sight = scene.see(&call)?;
    Ok(shown_body(&sight.views, &call).or_else(|| missing(&scene, &sight, &call)))
}

/// A POST with such a field is shown with its body and without pairs.
fn control(scene: &Scene<'_>, form: Form) -> Result<String, Stop> {
    let field = json!("x");
    let call = wanted("POST", Some(&field)).call(form, &name("POST", Some(&field)));
    let sight = scene.control(&call)?;
    let sound = sight
        .views
        .iter()
        .all(|view| view.body == Some(json!({"field": "x"})) && pairs_of(view).is_empty());
    if sound {
        return Ok("a POST with such a field is shown with its body and without pairs".to_owned());
    }
    Err(Stop::Undecided(format!(
        "the control failed: a POST is not shown with its body and without pairs: {}",
        sight.told()
    )))
}

fn shown_body(views: &[RequestCase], call: &ToolCall) -> Option<Counterexample> {
    let view = views
        .iter()
        .find(|view| is_get_like(&view.method.to_ascii_uppercase()) && view.body.is_some())?;
    let phase = if view.preview { "previewed" } else { "shown" };
    Some(
        Counterexample::new(format!("a {} is {phase} with a body", view.method))
            .step(call.to_string(), "the policy was asked")
            .expected("no body, and the fields among the pairs")
            .seen(format!("the view {view}")),
    )
}

/// A pair that was sent and not shown.
fn missing(scene: &Scene<'_>, sight: &Sight, call: &ToolCall) -> Option<Counterexample> {
    // A request that is shown to nobody is another row's affair.
    if sight.views.is_empty() {
        return None;
    }
    let shown: Vec<_> = sight.views.iter().flat_map(pairs_of).collect();
    let hidden = sight.requests.iter().find_map(|request| {
        let sent = scene.stage.pairs(request).into_iter();
        let mut hidden = sent.filter(|pair| !shown.contains(pair));
        Some((request, hidden.next()?))
    });
    let (request, (key, value)) = hidden?;
    let (key, value) = (key.escape_debug(), value.escape_debug());
    Some(
        Counterexample::new(format!("the pair `{key}` is sent and not shown"))
            .step(call.to_string(), &sight.called)
            .expected("every pair that is sent stands in the view's `query`")
            .seen(format!(
                "`{key}={value}` of `{request}` is in no view: {}",
                sight.told()
            )),
    )
}
