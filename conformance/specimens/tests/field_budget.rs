//! The public faults of budgets and rates, each as a small policy that the named row convicts, with
//! a twin that differs in the fault alone and passes.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use proofmark::async_trait;
use proofmark::clock::SteeredClock;
use proofmark::policy::{PolicyRefusal, RequestPolicy, policy_fn};
use proofmark::request::{FieldPath, OutboundRequest, RequestPhase};
use proofmark_conformance::catalogue::Catalogue;
use proofmark_conformance::judge::judge_row;
use proofmark_conformance::outcome::{Outcome, RowOutcome};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::seed::Seed;
use proofmark_conformance::subject::{PolicySubject, Takes};
use proofmark_conformance::trial::{Settings, Watch};
use rstest::rstest;

fn judged(row: &str, subject: &PolicySubject) -> RowOutcome {
    assert_eq!(subject.profile().validate(), Ok(()));
    let requirement = Catalogue::shared().unwrap().get(row.parse().unwrap());
    let mut settings = Settings::with_seed(Seed::new(7));
    settings.cases = 64;
    let watch = Arc::new(Watch::default());
    judge_row(requirement.unwrap(), subject, settings, &watch).unwrap()
}

/// The fault it makes, or not: makes the subject with or without it.
type Make = fn(bool) -> PolicySubject;

#[rstest]
#[case::b09_check_then_act("BUD-05", last_unit)]
#[case::b10_double_refill("BUD-05", window_turn)]
#[case::b12_idle_credit("BUD-08", full_bucket)]
#[case::b12_leap("BUD-11", full_bucket)]
#[case::b12_rewound_stamp("BUD-11", rewound)]
#[case::b13_rounding_starves("BUD-11", rounding)]
#[case::b15_wrapping_sum("BUD-10", wrapping)]
#[case::b21_key_holds_an_argument("BUD-12", keyed_by_argument)]
#[case::b22_joined_key("BUD-13", joined)]
#[case::b22_key_cut_to_a_prefix("BUD-13", cut_off)]
#[case::b25_verdict_by_call_id("BUD-09", cached)]
#[case::b27_declared_size("BUD-06", declared_size)]
#[case::b28_characters("BUD-06", characters)]
fn a_public_fault_is_convicted_and_its_twin_is_not(#[case] row: &str, #[case] make: Make) {
    let faulty = judged(row, &make(true));
    let sound = judged(row, &make(false));

    assert_eq!(faulty.outcome, Outcome::Fail, "{faulty:#?}");
    assert_eq!(sound.outcome, Outcome::Pass, "{sound:#?}");
    let headline = faulty.reason.unwrap();
    assert!(headline.chars().count() <= 105, "{headline}");
}

/// B24: what a refusal costs is reported, and convicts nobody.
#[test]
fn a_charged_refusal_is_reported() {
    let charging = judged("BUD-14", &refused_is_charged(true));
    let sparing = judged("BUD-14", &refused_is_charged(false));

    assert_eq!(charging.outcome, Outcome::Pass);
    assert!(charging.reason.unwrap().starts_with("reported: refused"));
    assert_eq!((sparing.outcome, sparing.reason), (Outcome::Pass, None));
}

fn budget() -> PolicyProfile {
    PolicyProfile::new().budget()
}

fn answer(allowed: bool) -> Result<(), PolicyRefusal> {
    if allowed {
        Ok(())
    } else {
        Err(PolicyRefusal::new("the budget does not allow it"))
    }
}

/// A policy that decides under one lock: whether the request is allowed, and what it changes.
fn locked<S: Send + 'static>(
    state: S,
    decide: impl Fn(&mut S, &OutboundRequest<'_>, bool) -> bool + Send + Sync + 'static,
) -> impl RequestPolicy {
    let state = Mutex::new(state);
    policy_fn(move |request| {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = request.phase == RequestPhase::Execute;
        answer(decide(&mut state, request, sent))
    })
}

/// A budget for each key that `key` makes, which charges `cost`.
fn keyed(
    limit: u64,
    key: fn(&OutboundRequest<'_>) -> String,
    cost: fn(&OutboundRequest<'_>) -> u64,
) -> impl RequestPolicy {
    locked(
        HashMap::<String, u64>::new(),
        move |spent, request, sent| {
            let spent = spent.entry(key(request)).or_default();
            let after = spent.saturating_add(cost(request));
            if sent && after <= limit {
                *spent = after;
            }
            after <= limit
        },
    )
}

fn by_call(request: &OutboundRequest<'_>) -> String {
    request.call_id.to_owned()
}

fn one(_: &OutboundRequest<'_>) -> u64 {
    1
}

/// A limit of one: reading what is left and lowering it are two steps.
struct LastUnit {
    left: AtomicU64,
    faulty: bool,
}

#[async_trait]
impl RequestPolicy for LastUnit {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let left = self.left.load(Ordering::SeqCst);
        if request.phase == RequestPhase::Validate {
            return answer(left > 0);
        }
        if self.faulty {
            tokio::task::yield_now().await;
            self.left.store(left.saturating_sub(1), Ordering::SeqCst);
            return answer(left > 0);
        }
        let lower = |left: u64| left.checked_sub(1);
        let lowered = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, lower);
        answer(lowered.is_ok())
    }
}

