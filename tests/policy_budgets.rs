//! Budgets under previews, concurrency, hostile names, extreme limits and a steered clock.

use std::sync::Arc;
use std::time::Duration;

use proofmark::clock::SteeredClock;
use proofmark::policy::{
    AllOf, BudgetOptions, BudgetScope, ByteBudget, DistinctEndpointBudget, PolicyRefusal, Rate,
    RateLimit, RequestBudget, RequestPolicy,
};
use proofmark::request::{OutboundRequest, RequestPhase};
use rstest::rstest;
use serde_json::{Value, json};
use tokio::sync::Barrier;

const PLACE: &str = "https://h.test/";

fn request<'a>(tool: &'a str, call: &'a str) -> OutboundRequest<'a> {
    OutboundRequest::new(tool, "POST", PLACE, &[], None).with_call_id(call)
}

async fn allowed(policy: &dyn RequestPolicy, request: OutboundRequest<'_>) -> bool {
    policy.check(&request).await.is_ok()
}

async fn admitted(policy: &dyn RequestPolicy, request: OutboundRequest<'_>, times: u32) -> u32 {
    let mut admitted = 0;
    for _ in 0..times {
        admitted += u32::from(allowed(policy, request).await);
    }
    admitted
}

fn scoped(scope: BudgetScope) -> BudgetOptions {
    BudgetOptions::new().scope(scope)
}

#[tokio::test]
async fn each_call_has_its_own_requests_and_a_spent_call_stays_spent() {
    let budget = RequestBudget::new(3);

    assert_eq!(admitted(&budget, request("t", "a"), 10).await, 3);
    assert_eq!(admitted(&budget, request("t", "b"), 10).await, 3);
    assert_eq!(admitted(&budget, request("other", "a"), 10).await, 0);
}

#[tokio::test]
async fn previews_before_between_and_after_change_nothing() {
    let budget = RequestBudget::new(2);
    let send = request("t", "a");
    let preview = send.with_phase(RequestPhase::Validate);

    assert_eq!(admitted(&budget, preview, 50).await, 50);
    assert!(allowed(&budget, send).await);
    assert_eq!(admitted(&budget, preview, 50).await, 50);
    assert!(allowed(&budget, send).await);
    assert_eq!(
        admitted(&budget, preview, 50).await,
        0,
        "answered as a send would be now"
    );
    assert!(!allowed(&budget, send).await);
}

#[rstest]
#[case::call(BudgetScope::Call, ("x", "c"))]
#[case::tool(BudgetScope::Tool, ("t", "x"))]
#[case::tool_unattributed_call(BudgetScope::Tool, ("t", ""))]
#[case::global(BudgetScope::Global, ("x", "x"))]
#[case::global_unattributed(BudgetScope::Global, ("", ""))]
#[tokio::test]
async fn a_name_outside_the_scope_does_not_refill(
    #[case] scope: BudgetScope,
    #[case] (tool, call): (&str, &str),
) {
    let budget = RequestBudget::with_options(1, scoped(scope));

    assert!(allowed(&budget, request("t", "c")).await);
    assert!(!allowed(&budget, request(tool, call)).await);
}

#[tokio::test]
async fn names_that_join_to_the_same_text_are_different_groups() {
    let budget = RequestBudget::with_options(1, scoped(BudgetScope::ToolAndCall));

    for (tool, call) in [
        ("a:b", "c"),
        ("a", "b:c"),
        ("a:b:", "c"),
        ("ab", "c"),
        ("a", "bc"),
    ] {
        assert_eq!(
            admitted(&budget, request(tool, call), 5).await,
            1,
            "{tool} {call}"
        );
    }
}

#[rstest]
#[case(BudgetScope::Call)]
#[case(BudgetScope::ToolAndCall)]
#[tokio::test]
async fn unattributed_requests_get_one_verdict_and_charge_nobody(#[case] scope: BudgetScope) {
    let closed = RequestBudget::with_options(2, scoped(scope));
    let open = RequestBudget::with_options(2, scoped(scope).allow_unattributed());

    assert_eq!(admitted(&closed, request("t", ""), 9).await, 0);
    assert_eq!(admitted(&open, request("t", ""), 9).await, 9);
    assert_eq!(admitted(&open, request("t", "a"), 9).await, 2);
    assert_eq!(admitted(&closed, request("t", "a"), 9).await, 2);
}

