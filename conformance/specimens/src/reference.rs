//! The toolkit's own policies and leash as subjects: what `certify` judges when it is given none.

use proofmark::policy::{
    AllOf, AnyOf, BudgetOptions, BudgetScope, ByteBudget, DistinctEndpointBudget,
    EndpointAllowlist, EndpointDenylist, Rate, RateLimit, RequestBudget,
};
use proofmark_conformance::profile::{LeashProfile, PolicyProfile};
use proofmark_conformance::subject::{LeashSubject, PolicySubject, Takes, ToolkitLeash};
use std::sync::Arc;
use std::time::Duration;

const ITEM: &str = "https://api.example.test/v1/items/{id}";
const SEARCH: &str = "https://api.example.test/v1/search";
const ADMIN: &str = "https://api.example.test/admin";

/// Every reference policy.
#[must_use]
pub fn reference_policies() -> Vec<PolicySubject> {
    let subjects = [
        allowlist(),
        denylist(),
        requests(
            "request_budget_per_call",
            BudgetScope::Call,
            PolicyProfile::per_call,
        ),
        requests(
            "request_budget_per_tool",
            BudgetScope::Tool,
            PolicyProfile::per_tool,
        ),
        requests(
            "request_budget_per_tool_and_call",
            BudgetScope::ToolAndCall,
            PolicyProfile::per_tool_and_call,
        ),
        requests(
            "request_budget_global",
            BudgetScope::Global,
            PolicyProfile::global,
        ),
        byte_budget(),
        endpoint_budget(),
        bucket(),
        fixed_window(),
        sliding_window(),
        all_of(),
        all_of_members(),
        any_of(),
    ];
    let version = env!("CARGO_PKG_VERSION");
    subjects.map(|subject| subject.version_is(version)).into()
}

/// The reference leash, which offers everything.
#[must_use]
pub fn reference_leash() -> LeashSubject {
    let checks = LeashProfile::new().check_exec().check_net().check_path();
    let acts = checks.mediated_opens().spawn();
    let counts = acts.generation().call_budget();
    let lattice = counts.meet().leq().fence_strength().serialised();
    LeashSubject::new("toolkit_leash", lattice, || ToolkitLeash)
        .version_is(env!("CARGO_PKG_VERSION"))
}

fn profile() -> PolicyProfile {
    PolicyProfile::new()
}

/// The patterns are the constants above, so a mistake in one is seen by the first test that runs.
fn listed(patterns: &[&str]) -> EndpointAllowlist {
    patterns
        .iter()
        .fold(EndpointAllowlist::new(), |list, pattern| {
            list.clone().allow(pattern).unwrap_or(list)
        })
}

fn allowlist() -> PolicySubject {
    let profile = profile()
        .stateless()
        .endpoints([ITEM, SEARCH])
        .allow(["https://api.example.test/v1/items/7", SEARCH])
        .refuse([ADMIN, "https://api.example.test/v1/items"]);
    PolicySubject::new("endpoint_allowlist", profile, || listed(&[ITEM, SEARCH]))
}

fn denylist() -> PolicySubject {
    let profile = profile().stateless().allow([SEARCH]).refuse([ADMIN]);
    PolicySubject::new("endpoint_denylist", profile, || {
        let list = EndpointDenylist::new();
        list.clone()
            .refuse("https://api.example.test/admin/**")
            .unwrap_or(list)
    })
}

fn requests(
    name: &str,
    scope: BudgetScope,
    scoped: fn(PolicyProfile) -> PolicyProfile,
) -> PolicySubject {
    let profile = scoped(profile().budget())
        .requests(3)
        .max_calls(1_000)
        .idle_ms(60_000);
    PolicySubject::with_env(name, profile, Takes::CLOCK_AND_LIMIT, move |env| {
        RequestBudget::with_options(env.limit, options(scope, env.clock.clone()))
    })
}