fn last_unit(faulty: bool) -> PolicySubject {
    PolicySubject::new("last_unit", budget().global().requests(1), move || {
        LastUnit {
            left: AtomicU64::new(1),
            faulty,
        }
    })
}

/// Ten in a window: each step of opening a new one is atomic, but not all of them together.
struct WindowTurn {
    clock: SteeredClock,
    window: AtomicU64,
    used: AtomicU64,
    faulty: bool,
}

#[async_trait]
impl RequestPolicy for WindowTurn {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let now = self.clock.now().as_secs();
        let window = if self.faulty {
            let window = self.window.load(Ordering::SeqCst);
            tokio::task::yield_now().await;
            self.window.store(now, Ordering::SeqCst);
            window
        } else {
            self.window.fetch_max(now, Ordering::SeqCst)
        };
        if window < now {
            self.used.store(0, Ordering::SeqCst);
        }
        let cost = u64::from(request.phase == RequestPhase::Execute);
        let take = |used: u64| (used < 10).then_some(used + cost);
        let taken = self
            .used
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, take);
        answer(taken.is_ok())
    }
}

fn window_turn(faulty: bool) -> PolicySubject {
    let profile = PolicyProfile::new().rate().requests(10).window_ms(1_000);
    PolicySubject::with_env("window_turn", profile.fixed(), Takes::CLOCK, move |env| {
        let window = env.clock.now().as_secs();
        WindowTurn {
            clock: env.clock.clone(),
            window: AtomicU64::new(window),
            used: AtomicU64::new(0),
            faulty,
        }
    })
}

/// A bucket's whole tokens and the milliseconds at which they were counted.
struct Bucket {
    tokens: u64,
    counted: u64,
}

/// One request a second and five at once. `refill` brings the bucket to a time in milliseconds.
fn bucket(name: &str, refill: fn(&mut Bucket, u64, bool), faulty: bool) -> PolicySubject {
    let profile = PolicyProfile::new().rate().requests(1).window_ms(1_000);
    let profile = profile.bucket().burst(5);
    PolicySubject::with_env(name, profile, Takes::CLOCK, move |env| {
        let clock = env.clock.clone();
        let now = move || u64::try_from(clock.now().as_millis()).unwrap();
        let bucket = Bucket {
            tokens: 5,
            counted: now(),
        };
        locked(bucket, move |bucket, _, sent| {
            refill(bucket, now(), faulty);
            let allowed = bucket.tokens > 0;
            bucket.tokens -= u64::from(allowed && sent);
            allowed
        })
    })
}

/// What was gained since, in whole requests; the rest of the time stays to be counted.
fn gain(bucket: &mut Bucket, now: u64) {
    let gained = now.saturating_sub(bucket.counted) / 1_000;
    bucket.tokens = (bucket.tokens + gained).min(5);
    bucket.counted += gained * 1_000;
}

/// A full bucket leaves its stamp where it is, and pays the time out once there is room.
fn full_bucket(faulty: bool) -> PolicySubject {
    let refill = |bucket: &mut Bucket, now, faulty: bool| {
        if !(faulty && bucket.tokens == 5) {
            gain(bucket, now);
        }
    };
    bucket("full_bucket", refill, faulty)
}

fn rewound(faulty: bool) -> PolicySubject {
    let refill = |bucket: &mut Bucket, now, faulty: bool| {
        gain(bucket, now);
        if faulty {
            bucket.counted = bucket.counted.min(now);
        }
    };
    bucket("rewound", refill, faulty)
}

fn rounding(faulty: bool) -> PolicySubject {
    let refill = |bucket: &mut Bucket, now, faulty: bool| {
        gain(bucket, now);
        if faulty {
            bucket.counted = bucket.counted.max(now);
        }
    };
    bucket("rounding", refill, faulty)
}

fn wrapping(faulty: bool) -> PolicySubject {
    let profile = budget().per_call().bytes(4_096);
    PolicySubject::with_env("wrapping", profile, Takes::CLOCK_AND_LIMIT, move |env| {
        let limit = u32::try_from(env.limit).unwrap_or(u32::MAX);
        locked(0_u32, move |spent, request, sent| {
            let cost = u32::try_from(text_size(request, str::len)).unwrap_or(u32::MAX);
            let after = if faulty {
                Some(spent.wrapping_add(cost))
            } else {
                spent.checked_add(cost)
            };
            let after = after.filter(|after| *after <= limit);
            if sent {
                *spent = after.unwrap_or(*spent);
            }
            after.is_some()
        })
    })
}