#[tokio::test]
async fn fresh_calls_never_refill_a_spent_live_one_and_are_refused_when_the_table_is_full() {
    let clock = SteeredClock::new();
    let options = BudgetOptions::new().max_calls(10_001).clock(clock.clone());
    let budget = RequestBudget::with_options(1, options);
    assert!(allowed(&budget, request("t", "spent")).await);

    for id in 0..10_000 {
        assert!(allowed(&budget, request("t", &format!("fresh{id}"))).await);
    }
    let one_more = budget.check(&request("t", "one more")).await;

    assert!(!allowed(&budget, request("t", "spent")).await);
    assert_eq!(one_more, Err(PolicyRefusal::new("too many calls are open")));
    let preview = request("t", "one more").with_phase(RequestPhase::Validate);
    assert!(!allowed(&budget, preview).await);

    clock.advance(BudgetOptions::DEFAULT_IDLE);
    assert!(
        !allowed(&budget, request("t", "spent")).await,
        "asking keeps a call alive"
    );
    clock.advance(Duration::from_nanos(1));
    assert!(allowed(&budget, preview).await);
    assert!(allowed(&budget, request("t", "one more")).await);
    assert!(!allowed(&budget, request("t", "spent")).await);
}

#[tokio::test]
async fn a_clock_set_back_or_leaping_refills_no_call_and_keeps_room() {
    let clock = SteeredClock::new();
    let options = BudgetOptions::new().max_calls(2).clock(clock.clone());
    let budget = RequestBudget::with_options(1, options);
    assert!(allowed(&budget, request("t", "a")).await);

    clock.step_back(Duration::from_secs(12 * 60 * 60));
    assert!(!allowed(&budget, request("t", "a")).await);
    clock.advance(Duration::from_secs(365 * 24 * 60 * 60));
    assert!(!allowed(&budget, request("t", "a")).await);

    assert!(allowed(&budget, request("t", "b")).await);
    clock.step_back(Duration::MAX);
    assert!(!allowed(&budget, request("t", "c")).await);
    clock.advance(BudgetOptions::DEFAULT_IDLE + Duration::from_secs(1));
    assert!(
        allowed(&budget, request("t", "c")).await,
        "idle calls give way"
    );
}

#[rstest]
#[case(0, 0)]
#[case(1, 1)]
#[case(u64::MAX, 100)]
#[tokio::test]
async fn extreme_limits_neither_panic_nor_wrap(#[case] limit: u64, #[case] expected: u32) {
    let budget = RequestBudget::new(limit);

    assert_eq!(admitted(&budget, request("t", "a"), 100).await, expected);
}

/// Runs `senders` copies of a request at once and counts those admitted.
async fn at_once(policy: Arc<dyn RequestPolicy>, senders: usize, body: Option<Value>) -> usize {
    let start = Arc::new(Barrier::new(senders));
    let tasks: Vec<_> = (0..senders)
        .map(|_| {
            let (policy, start, body) = (policy.clone(), start.clone(), body.clone());
            tokio::spawn(async move {
                start.wait().await;
                let request = OutboundRequest::new("t", "POST", "", &[], body.as_ref());
                allowed(&*policy, request.with_call_id("a")).await
            })
        })
        .collect();
    let mut admitted = 0;
    for task in tasks {
        admitted += usize::from(task.await.is_ok_and(|allowed| allowed));
    }
    admitted
}

