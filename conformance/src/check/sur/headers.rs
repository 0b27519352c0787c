//! SUR-12: arguments cannot set the headers that steer a request.

use serde_json::{Map, Value, json};

use super::scene::{Scene, Sight, env, stage};
use super::wanted::{Form, Wanted, forms, methods};
use crate::check::exe::spy::{Spy, Verdict};
use crate::outcome::Counterexample;
use crate::recorder::Recorded;
use crate::subject::{ParameterSpec, SurfaceSubject, ToolCall, ToolSpec};
use crate::trial::{Finding, Judged, Stop, Trial};

/// The headers that decide where a request goes, where it ends and who it is from.
const STEERING: &[&str] = &[
    "Host",
    "Authorization",
    "Cookie",
    "Content-Length",
    "Transfer-Encoding",
    "Connection",
];

/// The headers by which a backend takes a request for one of another method.
const OVERRIDES: &[&str] = &[
    "X-HTTP-Method-Override",
    "X-HTTP-Method",
    "X-Method-Override",
];

/// A header that harms nobody.
const HARMLESS: &str = "X-Item-Note";

const TOOL: &str = "get_item";

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let mut cases = 0;
    let tried = methods(trial).into_iter();
    let tried: Vec<String> = tried
        .filter(|method| matches!(method.as_str(), "GET" | "POST"))
        .collect();
    for form in forms(trial) {
        let before = plain(trial, form, "GET")?;
        for method in &tried {
            let before = plain(trial, form, method)?;
            for name in names() {
                let found = match form {
                    Form::Curated => by_argument(trial, &before, method, &name, &mut cases)?,
                    Form::Scripted => by_script(trial, &before, method, &name, &mut cases)?,
                };
                if let Some(found) = found {
                    return Ok(Finding::broken(found));
                }
            }
            if form == Form::Curated
                && let Some(found) = by_undeclared(trial, &before, method, &mut cases)?
            {
                return Ok(Finding::broken(found));
            }
        }
        if form == Form::Curated
            && trial.profile().header_parameters
            && let Some(found) = by_line_break(trial, &before, &mut cases)?
        {
            return Ok(Finding::broken(found));
        }
    }
    Ok(Finding::held(cases))
}

/// Arguments by which a backend takes a request for one of another method, wherever they stand.
const IN_PAIRS: &[&str] = &["_method", "_METHOD", "X-HTTP-Method-Override"];

/// Each name as it is written, in mixed case, and with underscores, which many backends read as
/// hyphens.
fn names() -> Vec<String> {
    let mixed = |name: &str| -> String {
        let letters = name.char_indices();
        letters
            .map(|(index, letter)| match index % 2 {
                0 => letter.to_ascii_lowercase(),
                _ => letter.to_ascii_uppercase(),
            })
            .collect()
    };
    let all = STEERING.iter().chain(OVERRIDES);
    all.flat_map(|name| {
        let underscored = name.contains('-').then(|| name.replace('-', "_"));
        [Some((*name).to_owned()), Some(mixed(name)), underscored]
    })
    .flatten()
    .collect()
}

/// The values of a header, whichever way its name is spelled.
fn values_of<'r>(request: &'r Recorded, name: &str) -> Vec<&'r [u8]> {
    let plain = |name: &[u8]| -> Vec<u8> {
        let bytes = name.iter().map(|byte| match byte {
            b'_' => b'-',
            other => other.to_ascii_lowercase(),
        });
        bytes.collect()
    };
    let wanted = plain(name.as_bytes());
    let headers = request.headers().filter(|(name, _)| plain(name) == wanted);
    headers.map(|(_, value)| value).collect()
}

/// What an ordinary call sends, to compare with.
struct Before {
    request: Recorded,
    twin: String,
}

