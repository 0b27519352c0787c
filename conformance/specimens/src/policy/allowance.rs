//! A policy that keeps an allowance of requests or bytes for each call and is told its limit; and
//! that policy with one fault at a time.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use proofmark::async_trait;
use proofmark::clock::SteeredClock;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::{FieldPath, OutboundRequest, RequestPhase};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::{PolicyEnv, PolicySubject, Takes};

use super::bud;
use crate::Specimen;

/// So many calls are remembered, and so long an idle one, where the profile says so.
const MAX_CALLS: usize = 64;
const IDLE: Duration = Duration::from_secs(60);

/// What is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    RepeatsAreFree,
    RemembersTheVerdict,
    WrapsItsSum,
    TakesNothingForUnlimited,
    AddsOneToItsLimit,
    TakesBackForIdle,
    JoinsToolAndCall,
    ForgetsAllWhenFull,
    ForgetsTheOldest,
    RefusesWhileBusy,
}

pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = of_requests();
    specimens.extend(of_limits());
    specimens.extend(of_calls());
    specimens
}

fn of_requests() -> Vec<Specimen> {
    let methods = requests()
        .per_call()
        .allow(["https://api.example.test/v1/items/7"])
        .refuse_methods(["DELETE"]);
    vec![
        Specimen::new(
            bud(9),
            "charges a request only if it has not been seen before",
            subject(
                "repeats_are_free",
                requests().per_call(),
                Fault::RepeatsAreFree,
            ),
        )
        .also(
            bud(2),
            "the request after the limit is not refused if it equals an earlier one",
        )
        .also(
            bud(5),
            "of equal requests any number is admitted, at once as well",
        ),
        Specimen::new(
            bud(9),
            "gives every request of a call the first one's verdict while budget is left",
            subject("remembers_the_verdict", methods, Fault::RemembersTheVerdict),
        ),
        Specimen::new(
            bud(16),
            "refuses whoever asks while another one is being answered",
            subject(
                "refuses_while_busy",
                requests().per_call(),
                Fault::RefusesWhileBusy,
            ),
        ),
    ]
}

fn of_limits() -> Vec<Specimen> {
    let bytes = || PolicyProfile::new().budget().per_call().bytes(4_096);
    vec![
        Specimen::new(
            bud(10),
            "keeps its sum in 32 bits and lets it wrap",
            told_limit("wraps_its_sum", bytes(), Fault::WrapsItsSum),
        ),
        Specimen::new(
            bud(10),
            "takes a limit of 0 for none",
            told_limit(
                "takes_nothing_for_unlimited",
                requests().per_call(),
                Fault::TakesNothingForUnlimited,
            ),
        ),
        Specimen::new(
            bud(10),
            "adds one to its limit, which the largest one has no room for",
            told_limit(
                "adds_one_to_its_limit",
                requests().per_call(),
                Fault::AddsOneToItsLimit,
            ),
        ),
        Specimen::new(
            bud(11),
            "takes a call used at a later time for one that was idle for ages",
            told_limit(
                "takes_back_for_idle",
                requests()
                    .per_call()
                    .max_calls(MAX_CALLS as u64)
                    .idle_ms(60_000),
                Fault::TakesBackForIdle,
            ),
        ),
    ]
}

fn of_calls() -> Vec<Specimen> {
    vec![
        Specimen::new(
            bud(13),
            "joins tool and call with a colon",
            subject(
                "joins_tool_and_call",
                requests().per_tool_and_call(),
                Fault::JoinsToolAndCall,
            ),
        ),
        Specimen::new(
            bud(15),
            "forgets every call when there are a thousand",
            subject(
                "forgets_all_when_full",
                requests().per_call(),
                Fault::ForgetsAllWhenFull,
            ),
        ),
        Specimen::new(
            bud(15),
            "forgets the call that began first when there are four thousand, spent or not",
            subject(
                "forgets_the_oldest",
                requests().per_call(),
                Fault::ForgetsTheOldest,
            ),
        ),
    ]
}

