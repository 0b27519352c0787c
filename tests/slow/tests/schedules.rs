//! Budgets hold whatever order the steps of their callers come in: each claim is tried under
//! thousands of schedules, and a budget whose atomicity is broken is found.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]
#![allow(clippy::panic, reason = "a claim that does not hold panics")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use proofmark_modelled::clock::SteeredClock;
use proofmark_modelled::leash::{
    Caveats, CountBound, Gate, Scope, Tool, ToolContext, ToolError, ToolResult,
};
use proofmark_modelled::policy::{
    AllOf, BudgetOptions, BudgetScope, ByteBudget, DistinctEndpointBudget, Rate, RateLimit,
    RequestBudget, RequestPolicy,
};
use proofmark_modelled::request::{OutboundRequest, RequestPhase};
use serde_json::{Value, json};
use shuttle::future::block_on;
use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler};
use shuttle::sync::atomic::{AtomicU64, Ordering};
use shuttle::{Config, Runner, thread};

/// Schedules drawn at random, and with few changes of thread at drawn places.
const RANDOM: usize = 6_000;
const CHANGES: usize = 2_000;
const MOST_CHANGES: usize = 3;

/// One seed, so that a change is what turns a test red.
const SEED: u64 = 7;

fn random() -> RandomScheduler {
    RandomScheduler::new_from_seed(SEED, RANDOM)
}

fn few_changes() -> PctScheduler {
    PctScheduler::new_from_seed(SEED, MOST_CHANGES, CHANGES)
}

/// Runs `claim` under drawn schedules.
fn under_schedules(claim: impl Fn() + Send + Sync + Clone + 'static) {
    Runner::new(random(), Config::new()).run(claim.clone());
    Runner::new(few_changes(), Config::new()).run(claim);
}

/// Runs `claim` under every schedule there is, and says how many.
fn under_every_schedule(claim: impl Fn() + Send + Sync + 'static) -> usize {
    Runner::new(DfsScheduler::new(None, false), Config::new()).run(claim)
}

/// What each of several threads comes to.
fn at_once<T: Send + 'static>(
    threads: u64,
    work: impl Fn(u64) -> T + Send + Sync + 'static,
) -> Vec<T> {
    let work = Arc::new(work);
    let running: Vec<_> = (0..threads)
        .map(|number| {
            let work = Arc::clone(&work);
            thread::spawn(move || work(number))
        })
        .collect();
    running
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect()
}

struct Tick;

#[async_trait]
impl Tool for Tick {
    fn name(&self) -> &str {
        "tick"
    }

    fn schema(&self) -> Value {
        json!({"type": "object"})
    }

    async fn invoke(&self, _: Value, _: &ToolContext) -> ToolResult<Value> {
        Ok(Value::Null)
    }
}

fn stale() -> Caveats {
    Caveats {
        valid_for_generation: Scope::only([6]),
        ..Caveats::top()
    }
}

#[test]
fn a_gate_authorises_exactly_its_budget_under_every_schedule() {
    let tried = under_every_schedule(|| {
        let gate = Arc::new(Gate::with_budget(7, CountBound::AtMost(2)));
        let shared = Arc::clone(&gate);
        let authorised = at_once(3, move |_| shared.authorize(&Tick, &Caveats::top()).is_ok());
        assert_eq!(authorised.into_iter().filter(|done| *done).count(), 2);
        assert_eq!(gate.spent(), 2);
    });
    assert!(tried > 1, "{tried}");
    println!("a gate: {tried} schedules, which are all");
}

#[test]
fn stale_calls_charge_nothing_and_what_is_spent_stays_spent() {
    under_schedules(|| {
        let gate = Arc::new(Gate::with_budget(7, CountBound::AtMost(3)));
        let shared = Arc::clone(&gate);
        let authorised = at_once(4, move |_| {
            let first = shared.authorize(&Tick, &Caveats::top()).is_ok();
            let between = shared.authorize(&Tick, &stale());
            assert!(matches!(between, Err(ToolError::Generation)), "{between:?}");
            u64::from(first) + u64::from(shared.authorize(&Tick, &Caveats::top()).is_ok())
        });
        assert_eq!(authorised.into_iter().sum::<u64>(), 3);
        assert!(gate.authorize(&Tick, &Caveats::top()).is_err());
        assert_eq!(gate.spent(), 3);
    });
}

#[test]
fn the_tighter_bound_of_grant_and_gate_holds() {
    under_schedules(|| {
        let gate = Arc::new(Gate::with_budget(7, CountBound::AtMost(5)));
        let shared = Arc::clone(&gate);
        let authorised = at_once(3, move |_| {
            let granted = Caveats {
                max_calls: CountBound::AtMost(2),
                ..Caveats::top()
            };
            let once = || u64::from(shared.authorize(&Tick, &granted).is_ok());
            once() + once()
        });
        assert_eq!(authorised.into_iter().sum::<u64>(), 2);
    });
}