fn plain(trial: &Trial<'_, SurfaceSubject>, form: Form, method: &str) -> Result<Before, Stop> {
    let wanted = Wanted::new(method, "/items/{id}").with("id", "7");
    let takes_headers = form == Form::Curated && trial.profile().header_parameters;
    if !takes_headers {
        let scene = Scene::new(trial, [wanted.tool(TOOL)])?;
        let sight = scene.control(&wanted.call(form, TOOL))?;
        return before(
            &sight,
            "without such an argument, the call is sent".to_owned(),
        );
    }
    let scene = Scene::new(trial, [tool(method, &[ParameterSpec::header(HARMLESS)])])?;
    let canary = scene.stage.canary();
    let call = ToolCall::new(TOOL, json!({"id": "7", HARMLESS: canary}));
    let sight = scene.control(&call)?;
    let arrived = |request: &Recorded| request.header(HARMLESS) == Some(canary.as_bytes());
    if !sight.requests.iter().any(arrived) {
        return Err(Stop::Undecided(format!(
            "the control failed: the declared header `{HARMLESS}` does not arrive: {}",
            sight.told()
        )));
    }
    let twin = format!("the harmless declared header `{HARMLESS}` arrives with its value");
    before(&sight, twin)
}

fn before(sight: &Sight, twin: String) -> Result<Before, Stop> {
    match sight.requests.first() {
        Some(request) => Ok(Before {
            request: request.clone(),
            twin,
        }),
        None => Err(Stop::Undecided(
            "the control failed: nothing is sent".to_owned(),
        )),
    }
}

fn tool(method: &str, further: &[ParameterSpec]) -> ToolSpec {
    let parameters = [ParameterSpec::path("id")];
    let parameters = parameters.iter().chain(further).cloned();
    ToolSpec::operation(TOOL, method, "/items/{id}", parameters)
}

/// What an argument of this name could say: a value that a client would send, too.
fn values(name: &str, canary: &str) -> Vec<String> {
    let lower = name.to_ascii_lowercase();
    let known = match lower.as_str() {
        "content-length" => "3",
        "transfer-encoding" => "chunked",
        "connection" => "upgrade",
        name if name.starts_with("x-") || name.starts_with("x_") => "DELETE",
        _ => canary,
    };
    vec![canary.to_owned(), known.to_owned()]
}

