//! EXE-11: errors hold nothing of the request or the credential.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::acts::SHORT;
use super::spy::{Asked, Spy, Verdict};
use super::stage::{Stage, has_pairs, leak, listen, scanner, sent_methods, sound};
use crate::outcome::Counterexample;
use crate::recorder::{Recorded, Reply, Respond, Script};
use crate::scan::{Scanner, Secret};
use crate::subject::{ExecutorEnv, ExecutorSubject};
use crate::trial::{Built, Call, Driven, Ending, Finding, Judged, Stop, Trial};

/// A canary for each place, and a call that holds them all.
struct Planted {
    base_path: String,
    target: String,
    refused: String,
    pair: String,
    body: String,
    all: Vec<(&'static str, String)>,
}

fn plant(stage: &Stage) -> Planted {
    let [base, path, author, pair, body] = [(); 5].map(|()| stage.canary());
    Planted {
        target: format!("/items/{path}?own={author}"),
        refused: format!("/refused/{path}?own={author}"),
        pair: pair.clone(),
        body: body.clone(),
        base_path: base.clone(),
        all: vec![
            ("a value of the base URL's path", base),
            ("a value of the path", path),
            ("a value of the author's query", author),
            ("a value of a pair", pair),
            ("a value of the body", body),
        ],
    }
}

impl Planted {
    /// A call that holds all that its method carries.
    fn call(&self, method: &str) -> Result<Call, Stop> {
        let body = if has_pairs(method) {
            json!({"q": self.pair})
        } else {
            json!({"name": self.body})
        };
        Ok(Call::new(method, &self.target)?.with_body(body))
    }

