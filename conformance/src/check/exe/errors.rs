//! EXE-11: errors hold nothing of the request or the credential.

use std::sync::Arc;

use serde_json::json;

use super::acts::SHORT;
use super::spy::{Asked, Spy, Verdict};
use super::stage::{Stage, leak, listen, scanner, sound, supports};
use crate::outcome::Counterexample;
use crate::recorder::{Recorded, Reply, Respond, Script};
use crate::scan::{Scanner, Secret};
use crate::subject::{ExecutorEnv, ExecutorSubject};
use crate::trial::{Built, Call, Ending, Finding, Judged, Stop, Trial};

/// A canary for each place, and a call that holds them all.
struct Planted {
    base_path: String,
    get: Call,
    post: Call,
    unsendable: Call,
    all: Vec<(&'static str, String)>,
}

fn plant(stage: &Stage) -> Result<Planted, Stop> {
    let [base, path, author, pair, body] = [(); 5].map(|()| stage.canary());
    let target = format!("/items/{path}?own={author}");
    let refused = format!("/refused/{path}?own={author}");
    Ok(Planted {
        get: Call::new("GET", &target)?.with_body(json!({"q": pair})),
        post: Call::new("POST", &target)?.with_body(json!({"name": body})),
        unsendable: Call::new("GET", &refused)?
            .with_body(json!({"q": {"deep": pair}, "name": body})),
        base_path: base.clone(),
        all: vec![
            ("a value of the base URL's path", base),
            ("a value of the path", path),
            ("a value of the author's query", author),
            ("a value of a pair", pair),
            ("a value of the body", body),
        ],
    })
}

/// Answers with what was asked, as text that is no JSON.
fn repeats(status: u16) -> impl Respond {
    move |request: &Recorded| {
        let text = String::from_utf8_lossy(request.bytes()).into_owned();
        Reply::text(status, &text)
    }
}

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let stage = Stage::new(trial)?;
    let planted = plant(&stage)?;
    let secrets = planted
        .all
        .iter()
        .map(|(name, value)| Secret::new(*name, value.as_str()));
    let credential =
        (stage.scheme.is_some()).then(|| Secret::new("the credential", stage.credential.as_str()));
    let scanner = scanner(secrets.chain(credential))?;
    let base = format!("{}/{}", stage.backend.base_url(), planted.base_path);
    let env = stage.env().with_base_url(&base);
    let calls: Vec<&Call> = [&planted.get, &planted.post]
        .into_iter()
        .filter(|call| supports(trial, &call.method))
        .collect();
    control(trial, &stage, &env, &calls, &planted)?;
    let env = env.with_deadline(SHORT);
    let mut cases = 0;
    for (way, env) in ways(&planted, &env)? {
        let executor = trial.executor(&env)?;
        let unsendable = std::iter::once(&planted.unsendable);
        let tried = if way.is_slow { 1 } else { calls.len() + 1 };
        stage
            .backend
            .answer_with(Shared(Arc::clone(&way.responder)));
        for call in calls.iter().copied().chain(unsendable).take(tried) {
            let ending = if way.is_slow {
                // That it does not end is another row's affair.
                executor.start(call)?.wait(executor.brief_patience())
            } else {
                executor.call(call)?
            };
            let Ending::Failed(shown) = ending else {
                continue;
            };
            cases += 1;
            if let Some(place) = leak(&scanner, &shown) {
                return Ok(Finding::broken(found(&scanner, way.what, call, &place)));
            }
        }
    }
    if cases == 0 {
        return Ok(Finding::Undecided(
            "nothing made the executor fail".to_owned(),
        ));
    }
    Ok(Finding::held(cases))
}

fn found(scanner: &Scanner, what: &str, call: &Call, place: &str) -> Counterexample {
    let call = scanner.redact(&call.to_string());
    Counterexample::new(format!("{what}: {place}"))
        .step(call, "failed")
        .expected("an error that holds no value of the base URL, the path, the query, the body or the credential")
        .seen(place.to_owned())
        .twin("against a sound backend the same request succeeds, and the record holds its values")
}

struct Way {
    what: &'static str,
    responder: Arc<dyn Respond>,
    /// Whether it takes a whole deadline: then one call has to do.
    is_slow: bool,
}

struct Shared(Arc<dyn Respond>);

impl Respond for Shared {
    fn respond(&self, request: &Recorded) -> Script {
        self.0.respond(request)
    }
}

/// Each way to make the executor fail, and what it is built with for that.
fn ways(planted: &Planted, env: &ExecutorEnv) -> Result<Vec<(Way, ExecutorEnv)>, Stop> {
    // Nobody listens there any more once it is dropped.
    let closed = listen(sound())?.base_url();
    let closed = env
        .clone()
        .with_base_url(format!("{closed}/{}", planted.base_path));
    let refusing = Spy::new(Verdict::RefuseTarget("/"));
    let refusing = env.clone().with_policy(Arc::new(Asked(refusing)));
    let way = |what, responder: Arc<dyn Respond>| Way {
        what,
        responder,
        is_slow: false,
    };
    let answers = |what, responder: Arc<dyn Respond>| (way(what, responder), env.clone());
    let silent = Way {
        is_slow: true,
        ..way("the backend does not answer", Arc::new(Script::new()))
    };
    let ways = vec![
        answers(
            "the backend answers with status 500",
            Arc::new(repeats(500)),
        ),
        answers(
            "the backend answers with status 404",
            Arc::new(repeats(404)),
        ),
        answers(
            "the backend redirects",
            Arc::new(|request: &Recorded| Reply::new(302).header("location", request.target())),
        ),
        answers("the answer is no JSON", Arc::new(repeats(200))),
        answers(
            "the backend resets the connection",
            Arc::new(Script::new().reset()),
        ),
        answers(
            "the answer is no HTTP",
            Arc::new(Script::new().raw("nonsense\r\n\r\n").close()),
        ),
        (silent, env.clone()),
        (way("nobody listens", Arc::new(sound())), closed),
        (way("the policy refuses", Arc::new(sound())), refusing),
    ];
    Ok(ways)
}

/// The same calls succeed against a sound backend, and the record holds what is looked for.
fn control(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    env: &ExecutorEnv,
    calls: &[&Call],
    planted: &Planted,
) -> Result<(), Stop> {
    let Built::Executor(executor) = trial.build(env)? else {
        return Err(Stop::Undecided(
            "no executor could be built on a base URL with a path".to_owned(),
        ));
    };
    let mut sent: Vec<Recorded> = Vec::new();
    for call in calls {
        let observed = stage.observe(&executor, call)?;
        if !observed.ending.is_value() {
            return Err(Stop::Undecided(format!(
                "the control failed: against a sound backend `{call}` ends in {}",
                observed.ending
            )));
        }
        sent.extend(observed.requests);
    }
    let missing = planted.all.iter().find(|(name, value)| {
        let needed = match *name {
            "a value of a pair" => calls.iter().any(|call| call.method == "GET"),
            "a value of the body" => calls.iter().any(|call| call.method == "POST"),
            _ => true,
        };
        needed
            && !sent
                .iter()
                .any(|request| request.contains(value.as_bytes()))
    });
    match missing {
        Some((name, _)) => Err(Stop::Undecided(format!(
            "the control failed: {name} did not arrive"
        ))),
        None => Ok(()),
    }
}