fn requests() -> PolicyProfile {
    PolicyProfile::new().budget().requests(3)
}

fn subject(name: &str, profile: PolicyProfile, fault: Fault) -> PolicySubject {
    taking(name, profile, Takes::NOTHING, fault)
}

fn told_limit(name: &str, profile: PolicyProfile, fault: Fault) -> PolicySubject {
    taking(name, profile, Takes::CLOCK_AND_LIMIT, fault)
}

fn taking(name: &str, profile: PolicyProfile, takes: Takes, fault: Fault) -> PolicySubject {
    let held_to = profile.clone();
    PolicySubject::with_env(name, profile, takes, move |env| {
        Allowance::new(&held_to, env, fault)
    })
}

/// The tool, where it is in scope, and the call.
type Key = (String, String);

struct Allowance {
    limit: u64,
    bytes: bool,
    by_tool: bool,
    refused_methods: Vec<String>,
    idle: Option<Duration>,
    max_calls: usize,
    fault: Fault,
    clock: SteeredClock,
    busy: AtomicBool,
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    calls: HashMap<Key, Account>,
    /// In the order in which they began.
    order: VecDeque<Key>,
}

#[derive(Default)]
struct Account {
    spent: u64,
    used: Duration,
    seen: HashSet<u64>,
    verdict: Option<bool>,
}

