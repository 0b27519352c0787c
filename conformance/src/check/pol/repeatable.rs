//! POL-02: a stateless policy gives the same request the same verdict.

use std::time::Duration;

use proptest::collection::vec;

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Answer, Finding, Instance, Judged, Stop, Trial};

const STACK: usize = 2 << 20;

/// The first request is asked so often: what gives up, or lets everything pass, after some thousands
/// shows here.
const FIRST: u64 = 10_000;

/// How far a clock moves on that no verdict may depend on.
const LATER: &[Duration] = &[
    Duration::from_secs(60),
    Duration::from_secs(60 * 60),
    Duration::from_secs(24 * 60 * 60),
    Duration::from_secs(40 * 24 * 60 * 60),
];

/// So often are requests asked all at once, each so many times.
const CROWDS: u32 = 8;
const EACH: usize = 6;

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let cases = trial.cases()?;
    if let Some(counterexample) = changes_with_time(trial, cases * 4)? {
        return Ok(Finding::broken(counterexample));
    }
    if let Some(counterexample) = changes_with_clock(trial)? {
        return Ok(Finding::broken(counterexample));
    }
    if let Some(counterexample) = changes_with_neighbours(trial)? {
        return Ok(Finding::broken(counterexample));
    }
    if let Some(counterexample) = changes_in_crowds(trial)? {
        return Ok(Finding::broken(counterexample));
    }
    let sequences = vec(trial.requests(), 2..6);
    trial.for_all(cases, &sequences, |requests| {
        changes_with_order(trial, &requests)
    })
}

/// The same request over and over: what counts, or flips now and then, shows here.
fn changes_with_time(trial: &Trial<'_>, times: u32) -> Result<Option<Counterexample>, Stop> {
    for (place, request) in trial.declared_requests().into_iter().enumerate() {
        let instance = trial.fresh()?;
        let first = instance.ask(&request)?;
        let times = match place {
            0 => trial.affordable(FIRST)?.max(u64::from(times)),
            _ => u64::from(times),
        };
        for round in 1..times {
            if trial.is_long() {
                break;
            }
            let later = instance.ask(&request)?;
            if later.word() != first.word() {
                let cx = changed("the verdict changed as the request was repeated")
                    .step(&request, &first)
                    .steps(round, &request, &later)
                    .seen(format!("{first} at first, {later} after {round} more"))
                    .twin(format!("the first time it was {first}"));
                return Ok(Some(cx));
            }
        }
    }
    Ok(None)
}

/// The same requests much later: what expires shows here, where time can be moved.
fn changes_with_clock(trial: &Trial<'_>) -> Result<Option<Counterexample>, Stop> {
    if !trial.takes().clock {
        return Ok(None);
    }
    let instance = trial.fresh()?;
    let requests = trial.declared_requests();
    let first = answers(&instance, &requests)?;
    for later in LATER {
        instance.clock().advance(*later);
        let found = answers(&instance, &requests)?;
        let differs = (0..requests.len()).find(|&at| first[at].word() != found[at].word());
        if let Some(at) = differs {
            let (request, before, after) = (&requests[at], &first[at], &found[at]);
            return Ok(Some(
                changed("the verdict changed as time went by")
                    .step(request, before)
                    .step(request, format!("{after}, {later:?} later"))
                    .seen(format!("{before} at first, {after} {later:?} later"))
                    .twin(format!("the first time it was {before}")),
            ));
        }
    }
    Ok(None)
}

/// All declared requests at once, several times each: what keeps one request's parts where another
/// finds them shows here.
fn changes_in_crowds(trial: &Trial<'_>) -> Result<Option<Counterexample>, Stop> {
    let requests = trial.declared_requests();
    let alone = requests
        .iter()
        .map(|request| trial.fresh()?.ask(request))
        .collect::<Result<Vec<_>, Stop>>()?;
    let instance = trial.fresh()?;
    for _ in 0..CROWDS {
        if trial.is_long() {
            break;
        }
        let crowd = std::iter::repeat_n(&requests, EACH).flatten();
        let together = instance.ask_together(crowd.cloned().collect())?;
        let differs = |at: &usize| together[*at].word() != alone[*at % requests.len()].word();
        if let Some(at) = (0..together.len()).find(differs) {
            let at_first = at % requests.len();
            let (request, before, after) = (&requests[at_first], &alone[at_first], &together[at]);
            let others = requests.iter().filter(|other| *other != request).take(3);
            let mut cx = changed("the verdict changed while other requests were being answered");
            for other in others {
                cx = cx.step(other, "asked at the same time");
            }
            return Ok(Some(
                cx.step(request, after)
                    .seen(format!("{before} alone, {after} among others"))
                    .twin(format!("asked alone it was {before}")),
            ));
        }
    }
    Ok(None)
}

