//! SUR-11: a refused request is the caller's to mend, and its report quotes nothing.

use std::sync::Arc;
use std::time::Duration;

use proofmark::policy::{ArgumentRefusal, ArgumentValidator};
use serde_json::{Value, json};

use super::scene::{Scene, env, stage};
use super::wanted::{Form, forms, methods};
use crate::check::exe::spy::{Spy, Verdict};
use crate::check::exe::stage::{Stage, scanner, sound};
use crate::outcome::Counterexample;
use crate::recorder::{Reply, Script as Backend};
use crate::scan::{Scanner, Secret};
use crate::subject::{
    ParameterSpec, Script, ScriptCall, ScriptValue, SurfaceSubject, ToolCall, ToolFailure, ToolSpec,
};
use crate::trial::{Called, Finding, Judged, Stop, Trial};

/// What the judge's policy refuses.
const REFUSED: &str = "/forbidden/";

/// The tools by which each place refuses.
const ITEM: &str = "get_item";
const FORBIDDEN: &str = "get_forbidden";
const WATCHED: &str = "get_watched";
const POSTED: &str = "post_forbidden";

/// How long a request may take that a backend never answers.
const BRIEFLY: Duration = Duration::from_millis(200);

/// Who refuses.
const POLICY: &str = "the policy";
const OWN_LIMITS: &str = "the floor";

/// The tools that run a script: one that is allowed what it does, and one that is not.
const SCRIPT: &str = "count_items";
const FORBIDDEN_SCRIPT: &str = "count_forbidden";

/// A call that has to be refused, by whom, and its canaries.
struct Refused {
    by: &'static str,
    call: ToolCall,
    canaries: Vec<String>,
}

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let stage = self::stage(trial)?;
    let of_script = stage.canary();
    let scene = scene_of(trial, stage, &of_script, None)?;
    let mut cases = 0;
    for form in forms(trial) {
        let [id, note] = [(); 2].map(|()| scene.stage.canary());
        let plain = call(form, ITEM, "/items", &id, &note);
        scene.stage.backend.answer_with(sound());
        scene.control(&plain)?;
        let mut refused = refused(trial, &scene, form);
        if form == Form::Scripted {
            scene.control(&ToolCall::new(SCRIPT, json!({})))?;
            refused.push(Refused {
                by: POLICY,
                call: ToolCall::new(FORBIDDEN_SCRIPT, json!({})),
                canaries: vec![of_script.clone()],
            });
        }
        for refused in refused {
            if let Some(found) = refusal(&scene, &refused)? {
                return Ok(Finding::broken(found));
            }
            cases += 1;
        }
        for (what, backend) in faults() {
            scene.stage.backend.answer_with(backend);
            let called = scene.see(&plain)?.called;
            let canaries = [id.clone(), note.clone()];
            if let Some(found) = fault(what, &plain, &called, &canaries)? {
                return Ok(Finding::broken(found));
            }
            cases += 1;
        }
    }
    if forms(trial).contains(&Form::Curated) && trial.profile().deadline_ms.is_none() {
        let stage = self::stage(trial)?;
        let scene = scene_of(trial, stage, &of_script, Some(BRIEFLY))?;
        scene.stage.backend.answer_with(Backend::new());
        let [id, note] = [(); 2].map(|()| scene.stage.canary());
        let call = call(Form::Curated, ITEM, "/items", &id, &note);
        let called = scene.see(&call)?.called;
        if let Some(found) = fault("no answer", &call, &called, &[id, note])? {
            return Ok(Finding::broken(found));
        }
        cases += 1;
    }
    Ok(Finding::held(cases))
}

