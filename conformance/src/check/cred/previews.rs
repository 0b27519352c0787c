//! CRED-03: a preview does not show the credential either.

use serde_json::json;

use crate::check::cred::shown::exposed;
use crate::check::exe::spy::Verdict;
use crate::check::exe::stage::Stage;
use crate::check::sur::scene::Scene;
use crate::outcome::Counterexample;
use crate::subject::{Script, ScriptCall, ScriptValue, SurfaceSubject, ToolCall};
use crate::trial::{Finding, Judged, Trial};

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let mut cases = 0;
    for scheme in &trial.profile().schemes {
        let stage = Stage::with(trial.rng(), Some(scheme.clone()))?;
        let scene = Scene::under(trial, stage, Verdict::Allow, [])?;
        let scanner = scene.stage.scanner()?;
        let script = script();
        let call = ToolCall::of_script(script.clone());
        let executed = scene.control(&call)?;
        let carries = |request| scene.stage.times_carried(request) > 0;
        if !executed.requests.iter().any(carries) {
            return Ok(Finding::Undecided(format!(
                "the control failed: under `{scheme}`, `{call}` does not carry the credential: {}",
                executed.told()
            )));
        }
        let before = scene.spy.seen().len();
        scene.surface.validate(&script)?;
        let previews = scene.spy.seen().split_off(before);
        if previews.iter().filter(|view| view.preview).count() == 0 {
            return Ok(Finding::Undecided(format!(
                "the control failed: under `{scheme}`, validating `{call}` previews nothing"
            )));
        }
        for preview in previews {
            cases += 1;
            if let Some(place) = exposed(&scanner, &preview)? {
                return Ok(Finding::broken(
                    Counterexample::new(format!("under `{scheme}` a preview shows the credential"))
                        .step(call.to_string(), "validated")
                        .expected("no field of a preview holds the credential")
                        .seen(place)
                        .twin("executing the same script puts the credential on the wire alone"),
                ));
            }
        }
    }
    Ok(Finding::held(cases))
}

/// Literal calls of both kinds.
fn script() -> Script {
    let note = ScriptValue::literal(json!({"note": "x"}));
    Script::new()
        .call(ScriptCall::new("GET", "/items/7?own=1").with_body(note.clone()))
        .call(ScriptCall::new("POST", "/items/7").with_body(note))
        .returning(ScriptValue::literal("done"))
}
