//! SUR-04: a call id is the server's own: stable, unique, and never sent.

use std::collections::BTreeMap;

use serde_json::json;

use super::collect::collect_call_ids;
use super::scene::{Scene, Sight, env, stage};
use super::wanted::{Form, Wanted, forms, methods, runs_loops};
use crate::check::exe::retries::FailsFirst;
use crate::check::exe::spy::{Spy, Verdict};
use crate::check::exe::stage::{scanner, sound};
use crate::outcome::Counterexample;
use crate::recorder::Reply;
use crate::scan::{Floor, Scanner, Secret};
use crate::subject::{Script, ScriptCall, ScriptValue, SurfaceSubject, ToolCall, ToolSpec};
use crate::trial::{Finding, Judged, Stop, Trial};

/// What a client sent, and what it sent it as.
type Sent = Vec<(&'static str, String)>;

const TWIN: &str = "the call's arguments reached the wire, so it was really made";

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let stage = stage(trial)?;
    let spy = Spy::new(Verdict::Allow);
    let posts = methods(trial).iter().any(|method| method == "POST");
    let scripted = forms(trial).contains(&Form::Scripted);
    let mut tools = vec![item("GET", "").tool("get_item")];
    if posts {
        tools.push(item("POST", "").tool("post_item"));
    }
    if scripted {
        tools.push(ToolSpec::script("run_report", script("7", "8", false)));
    }
    let env = env(&stage, &spy).with_tools(tools);
    let scene = Scene::built(trial, stage, spy, &env)?;
    let loops = scripted && runs_loops(&scene)?;
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    let mut cases = 0;
    for form in forms(trial) {
        for number in 0..trial.share_of(8).max(3) {
            let kind = Kind {
                form,
                posts: posts && number % 2 == 1,
                loops,
                own: number % 3 == 2,
            };
            let (call, sent) = call_of(&scene, kind);
            if trial.profile().retries {
                let failing = FailsFirst::new(1, Reply::new(503));
                scene.stage.backend.answer_with(failing);
                let sight = scene.see(&call)?;
                if let Some(found) = within_a_call(&call, &sight, &sent)? {
                    return Ok(Finding::broken(found));
                }
                scene.stage.backend.answer_with(sound());
            }
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
    match two_alike(trial)? {
        Some(found) => Ok(Finding::broken(found)),
        None => Ok(Finding::held(cases)),
    }
}

/// So many calls are made of each of two surfaces.
const MANY: u32 = 1_000;

/// An id that two of many calls share, of one surface or of two.
fn two_alike(trial: &Trial<'_, SurfaceSubject>) -> Result<Option<Counterexample>, Stop> {
    let mut owners: BTreeMap<String, u32> = BTreeMap::new();
    let seed = trial.settings().seed;
    for surface in 1..=2 {
        let ids = collect_call_ids(trial.subject(), seed, surface, MANY);
        let ids = ids.map_err(Stop::Undecided)?;
        // Where a call is shown more or less than once, its ids cannot be told apart.
        if ids.len() != MANY as usize {
            return Ok(None);
        }
        for id in ids {
            let Some(first) = owners.insert(id.clone(), surface) else {
                continue;
            };
            let which = match first == surface {
                true => "of one surface",
                false => "of two surfaces in one process",
            };
            let id = id.escape_debug().to_string();
            return Ok(Some(
                Counterexample::new(format!("two calls {which} get the same call id"))
                    .steps(
                        u64::from(MANY),
                        "a call".to_owned(),
                        "refused by a policy that notes the id",
                    )
                    .expected("each call has an id of its own")
                    .seen(format!("both have `{id}`"))
                    .twin("a few calls each had an id of their own"),
            ));
        }
    }
    Ok(None)
}

fn item(method: &str, id: &str) -> Wanted {
    Wanted::new(method, "/items/{id}").with("id", id)
}

/// What kind of call is made.
#[derive(Clone, Copy)]
struct Kind {
    form: Form,
    posts: bool,
    loops: bool,
    /// Whether it is one of a tool whose script is the server's own.
    own: bool,
}

/// A call with a canary in every place where a client can put one.
fn call_of(scene: &Scene<'_>, kind: Kind) -> (ToolCall, Sent) {
    let form = kind.form;
    let own = kind.own && form == Form::Scripted;
    let canary = || scene.stage.canary();
    let [message, meta, header, argument, variable] = [(); 5].map(|()| canary());
    let call = match form {
        Form::Curated if kind.posts => item("POST", &argument).call(form, "post_item"),
        Form::Curated => item("GET", &argument).call(form, "get_item"),
        Form::Scripted if own => ToolCall::new("run_report", json!({})),
        Form::Scripted => ToolCall::of_script(script(&argument, &variable, kind.loops)),
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
    ];
    if !own {
        sent.push(("an argument", argument));
    }
    if form == Form::Scripted && !own {
        sent.push(("a script's variable", variable));
    }
    (call, sent)
}

/// A script of several calls.
fn script(argument: &str, variable: &str, loops: bool) -> Script {
    let note = ScriptCall::new("POST", "/notes").with_body(ScriptValue::object([
        ("note", ScriptValue::literal(argument)),
        ("list", ScriptValue::variable("list")),
    ]));
    let script = Script::new()
        .assign("list", variable)
        .call(ScriptCall::new("GET", "/lists/${list}"))
        .call(note);
    let parts = vec![json!("a"), json!("b")];
    let part = Script::new().keep("answer", ScriptCall::new("GET", "/parts/${part}"));
    let script = match loops {
        true => script.for_each("part", parts, part),
        false => script,
    };
    script.call(ScriptCall::new("GET", "/lists/${list}/end"))
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
