//! Couriers that are sound but now and then: each breaks its promise with some methods, values,
//! answers or calls, and keeps it with all others.

use proofmark::executor::ExecutionError;
use proofmark::request::RequestPhase;
use proofmark_conformance::profile::ExecutorProfile;
use proofmark_conformance::subject::{Described, ExecutorEnv, ExecutorSubject};
use serde_json::{Value, json};

use super::courier::Courier;
use super::flaw::Flaw;
use super::quirk::{Asked, Quirk};
use super::specimens::{bearer, cred, exe};
use super::wire::{Answer, Request};
use crate::{LookAlike, Specimen};

fn quirky(name: &str, profile: ExecutorProfile, quirk: Quirk) -> ExecutorSubject {
    let make = move |env: &ExecutorEnv| {
        let courier = Courier::new(env, Flaw::None);
        Described::new(courier.map(|courier| courier.with(quirk)))
    };
    ExecutorSubject::new(name, profile, make)
}

fn plain(id: u8, fault: &'static str, name: &str, quirk: Quirk) -> Specimen {
    Specimen::new(exe(id), fault, quirky(name, bearer(), quirk))
}

/// Every one that must be convicted.
pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = of_targets();
    specimens.extend(of_bodies());
    specimens.extend(of_queries());
    specimens.extend(of_lists());
    specimens.extend(of_answers());
    specimens.extend(of_questions());
    specimens.extend(of_views());
    specimens.extend(of_repetitions());
    specimens
}

fn of_targets() -> Vec<Specimen> {
    vec![
        plain(
            1,
            "loses the base URL's path, but for a GET",
            "executor_that_posts_without_prefix",
            Quirk {
                sends: |asked, request| {
                    if !asked.has_pairs() {
                        request.target = request.target.replacen("/v1/items", "/items", 1);
                    }
                },
                ..Quirk::NONE
            },
        ),
        plain(
            2,
            "fills `:id` with a number alone",
            "executor_that_fills_numbers",
            Quirk {
                takes: |_, path, body| {
                    let id = body.as_ref().and_then(|body| body.get("id"));
                    if let Some(id) = id.filter(|id| id.is_number()) {
                        *path = path.replace(":id", &id.to_string());
                    }
                },
                ..Quirk::NONE
            },
        ),
        plain(
            3,
            "decodes blanks, but for a GET",
            "executor_that_decodes_posts",
            Quirk {
                sends: |asked, request| {
                    if !asked.has_pairs() {
                        request.target = request.target.replace("%20", "+");
                    }
                },
                ..Quirk::NONE
            },
        ),
    ]
}

/// The body read, changed and written again.
fn rewritten(request: &mut Request, change: fn(&mut Value)) {
    let body = request.body.as_deref().unwrap_or_default();
    if let Ok(mut value) = serde_json::from_slice(body) {
        change(&mut value);
        request.body = Some(value.to_string().into_bytes());
    }
}

/// Every number as a 64-bit float holds it.
fn as_floats(value: &mut Value) {
    match value {
        Value::Number(number) if !number.is_f64() => {
            let float = number.as_f64().unwrap_or_default();
            if float.abs() >= 9e15 {
                *value = json!(float);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(as_floats),
        Value::Object(members) => members.values_mut().for_each(as_floats),
        _ => {}
    }
}

fn without_nulls(value: &mut Value) {
    if let Value::Object(members) = value {
        members.retain(|_, member| !member.is_null());
    }
}

fn of_bodies() -> Vec<Specimen> {
    vec![
        plain(
            4,
            "writes large numbers of a body as floats",
            "executor_of_floats",
            Quirk {
                sends: |_, request| rewritten(request, as_floats),
                ..Quirk::NONE
            },
        ),
        plain(
            4,
            "leaves members without a value out of a body",
            "executor_without_nulls",
            Quirk {
                sends: |_, request| rewritten(request, without_nulls),
                ..Quirk::NONE
            },
        ),
        plain(
            4,
            "sends a large body cut short",
            "executor_of_small_bodies",
            Quirk {
                sends: |_, request| {
                    if let Some(body) = &mut request.body {
                        body.truncate(64 << 10);
                    }
                },
                ..Quirk::NONE
            },
        ),
        plain(
            4,
            "takes `get` for a method with a body",
            "executor_of_upper_case",
            Quirk {
                sends: |asked, request| {
                    if asked.method == "get" && asked.has_body {
                        request.body = Some(b"{}".to_vec());
                    }
                },
                ..Quirk::NONE
            },
        ),
    ]
}

/// The fields of a request whose fields are pairs.
fn fields<'v>(asked: &Asked, body: &'v mut Option<Value>) -> Vec<&'v mut Value> {
    let fields = body.as_mut().filter(|_| asked.has_pairs());
    let fields = fields.and_then(Value::as_object_mut);
    fields
        .into_iter()
        .flat_map(|fields| fields.values_mut())
        .collect()
}

