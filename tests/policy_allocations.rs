//! What judging a request costs in memory, against a policy that does nothing.

use std::hint::black_box;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use allocation_counter::{AllocationInfo, measure};
use proofmark::policy::{
    AllOf, BodyKeyDenylist, BodySizeLimit, BudgetOptions, ByteBudget, DistinctEndpointBudget,
    EndpointAllowlist, EndpointDenylist, QueryAllowlist, Rate, RateLimit, RequestBudget,
    RequestPolicy, TotalSizeLimit, policy_fn,
};
use proofmark::request::OutboundRequest;
use rstest::rstest;
use serde_json::json;

/// Asks a policy that answers without waiting; whether it allows.
fn ask(policy: &dyn RequestPolicy, request: &OutboundRequest<'_>) -> bool {
    let mut check = pin!(policy.check(request));
    let polled = check.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    matches!(polled, Poll::Ready(Ok(())))
}

/// What one accepted request costs once its group is known.
fn accepted(policy: &dyn RequestPolicy) -> AllocationInfo {
    let query = [
        ("page".to_owned(), "2".to_owned()),
        ("limit".to_owned(), "10".to_owned()),
    ];
    let body = json!({"items": [{"name": "caf\u{e9}", "count": -12.5}], "note": "a \"b\" c"});
    let path = "https://api.example.test:8443/v1/items/John%20Smith?page=1";
    let request = OutboundRequest::new("update_item", "PUT", path, &query, Some(&body));
    let request = request.with_call_id("5f2a9c04-76d1-4a55-9e0e-61f1c1a0b7d3");
    for _ in 0..3 {
        assert!(ask(policy, &request), "the sample is allowed");
    }
    measure(|| {
        assert!(black_box(ask(policy, black_box(&request))));
    })
}

fn nothing() -> Arc<dyn RequestPolicy> {
    Arc::new(policy_fn(|_| Ok(())))
}

fn allowlist() -> EndpointAllowlist {
    let item = "GET,PUT https://api.example.test:8443/v1/items/{name}";
    let item = item.parse().unwrap_or_else(|error| unreachable!("{error}"));
    EndpointAllowlist::new()
        .allow_pattern(item)
        .allow_author_query()
}

fn denylist() -> EndpointDenylist {
    let admin = "https://api.example.test:8443/admin/**";
    let admin = admin
        .parse()
        .unwrap_or_else(|error| unreachable!("{error}"));
    EndpointDenylist::new().refuse_pattern(admin)
}

#[rstest]
#[case::requests(RequestBudget::new(1000))]
#[case::bytes(ByteBudget::new(1_000_000))]
#[case::endpoints(DistinctEndpointBudget::new(1))]
#[case::bucket(RateLimit::new(Rate::bucket(1000, 1, Duration::from_secs(1))))]
#[case::fixed(RateLimit::new(Rate::fixed(1000, Duration::from_secs(3600))))]
#[case::allowlist(allowlist())]
#[case::denylist(denylist())]
#[case::query(QueryAllowlist::new().allow_key("page").allow_key("limit").refuse_pair("page", "0"))]
#[case::body_keys(BodyKeyDenylist::new().refuse_key("role"))]
#[case::body_size(BodySizeLimit::new(1000))]
#[case::total_size(TotalSizeLimit::new(1000))]
fn an_accepted_request_allocates_nothing_but_the_boxed_future(#[case] policy: impl RequestPolicy) {
    let idle = accepted(&*nothing());

    let busy = accepted(&policy);

    assert_eq!(idle.count_total, 1, "the boxed future of an async trait");
    assert_eq!((busy.count_total, busy.count_current), (1, 0));
}

#[test]
fn a_combination_costs_one_future_for_itself_and_one_for_each_question() {
    let all = AllOf::new()
        .rule(nothing())
        .rule(nothing())
        .budget(nothing());

    assert_eq!(accepted(&all).count_total, 4);
}

/// A clock that moves on by a nanosecond at each reading.
fn ticking() -> impl Fn() -> Duration + Send + Sync {
    let ticks = AtomicU64::new(0);
    move || Duration::from_nanos(ticks.fetch_add(1, Ordering::Relaxed))
}

fn bytes_held(calls: u32, id: impl Fn(u32) -> String) -> i64 {
    let options = BudgetOptions::new().max_calls(10_000).idle(Duration::ZERO);
    let budget = RequestBudget::with_options(1, options.clock(ticking()));
    let held = measure(|| {
        for call in 0..calls {
            let id = id(call);
            let request = OutboundRequest::new("t", "GET", "/", &[], None).with_call_id(&id);
            assert!(ask(&budget, &request));
        }
    });
    held.bytes_current
}

#[test]
fn memory_ends_at_the_declared_number_of_calls_however_long_their_ids() {
    let at_bound = bytes_held(10_000, |call| call.to_string());

    for calls in [100_000, 300_000] {
        assert!(bytes_held(calls, |call| call.to_string()) <= 2 * at_bound);
    }
    let long = bytes_held(10_000, |call| format!("{call}{}", "x".repeat(10_000)));
    assert_eq!(long, at_bound);
    assert!((1..=200 * 10_000).contains(&at_bound), "{at_bound}");
}

#[test]
fn memory_of_a_spent_call_does_not_grow_with_its_requests() {
    let endpoints = DistinctEndpointBudget::new(3);
    let rate = RateLimit::new(Rate::sliding(3, Duration::from_secs(3600)));
    let policies: [&dyn RequestPolicy; 2] = [&endpoints, &rate];
    for policy in policies {
        let send = |round: u32| {
            let path = format!("https://h.test/{round}");
            let request = OutboundRequest::new("t", "GET", &path, &[], None).with_call_id("a");
            black_box(ask(policy, &request));
        };
        (0..10).for_each(send);

        let held = measure(|| (10..10_000).for_each(send));

        assert_eq!(held.bytes_current, 0);
    }
}