/// An argument of this name, declared as a header and not declared at all.
fn by_argument(
    trial: &Trial<'_, SurfaceSubject>,
    before: &Before,
    method: &str,
    name: &str,
    cases: &mut usize,
) -> Result<Option<Counterexample>, Stop> {
    let mut declared = vec![None];
    if trial.profile().header_parameters {
        declared.push(Some(ParameterSpec::header(name)));
    }
    for parameter in declared {
        let stage = stage(trial)?;
        let spy = Spy::new(Verdict::Allow);
        let env = env(&stage, &spy).with_tools([tool(method, parameter.as_slice())]);
        // A tool with such a parameter may be refused as a whole.
        let Some(surface) = trial.surface_unless_refused(&env)? else {
            *cases += 1;
            continue;
        };
        let scene = Scene {
            stage,
            spy,
            surface,
        };
        let canary = scene.stage.canary();
        for value in values(name, &canary) {
            let arguments = Map::from_iter([
                ("id".to_owned(), json!("7")),
                (name.to_owned(), json!(value)),
            ]);
            let call = ToolCall::new(TOOL, Value::Object(arguments));
            *cases += 1;
            if let Some(found) = steered(&scene, before, &call)? {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// A field of this name in a call of a script.
fn by_script(
    trial: &Trial<'_, SurfaceSubject>,
    before: &Before,
    method: &str,
    name: &str,
    cases: &mut usize,
) -> Result<Option<Counterexample>, Stop> {
    let scene = Scene::new(trial, [])?;
    let canary = scene.stage.canary();
    for value in values(name, &canary) {
        let wanted = Wanted::new(method, "/items/7").with(name, value);
        *cases += 1;
        if let Some(found) = steered(&scene, before, &wanted.call(Form::Scripted, TOOL))? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// An argument that nobody declared, and that a backend takes for another method where it is a pair
/// or a member of the body.
fn by_undeclared(
    trial: &Trial<'_, SurfaceSubject>,
    before: &Before,
    method: &str,
    cases: &mut usize,
) -> Result<Option<Counterexample>, Stop> {
    let scene = Scene::new(trial, [tool(method, &[])])?;
    for name in IN_PAIRS {
        let arguments = Map::from_iter([
            ("id".to_owned(), json!("7")),
            ((*name).to_owned(), json!("DELETE")),
        ]);
        let call = ToolCall::new(TOOL, Value::Object(arguments));
        let sight = scene.see(&call)?;
        *cases += 1;
        let passed_on = sight.requests.iter().find(|request| {
            let pairs = request.pairs();
            let body = request.json();
            pairs.iter().any(|(key, _)| key == name)
                || body.is_some_and(|body| body.get(name).is_some())
        });
        if let Some(request) = passed_on {
            return Ok(Some(
                Counterexample::new(format!("an undeclared argument `{name}` is passed on"))
                    .step(call.to_string(), &sight.called)
                    .expected("the call is refused, or the argument is not sent")
                    .seen(format!("`{name}` overrides the method of `{request}`"))
                    .twin(before.twin.as_str()),
            ));
        }
    }
    Ok(None)
}

/// A harmless header whose value goes on in another line.
fn by_line_break(
    trial: &Trial<'_, SurfaceSubject>,
    before: &Before,
    cases: &mut usize,
) -> Result<Option<Counterexample>, Stop> {
    let scene = Scene::new(trial, [tool("GET", &[ParameterSpec::header(HARMLESS)])])?;
    for name in STEERING.iter().chain(OVERRIDES) {
        for line_break in ["\r\n", "\n", "\r"] {
            let value = format!("x{line_break}{name}: {}", scene.stage.canary());
            let call = ToolCall::new(TOOL, json!({"id": "7", HARMLESS: value}));
            *cases += 1;
            if let Some(found) = steered(&scene, before, &call)? {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

fn steered(
    scene: &Scene<'_>,
    before: &Before,
    call: &ToolCall,
) -> Result<Option<Counterexample>, Stop> {
    let sight = scene.see(call)?;
    let changed = sight
        .requests
        .iter()
        .find_map(|request| Some((request, changed(scene, &before.request, request)?)));
    Ok(changed.map(|(request, (name, seen))| {
        Counterexample::new(format!("an argument sets the header `{name}`"))
            .step(call.to_string(), &sight.called)
            .expected("the call is refused, or the header is not sent")
            .seen(format!("{seen} in the head of `{request}`"))
            .twin(before.twin.as_str())
    }))
}

/// A steering header that is not as an ordinary call has it.
fn changed(
    scene: &Scene<'_>,
    before: &Recorded,
    request: &Recorded,
) -> Option<(&'static str, String)> {
    // Ordinary calls of another scene go to another port, under another credential.
    let own = |name: &str, value: &[u8]| match name {
        "Host" => value == scene.stage.backend.address().to_string().as_bytes(),
        "Authorization" => scene.stage.times_carried(request) > 0,
        // A body of another length is no header that was set.
        "Content-Length" if value == request.body().len().to_string().as_bytes() => true,
        _ => values_of(before, name).contains(&value),
    };
    STEERING.iter().chain(OVERRIDES).find_map(|name| {
        let values = values_of(request, name);
        let (count, wanted) = (values.len(), values_of(before, name).len());
        // An argument may make a body where there was none.
        let is_body = *name == "Content-Length" && count == 1 && !request.body().is_empty();
        if count != wanted && !is_body {
            return Some((*name, format!("{count} of them instead of {wanted}")));
        }
        let other = values.into_iter().find(|value| !own(name, value))?;
        Some((*name, format!("`{}`", other.escape_ascii())))
    })
}
