//! Small policies, each with a slip that is made in good faith: what is charged, and to whom.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use proofmark::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy, policy_fn};
use proofmark::request::{FieldPath, OutboundRequest, RequestPhase};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::{PolicySubject, Takes};
use serde_json::Value;

use super::{bud, pol};
use crate::Specimen;

pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = naming();
    specimens.extend(measuring());
    specimens.extend(forgetting());
    specimens
}

/// A policy that decides under a lock: whether the request is allowed, and what it changes if it is
/// sent.
fn locked<S: Send + 'static>(
    state: S,
    decide: impl Fn(&mut S, &OutboundRequest<'_>, bool) -> bool + Send + Sync + 'static,
) -> impl RequestPolicy {
    let state = Mutex::new(state);
    policy_fn(move |request| {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if decide(&mut state, request, request.phase == RequestPhase::Execute) {
            Ok(())
        } else {
            Err(PolicyRefusal::new("the budget does not allow it"))
        }
    })
}

type Key = fn(&OutboundRequest<'_>) -> Option<String>;
type Cost = fn(&OutboundRequest<'_>) -> u64;

/// A budget for each key, which charges `cost`; what has no key is refused.
fn keyed(limit: u64, key: Key, cost: Cost) -> impl RequestPolicy {
    locked(
        HashMap::<String, u64>::new(),
        move |spent, request, sent| {
            let Some(key) = key(request) else {
                return false;
            };
            let spent = spent.entry(key).or_default();
            let after = spent.saturating_add(cost(request));
            if sent && after <= limit {
                *spent = after;
            }
            after <= limit
        },
    )
}

fn call<'a>(request: &OutboundRequest<'a>) -> Option<&'a str> {
    (!request.call_id.is_empty()).then_some(request.call_id)
}

fn one(_: &OutboundRequest<'_>) -> u64 {
    1
}

fn place_of(text: &str, places: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish() % places
}

fn keyed_by(name: &str, profile: PolicyProfile, key: Key) -> PolicySubject {
    PolicySubject::new(name, profile, move || keyed(3, key, one))
}

fn naming() -> Vec<Specimen> {
    let per_call = || PolicyProfile::new().budget().per_call().requests(3);
    let large_bucket = PolicySubject::new("gives_nameless_calls_a_hundred", per_call(), || {
        locked(HashMap::<String, u64>::new(), |spent, request, sent| {
            let limit = if request.call_id.is_empty() { 100 } else { 3 };
            let spent = spent.entry(request.call_id.to_owned()).or_default();
            let allowed = *spent < limit;
            *spent += u64::from(allowed && sent);
            allowed
        })
    });
    let mut specimens = vec![
        Specimen::new(
            pol(7),
            "gives all requests without a call id one bucket, larger than any call's",
            large_bucket,
        ),
        Specimen::new(
            pol(8),
            "keeps the first 64 characters of a call id",
            keyed_by("cuts_call_ids_to_64", per_call(), |request| {
                Some(call(request)?.chars().take(64).collect())
            }),
        )
        .also(bud(3), "calls whose ids begin alike share one budget"),
        Specimen::new(
            bud(3),
            "counts calls in 65,536 places, chosen by a hash",
            keyed_by("keeps_places_for_calls", per_call(), |request| {
                Some(place_of(call(request)?, 1 << 16).to_string())
            }),
        ),
    ];
    specimens.extend(keying());
    specimens.push(bits());
    specimens
}

fn keying() -> Vec<Specimen> {
    let global = || PolicyProfile::new().budget().global().requests(3);
    let pairs = PolicyProfile::new()
        .budget()
        .per_tool_and_call()
        .requests(3);
    vec![
        Specimen::new(
            bud(12),
            "counts for each host although its budget is global",
            keyed_by("keys_by_host", global(), |request| {
                request.path.split('/').nth(2).map(str::to_owned)
            }),
        ),
        Specimen::new(
            bud(12),
            "counts for each body although its budget is global",
            keyed_by("keys_by_body", global(), |request| {
                Some(request.body.map(Value::to_string).unwrap_or_default())
            }),
        ),
        Specimen::new(
            bud(13),
            "adds the hashes of tool and call",
            keyed_by("adds_hashes", pairs, |request| {
                let [tool, call] =
                    [request.tool, call(request)?].map(|name| place_of(name, 1 << 62));
                Some((tool + call).to_string())
            }),
        ),
    ]
}

fn bits() -> Specimen {
    let profile = PolicyProfile::new()
        .budget()
        .per_call()
        .distinct_endpoints(3);
    let subject = PolicySubject::new("keeps_bits_for_endpoints", profile, || {
        let calls = HashMap::<String, HashSet<u64>>::new();
        locked(calls, |calls, request, sent| {
            let Some(call) = call(request) else {
                return false;
            };
            let path = request.path.split('?').next().unwrap_or_default();
            let used = calls.entry(call.to_owned()).or_default();
            let bit = place_of(path, 64);
            let allowed = used.len() < 3 || used.contains(&bit);
            if allowed && sent {
                used.insert(bit);
            }
            allowed
        })
    });
    Specimen::new(bud(17), "keeps a bit for each endpoint, 64 in all", subject).also(
        bud(5),
        "an endpoint that is taken for an old one is admitted at once with others, too",
    )
}