fn of_queries() -> Vec<Specimen> {
    vec![
        plain(
            5,
            "lets a field take the place of the author's pair of its name",
            "executor_that_overwrites_pairs",
            Quirk {
                sends: |_, request| request.target = request.target.replace("limit=5&", ""),
                ..Quirk::NONE
            },
        ),
        plain(
            6,
            "leaves out pairs whose value is `false` or 0",
            "executor_without_falsehoods",
            Quirk {
                takes: |asked, _, body| {
                    if let Some(fields) = body.as_mut().and_then(Value::as_object_mut)
                        && asked.has_pairs()
                    {
                        fields.retain(|_, value| *value != json!(false) && *value != json!(0));
                    }
                },
                ..Quirk::NONE
            },
        ),
        plain(
            6,
            "cuts values of more than a thousand letters",
            "executor_of_short_values",
            Quirk {
                takes: |asked, _, body| {
                    for value in fields(asked, body) {
                        if let Some(text) = value.as_str().filter(|text| text.len() > 1_000) {
                            *value = text.chars().take(1_000).collect::<String>().into();
                        }
                    }
                },
                ..Quirk::NONE
            },
        ),
    ]
}

fn of_lists() -> Vec<Specimen> {
    vec![
        plain(
            7,
            "sends each item of a list once",
            "executor_of_distinct_items",
            Quirk {
                takes: |asked, _, body| {
                    for value in fields(asked, body) {
                        if let Some(items) = value.as_array_mut() {
                            items.dedup();
                        }
                    }
                },
                ..Quirk::NONE
            },
        ),
        plain(
            20,
            "drops a list without items",
            "executor_that_drops_empty_lists",
            Quirk {
                takes: |asked, _, body| {
                    if asked.has_pairs() && *body == Some(json!([])) {
                        *body = None;
                    }
                },
                ..Quirk::NONE
            },
        ),
    ]
}

/// An error that quotes a request's target.
fn quoting(request: &Request) -> Option<Result<Value, ExecutionError>> {
    let message = format!("too much was asked of {}", request.target);
    Some(Err(ExecutionError::RefusedArguments { message }))
}

#[allow(clippy::panic, reason = "to panic is this quirk's purpose")]
fn panicking(answer: &Answer) -> Option<Result<Value, ExecutionError>> {
    assert!(
        std::str::from_utf8(&answer.body).is_ok(),
        "the answer is no text"
    );
    None
}

fn of_answers() -> Vec<Specimen> {
    vec![
        plain(
            9,
            "takes an error without a body for no value",
            "executor_of_empty_errors",
            Quirk {
                ends: |_, _, answer| answer.body.is_empty().then_some(Ok(Value::Null)),
                ..Quirk::NONE
            },
        ),
        plain(
            9,
            "panics at bytes that are no text, but for a GET",
            "executor_that_panics_after_posts",
            Quirk {
                ends: |asked, _, answer| {
                    if asked.has_pairs() {
                        return None;
                    }
                    panicking(answer)
                },
                ..Quirk::NONE
            },
        ),
        plain(
            10,
            "follows redirects of a DELETE",
            "executor_that_follows_deletes",
            Quirk {
                follows: |asked| asked.is("DELETE"),
                ..Quirk::NONE
            },
        ),
        plain(
            11,
            "quotes the target where too much was asked",
            "executor_that_quotes_sometimes",
            Quirk {
                ends: |_, request, answer| match answer.status {
                    429 => quoting(request),
                    _ => None,
                },
                ..Quirk::NONE
            },
        ),
    ]
}

fn of_questions() -> Vec<Specimen> {
    vec![
        plain(
            13,
            "asks nobody about a PUT",
            "executor_that_puts_unasked",
            Quirk {
                asks: |asked| !asked.is("PUT"),
                ..Quirk::NONE
            },
        ),
        plain(
            13,
            "asks nobody about a method in lower case",
            "executor_that_asks_in_upper_case",
            Quirk {
                asks: |asked| !asked.method.bytes().any(|byte| byte.is_ascii_lowercase()),
                ..Quirk::NONE
            },
        ),
        plain(
            13,
            "asks nobody about a target with a query",
            "executor_that_asks_about_paths",
            Quirk {
                asks: |asked| !asked.path.contains('?'),
                ..Quirk::NONE
            },
        ),
    ]
}

