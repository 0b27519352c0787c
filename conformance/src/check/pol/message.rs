//! POL-05 and POL-21: a refusal says nothing of what it refused, nor who asked.

use proptest::test_runner::TestRng;
use serde_json::json;

use super::canary::{canary, leak};
use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Answer, Finding, Judged, Load, Stop, Trial};

/// How many pairs of canaries are swapped in each place, and where a budget takes long to use up.
const SWAPS: usize = 6;
const FEWEST_SWAPS: usize = 1;

/// A budget of more steps takes long to use up.
const LONG_LOAD: u64 = 256;

/// Puts a canary into one part of a request; where the request has no such part, changes nothing.
type Plant = fn(&RequestCase, &str) -> RequestCase;

const PLACES: &[(&str, Plant)] = &[
    ("path", |r, c| r.clone().with_path(&in_path(&r.path, c))),
    ("beginning of the path", |r, c| {
        r.clone().with_path(&first_in_path(&r.path, c))
    }),
    ("host", |r, c| r.clone().with_path(&in_host(&r.path, c))),
    ("path that is no URL", |r, c| {
        r.clone().with_path(&format!("https://[{c}"))
    }),
    ("author-written query", |r, c| {
        let joint = if r.path.contains('?') { '&' } else { '?' };
        r.clone().with_path(&format!("{}{joint}canary={c}", r.path))
    }),
    ("query key", |r, c| r.clone().with_pair(c, "v")),
    ("query value", |r, c| r.clone().with_pair("canary", c)),
    ("value of a query pair", with_values),
    ("body key", |r, c| with_member(r, c, "v")),
    ("body value", |r, c| with_member(r, "canary", c)),
    ("body key around the rest", |r, c| match &r.body {
        Some(body) => r.clone().with_body(json!({c: body})),
        None => r.clone(),
    }),
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

fn first_in_path(url: &str, canary: &str) -> String {
    let path = url.match_indices('/').nth(2);
    let (origin, path) = path.map_or((url, ""), |(at, _)| url.split_at(at));
    format!("{origin}/{canary}{path}")
}

fn in_host(url: &str, canary: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => format!("{scheme}://{canary}.{rest}"),
        None => url.to_owned(),
    }
}

/// The canary in place of the values that the request's pairs have, whichever key is refused.
fn with_values(request: &RequestCase, canary: &str) -> RequestCase {
    let mut request = request.clone();
    for (_, value) in &mut request.query {
        canary.clone_into(value);
    }
    request
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
    for refused in asked(trial) {
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

/// What is known to be refused, and what only a canary may make refused, sent and previewed.
fn asked(trial: &Trial<'_>) -> Vec<RequestCase> {
    let mut requests = trial.refused_requests();
    let base = trial.base();
    if !requests.contains(&base) {
        requests.push(base);
    }
    let previews: Vec<_> = requests
        .iter()
        .cloned()
        .map(RequestCase::previewed)
        .collect();
    requests.extend(previews);
    requests
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
    if planted == *refused {
        return Ok(Place::NotRefused);
    }
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
    for _ in 0..swaps(trial) {
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

fn swaps(trial: &Trial<'_>) -> usize {
    let is_long = |load: Load| load.most_steps() > LONG_LOAD;
    if trial.load().is_some_and(is_long) {
        FEWEST_SWAPS
    } else {
        SWAPS
    }
}

/// POL-21.
pub(super) fn of_asker(trial: &Trial<'_>) -> Judged {
    let mut rng = trial.rng();
    let mut cases = 0;
    for ordinary in asked(trial) {
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
    let Some(load) = trial.load() else {
        return Ok(None);
    };
    // Another instance: an endpoint that was admitted once stays allowed.
    let instance = trial.fresh()?;
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

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const URL: &str = "https://a.test:8443/v1/items?x=1";

    #[rstest]
    #[case(in_path, "https://a.test:8443/v1/items/C?x=1")]
    #[case(first_in_path, "https://a.test:8443/C/v1/items?x=1")]
    #[case(in_host, "https://C.a.test:8443/v1/items?x=1")]
    fn a_canary_stands_in_its_part_of_the_target(
        #[case] plant: fn(&str, &str) -> String,
        #[case] planted: &str,
    ) {
        assert_eq!(plant(URL, "C"), planted);
    }

    #[test]
    fn a_request_without_the_part_is_left_as_it_is() {
        let request = RequestCase::get(URL);
        assert_eq!(with_values(&request, "C"), request);
        let paired = request.clone().with_pair("k", "v");
        assert_eq!(with_values(&paired, "C"), request.with_pair("k", "C"));
    }
}
