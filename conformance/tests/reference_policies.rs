//! The toolkit's own policies, certified as any user's are.
#![allow(
    clippy::unwrap_used,
    reason = "a pattern that cannot be read is to fail the test"
)]

use std::time::Duration;

use proofmark_conformance::conformance;
use proofmark_conformance::toolkit::policy::{
    AllOf, BudgetOptions, BudgetScope, ByteBudget, DistinctEndpointBudget, EndpointAllowlist,
    EndpointDenylist, Rate, RateLimit, RequestBudget,
};

fn allowlist() -> EndpointAllowlist {
    EndpointAllowlist::new()
        .allow("GET https://api.example.test/v1/items/{id}")
        .unwrap()
        .allow("GET https://api.example.test/v1/search")
        .unwrap()
}

fn scoped(scope: BudgetScope) -> BudgetOptions {
    BudgetOptions::new().scope(scope)
}

conformance! {
    /// Whole path segments of one origin.
    policy allowlist(
        stateless,
        endpoints = ["https://api.example.test/v1/items/{id}", "https://api.example.test/v1/search"],
        allow = ["https://api.example.test/v1/items/7"],
        refuse = ["https://api.example.test/admin", "POST https://api.example.test/v1/items/7"],
    ) = || allowlist();

    /// Everything but one endpoint.
    policy denylist(
        stateless,
        allow = ["https://api.example.test/v1/items/7"],
        refuse = ["https://api.example.test/admin"],
    ) = || EndpointDenylist::new().refuse("https://api.example.test/admin/**").unwrap();

    /// At most three requests per call.
    policy request_budget(budget, per_call, requests = 3) = || RequestBudget::new(3);

    /// At most two requests in all, whoever makes them.
    policy global_budget(budget, global, requests = 2) =
        || RequestBudget::with_options(2, scoped(BudgetScope::Global));

    /// At most 4,096 bytes per tool and call.
    policy byte_budget(budget, per_tool_and_call, bytes = 4096) = |clock| {
        ByteBudget::with_options(4096, scoped(BudgetScope::ToolAndCall).clock(clock))
    };
    /// Every member must allow.
    combinator all_of() = |members| members.into_iter().fold(AllOf::new(), AllOf::rule);


    /// At most three endpoints per call.
    policy endpoint_budget(budget, per_call, distinct_endpoints = 3) = |clock, limit| {
        DistinctEndpointBudget::with_options(limit, scoped(BudgetScope::Call).clock(clock))
    };

    /// Five requests at once, and from then on two a second.
    policy rate_limit(rate, requests = 2, window_ms = 1000, bucket, burst = 5) = |clock| {
        let rate = Rate::bucket(5, 2, Duration::from_secs(1));
        RateLimit::with_options(rate, scoped(BudgetScope::Global).clock(clock))
    };
}
