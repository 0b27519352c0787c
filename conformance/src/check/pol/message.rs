//! POL-05 and POL-21: a refusal says nothing of what it refused, nor who asked.

use proptest::test_runner::TestRng;
use serde_json::json;

use super::canary::{canary, leak};
use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Answer, Finding, Judged, Stop, Trial};

/// How many pairs of canaries are swapped in each place.
const SWAPS: usize = 6;

/// Puts a canary into one part of a request.
type Plant = fn(&RequestCase, &str) -> RequestCase;

const PLACES: &[(&str, Plant)] = &[
    ("path", |r, c| r.clone().with_path(&in_path(&r.path, c))),
    ("author-written query", |r, c| {
        let joint = if r.path.contains('?') { '&' } else { '?' };
        r.clone().with_path(&format!("{}{joint}canary={c}", r.path))
    }),
    ("query key", |r, c| r.clone().with_pair(c, "v")),
    ("query value", |r, c| r.clone().with_pair("canary", c)),
    ("body key", |r, c| with_member(r, c, "v")),
    ("body value", |r, c| with_member(r, "canary", c)),
    ("call id", |r, c| r.clone().with_call(c)),
];

const TOOL_NAME: &[(&str, Plant)] = &[
    ("tool name", |r, c| r.clone().with_tool(c)),
    ("end of a tool name", |r, c| {
        let own = r.tool.as_deref().unwrap_or_default();
        r.clone().with_tool(&format!("{own}_{c}"))
    }),
];

fn in_path(path: &str, canary: &str) -> String {
    match path.split_once('?') {
        Some((path, query)) => format!("{path}/{canary}?{query}"),
        None => format!("{path}/{canary}"),
    }
}

fn with_member(request: &RequestCase, key: &str, value: &str) -> RequestCase {
    let mut body = request.body.clone().unwrap_or_else(|| json!({}));
    match body.as_object_mut() {
        Some(members) => {
            members.insert(key.to_owned(), json!(value));
        }
        None => body = json!({key: value}),
    }
    request.clone().with_body(body)
}

/// POL-05.
pub(super) fn of_request(trial: &Trial<'_>) -> Judged {
    let mut rng = trial.rng();
    let mut cases = 0;
    let mut varies = None;
    for refused in trial.refused_requests() {
        for (place, plant) in PLACES {
            match judge_place(trial, &mut rng, &refused, place, *plant)? {
                Place::NotRefused => {}
                Place::Held => cases += 1,
                Place::Varies(example) => varies = Some(example),
                Place::Broken(counterexample) => return Ok(Finding::Broken(counterexample)),
            }
        }
    }
    match (varies, cases) {
        (Some(example), _) => Ok(Finding::Undecided(format!(
            "identical requests get different messages, so it cannot be told what they depend on: {example}"
        ))),
        (None, 0) => Ok(Finding::Undecided(
            "nothing that holds a canary was refused: declare a request under `refuse` that stays refused when its query or call id changes".to_owned(),
        )),
        (None, cases) => Ok(Finding::held(cases)),
    }
}

enum Place {
    NotRefused,
    Held,
    Varies(String),
    Broken(Box<Counterexample>),
}

fn judge_place(
    trial: &Trial<'_>,
    rng: &mut TestRng,
    refused: &RequestCase,
    place: &str,
    plant: Plant,
) -> Result<Place, Stop> {
    let first = canary(rng);
    let planted = plant(refused, &first);
    let Some(message) = refusal(trial, &planted)? else {
        return Ok(Place::NotRefused);
    };
    if let Some(counterexample) = repeated(&message, &first, &planted, place) {
        let twin = "a fixed sentence would have been the same for every canary";
        return Ok(Place::Broken(Box::new(counterexample.twin(twin))));
    }
    if refusal(trial, &planted)?.as_ref() != Some(&message) {
        return Ok(Place::Varies(format!("`{planted}`")));
    }
    for _ in 0..SWAPS {
        let other = canary(rng);
        let swapped = plant(refused, &other);
        match refusal(trial, &swapped)? {
            Some(found) if found != message => {
                let counterexample = Counterexample::new(format!("the refusal depends on the {place}"))
                    .step(&planted, format!("refused: {message}"))
                    .step(&swapped, format!("refused: {found}"))
                    .expected("one message for both: they differ only in a canary of equal length")
                    .seen(format!("`{message}` became `{found}` when `{first}` was swapped for `{other}` in the {place}"))
                    .twin("asked again with the first canary, the message was the same");
                return Ok(Place::Broken(Box::new(counterexample)));
            }
            _ => {}
        }
    }
    Ok(Place::Held)
}

/// POL-21.
pub(super) fn of_asker(trial: &Trial<'_>) -> Judged {
    let mut rng = trial.rng();
    let mut cases = 0;
    for ordinary in trial.refused_requests() {
        if refusal(trial, &ordinary)?.is_none() {
            continue;
        }
        for (place, plant) in TOOL_NAME {
            let name = canary(&mut rng);
            let planted = plant(&ordinary, &name);
            let Some(message) = refusal(trial, &planted)? else {
                continue;
            };
            cases += 1;
            if let Some(counterexample) = repeated(&message, &name, &planted, place) {
                let twin = format!("under its ordinary name, `{ordinary}` was refused as well");
                return Ok(Finding::broken(counterexample.twin(twin)));
            }
        }
    }
    if cases == 0 {
        return Ok(Finding::Undecided(
            "the control failed: nothing is refused under both an ordinary tool name and another; declare a request under `refuse` that is refused whichever tool sends it".to_owned(),
        ));
    }
    Ok(Finding::held(cases))
}

/// What shows that `message` repeats the canary planted at `place`, without its twin.
fn repeated(
    message: &str,
    canary: &str,
    planted: &RequestCase,
    place: &str,
) -> Option<Counterexample> {
    let (form, part) = leak(message, canary)?;
    Some(
        Counterexample::new(format!("the refusal repeats the {place}: `{part}`{form}"))
            .step(planted, "refused")
            .expected("a message that holds no byte of the request")
            .seen(format!(
                "the message `{message}` holds `{part}` of the canary `{canary}` in the {place}{form}"
            )),
    )
}

/// What a fresh subject says when it refuses. A budget is used up first.
fn refusal(trial: &Trial<'_>, request: &RequestCase) -> Result<Option<String>, Stop> {
    if let Answer::Refused(message) = trial.fresh()?.ask(request)? {
        return Ok(Some(message));
    }
    // Another instance: an endpoint that was admitted once stays allowed.
    let instance = trial.fresh()?;
    let Some(load) = trial.load() else {
        return Ok(None);
    };
    for index in 0..load.most_steps() {
        let mut spent = load.request(index).with_call(&request.call_id);
        spent.tool.clone_from(&request.tool);
        if !instance.ask(&spent)?.allows() {
            break;
        }
    }
    Ok(match instance.ask(request)? {
        Answer::Refused(message) => Some(message),
        Answer::Allowed => None,
    })
}