fn scene_of<'t>(
    trial: &'t Trial<'_, SurfaceSubject>,
    stage: Stage,
    of_script: &str,
    deadline: Option<Duration>,
) -> Result<Scene<'t>, Stop> {
    let spy = Spy::new(Verdict::RefuseTarget(REFUSED));
    let tool = |name: &str, path: &str| {
        let note = ParameterSpec::query("note").required();
        let limit = ParameterSpec::query("limit").with_pattern("^[0-9]+$");
        let id = ParameterSpec::path("id");
        ToolSpec::operation(name, "GET", format!("{path}/{{id}}"), [id, note, limit])
    };
    let refuses: Arc<dyn ArgumentValidator> = Arc::new(|_: &Value| {
        Err(ArgumentRefusal::new(
            "the judge's validator refuses this call",
        ))
    });
    let mut tools = vec![
        tool(ITEM, "/items"),
        tool(FORBIDDEN, "/forbidden"),
        tool(WATCHED, "/items"),
        ToolSpec::operation(
            POSTED,
            "POST",
            "/forbidden/{id}",
            [ParameterSpec::path("id"), ParameterSpec::body("note")],
        ),
    ];
    if trial.profile().scripted {
        let script = |path: &str| {
            let call = ScriptCall::new("GET", format!("{path}/{of_script}"));
            Script::new().call(call)
        };
        tools.push(ToolSpec::script(SCRIPT, script("/items")));
        tools.push(ToolSpec::script(FORBIDDEN_SCRIPT, script("/forbidden")));
    }
    let mut env = env(&stage, &spy).with_tools(tools);
    if let Some(deadline) = deadline {
        env = env.with_deadline(deadline);
    }
    if trial.profile().argument_validator {
        env = env.with_argument_validator(WATCHED, refuses);
    }
    Scene::built(trial, stage, spy, &env)
}

fn call(form: Form, tool: &str, path: &str, id: &str, note: &str) -> ToolCall {
    match form {
        Form::Curated => ToolCall::new(tool, json!({"id": id, "note": note})),
        Form::Scripted => {
            let body = json!({"id": id, "note": note});
            let call = ScriptCall::new("GET", format!("{path}/{{id}}"));
            let script = Script::new()
                .keep("answer", call.with_body(ScriptValue::Literal(body)))
                .returning(ScriptValue::variable("answer"));
            ToolCall::of_script(script)
        }
    }
}

/// A call that each place refuses.
fn refused(trial: &Trial<'_, SurfaceSubject>, scene: &Scene<'_>, form: Form) -> Vec<Refused> {
    let canaries = || vec![scene.stage.canary(), scene.stage.canary()];
    let of = |by, tool: &str, path: &str, before: &str| {
        let canaries = canaries();
        let id = format!("{before}{}", canaries[0]);
        let call = call(form, tool, path, &id, &canaries[1]);
        Refused { by, call, canaries }
    };
    let mut refused = vec![
        of(POLICY, FORBIDDEN, "/forbidden", ""),
        of(OWN_LIMITS, ITEM, "/items", "../"),
        of(OWN_LIMITS, ITEM, "/items", "a?b="),
    ];
    refused.push(of_no_scalar(scene, form));
    if methods(trial).iter().any(|method| method == "POST") {
        refused.push(posted(scene, form));
    }
    if form == Form::Scripted {
        return refused;
    }
    if trial.profile().argument_validator {
        refused.push(of("the validator", WATCHED, "/items", ""));
    }
    let by_schema = |arguments: fn(&[String]) -> Value| {
        let canaries = canaries();
        let call = ToolCall::new(ITEM, arguments(&canaries));
        let by = "the schema";
        Refused { by, call, canaries }
    };
    refused.extend([
        by_schema(|own| json!({"id": own[0]})),
        by_schema(|own| json!({"id": own[0], "note": "x", "limit": own[1]})),
    ]);
    refused
}

/// A value that a query cannot carry.
fn of_no_scalar(scene: &Scene<'_>, form: Form) -> Refused {
    let canaries = vec![scene.stage.canary(), scene.stage.canary()];
    let arguments = json!({"id": canaries[0], "note": {"deep": [canaries[1]]}});
    let call = match form {
        Form::Curated => ToolCall::new(ITEM, arguments),
        Form::Scripted => {
            let call = ScriptCall::new("GET", "/items/{id}");
            ToolCall::of_script(Script::new().call(call.with_body(ScriptValue::Literal(arguments))))
        }
    };
    let by = OWN_LIMITS;
    Refused { by, call, canaries }
}