/// What a policy may remember of the last request: each of its parts, one changed at a time.
const NEIGHBOURS: &[fn(RequestCase) -> RequestCase] = &[
    |r| {
        let other = if r.method == "GET" { "POST" } else { "GET" };
        r.with_method(other)
    },
    |r| r.with_method("DELETE"),
    |r| r.with_pair("q", "1"),
    |r| r.with_body(serde_json::json!({"name": "a"})),
    |r| r.with_tool("proofmark_other_tool"),
    |r| r.with_call("call-other"),
    |r| {
        let path = format!("{}/more", r.path);
        r.with_path(&path)
    },
    RequestCase::previewed,
];

/// Each declared request before and after one that differs in a single part.
fn changes_with_neighbours(trial: &Trial<'_>) -> Result<Option<Counterexample>, Stop> {
    for request in trial.declared_requests() {
        for neighbour in NEIGHBOURS {
            if trial.is_long() {
                return Ok(None);
            }
            let between = neighbour(request.clone());
            let requests = [request.clone(), between, request.clone()];
            if let Some(counterexample) = changes_with_order(trial, &requests)? {
                return Ok(Some(counterexample));
            }
        }
    }
    Ok(None)
}

fn changed(headline: &str) -> Counterexample {
    Counterexample::new(headline)
        .expected("one verdict for one request: the profile declares the policy stateless")
}

/// The requests forwards, again, backwards, on a fresh subject backwards, and from other threads.
fn changes_with_order(
    trial: &Trial<'_>,
    requests: &[RequestCase],
) -> Result<Option<Counterexample>, Stop> {
    let instance = trial.fresh()?;
    let first = answers(&instance, requests)?;
    if let Some(cx) = contradicts_itself(requests, &first) {
        return Ok(Some(cx));
    }
    let again = answers(&instance, requests)?;
    if let Some(cx) = compare(requests, &first, &again, "asked again in the same order") {
        return Ok(Some(cx));
    }
    for (who, subject) in [
        ("asked backwards", &instance),
        ("fresh, asked backwards", &trial.fresh()?),
    ] {
        let backwards: Vec<_> = requests.iter().rev().cloned().collect();
        let mut found = answers(subject, &backwards)?;
        found.reverse();
        if let Some(cx) = compare(requests, &first, &found, who) {
            return Ok(Some(cx));
        }
    }
    let elsewhere = requests
        .iter()
        .map(|request| instance.ask_on_thread(request, STACK))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(compare(
        requests,
        &first,
        &elsewhere,
        "asked from another thread",
    ))
}

fn answers(instance: &Instance<'_>, requests: &[RequestCase]) -> Result<Vec<Answer>, Stop> {
    requests
        .iter()
        .map(|request| instance.ask(request))
        .collect()
}

/// The same request twice in one run, answered differently.
fn contradicts_itself(requests: &[RequestCase], answers: &[Answer]) -> Option<Counterexample> {
    for (later, request) in requests.iter().enumerate() {
        let earlier = requests[..later].iter().position(|other| other == request);
        if let Some(earlier) =
            earlier.filter(|&index| answers[index].word() != answers[later].word())
        {
            let mut cx = changed("the same request got another verdict");
            for (request, answer) in requests.iter().zip(answers).take(later + 1) {
                cx = cx.step(request, answer);
            }
            let (before, after) = (&answers[earlier], &answers[later]);
            return Some(
                cx.seen(format!(
                    "`{request}` was {before} at first and {after} after the others"
                ))
                .twin(format!("the first time it was {before}")),
            );
        }
    }
    None
}

fn compare(
    requests: &[RequestCase],
    first: &[Answer],
    found: &[Answer],
    how: &str,
) -> Option<Counterexample> {
    let index = (0..requests.len()).find(|&index| first[index].word() != found[index].word())?;
    let mut cx = changed("the same request got another verdict");
    for (request, answer) in requests.iter().zip(first) {
        cx = cx.step(request, answer);
    }
    let (request, before, after) = (&requests[index], &first[index], &found[index]);
    Some(
        cx.step(request, after)
            .seen(format!(
                "`{request}` was {before} at first and {after} when {how}"
            ))
            .twin(format!("the first time it was {before}")),
    )
}
