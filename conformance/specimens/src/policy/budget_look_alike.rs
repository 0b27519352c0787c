//! Conforming budgets and rates that a careless judge would convict.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use proofmark::clock::SteeredClock;
use proofmark::policy::{PolicyRefusal, RequestPolicy, policy_fn};
use proofmark::request::{OutboundRequest, RequestPhase};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::{PolicySubject, Takes};

use crate::LookAlike;

const ITEM: &str = "https://api.example.test/v1/items/7";

/// What every rate here admits in a second.
const LIMIT: u32 = 3;
const SECOND: Duration = Duration::from_secs(1);

pub(super) fn look_alikes() -> Vec<LookAlike> {
    vec![
        rounds_its_unit_down(),
        counts_in_floating_point(),
        counts_in_milliseconds(),
        begins_windows_at_first_use(),
        full_of_live_calls(),
        refuses_spent_previews(),
        holds_a_mutex(),
        charges_refusals(),
        counts_what_is_sent(),
        tells_methods_apart(),
    ]
}

/// A policy that decides under a lock, which no answer waits for.
fn locked<S, F>(state: S, decide: F) -> impl RequestPolicy
where
    S: Send + 'static,
    F: Fn(&mut S, &OutboundRequest<'_>) -> bool + Send + Sync + 'static,
{
    let state = Mutex::new(state);
    policy_fn(move |request| {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if decide(&mut state, request) {
            Ok(())
        } else {
            Err(PolicyRefusal::new("the budget does not allow it"))
        }
    })
}

fn sends(request: &OutboundRequest<'_>) -> bool {
    request.phase == RequestPhase::Execute
}

/// A budget for each call, which charges `cost` where a request is sent.
fn per_call(
    limit: usize,
    cost: impl Fn(&OutboundRequest<'_>) -> usize + Send + Sync + 'static,
) -> impl RequestPolicy {
    locked(HashMap::<String, usize>::new(), move |calls, request| {
        if request.call_id.is_empty() {
            return false;
        }
        let spent = calls.entry(request.call_id.to_owned()).or_default();
        let after = spent.saturating_add(cost(request));
        if after <= limit && sends(request) {
            *spent = after;
        }
        after <= limit
    })
}

fn rate() -> PolicyProfile {
    PolicyProfile::new()
        .rate()
        .requests(u64::from(LIMIT))
        .window_ms(1_000)
}

fn limiter<P, F>(name: &str, profile: PolicyProfile, make: F) -> PolicySubject
where
    P: RequestPolicy + 'static,
    F: Fn(SteeredClock) -> P + Send + Sync + 'static,
{
    PolicySubject::with_env(name, profile, Takes::CLOCK, move |env| {
        make(env.clock.clone())
    })
}

fn rounds_its_unit_down() -> LookAlike {
    let unit = SECOND / LIMIT;
    LookAlike::new(
        "rounds a third of a second down, but by less than a clock can tell",
        limiter("rounds_its_unit_down", rate().bucket(), move |clock| {
            locked(Duration::ZERO, move |due, request| {
                let now = clock.now();
                let due_now = (*due).max(now);
                let allowed = due_now <= now + unit * (LIMIT - 1);
                if allowed && sends(request) {
                    *due = due_now + unit;
                }
                allowed
            })
        }),
    )
}

/// A bucket's tokens and when they were counted, in seconds.
struct Tokens {
    left: f64,
    counted: f64,
}

fn counts_in_floating_point() -> LookAlike {
    let full = f64::from(LIMIT);
    LookAlike::new(
        "keeps parts of requests in floating point, which never add up to a surplus",
        limiter("counts_in_floating_point", rate().bucket(), move |clock| {
            let tokens = Tokens {
                left: full,
                counted: clock.now().as_secs_f64(),
            };
            locked(tokens, move |tokens, request| {
                let now = clock.now().as_secs_f64();
                let passed = (now - tokens.counted).max(0.0);
                tokens.left = (tokens.left + passed * full).min(full);
                tokens.counted = tokens.counted.max(now);
                let allowed = tokens.left >= 1.0;
                if allowed && sends(request) {
                    tokens.left -= 1.0;
                }
                allowed
            })
        }),
    )
}

fn counts_in_milliseconds() -> LookAlike {
    LookAlike::new(
        "reads its clock in whole milliseconds, as its window is declared",
        limiter("counts_in_milliseconds", rate().sliding(), |clock| {
            locked(VecDeque::<u128>::new(), move |sent, request| {
                let now = clock.now().as_millis();
                while sent.front().is_some_and(|at| at + 1_000 <= now) {
                    sent.pop_front();
                }
                let allowed = sent.len() < LIMIT as usize;
                if allowed && sends(request) {
                    // A clock that was set back is taken to stand still.
                    let last = sent.back().copied().unwrap_or_default();
                    sent.push_back(now.max(last));
                }
                allowed
            })
        }),
    )
}

fn begins_windows_at_first_use() -> LookAlike {
    LookAlike::new(
        "begins a window with the first request after the last one, not with the clock's seconds",
        limiter("begins_windows_at_first_use", rate().fixed(), |clock| {
            locked((None, 0), move |(began, used), request| {
                let now = clock.now();
                let over = began.is_none_or(|began| now >= began + SECOND);
                let used_now = if over { 0 } else { *used };
                let allowed = used_now < LIMIT;
                if allowed && sends(request) {
                    *used = used_now + 1;
                    if over {
                        *began = Some(now);
                    }
                }
                allowed
            })
        }),
    )
}

/// The calls that are remembered, the longest unused one first.
type Recent = Vec<(String, u32)>;

fn full_of_live_calls() -> LookAlike {
    const CALLS: usize = 64;
    let profile = PolicyProfile::new()
        .budget()
        .per_call()
        .requests(2)
        .max_calls(CALLS as u64);
    LookAlike::new(
        "refuses new calls when it is full of others: it forgets none that lives",
        PolicySubject::new("full_of_live_calls", profile, || {
            locked(Recent::new(), |calls, request| {
                let known = calls.iter().position(|(call, _)| call == request.call_id);
                let (call, spent) = match known {
                    Some(at) => calls.remove(at),
                    None => (request.call_id.to_owned(), 0),
                };
                let room = known.is_some() || calls.len() < CALLS;
                let allowed = !call.is_empty() && room && spent < 2;
                let charged = allowed && sends(request);
                if known.is_some() || charged {
                    calls.push((call, spent + u32::from(charged)));
                }
                allowed
            })
        }),
    )
}

fn refuses_spent_previews() -> LookAlike {
    let profile = PolicyProfile::new().budget().per_tool().requests(2);
    LookAlike::new(
        "refuses a preview once the budget is spent, as it would the request",
        PolicySubject::new("refuses_spent_previews", profile, || {
            locked(HashMap::<String, u32>::new(), |tools, request| {
                let spent = tools.entry(request.tool.to_owned()).or_default();
                let allowed = *spent < 2;
                *spent += u32::from(allowed && sends(request));
                allowed
            })
        }),
    )
}

fn holds_a_mutex() -> LookAlike {
    let profile = PolicyProfile::new().budget().per_call().requests(3);
    LookAlike::new(
        "makes others wait for a mutex, for some microseconds",
        PolicySubject::new("holds_a_mutex_for_microseconds", profile, || {
            per_call(3, |_| {
                let started = Instant::now();
                while started.elapsed() < Duration::from_micros(20) {
                    std::hint::spin_loop();
                }
                1
            })
        }),
    )
}

fn charges_refusals() -> LookAlike {
    let profile = PolicyProfile::new()
        .budget()
        .per_call()
        .requests(4)
        .allow([ITEM])
        .refuse_methods(["DELETE"]);
    LookAlike::new(
        "charges refused requests, which is as safe as not to",
        PolicySubject::new("charges_refusals", profile, || {
            locked(HashMap::<String, u32>::new(), |calls, request| {
                let refused = request.method.eq_ignore_ascii_case("DELETE");
                if request.call_id.is_empty() {
                    return false;
                }
                let asked = calls.entry(request.call_id.to_owned()).or_default();
                let left = *asked < 4;
                *asked += u32::from(left && sends(request));
                left && !refused
            })
        }),
    )
}

fn counts_what_is_sent() -> LookAlike {
    let profile = PolicyProfile::new().budget().per_call().bytes(4_096);
    LookAlike::new(
        "counts a body as the JSON it is sent as, quotes and brackets included",
        PolicySubject::new("counts_what_is_sent", profile, || {
            per_call(4_096, |request| {
                let pairs = request.query.iter();
                let pairs = pairs.map(|(key, value)| key.len() + value.len() + 2);
                let body = request.body.map(ToString::to_string).unwrap_or_default();
                request.path.len() + pairs.sum::<usize>() + body.len()
            })
        }),
    )
}

fn tells_methods_apart() -> LookAlike {
    let profile = PolicyProfile::new()
        .budget()
        .per_call()
        .distinct_endpoints(3);
    LookAlike::new(
        "takes another method for another endpoint, as its rule says",
        PolicySubject::new("tells_methods_apart", profile, || {
            let calls = HashMap::<String, HashSet<(String, String)>>::new();
            locked(calls, |calls, request| {
                let place = request.path.split(['?', '#']).next().unwrap_or_default();
                let endpoint = (request.method.to_owned(), place.to_owned());
                if request.call_id.is_empty() {
                    return false;
                }
                let used = calls.entry(request.call_id.to_owned()).or_default();
                let allowed = used.len() < 3 || used.contains(&endpoint);
                if allowed && sends(request) {
                    used.insert(endpoint);
                }
                allowed
            })
        }),
    )
}