/// A body that the policy refuses.
fn posted(scene: &Scene<'_>, form: Form) -> Refused {
    let canaries = vec![scene.stage.canary(), scene.stage.canary()];
    let arguments = json!({"id": canaries[0], "note": canaries[1]});
    let call = match form {
        Form::Curated => ToolCall::new(POSTED, arguments),
        Form::Scripted => {
            let call = ScriptCall::new("POST", "/forbidden/{id}");
            ToolCall::of_script(Script::new().call(call.with_body(ScriptValue::Literal(arguments))))
        }
    };
    let by = POLICY;
    Refused { by, call, canaries }
}

fn refusal(scene: &Scene<'_>, refused: &Refused) -> Result<Option<Counterexample>, Stop> {
    scene.stage.backend.answer_with(sound());
    let sight = scene.see(&refused.call)?;
    let by = refused.by;
    // Whether these are refused at all is another row's question.
    if by == OWN_LIMITS && (sight.called.is_value() || !sight.silent) {
        return Ok(None);
    }
    if by == POLICY && sight.called.is_value() {
        return Ok(Some(
            Counterexample::new("what the policy refuses is answered as a success")
                .step(refused.call.to_string(), &sight.called)
                .expected("a refusal, which is the caller's to mend")
                .seen(sight.told())
                .twin("the same call with acceptable arguments succeeds"),
        ));
    }
    let Called::Failed(failure) = &sight.called else {
        return Err(Stop::Undecided(format!(
            "the control failed: `{}`, which {by} has to refuse, is not refused: {}",
            refused.call,
            sight.told()
        )));
    };
    if !sight.silent {
        return Err(Stop::Undecided(format!(
            "the control failed: `{}`, which {by} has to refuse, is sent: {}",
            refused.call,
            sight.told()
        )));
    }
    let found = |headline: String, seen: String| {
        Counterexample::new(headline)
            .step(refused.call.to_string(), &sight.called)
            .expected("a refusal, which is the caller's to mend, without any value of the request")
            .seen(seen)
            .twin("the same call with acceptable arguments succeeds")
    };
    if !failure.is_refusal() {
        let headline = format!("what {by} refuses is reported as a fault");
        return Ok(Some(found(headline, failure.to_string())));
    }
    Ok(
        quoted(&searching(&refused.canaries)?, failure).map(|place| {
            found(
                format!("a refusal by {by} quotes a value of the request"),
                place,
            )
        }),
    )
}

/// What a backend does that is nobody's refusal.
fn faults() -> Vec<(&'static str, Backend)> {
    vec![
        (
            "status 500",
            Reply::json(500, &json!({"error": "x"})).into(),
        ),
        (
            "an answer that is no JSON",
            Reply::text(200, "<html>").into(),
        ),
        ("a reset", Backend::new().reset()),
        ("status 502", Reply::new(502).into()),
        ("status 503", Reply::text(503, "later").into()),
        (
            "an answer cut short",
            Backend::new()
                .raw("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")
                .close(),
        ),
    ]
}

fn fault(
    what: &str,
    call: &ToolCall,
    called: &Called,
    canaries: &[String],
) -> Result<Option<Counterexample>, Stop> {
    // Whether such an answer is an error at all is another row's question.
    let Called::Failed(failure) = called else {
        return Ok(None);
    };
    let found = |headline: String, seen: String| {
        Counterexample::new(headline)
            .step(call.to_string(), called)
            .expected("a fault, apart from every refusal, without any value of the request")
            .seen(seen)
            .twin("the same call to a sound backend succeeds")
    };
    if failure.is_refusal() {
        let headline = format!("{what} of the backend is reported as a refusal");
        return Ok(Some(found(headline, failure.to_string())));
    }
    Ok(quoted(&searching(canaries)?, failure).map(|place| {
        found(
            format!("the report of {what} quotes a value of the request"),
            place,
        )
    }))
}

fn searching(canaries: &[String]) -> Result<Scanner, Stop> {
    let canaries = canaries.iter();
    scanner(canaries.map(|canary| Secret::new("an argument", canary.as_str())))
}

fn quoted(scanner: &Scanner, failure: &ToolFailure) -> Option<String> {
    failure.texts().iter().find_map(|(place, text)| {
        let scan = scanner.scan(text.as_bytes());
        let found = scan.findings.first()?;
        Some(format!(
            "{place} holds {} ({})",
            found.secret, found.encoding
        ))
    })
}