fn size(request: &OutboundRequest<'_>, counts: fn(&FieldPath) -> bool) -> u64 {
    let mut size = 0;
    request.visit(&mut |field: &FieldPath, text: &str| {
        let counted = ["path", "query", "body"];
        let counted = counted.iter().any(|part| field.as_str().starts_with(part));
        if counted && counts(field) {
            size += text.len();
        }
    });
    u64::try_from(size).unwrap_or(u64::MAX)
}

/// How deep a part of a body lies.
fn depth(field: &FieldPath) -> usize {
    let steps = field.as_str().bytes();
    steps.filter(|byte| matches!(byte, b'.' | b'[')).count()
}

fn measuring() -> Vec<Specimen> {
    let bytes = || PolicyProfile::new().budget().per_call().bytes(4_096);
    let by_call: Key = |request| Some(call(request)?.to_owned());
    let measured = |name: &str, limit: u64, cost: Cost| {
        PolicySubject::new(name, bytes(), move || keyed(limit, by_call, cost))
    };
    vec![
        Specimen::new(
            bud(4),
            "charges whole kibibytes, and nothing for less than one",
            measured("charges_whole_kibibytes", 4, |request| {
                size(request, |_| true) / 1_024
            }),
        )
        .also(
            bud(6),
            "a text that exceeds the limit by one byte is rounded down to it",
        ),
        Specimen::new(
            bud(4),
            "charges nothing for requests that are smaller than 256 bytes",
            measured("lets_small_requests_pass", 4_096, |request| {
                match size(request, |_| true) {
                    0..256 => 0,
                    size => size,
                }
            }),
        ),
        Specimen::new(
            bud(6),
            "does not count what lies deeper than sixteen levels",
            measured("counts_sixteen_levels", 4_096, |request| {
                size(request, |field| depth(field) <= 16)
            }),
        ),
        Specimen::new(
            bud(6),
            "keeps the size of a request in 16 bits",
            measured("cuts_sizes_to_16_bits", 4_096, |request| {
                size(request, |_| true) & 0xffff
            }),
        ),
        Specimen::new(
            bud(6),
            "counts no keys of the query that is written in the path",
            measured("counts_no_written_keys", 4_096, |request| {
                let (path, query) = request.path.split_once('?').unwrap_or((request.path, ""));
                let values = query.split('&').filter_map(|pair| pair.split_once('='));
                let values: usize = values.map(|(_, value)| value.len()).sum();
                let rest = size(request, |field| !field.as_str().starts_with("path"));
                (path.len() + values) as u64 + rest
            }),
        ),
    ]
}

fn forgetting() -> Vec<Specimen> {
    let per_call = || PolicyProfile::new().budget().per_call().requests(3);
    let day_old = PolicySubject::with_env(
        "forgets_what_is_a_day_old",
        per_call(),
        Takes::CLOCK,
        |env| {
            let clock = env.clock.clone();
            let calls = HashMap::<String, (u64, Duration)>::new();
            locked(calls, move |calls, request, sent| {
                let Some(call) = call(request) else {
                    return false;
                };
                let now = clock.now();
                let (spent, began) = calls.entry(call.to_owned()).or_insert((0, now));
                if now.saturating_sub(*began) > Duration::from_secs(24 * 60 * 60) {
                    (*spent, *began) = (0, now);
                }
                let allowed = *spent < 3;
                *spent += u64::from(allowed && sent);
                allowed
            })
        },
    );
    let wraps = PolicySubject::new("counts_refusals_in_16_bits", per_call(), || {
        locked(HashMap::<String, u16>::new(), |calls, request, sent| {
            let Some(call) = call(request) else {
                return false;
            };
            let asked = calls.entry(call.to_owned()).or_default();
            let allowed = *asked < 3;
            *asked = asked.wrapping_add(u16::from(sent));
            allowed
        })
    });
    vec![
        Specimen::new(
            bud(7),
            "forgets what a call has spent when it began a day ago",
            day_old,
        ),
        Specimen::new(
            bud(7),
            "counts refused requests in 16 bits, which wrap",
            wraps,
        ),
        Specimen::new(
            bud(7),
            "has a task of the runtime forget a call after a minute",
            PolicySubject::new("forgets_after_a_minute", per_call(), Forgetful::default),
        ),
    ]
}

/// A budget of three requests a call, which a task forgets a minute after the first.
#[derive(Default)]
struct Forgetful {
    spent: Arc<Mutex<HashMap<String, u64>>>,
}

#[async_trait]
impl RequestPolicy for Forgetful {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let refusal = || PolicyRefusal::new("the budget does not allow it");
        let call = call(request).ok_or_else(refusal)?;
        let mut calls = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let spent = calls.get(call).copied().unwrap_or_default();
        if spent >= 3 {
            return Err(refusal());
        }
        if request.phase == RequestPhase::Validate {
            return Ok(());
        }
        calls.insert(call.to_owned(), spent + 1);
        if spent == 0 {
            let (calls, call) = (Arc::clone(&self.spent), call.to_owned());
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_secs(60)).await;
                let mut calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
                calls.remove(&call);
            });
        }
        Ok(())
    }
}