    /// Calls that cannot be sent, or need not be.
    fn unsendable(&self) -> Result<Vec<Call>, Stop> {
        let (pair, body) = (self.pair.as_str(), self.body.as_str());
        let get = Call::new("GET", &self.refused)?;
        Ok(vec![
            get.clone()
                .with_body(json!({"q": {"deep": pair}, "name": body})),
            get.clone().with_body(json!({"q": [[pair]], "name": body})),
            get.clone().with_body(json!({"q": format!("{pair}\r\n")})),
            get.clone().with_body(json!([pair, body])),
            get.with_body(json!(body)),
            Call::new("PROOFMARK", &self.refused)?.with_body(json!({"name": body})),
        ])
    }
}

/// Answers with what was asked, as text that is no JSON.
fn repeats(status: u16) -> impl Respond {
    move |request: &Recorded| {
        let text = String::from_utf8_lossy(request.bytes()).into_owned();
        Reply::text(status, &text)
    }
}

/// Answers with the beginning of a JSON document that holds what was asked, and says that more is to
/// come or not.
fn halves(more: bool) -> impl Respond {
    move |request: &Recorded| {
        let asked = serde_json::Value::from(String::from_utf8_lossy(request.bytes()));
        let text = format!("{{\"asked\": {asked}, ");
        let length = text.len() + if more { 100 } else { 0 };
        Script::new()
            .raw(format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{text}"))
            .close()
    }
}

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let stage = Stage::new(trial)?;
    let planted = plant(&stage);
    let secrets = planted
        .all
        .iter()
        .map(|(name, value)| Secret::new(*name, value.as_str()));
    let credential =
        (stage.scheme.is_some()).then(|| Secret::new("the credential", stage.credential.as_str()));
    let scanner = scanner(secrets.chain(credential))?;
    let base = format!("{}/{}", stage.backend.base_url(), planted.base_path);
    let env = stage.env().with_base_url(&base);
    let methods = sent_methods(trial, &stage, &trial.executor(&env)?)?;
    let mut calls = Vec::new();
    let mut further = Vec::new();
    for method in methods {
        let usual = matches!(method, "GET" | "POST");
        let list = if usual { &mut calls } else { &mut further };
        list.push(planted.call(method)?);
    }
    control(trial, &stage, &env, &calls, &planted)?;
    let env = env.with_deadline(SHORT);
    if let Some(found) = unbuilt(trial, &stage, &planted, &scanner)? {
        return Ok(Finding::broken(found));
    }
    let unsendable = planted.unsendable()?;
    let mut cases = 0;
    for (way, env) in ways(&planted, &env)? {
        let executor = trial.executor(&env)?;
        stage
            .backend
            .answer_with(Shared(Arc::clone(&way.responder)));
        let mut tried: Vec<&Call> = calls.iter().collect();
        match way.with {
            With::Nothing | With::Patience => {}
            With::FurtherMethods => tried.extend(&further),
            With::Unsendable => tried.extend(&unsendable),
        }
        for (call, ending) in endings(&executor, way.with, tried)? {
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

/// How each of these calls ends.
fn endings<'c>(
    executor: &Driven<'_>,
    with: With,
    calls: Vec<&'c Call>,
) -> Result<Vec<(&'c Call, Ending)>, Stop> {
    if with != With::Patience {
        let calls = calls.into_iter();
        return calls.map(|call| Ok((call, executor.call(call)?))).collect();
    }
    // That they do not end is another row's affair.
    let mut running = Vec::new();
    for call in calls {
        running.push((call, executor.start(call)?));
    }
    let patience = executor.brief_patience();
    let ended = running.into_iter().map(|(call, running)| {
        let left = patience.saturating_sub(running.elapsed());
        Ok((call, running.wait(left.max(Duration::from_millis(20)))))
    });
    ended.collect()
}

/// Base URLs that cannot be used, or need not be: what is said of them quotes nothing either.
fn unbuilt(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    planted: &Planted,
    scanner: &Scanner,
) -> Result<Option<Counterexample>, Stop> {
    let (base, own) = (stage.backend.base_url(), &planted.base_path);
    let bases = [
        ("with a query", format!("{base}/{own}?tenant={own}")),
        ("with a fragment", format!("{base}/{own}#{own}")),
        ("of another scheme", format!("ftp://127.0.0.1/{own}")),
        ("without a scheme", format!("127.0.0.1/{own}")),
        (
            "with a port that there is not",
            format!("http://127.0.0.1:99999/{own}"),
        ),
        ("without a host", format!("http:///?x={own}")),
        ("with a space", format!("http://127.0.0.1 /{own}")),
    ];
    for (what, base) in bases {
        let Built::Refused(shown) = trial.build(&stage.env().with_base_url(base))? else {
            continue;
        };
        if let Some(place) = leak(scanner, &shown) {
            return Ok(Some(
                Counterexample::new(format!("a base URL {what} is refused: {place}"))
                    .step(format!("build it on a base URL {what}"), "refused")
                    .expected("an error that holds no value of the base URL")
                    .seen(place)
                    .twin("on a sound base URL with such a path it is built, and its calls arrive"),
            ));
        }
    }
    Ok(None)
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
    with: With,
}

impl Way {
    fn of(what: &'static str, responder: Arc<dyn Respond>) -> Self {
        Self {
            what,
            responder,
            with: With::Nothing,
        }
    }

    fn with(self, with: With) -> Self {
        Self { with, ..self }
    }
}

/// What is tried besides a GET and a POST.
#[derive(Clone, Copy, PartialEq, Eq)]
enum With {
    Nothing,
    /// Every other method that the executor sends.
    FurtherMethods,
    /// Calls that cannot be sent.
    Unsendable,
    /// Nothing either, and all at once: each takes a whole deadline.
    Patience,
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
    let mut ways: Vec<(Way, ExecutorEnv)> = answers()
        .into_iter()
        .map(|way| (way, env.clone()))
        .collect();
    let sound = || -> Arc<dyn Respond> { Arc::new(sound()) };
    ways.extend([
        (Way::of("nobody listens", sound()), closed),
        (Way::of("the policy refuses", sound()), refusing),
    ]);
    Ok(ways)
}

/// What the backend does, and what is tried with that.
fn answers() -> Vec<Way> {
    let statuses = [
        (401, "the backend answers with status 401"),
        (403, "the backend answers with status 403"),
        (404, "the backend answers with status 404"),
        (429, "the backend answers with status 429"),
        (503, "the backend answers with status 503"),
    ];
    let statuses = statuses.map(|(status, what)| Way::of(what, Arc::new(repeats(status))));
    let redirects = |request: &Recorded| Reply::new(302).header("location", request.target());
    let no_http = Script::new().raw("nonsense\r\n\r\n").close();
    let others = [
        Way::of(
            "the backend answers with status 500",
            Arc::new(repeats(500)),
        )
        .with(With::FurtherMethods),
        Way::of("the answer is no JSON", Arc::new(repeats(200))).with(With::FurtherMethods),
        Way::of(
            "the backend resets the connection",
            Arc::new(Script::new().reset()),
        )
        .with(With::FurtherMethods),
        Way::of("the backend redirects", Arc::new(redirects)),
        Way::of(
            "the answer is half a JSON document",
            Arc::new(halves(false)),
        ),
        Way::of("the answer is cut short", Arc::new(halves(true))),
        Way::of("the answer is no HTTP", Arc::new(no_http)),
        Way::of(
            "the backend answers with status 501",
            Arc::new(repeats(501)),
        )
        .with(With::Unsendable),
        Way::of("the backend does not answer", Arc::new(Script::new())).with(With::Patience),
    ];
    others.into_iter().chain(statuses).collect()
}

/// The same calls succeed against a sound backend, and the record holds what is looked for.
fn control(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    env: &ExecutorEnv,
    calls: &[Call],
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