fn keyed_by_argument(faulty: bool) -> PolicySubject {
    let profile = budget().per_tool().requests(5);
    PolicySubject::new("keyed_by_argument", profile, move || {
        let key = if faulty {
            |request: &OutboundRequest<'_>| format!("{} {:?}", request.tool, request.query)
        } else {
            |request: &OutboundRequest<'_>| request.tool.to_owned()
        };
        keyed(5, key, one)
    })
}

fn joined(faulty: bool) -> PolicySubject {
    let profile = budget().per_tool_and_call().requests(1);
    PolicySubject::new("joined", profile, move || {
        let key = if faulty {
            |request: &OutboundRequest<'_>| format!("{}:{}", request.tool, request.call_id)
        } else {
            |request: &OutboundRequest<'_>| format!("{:?}", (request.tool, request.call_id))
        };
        keyed(1, key, one)
    })
}

fn cut_off(faulty: bool) -> PolicySubject {
    let profile = budget().per_tool_and_call().requests(1);
    PolicySubject::new("cut_off", profile, move || {
        let key = if faulty {
            |request: &OutboundRequest<'_>| {
                let tool: String = request.tool.chars().take(64).collect();
                format!("{:?}", (tool, request.call_id))
            }
        } else {
            |request: &OutboundRequest<'_>| format!("{:?}", (request.tool, request.call_id))
        };
        keyed(1, key, one)
    })
}

/// A verdict that was given once to a call is given to all its requests.
fn cached(faulty: bool) -> PolicySubject {
    let profile = budget()
        .per_call()
        .requests(3)
        .allow(["https://api.example.test/v1/a"])
        .refuse(["DELETE https://api.example.test/v1/b"]);
    PolicySubject::new("cached", profile, move || {
        let calls = HashMap::<String, (u32, bool)>::new();
        locked(calls, move |calls, request, sent| {
            let own = request.path == "https://api.example.test/v1/a" && request.method == "GET";
            let (asked, first) = calls.entry(request.call_id.to_owned()).or_insert((0, own));
            let allowed = *asked < 3 && if faulty { *first } else { own };
            *asked += u32::from(allowed && sent);
            allowed
        })
    })
}

fn text_size(request: &OutboundRequest<'_>, measure: fn(&str) -> usize) -> u64 {
    let mut size = 0;
    request.visit(&mut |field: &FieldPath, text: &str| {
        let counted = ["path", "query", "body"];
        if counted.iter().any(|part| field.as_str().starts_with(part)) {
            size += measure(text);
        }
    });
    u64::try_from(size).unwrap()
}

/// A body says how long it is, and is believed; one that does not say costs nothing.
fn declared_size(faulty: bool) -> PolicySubject {
    let profile = budget().per_call().bytes(4_096);
    PolicySubject::new("declared_size", profile, move || {
        let cost = if faulty {
            |request: &OutboundRequest<'_>| {
                let declared = request.body.and_then(|body| body.get("content_length"));
                let declared = declared.and_then(serde_json::Value::as_u64);
                let query = request.query.iter();
                let query = query.map(|(key, value)| key.len() + value.len());
                (request.path.len() + query.sum::<usize>()) as u64 + declared.unwrap_or_default()
            }
        } else {
            |request: &OutboundRequest<'_>| text_size(request, str::len)
        };
        keyed(4_096, by_call, cost)
    })
}

fn characters(faulty: bool) -> PolicySubject {
    let profile = budget().per_call().bytes(4_096);
    PolicySubject::new("characters", profile, move || {
        let cost = if faulty {
            |request: &OutboundRequest<'_>| text_size(request, |text| text.chars().count())
        } else {
            |request: &OutboundRequest<'_>| text_size(request, str::len)
        };
        keyed(4_096, by_call, cost)
    })
}

fn refused_is_charged(faulty: bool) -> PolicySubject {
    let profile = budget()
        .per_call()
        .requests(10)
        .allow(["https://api.example.test/v1/items/7"])
        .refuse_methods(["DELETE"]);
    PolicySubject::new("refused_is_charged", profile, move || {
        locked(
            HashMap::<String, u32>::new(),
            move |calls, request, sent| {
                let spent = calls.entry(request.call_id.to_owned()).or_default();
                let fits = *spent < 10;
                let refused = request.method.eq_ignore_ascii_case("DELETE");
                *spent += u32::from(fits && sent && (faulty || !refused));
                fits && !refused
            },
        )
    })
}
