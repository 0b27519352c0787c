//! SUR-07: an argument validator runs after the schema, and always.

use std::sync::{Arc, Mutex, PoisonError};

use proofmark::policy::{ArgumentRefusal, ArgumentValidator};
use serde_json::{Value, json};

use super::scene::{Scene, Sight, env, stage};
use crate::check::exe::spy::{Spy, Verdict};
use crate::outcome::Counterexample;
use crate::subject::{ParameterSpec, SurfaceSubject, ToolCall, ToolSpec};
use crate::trial::{Finding, Judged, Stop, Trial};

/// The tool that has a validator, and the one that has none.
const WATCHED: &str = "find_items";
const OTHER: &str = "list_items";

/// A validator that remembers what it was asked.
struct Remembers {
    accepts: bool,
    asked: Mutex<Vec<Value>>,
}

impl Remembers {
    fn asked(&self) -> Vec<Value> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// As a validator, so that a surface may own it.
struct Asked(Arc<Remembers>);

impl ArgumentValidator for Asked {
    fn validate(&self, args: &Value) -> Result<(), ArgumentRefusal> {
        let mut asked = self.0.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.push(args.clone());
        if self.0.accepts {
            Ok(())
        } else {
            Err(ArgumentRefusal::new(
                "the judge's validator refuses this call",
            ))
        }
    }
}

/// A call, and what has to come of it.
struct Case {
    tool: &'static str,
    arguments: Value,
    what: &'static str,
    /// Whether the validator has to be asked.
    asked: bool,
}

/// How the surface is built.
#[derive(Clone, Copy)]
struct Build {
    schema: bool,
    accepts: bool,
}

impl Build {
    fn told(self) -> String {
        let schema = if self.schema { "on" } else { "off" };
        let verdict = if self.accepts {
            "accepting"
        } else {
            "refusing"
        };
        format!("with the schema check {schema} and an {verdict} validator")
    }
}

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let mut builds = vec![(true, true), (true, false)];
    if trial.profile().optional_schema {
        builds.extend([(false, true), (false, false)]);
    }
    control(trial)?;
    let mut cases = 0;
    for (schema, accepts) in builds {
        let build = Build { schema, accepts };
        for case in tried(schema) {
            // Made again, the call is validated again.
            for (sight, asked) in run(trial, build, &case)? {
                if let Some(found) = fault(build, &case, &sight, &asked) {
                    return Ok(Finding::broken(found));
                }
                cases += 1;
            }
        }
    }
    Ok(Finding::held(cases))
}

fn tried(schema: bool) -> Vec<Case> {
    let case = |tool, arguments, what, asked| Case {
        tool,
        arguments,
        what,
        asked,
    };
    vec![
        case(WATCHED, sound(), "sound arguments", true),
        case(OTHER, sound(), "another tool's arguments", false),
        // Without the schema check there is nothing that keeps these from the validator.
        case(
            WATCHED,
            json!({"id": "7", "limit": "many"}),
            "an argument that does not match its pattern",
            !schema,
        ),
        case(WATCHED, json!({"id": "7"}), "a missing argument", !schema),
    ]
}

fn sound() -> Value {
    json!({"id": "7", "limit": "10"})
}

fn tools() -> [ToolSpec; 2] {
    [WATCHED, OTHER].map(|name| {
        let limit = ParameterSpec::query("limit")
            .required()
            .with_pattern("^[0-9]+$");
        ToolSpec::operation(
            name,
            "GET",
            "/items/{id}",
            [ParameterSpec::path("id"), limit],
        )
    })
}

/// With sound arguments and an accepting validator the request is sent; without a required one it
/// is not.
fn control(trial: &Trial<'_, SurfaceSubject>) -> Result<(), Stop> {
    let build = Build {
        schema: true,
        accepts: true,
    };
    let case = |arguments| Case {
        tool: WATCHED,
        arguments,
        what: "",
        asked: true,
    };
    let [(accepted, _), _] = run(trial, build, &case(sound()))?;
    let [(refused, _), _] = run(trial, build, &case(json!({"id": "7"})))?;
    if accepted.called.is_value() && !accepted.requests.is_empty() && refused.requests.is_empty() {
        return Ok(());
    }
    Err(Stop::Undecided(format!(
        "the control failed: with sound arguments {}; with a missing one {}",
        accepted.told(),
        refused.told()
    )))
}

fn run(
    trial: &Trial<'_, SurfaceSubject>,
    build: Build,
    case: &Case,
) -> Result<[(Sight, Vec<Value>); 2], Stop> {
    let remembers = Arc::new(Remembers {
        accepts: build.accepts,
        asked: Mutex::default(),
    });
    let stage = stage(trial)?;
    let spy = Spy::new(Verdict::Allow);
    let mut env = env(&stage, &spy)
        .with_tools(tools())
        .with_argument_validator(WATCHED, Arc::new(Asked(Arc::clone(&remembers))));
    if !build.schema {
        env = env.without_schema_check();
    }
    let scene = Scene::built(trial, stage, spy, &env)?;
    let call = ToolCall::new(case.tool, case.arguments.clone());
    let first = scene.see(&call)?;
    let asked = remembers.asked();
    let second = scene.see(&call)?;
    let again = remembers.asked().split_off(asked.len());
    Ok([(first, asked), (second, again)])
}

fn fault(build: Build, case: &Case, sight: &Sight, asked: &[Value]) -> Option<Counterexample> {
    let (what, expected) = match (case.asked, asked) {
        (true, []) => ("the validator is not asked", "it is asked once"),
        (true, [one]) if *one != case.arguments => (
            "the validator is asked about other arguments",
            "it is asked about the arguments of the call",
        ),
        (true, [_]) if !build.accepts && !sight.silent => (
            "a request is sent although the validator refused",
            "nothing is sent",
        ),
        (true, [_]) => return None,
        (true, _) => ("the validator is asked more than once", "it is asked once"),
        (false, []) => return None,
        (false, _) if case.tool == OTHER => (
            "the validator of one tool is asked about another",
            "a tool without a validator is not validated",
        ),
        (false, _) => (
            "the validator is asked about what the schema refuses",
            "it is asked only once the schema has accepted the arguments",
        ),
    };
    let call = ToolCall::new(case.tool, case.arguments.clone());
    Some(
        Counterexample::new(format!("{what}: {}, {}", case.what, build.told()))
            .step(call.to_string(), &sight.called)
            .expected(expected)
            .seen(format!("{what}; {}", sight.told()))
            .twin("with sound arguments and an accepting validator the request is sent, and with a missing argument it is not"),
    )
}