#[rstest]
#[case(BudgetScope::Call)]
#[case(BudgetScope::Tool)]
#[case(BudgetScope::ToolAndCall)]
#[case(BudgetScope::Global)]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn exactly_the_limit_is_admitted_at_once(#[case] scope: BudgetScope) {
    for _ in 0..200 {
        let budget = RequestBudget::with_options(7, scoped(scope));

        assert_eq!(at_once(Arc::new(budget), 32, None).await, 7);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn as_many_bytes_as_fit_are_admitted_at_once() {
    for _ in 0..200 {
        // Each body is charged 11 bytes.
        let budget = ByteBudget::new(60);

        assert_eq!(
            at_once(Arc::new(budget), 32, Some(json!("x".repeat(10)))).await,
            5
        );
    }
}

#[tokio::test]
async fn split_text_spends_the_bytes_of_its_call_and_of_no_other() {
    let budget = ByteBudget::new(100);
    let body = json!("x".repeat(30));
    let part = OutboundRequest::new("t", "POST", "", &[], Some(&body));

    assert_eq!(admitted(&budget, part.with_call_id("a"), 10).await, 3);
    assert_eq!(admitted(&budget, part.with_call_id("b"), 10).await, 3);
    let rest = json!("xxxx");
    let rest = OutboundRequest::new("t", "POST", "", &[], Some(&rest)).with_call_id("a");
    assert!(
        allowed(&budget, rest).await,
        "a refused request was not charged"
    );
    assert!(!allowed(&budget, part.with_call_id("a")).await);
}

#[tokio::test]
async fn previews_of_bytes_are_answered_and_not_charged() {
    let budget = ByteBudget::new(40);
    let body = json!("x".repeat(30));
    let send = OutboundRequest::new("t", "POST", "", &[], Some(&body)).with_call_id("a");
    let preview = send.with_phase(RequestPhase::Validate);

    assert_eq!(admitted(&budget, preview, 50).await, 50);
    assert!(allowed(&budget, send).await);
    assert_eq!(admitted(&budget, preview, 50).await, 0);
}

type Parts = (String, Vec<(String, String)>, Option<Value>);

/// A text of 60 characters and 120 bytes in each counted part.
fn texts() -> Vec<Parts> {
    let text = "\u{e9}".repeat(60);
    let pair = |key: &str, value: &str| vec![(key.to_owned(), value.to_owned())];
    vec![
        (format!("/{text}"), vec![], None),
        (format!("/?q={text}"), vec![], None),
        ("/".to_owned(), pair(&text, ""), None),
        ("/".to_owned(), pair("", &text), None),
        ("/".to_owned(), vec![], Some(json!({ &text: 1 }))),
        ("/".to_owned(), vec![], Some(json!({"a": [{"b": text}]}))),
    ]
}

#[tokio::test]
async fn a_text_of_more_bytes_than_the_limit_is_refused_in_every_part() {
    for (path, query, body) in texts() {
        let request = OutboundRequest::new("t", "POST", &path, &query, body.as_ref());
        for (call, open) in [("a", false), ("", true)] {
            let options = BudgetOptions::new();
            let options = if open {
                options.allow_unattributed()
            } else {
                options
            };
            let tight = ByteBudget::with_options(119, options.clone());
            let wide = ByteBudget::with_options(3 * 122, options);

            assert!(
                !allowed(&tight, request.with_call_id(call)).await,
                "{request:?}"
            );
            assert!(
                allowed(&wide, request.with_call_id(call)).await,
                "{request:?}"
            );
        }
    }
}

#[rstest]
#[case(0, false)]
#[case(16 << 20, false)]
#[case(u64::MAX, true)]
#[tokio::test]
async fn a_large_body_meets_extreme_limits(#[case] limit: u64, #[case] expected: bool) {
    let body = json!({"text": "x".repeat(16 << 20)});
    let request = OutboundRequest::new("t", "POST", PLACE, &[], Some(&body)).with_call_id("a");
    let budget = ByteBudget::new(limit);

    assert_eq!(allowed(&budget, request).await, expected);
    assert_eq!(allowed(&budget, request).await, expected);
}

#[tokio::test]
async fn refusals_show_no_name_and_no_byte_of_the_request() {
    let canary = "q7w2k9x4m1z8c3v6";
    let body = json!({ canary: canary });
    let request = OutboundRequest::new(canary, "POST", canary, &[], Some(&body));
    let policies: [&dyn RequestPolicy; 3] = [
        &RequestBudget::new(0),
        &ByteBudget::new(0),
        &ByteBudget::new(u64::MAX),
    ];

    for policy in policies {
        for call in ["", canary] {
            if let Err(refusal) = policy.check(&request.with_call_id(call)).await {
                assert!(!refusal.message().contains(&canary[..6]), "{refusal}");
            }
        }
    }
}

#[tokio::test]
async fn an_endpoint_counts_once_whatever_its_query_and_method() {
    let budget = DistinctEndpointBudget::new(2);
    let get = |path| OutboundRequest::new("t", "GET", path, &[], None).with_call_id("a");
    let query = [("page".to_owned(), "2".to_owned())];
    let delete = OutboundRequest::new("t", "DELETE", "https://h.test/a", &query, None);

    assert!(allowed(&budget, get("https://h.test/a")).await);
    assert!(allowed(&budget, get("https://h.test/a?x=1")).await);
    assert!(allowed(&budget, get("https://H.TEST:443/a?x=2")).await);
    assert!(allowed(&budget, delete.with_call_id("a")).await);
    assert!(allowed(&budget, get("/relative?x=1")).await);
    assert!(allowed(&budget, get("/relative?x=2")).await);
    for other in [
        "https://h.test/c",
        "https://h.test/a/",
        "http://h.test/a",
        "https://h.test/b/../a",
    ] {
        assert!(!allowed(&budget, get(other)).await, "{other}");
    }
    assert!(
        allowed(&budget, get("https://h.test/a")).await,
        "what was reached stays allowed"
    );
    assert!(allowed(&budget, get("https://h.test/c").with_call_id("b")).await);
}

#[rstest]
#[case(0, 0)]
#[case(u64::MAX, 40)]
#[tokio::test]
async fn previews_of_endpoints_are_not_charged_at_any_limit(
    #[case] limit: u64,
    #[case] expected: u32,
) {
    let budget = DistinctEndpointBudget::new(limit);
    let mut sent = 0;
    for at in 0..40 {
        let path = format!("https://h.test/{at}");
        let send = OutboundRequest::new("t", "GET", &path, &[], None).with_call_id("a");
        let preview = send.with_phase(RequestPhase::Validate);
        let previewed = allowed(&budget, preview).await;
        sent += u32::from(allowed(&budget, send).await);
        assert_eq!(previewed, limit > 0);
    }
    assert_eq!(sent, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_more_than_the_limit_of_endpoints_is_reached_at_once() {
    for _ in 0..200 {
        let budget = Arc::new(DistinctEndpointBudget::new(7));
        let start = Arc::new(Barrier::new(32));
        let tasks: Vec<_> = (0..32)
            .map(|at| {
                let (budget, start) = (budget.clone(), start.clone());
                tokio::spawn(async move {
                    start.wait().await;
                    let path = format!("https://h.test/{}", at % 16);
                    let request = OutboundRequest::new("t", "GET", &path, &[], None);
                    (at % 16, allowed(&*budget, request.with_call_id("a")).await)
                })
            })
            .collect();
        let mut reached = std::collections::BTreeSet::new();
        for task in tasks {
            let (at, allowed) = task.await.unwrap();
            if allowed {
                reached.insert(at);
            }
        }
        assert_eq!(reached.len(), 7);
    }
}

fn rates() -> [Rate; 3] {
    let second = Duration::from_secs(1);
    [
        Rate::bucket(3, 3, second),
        Rate::fixed(3, second),
        Rate::sliding(3, second),
    ]
}

#[tokio::test]
async fn a_rate_is_kept_for_each_group_and_by_the_given_clock() {
    for rate in rates() {
        let clock = SteeredClock::new();
        let limit = RateLimit::with_options(rate, BudgetOptions::new().clock(clock.clone()));
        let preview = request("t", "a").with_phase(RequestPhase::Validate);

        assert_eq!(admitted(&limit, preview, 50).await, 50);
        assert_eq!(admitted(&limit, request("t", "a"), 9).await, 3);
        assert_eq!(admitted(&limit, preview, 50).await, 0);
        assert_eq!(admitted(&limit, request("t", "b"), 9).await, 3);
        clock.advance(Duration::from_secs(1));
        assert_eq!(admitted(&limit, preview, 50).await, 50);
        assert_eq!(admitted(&limit, request("t", "a"), 9).await, 3);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_rate_admits_exactly_its_limit_at_once_before_and_after_a_refill() {
    for round in 0..100 {
        for rate in rates() {
            let clock = SteeredClock::new();
            let options = scoped(BudgetScope::Global).clock(clock.clone());
            let limit = Arc::new(RateLimit::with_options(rate, options));

            assert_eq!(
                at_once(limit.clone(), 16, None).await,
                3,
                "{rate:?}, round {round}"
            );
            clock.advance(Duration::from_secs(1));
            assert_eq!(at_once(limit, 16, None).await, 3, "{rate:?}, round {round}");
        }
    }
}

/// Forgetting after a minute would give back what takes an hour to come back.
#[tokio::test]
async fn a_group_is_not_forgotten_while_what_it_sent_still_counts() {
    let hour = Duration::from_secs(3600);
    for rate in [
        Rate::bucket(1, 1, hour),
        Rate::sliding(1, hour),
        Rate::bucket(1, 0, hour),
    ] {
        let clock = SteeredClock::new();
        let options = BudgetOptions::new()
            .max_calls(1)
            .idle(Duration::from_secs(60));
        let limit = RateLimit::with_options(rate, options.clock(clock.clone()));
        assert!(allowed(&limit, request("t", "a")).await);

        clock.advance(Duration::from_secs(120));

        assert!(!allowed(&limit, request("t", "b")).await, "{rate:?}");
        assert!(!allowed(&limit, request("t", "a")).await, "{rate:?}");
    }
}

#[tokio::test]
async fn a_clock_that_panics_once_breaks_no_budget() {
    let readings = std::sync::atomic::AtomicU32::new(0);
    let clock = move || {
        let reading = readings.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        assert_ne!(reading, 2, "the third reading fails");
        Duration::ZERO
    };
    let budget = RequestBudget::with_options(2, BudgetOptions::new().clock(clock));
    let budget = Arc::new(budget);
    let contained = AllOf::new().budget(budget.clone());

    assert!(allowed(&contained, request("t", "a")).await);
    assert!(
        !allowed(&contained, request("t", "a")).await,
        "refused by the panic, not charged"
    );
    assert!(allowed(&contained, request("t", "a")).await);
    assert!(!allowed(&contained, request("t", "a")).await);
}