/// Those that show the policy something else than they send.
fn of_views() -> Vec<Specimen> {
    vec![
        plain(
            13,
            "asks about a preview of what it sends",
            "executor_that_asks_about_previews",
            Quirk {
                shows: |shown| shown.with_phase(RequestPhase::Validate),
                ..Quirk::NONE
            },
        ),
        plain(
            13,
            "asks about a GET, whatever it sends",
            "executor_that_asks_about_gets",
            Quirk {
                shows: |mut shown| {
                    shown.method = "GET";
                    shown
                },
                ..Quirk::NONE
            },
        ),
        plain(
            13,
            "shows the policy no body",
            "executor_that_shows_no_body",
            Quirk {
                shows: |mut shown| {
                    shown.body = None;
                    shown
                },
                ..Quirk::NONE
            },
        ),
    ]
}

fn of_repetitions() -> Vec<Specimen> {
    let repeating = |fault, name: &str, quirk| {
        Specimen::new(exe(14), fault, quirky(name, bearer().retries(), quirk))
    };
    vec![
        repeating(
            "repeats every method after status 500",
            "executor_that_repeats_posts_sometimes",
            Quirk {
                repeats: |_| 1,
                invites: |asked, status| status == 500 || status == 503 && asked.has_pairs(),
                ..Quirk::NONE
            },
        ),
        repeating(
            "leaves its credential out of a repetition",
            "executor_that_repeats_in_the_open",
            Quirk {
                repeats: |asked| u32::from(asked.has_pairs()),
                sends_again: |_, _, request| {
                    request.headers.retain(|(name, _)| name != "authorization");
                },
                ..Quirk::NONE
            },
        ),
        repeating(
            "leaves the query out of its second repetition",
            "executor_that_repeats_less_and_less",
            Quirk {
                repeats: |asked| if asked.has_pairs() { 2 } else { 0 },
                sends_again: |_, attempt, request| {
                    if attempt == 2
                        && let Some(at) = request.target.find('?')
                    {
                        request.target.truncate(at);
                    }
                },
                ..Quirk::NONE
            },
        ),
        Specimen::new(
            cred(7),
            "passes on what the backend echoes to a POST",
            quirky(
                "executor_with_echoes_of_posts",
                bearer(),
                Quirk {
                    ends: |asked, _, answer| match asked.is("POST") && answer.status == 200 {
                        true => serde_json::from_slice(&answer.body).ok().map(Ok),
                        false => None,
                    },
                    ..Quirk::NONE
                },
            ),
        ),
    ]
}

fn escaped(_: &Asked, request: &mut Request) {
    let (path, query) = match request.target.split_once('?') {
        Some((path, query)) => (path, format!("?{query}")),
        None => (request.target.as_str(), String::new()),
    };
    let path = path
        .replace(':', "%3a")
        .replace(';', "%3b")
        .replace('+', "%2b");
    request.target = format!("{path}{query}");
    for (name, value) in &mut request.headers {
        if name == "content-type" {
            *value = "Application/JSON; charset=utf-8".to_owned();
        }
    }
}

fn with_an_object(asked: &Asked, request: &mut Request) {
    if !asked.has_pairs() && !asked.is("OPTIONS") && request.body.is_none() {
        request.body = Some(b"{}".to_vec());
        let json = "application/json".to_owned();
        request.headers.push(("Content-Type".to_owned(), json));
    }
}

/// Every one that is sound in a way of its own.
pub(super) fn look_alikes() -> Vec<LookAlike> {
    vec![
        LookAlike::new(
            "escapes all that it may, in lower case, and names its content type with a parameter",
            quirky(
                "executor_that_escapes",
                bearer(),
                Quirk {
                    sends: escaped,
                    ..Quirk::NONE
                },
            ),
        ),
        LookAlike::new(
            "sends an empty object where there is no body, and answers a redirect with its status",
            quirky(
                "executor_of_empty_objects",
                bearer(),
                Quirk {
                    sends: with_an_object,
                    ends: |_, _, answer| {
                        let status = answer.status;
                        (300..400)
                            .contains(&status)
                            .then(|| Ok(json!({"status": status})))
                    },
                    ..Quirk::NONE
                },
            ),
        ),
        LookAlike::new(
            "repeats all but a POST and a PATCH, numbers its requests, and refuses what is long",
            quirky(
                "executor_that_numbers",
                bearer().retries(),
                Quirk {
                    sends: |asked, request| {
                        let number = format!("r{}", asked.number);
                        request.headers.push(("x-request-id".to_owned(), number));
                    },
                    repeats: |asked| {
                        if asked.is("POST") || asked.is("PATCH") {
                            0
                        } else {
                            2
                        }
                    },
                    ..Quirk::NONE
                },
            ),
        ),
    ]
}
