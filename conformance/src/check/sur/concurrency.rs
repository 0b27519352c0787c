//! SUR-10: calls at the same time share nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::scene::Scene;
use super::wanted::{Form, Wanted, forms};
use crate::outcome::Counterexample;
use crate::recorder::{Recorded, Reply, Script as Backend};
use crate::subject::{RequestCase, Script, ScriptCall, ScriptValue, SurfaceSubject, ToolCall};
use crate::trial::{Called, Finding, Judged, Stop, Trial};

/// So many calls are made at once, in so many rounds.
const AT_ONCE: usize = 16;
const ROUNDS: u64 = 4;

/// A call, and the canaries that belong to it alone.
struct Owned {
    call: ToolCall,
    canaries: Vec<String>,
}

impl Owned {
    fn owns(&self, text: &[u8]) -> bool {
        self.canaries
            .iter()
            .any(|canary| memchr::memmem::find(text, canary.as_bytes()).is_some())
    }
}

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let tool = item("", "").tool("get_item");
    let scene = Scene::new(trial, [tool])?;
    scene.stage.backend.answer_with(answer);
    let mut cases = 0;
    for form in forms(trial) {
        let calls = || -> Vec<Owned> { (0..AT_ONCE).map(|_| owned(&scene, form)).collect() };
        one_by_one(&scene, &calls())?;
        for round in 0..trial.share_of(ROUNDS) {
            let calls = calls();
            if let Some(found) = at_once(&scene, &calls, round)? {
                return Ok(Finding::broken(found));
            }
            cases += calls.len();
        }
    }
    Ok(Finding::held(cases))
}

fn item(id: &str, note: &str) -> Wanted {
    Wanted::new("GET", "/items/{id}")
        .with("id", id)
        .with("note", note)
}

fn owned(scene: &Scene<'_>, form: Form) -> Owned {
    let [id, note, list] = [(); 3].map(|()| scene.stage.canary());
    let call = match form {
        Form::Curated => item(&id, &note).call(form, "get_item"),
        Form::Scripted => ToolCall::of_script(script(&id, &note, &list)),
    };
    let canaries = match form {
        Form::Curated => vec![id, note],
        Form::Scripted => vec![id, note, list],
    };
    Owned { call, canaries }
}

/// A script whose later requests are made of its variables and of earlier answers.
fn script(id: &str, note: &str, list: &str) -> Script {
    let fields = |members: [(&str, ScriptValue); 2]| ScriptValue::object(members);
    let item = ScriptCall::new("GET", "/lists/${list}/{id}").with_body(fields([
        ("id", ScriptValue::literal(id)),
        ("note", ScriptValue::literal(note)),
    ]));
    let again = ScriptCall::new("POST", "/lists/${list}").with_body(fields([
        ("first", ScriptValue::variable("first")),
        ("list", ScriptValue::variable("list")),
    ]));
    Script::new()
        .assign("list", list)
        .keep("first", item)
        .keep("second", again)
        .returning(ScriptValue::object([
            ("first", ScriptValue::variable("first")),
            ("second", ScriptValue::variable("second")),
            ("list", ScriptValue::variable("list")),
        ]))
}

/// Repeats what was asked, without any credential, so that an answer belongs to its call as much as
/// its request.
fn answer(request: &Recorded) -> Backend {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let pairs = request.pairs();
    let note = pairs.iter().find(|(key, _)| key == "note");
    let echo = json!({
        "path": text(request.path()),
        "note": note.map(|(_, note)| note),
        "body": text(request.body()),
    });
    // Waits that differ let the calls overtake one another.
    let sum: u64 = request.path().iter().map(|byte| u64::from(*byte)).sum();
    Backend::new()
        .wait(Duration::from_millis(2 + sum % 8))
        .reply(Reply::json(200, &echo))
}

