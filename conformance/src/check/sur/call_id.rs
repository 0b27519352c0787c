//! SUR-04: a call id is the server's own: stable, unique, and never sent.

use std::collections::BTreeMap;

use serde_json::json;

use super::scene::{Scene, Sight, env, stage};
use super::wanted::{Form, Wanted, forms};
use crate::check::exe::spy::{Spy, Verdict};
use crate::check::exe::stage::scanner;
use crate::outcome::Counterexample;
use crate::scan::{Floor, Scanner, Secret};
use crate::subject::{Script, ScriptCall, ScriptValue, SurfaceSubject, ToolCall};
use crate::trial::{Finding, Judged, Stop, Trial};

/// What a client sent, and what it sent it as.
type Sent = Vec<(&'static str, String)>;

const TWIN: &str = "the call's arguments reached the wire, so it was really made";

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let stage = stage(trial)?;
    let spy = Spy::new(Verdict::Allow);
    let tool = item("").tool("get_item");
    let env = env(&stage, &spy).with_tools([tool]);
    let scene = Scene::built(trial, stage, spy, &env)?;
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    let mut cases = 0;
    for form in forms(trial) {
        for _ in 0..trial.share_of(8).max(2) {
            let (call, sent) = call_of(&scene, form);
            // The identical message, sent once more, is another call.
            for _ in 0..2 {
                let sight = control(&scene, &call, &sent)?;
                cases += 1;
                let found = within_a_call(&call, &sight, &sent)?;
                if let Some(found) = found.or_else(|| repeated(&mut ids, &call, &sight)) {
                    return Ok(Finding::broken(found));
                }
            }
        }
    }
    Ok(Finding::held(cases))
}

fn item(id: &str) -> Wanted {
    Wanted::new("GET", "/items/{id}").with("id", id)
}

/// A call with a canary in every place where a client can put one.
fn call_of(scene: &Scene<'_>, form: Form) -> (ToolCall, Sent) {
    let canary = || scene.stage.canary();
    let [message, meta, header, argument, variable] = [(); 5].map(|()| canary());
    let call = match form {
        Form::Curated => item(&argument).call(form, "get_item"),
        Form::Scripted => ToolCall::of_script(script(&argument, &variable)),
    };
    let call = call
        .with_message_id(message.as_str())
        .with_meta(json!({"progressToken": meta, "requestId": meta}))
        .with_header("x-request-id", &header)
        .with_header("mcp-session-id", &header);
    let mut sent = vec![
        ("the JSON-RPC id", message),
        ("`_meta`", meta),
        ("a header", header),
        ("an argument", argument),
    ];
    if form == Form::Scripted {
        sent.push(("a script's variable", variable));
    }
    (call, sent)
}

/// A script of several calls.
fn script(argument: &str, variable: &str) -> Script {
    let note = ScriptCall::new("POST", "/notes").with_body(ScriptValue::object([
        ("note", ScriptValue::literal(argument)),
        ("list", ScriptValue::variable("list")),
    ]));
    Script::new()
        .assign("list", variable)
        .call(ScriptCall::new("GET", "/lists/${list}"))
        .call(note)
        .for_each(
            "part",
            vec![json!("a"), json!("b")],
            Script::new().keep("answer", ScriptCall::new("GET", "/parts/${part}")),
        )
        .call(ScriptCall::new("GET", "/lists/${list}/end"))
}

/// The call, made: its arguments and variables have to arrive.
fn control(scene: &Scene<'_>, call: &ToolCall, sent: &Sent) -> Result<Sight, Stop> {
    let sight = scene.control(call)?;
    let arrived = |(place, canary): &&(&str, String)| {
        let carries = matches!(*place, "an argument" | "a script's variable");
        !carries
            || sight
                .requests
                .iter()
                .any(|request| request.contains(canary.as_bytes()))
    };
    match sent.iter().find(|canary| !arrived(canary)) {
        None => Ok(sight),
        Some((place, _)) => Err(Stop::Undecided(format!(
            "the control failed: {place} of `{call}` does not reach the wire: {}",
            sight.told()
        ))),
    }
}

/// What is wrong with the id of one call.
fn within_a_call(
    call: &ToolCall,
    sight: &Sight,
    sent: &Sent,
) -> Result<Option<Counterexample>, Stop> {
    let Some(first) = sight.views.first() else {
        return Ok(None);
    };
    let id = &first.call_id;
    let found = |headline: String, seen: String| {
        Counterexample::new(headline)
            .step(call.to_string(), &sight.called)
            .expected("one non-empty id for all requests of a call, made by the server and kept from the wire")
            .seen(seen)
            .twin(TWIN)
    };
    if let Some(view) = sight.views.iter().find(|view| view.call_id.is_empty()) {
        let headline = "a request is shown without a call id".to_owned();
        return Ok(Some(found(headline, format!("the view {view}"))));
    }
    if let Some(other) = sight.views.iter().find(|view| view.call_id != *id) {
        let headline = "the requests of one call are shown under several ids".to_owned();
        let seen = format!("the views {first} and {other}");
        return Ok(Some(found(headline, seen)));
    }
    let secrets = sent.iter();
    let secrets = secrets.map(|(place, canary)| Secret::new(*place, canary.as_str()));
    if let Some(place) = held(&scanner(secrets)?, id.as_bytes()) {
        let headline = format!("the call id holds {place}, which the client sent");
        return Ok(Some(found(headline, format!("the view {first}"))));
    }
    // An id that is too short or too plain stands on any wire by chance.
    let secret = Secret::new("the call id", id.as_str());
    if secret.weakness(Floor::default()).is_some() {
        return Ok(None);
    }
    let scanner = scanner([secret])?;
    let on_wire = sight.requests.iter().find_map(|request| {
        let place = held(&scanner, request.bytes())?;
        Some((request, place))
    });
    Ok(on_wire.map(|(request, place)| {
        found(
            "the call id is sent to the backend".to_owned(),
            format!("{place} stands in the head or body of `{request}`"),
        )
    }))
}

fn held(scanner: &Scanner, text: &[u8]) -> Option<String> {
    let scan = scanner.scan(text);
    let found = scan.findings.first()?;
    Some(format!("{} ({})", found.secret, found.encoding))
}

/// An id that an earlier call had, too.
fn repeated(
    ids: &mut BTreeMap<String, String>,
    call: &ToolCall,
    sight: &Sight,
) -> Option<Counterexample> {
    let id = sight.views.first()?.call_id.clone();
    let earlier = ids.insert(id.clone(), call.to_string())?;
    let replayed = earlier == call.to_string();
    let headline = if replayed {
        "the identical message, sent again, gets the same call id"
    } else {
        "two calls get the same call id"
    };
    Some(
        Counterexample::new(headline)
            .step(earlier, format!("shown under `{}`", id.escape_debug()))
            .step(
                call.to_string(),
                format!("shown under `{}`", id.escape_debug()),
            )
            .expected("each call has an id of its own")
            .seen(format!("both have `{}`", id.escape_debug()))
            .twin(TWIN),
    )
}