impl Allowance {
    fn new(profile: &PolicyProfile, env: &PolicyEnv, fault: Fault) -> Self {
        let bounded = profile.max_calls.is_some();
        Self {
            limit: env.limit,
            bytes: profile.bytes.is_some(),
            by_tool: profile
                .scope_in_force()
                .is_some_and(|scope| scope.by_tool()),
            refused_methods: profile.refuse_methods.clone(),
            idle: bounded.then_some(IDLE),
            max_calls: match fault {
                Fault::ForgetsAllWhenFull => 1_000,
                Fault::ForgetsTheOldest => 4_000,
                _ if bounded => MAX_CALLS,
                _ => usize::MAX,
            },
            fault,
            clock: env.clock.clone(),
            busy: AtomicBool::new(false),
            book: Mutex::default(),
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl RequestPolicy for Allowance {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if self.fault == Fault::RefusesWhileBusy {
            if self.busy.swap(true, Ordering::SeqCst) {
                return Err(PolicyRefusal::new("another request is being answered"));
            }
            tokio::task::yield_now().await;
            let answer = self.judge(request);
            self.busy.store(false, Ordering::SeqCst);
            return answer;
        }
        self.judge(request)
    }
}

impl Allowance {
    fn judge(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if request.call_id.is_empty() || (self.by_tool && request.tool.is_empty()) {
            return Err(PolicyRefusal::new("an unattributed request has no budget"));
        }
        let now = self.clock.now();
        let preview = request.phase == RequestPhase::Validate;
        let mut book = self.book();
        let key = self.key(request);
        self.make_room(&mut book, &key, now)?;
        let mut fresh = Account::default();
        let account = match book.calls.get_mut(&key) {
            Some(account) => account,
            None => &mut fresh,
        };
        if self.is_forgotten(account, now) {
            *account = Account::default();
        }
        let answer = self.decide(account, request, preview);
        if !preview {
            account.used = now;
            if !book.calls.contains_key(&key) {
                book.order.push_back(key.clone());
                book.calls.insert(key, fresh);
            }
        }
        answer
    }

    fn decide(
        &self,
        account: &mut Account,
        request: &OutboundRequest<'_>,
        preview: bool,
    ) -> Result<(), PolicyRefusal> {
        let same = |method: &String| method.eq_ignore_ascii_case(request.method);
        let mut refused = self.refused_methods.iter().any(same);
        if self.fault == Fault::RemembersTheVerdict && !preview {
            refused = *account.verdict.get_or_insert(refused);
        }
        if refused {
            return Err(PolicyRefusal::new("the method is not allowed"));
        }
        let repeated = self.fault == Fault::RepeatsAreFree;
        if repeated && account.seen.contains(&fingerprint(request)) {
            return Ok(());
        }
        let cost = if self.bytes { size(request) } else { 1 };
        let spent = self.sum(account.spent, cost);
        let fits = match (self.fault, self.limit) {
            (Fault::TakesNothingForUnlimited, 0) => true,
            (Fault::AddsOneToItsLimit, limit) => spent.is_some_and(|spent| spent < limit + 1),
            (Fault::WrapsItsSum, limit) => {
                spent.is_some_and(|spent| spent <= limit.min(u32::MAX.into()))
            }
            (_, limit) => spent.is_some_and(|spent| spent <= limit),
        };
        if !fits {
            return Err(PolicyRefusal::new("the budget is used up"));
        }
        if !preview {
            account.spent = spent.unwrap_or(u64::MAX);
            if repeated {
                account.seen.insert(fingerprint(request));
            }
        }
        Ok(())
    }

    fn sum(&self, spent: u64, cost: u64) -> Option<u64> {
        if self.fault == Fault::WrapsItsSum {
            let low = |number: u64| u32::try_from(number & u64::from(u32::MAX)).unwrap_or_default();
            return Some(low(spent).wrapping_add(low(cost)).into());
        }
        spent.checked_add(cost)
    }

    fn key(&self, request: &OutboundRequest<'_>) -> Key {
        let (tool, call) = (request.tool, request.call_id);
        match (self.by_tool, self.fault) {
            (true, Fault::JoinsToolAndCall) => (String::new(), format!("{tool}:{call}")),
            (true, _) => (tool.to_owned(), call.to_owned()),
            (false, _) => (String::new(), call.to_owned()),
        }
    }

    /// Whether so much time has passed since the call was used that it may be forgotten.
    fn is_forgotten(&self, account: &Account, now: Duration) -> bool {
        let Some(idle) = self.idle else {
            return false;
        };
        if self.fault == Fault::TakesBackForIdle {
            let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            return u128::from(nanos(now).wrapping_sub(nanos(account.used))) > idle.as_nanos();
        }
        now.saturating_sub(account.used) > idle
    }

    /// Forgets what may be forgotten if the call is new and there is no room for it; a sound
    /// allowance refuses it where nothing may.
    fn make_room(&self, book: &mut Book, key: &Key, now: Duration) -> Result<(), PolicyRefusal> {
        if book.calls.contains_key(key) || book.calls.len() < self.max_calls {
            return Ok(());
        }
        if self.fault == Fault::ForgetsAllWhenFull {
            book.calls.clear();
            book.order.clear();
            return Ok(());
        }
        let idle = |key: &Key| {
            let account = book.calls.get(key);
            account.is_some_and(|account| self.is_forgotten(account, now))
        };
        let forgotten = match self.fault {
            Fault::ForgetsTheOldest => Some(0),
            _ => book.order.iter().position(idle),
        };
        match forgotten.and_then(|at| book.order.remove(at)) {
            Some(forgotten) => {
                book.calls.remove(&forgotten);
                Ok(())
            }
            None => Err(PolicyRefusal::new("too many calls are open")),
        }
    }
}

fn size(request: &OutboundRequest<'_>) -> u64 {
    let mut bytes = 0;
    request.visit(&mut |field: &FieldPath, text: &str| {
        let field = field.as_str();
        let counted = ["path", "query", "body"];
        if counted.iter().any(|part| field.starts_with(part)) {
            bytes += text.len();
        }
    });
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// What all texts of a request come to.
fn fingerprint(request: &OutboundRequest<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    request.visit(&mut |field: &FieldPath, text: &str| {
        (field.as_str(), text).hash(&mut hasher);
    });
    hasher.finish()
}
