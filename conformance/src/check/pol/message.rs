//! POL-05: a refusal says nothing of what it refused.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::percent_decode_str;
use proptest::prelude::Rng as _;
use proptest::test_runner::TestRng;
use serde_json::json;

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Answer, Finding, Judged, Stop, Trial};

/// A canary's length, and how much of it a message may not hold.
const CANARY: usize = 16;
const WINDOW: usize = 6;

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

pub(super) fn check(trial: &Trial<'_>) -> Judged {
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
    if let Some((form, part)) = leak(&message, &first) {
        let counterexample = Counterexample::new(format!(
            "the refusal repeats the {place}: `{part}`{form}"
        ))
        .step(&planted, "refused")
        .expected("a message that holds no byte of the request")
        .seen(format!(
            "the message `{message}` holds `{part}` of the canary `{first}` in the {place}{form}"
        ))
        .twin("a fixed sentence would have been the same for every canary");
        return Ok(Place::Broken(Box::new(counterexample)));
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
        let spent = load.request(index).with_call(&request.call_id);
        if !instance.ask(&spent)?.allows() {
            break;
        }
    }
    Ok(match instance.ask(request)? {
        Answer::Refused(message) => Some(message),
        Answer::Allowed => None,
    })
}

fn canary(rng: &mut TestRng) -> String {
    const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let count = u32::try_from(ALPHABET.len()).unwrap_or(1);
    (0..CANARY)
        .map(|_| char::from(ALPHABET[(rng.next_u32() % count) as usize]))
        .collect()
}

/// The part of `canary` that `message` holds, and in which form.
fn leak(message: &str, canary: &str) -> Option<(&'static str, String)> {
    let percent = percent_decode_str(message).decode_utf8_lossy().into_owned();
    let views = [
        ("", vec![message.to_owned()]),
        (" percent-encoded", vec![percent]),
        (
            " in hex",
            decoded_runs(message, |b| b.is_ascii_hexdigit(), from_hex),
        ),
        (
            " in base64",
            decoded_runs(
                message,
                |b| b.is_ascii_alphanumeric() || b"+/-_".contains(&b),
                from_base64,
            ),
        ),
    ];
    views.into_iter().find_map(|(form, texts)| {
        let windows = canary.as_bytes().windows(WINDOW);
        let mut windows = windows.map(|window| String::from_utf8_lossy(window).into_owned());
        let part = windows.find(|window| texts.iter().any(|text| text.contains(window)))?;
        Some((form, part))
    })
}

/// Every run of such bytes, decoded from each of its first offsets.
fn decoded_runs(
    message: &str,
    belongs: impl Fn(u8) -> bool,
    decode: impl Fn(&str) -> Vec<u8>,
) -> Vec<String> {
    message
        .split(|c: char| !c.is_ascii() || !belongs(u8::try_from(c).unwrap_or_default()))
        .filter(|run| run.len() >= WINDOW)
        .flat_map(|run| (0..4).filter_map(|offset| run.get(offset..)))
        .map(|run| String::from_utf8_lossy(&decode(run)).into_owned())
        .collect()
}

fn from_hex(run: &str) -> Vec<u8> {
    run.as_bytes()
        .chunks_exact(2)
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

fn from_base64(run: &str) -> Vec<u8> {
    let whole = run.get(..run.len() - run.len() % 4).unwrap_or_default();
    [run, whole]
        .iter()
        .find_map(|run| {
            STANDARD_NO_PAD
                .decode(run)
                .or_else(|_| URL_SAFE_NO_PAD.decode(run))
                .ok()
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const SAMPLE: &str = "k3v9q0zplm2x7abc";

    #[rstest]
    #[case::raw("cannot send k3v9q0", "")]
    #[case::percent("no %6b%33%76%39%71%30", " percent-encoded")]
    #[case::hex("no 6b3376397130", " in hex")]
    #[case::base64("no azN2OXEwenBsbTJ4N2FiYw==", " in base64")]
    #[case::base64_shifted("no eHgtazN2OXEwenA", " in base64")]
    fn six_characters_of_a_canary_are_found_in_every_form(
        #[case] message: &str,
        #[case] form: &str,
    ) {
        assert_eq!(leak(message, SAMPLE).map(|(form, _)| form), Some(form));
    }

    #[rstest]
    #[case("cannot send k3v9q")]
    #[case("the endpoint is not on the allowlist")]
    fn less_is_not_a_leak(#[case] message: &str) {
        assert_eq!(leak(message, SAMPLE), None);
    }
}