/// The control: one after another, each call sends and returns its own canaries alone.
fn one_by_one(scene: &Scene<'_>, calls: &[Owned]) -> Result<(), Stop> {
    let few = &calls[..4];
    let mut ids = Vec::new();
    for owned in few {
        let sight = scene.control(&owned.call)?;
        let own = |text: &[u8]| owned.owns(text);
        let foreign = |text: &[u8]| others(few, owned).any(|other| other.owns(text));
        let result = told(&sight.called);
        let mut sent = sight.requests.iter().map(Recorded::bytes);
        let sound = own(result.as_bytes())
            && !foreign(result.as_bytes())
            && sight.requests.iter().any(|request| own(request.bytes()))
            && !sent.any(foreign);
        ids.extend(sight.views.first().map(|view| view.call_id.clone()));
        if !sound {
            return Err(Stop::Undecided(format!(
                "the control failed: one after another, `{}` does not send and return its own values alone: {}",
                owned.call,
                sight.told()
            )));
        }
    }
    ids.sort_unstable();
    ids.dedup();
    if ids.len() == few.len() {
        return Ok(());
    }
    Err(Stop::Undecided(
        "the control failed: one after another, calls do not have ids of their own".to_owned(),
    ))
}

fn at_once(scene: &Scene<'_>, calls: &[Owned], round: u64) -> Result<Option<Counterexample>, Stop> {
    let before = scene.stage.backend.settled_tally();
    let views = scene.spy.seen().len();
    let all: Vec<ToolCall> = calls.iter().map(|owned| owned.call.clone()).collect();
    let ends = scene.surface.call_all(&all)?;
    let (_, requests) = scene.stage.backend.since(before);
    let views = scene.spy.seen().split_off(views);
    let found = |owned: &Owned, what: &str, seen: String| {
        Counterexample::new(format!("{what}, where calls are made at the same time"))
            .step(owned.call.to_string(), "made together with others")
            .expected("no part of one call appears in the requests, views or results of another")
            .seen(format!("in round {round} of {} calls at once: {seen}", calls.len()))
            .twin("one after another, such calls each sent and returned their own values alone, under ids of their own")
    };
    for (owned, end) in calls.iter().zip(&ends) {
        let result = told(end);
        if others(calls, owned).any(|other| other.owns(result.as_bytes())) {
            let what = "a result holds a value of another call";
            return Ok(Some(found(owned, what, end.to_string())));
        }
    }
    for request in &requests {
        if let Some(owned) = mixed(calls, request.bytes()) {
            let what = "a request holds values of two calls";
            return Ok(Some(found(owned, what, request.to_string())));
        }
    }
    let lost = calls.iter().zip(&ends).find(|(owned, end)| {
        end.is_value() && !requests.iter().any(|request| owned.owns(request.bytes()))
    });
    if let Some((owned, end)) = lost {
        let what = "a call is answered whose own values were never sent";
        return Ok(Some(found(owned, what, end.to_string())));
    }
    Ok(shared_id(calls, &views).map(|(owned, seen)| found(owned, "two calls share an id", seen)))
}

/// An owner of this text, where it has two.
fn mixed<'c>(calls: &'c [Owned], text: &[u8]) -> Option<&'c Owned> {
    let mut owners = calls.iter().filter(|owned| owned.owns(text));
    let first = owners.next()?;
    owners.next().map(|_| first)
}

/// Two calls that were shown under one id.
fn shared_id<'c>(calls: &'c [Owned], views: &[RequestCase]) -> Option<(&'c Owned, String)> {
    let mut owners: BTreeMap<&str, usize> = BTreeMap::new();
    for view in views.iter().filter(|view| !view.call_id.is_empty()) {
        let text = view_text(view);
        let Some(owner) = calls.iter().position(|owned| owned.owns(text.as_bytes())) else {
            continue;
        };
        let first = *owners.entry(view.call_id.as_str()).or_insert(owner);
        if first != owner {
            return Some((&calls[owner], format!("the view {view}")));
        }
    }
    None
}

fn view_text(view: &RequestCase) -> String {
    let query = Value::from(
        view.query
            .iter()
            .flat_map(|(k, v)| [k.clone(), v.clone()])
            .collect::<Vec<_>>(),
    );
    format!(
        "{} {query} {}",
        view.path,
        view.body.clone().unwrap_or_default()
    )
}

fn told(end: &Called) -> String {
    match end {
        Called::Value(value) => value.to_string(),
        Called::Failed(failure) => {
            let texts = failure.texts().iter();
            texts
                .map(|(_, text)| text.as_str())
                .collect::<Vec<_>>()
                .join(" ")
        }
        Called::Panicked(_) | Called::Unanswered => String::new(),
    }
}

fn others<'c>(calls: &'c [Owned], owned: &'c Owned) -> impl Iterator<Item = &'c Owned> {
    calls
        .iter()
        .filter(move |other| !std::ptr::eq(*other, owned))
}