fn options(scope: BudgetScope, clock: proofmark::clock::SteeredClock) -> BudgetOptions {
    BudgetOptions::new()
        .scope(scope)
        .max_calls(1_000)
        .idle(Duration::from_secs(60))
        .clock(clock)
}

fn byte_budget() -> PolicySubject {
    let profile = profile()
        .budget()
        .per_call()
        .bytes(4_096)
        .max_calls(1_000)
        .idle_ms(60_000);
    PolicySubject::with_env(
        "byte_budget_per_call",
        profile,
        Takes::CLOCK_AND_LIMIT,
        |env| ByteBudget::with_options(env.limit, options(BudgetScope::Call, env.clock.clone())),
    )
}

fn endpoint_budget() -> PolicySubject {
    let profile = profile()
        .budget()
        .per_call()
        .distinct_endpoints(3)
        .max_calls(1_000)
        .idle_ms(60_000);
    PolicySubject::with_env(
        "distinct_endpoint_budget_per_call",
        profile,
        Takes::CLOCK_AND_LIMIT,
        |env| {
            let options = options(BudgetScope::Call, env.clock.clone());
            DistinctEndpointBudget::with_options(env.limit, options)
        },
    )
}

/// Five requests at once, and from then on three a second.
fn bucket() -> PolicySubject {
    let profile = profile()
        .rate()
        .requests(3)
        .window_ms(1_000)
        .bucket()
        .burst(5);
    PolicySubject::with_env("rate_limit_bucket", profile, Takes::CLOCK, |env| {
        let rate = Rate::bucket(5, 3, Duration::from_secs(1));
        RateLimit::with_options(rate, options(BudgetScope::Global, env.clock.clone()))
    })
}

fn fixed_window() -> PolicySubject {
    let profile = profile().rate().requests(3).window_ms(7_000).fixed();
    let window = Duration::from_secs(7);
    PolicySubject::with_env(
        "rate_limit_fixed",
        profile,
        Takes::CLOCK_AND_LIMIT,
        move |env| {
            let options = options(BudgetScope::Global, env.clock.clone());
            RateLimit::with_options(Rate::fixed(env.limit, window), options)
        },
    )
}

fn sliding_window() -> PolicySubject {
    let profile = profile()
        .rate()
        .per_call()
        .requests(3)
        .window_ms(1_000)
        .sliding()
        .max_calls(1_000)
        .idle_ms(60_000);
    let window = Duration::from_secs(1);
    PolicySubject::with_env(
        "rate_limit_sliding_per_call",
        profile,
        Takes::CLOCK_AND_LIMIT,
        move |env| {
            let options = options(BudgetScope::Call, env.clock.clone());
            RateLimit::with_options(Rate::sliding(env.limit, window), options)
        },
    )
}

fn all_of() -> PolicySubject {
    let profile = profile()
        .budget()
        .per_call()
        .requests(3)
        .endpoints([ITEM, SEARCH])
        .allow(["https://api.example.test/v1/items/7"])
        .refuse([ADMIN]);
    PolicySubject::new("all_of_allowlist_and_budget", profile, || {
        AllOf::new()
            .rule(Arc::new(listed(&[ITEM, SEARCH])))
            .budget(Arc::new(RequestBudget::new(3)))
    })
}

fn all_of_members() -> PolicySubject {
    let profile = profile().stateless().combinator();
    PolicySubject::with_env("all_of_members", profile, Takes::NOTHING, |env| {
        env.members.iter().cloned().fold(AllOf::new(), AllOf::rule)
    })
}

fn any_of() -> PolicySubject {
    let profile = profile()
        .stateless()
        .endpoints([ITEM, SEARCH])
        .allow(["https://api.example.test/v1/items/7", SEARCH])
        .refuse([ADMIN]);
    PolicySubject::new("any_of_two_allowlists", profile, || {
        AnyOf::new()
            .alternative(Arc::new(listed(&[ITEM])))
            .alternative(Arc::new(listed(&[SEARCH])))
    })
}