const PLACE: &str = "https://h.test/";

/// How many of the requests that several threads send at once are admitted.
fn admitted(policy: impl RequestPolicy + 'static, path: fn(u64) -> String) -> u64 {
    let policy = Arc::new(policy);
    let counts = at_once(3, move |thread| {
        let mut count = 0;
        for round in 0..2 {
            let path = path(2 * thread + round);
            let send = OutboundRequest::new("t", "POST", &path, &[], None).with_call_id("c");
            let preview = send.with_phase(RequestPhase::Validate);
            // A preview is charged to nobody, whatever it is told.
            let _ = block_on(policy.check(&preview));
            count += u64::from(block_on(policy.check(&send)).is_ok());
        }
        count
    });
    counts.into_iter().sum()
}

fn one_place(_: u64) -> String {
    PLACE.to_owned()
}

fn many_places(number: u64) -> String {
    format!("{PLACE}{number}")
}

#[test]
fn a_request_budget_admits_exactly_its_limit() {
    under_schedules(|| assert_eq!(admitted(RequestBudget::new(3), one_place), 3));
}

#[test]
fn a_budget_for_all_calls_admits_exactly_its_limit() {
    under_schedules(|| {
        let options = BudgetOptions::new().scope(BudgetScope::Global);
        assert_eq!(
            admitted(RequestBudget::with_options(4, options), one_place),
            4
        );
    });
}

#[test]
fn a_byte_budget_admits_at_once_as_much_as_one_by_one() {
    under_schedules(|| {
        let body = json!({"text": "0123456789"});
        let send = move |policy: &ByteBudget| {
            let send = OutboundRequest::new("t", "POST", PLACE, &[], Some(&body));
            block_on(policy.check(&send.with_call_id("c"))).is_ok()
        };
        let alone = ByteBudget::new(64);
        let fitting = (0..4).filter(|_| send(&alone)).count();
        assert!((1..4).contains(&fitting), "{fitting}");

        let shared = ByteBudget::new(64);
        let sent = at_once(4, move |_| send(&shared));
        assert_eq!(sent.into_iter().filter(|sent| *sent).count(), fitting);
    });
}

#[test]
fn an_endpoint_budget_admits_exactly_as_many_endpoints() {
    under_schedules(|| {
        assert_eq!(admitted(DistinctEndpointBudget::new(2), many_places), 2);
    });
}

#[test]
fn a_rate_admits_exactly_its_limit_while_the_clock_moves() {
    under_schedules(|| {
        let clock = SteeredClock::new();
        let steered = clock.clone();
        let options = BudgetOptions::new().clock(move || steered.now());
        let window = Duration::from_secs(1);
        let policy = Arc::new(RateLimit::with_options(Rate::sliding(2, window), options));
        let sent = at_once(3, move |thread| {
            if thread == 0 {
                clock.advance(Duration::from_millis(10));
            }
            let send = OutboundRequest::new("t", "POST", PLACE, &[], None).with_call_id("c");
            let once = || u64::from(block_on(policy.check(&send)).is_ok());
            once() + once()
        });
        assert_eq!(sent.into_iter().sum::<u64>(), 2);
    });
}

#[test]
fn of_two_budgets_the_tighter_one_decides() {
    under_schedules(|| {
        let both = AllOf::new()
            .budget(Arc::new(RequestBudget::new(2)))
            .budget(Arc::new(DistinctEndpointBudget::new(5)));
        assert_eq!(admitted(both, one_place), 2);
    });
}

/// A gate's count that is read in one step and written in another.
#[derive(Default)]
struct TwoSteps {
    spent: AtomicU64,
}

impl TwoSteps {
    fn charge(&self, limit: u64) -> bool {
        let spent = self.spent.load(Ordering::SeqCst);
        if spent < limit {
            self.spent.store(spent + 1, Ordering::SeqCst);
        }
        spent < limit
    }
}

fn lost_update() {
    let gate = Arc::new(TwoSteps::default());
    let shared = Arc::clone(&gate);
    let charged = at_once(3, move |_| shared.charge(2));
    assert_eq!(charged.into_iter().filter(|done| *done).count(), 2);
}

/// Whether some schedule broke the claim.
fn broken(run: impl FnOnce() -> usize) -> bool {
    catch_unwind(AssertUnwindSafe(run)).is_err()
}

#[test]
fn a_count_that_is_charged_in_two_steps_is_found() {
    assert!(broken(
        || Runner::new(random(), Config::new()).run(lost_update)
    ));
    assert!(broken(
        || Runner::new(few_changes(), Config::new()).run(lost_update)
    ));
    assert!(broken(|| under_every_schedule(lost_update)));
}
