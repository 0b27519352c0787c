//! Conforming policies that a careless judge would convict.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use proofmark::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy, policy_fn};
use proofmark::request::{OutboundRequest, RequestPhase};
use proofmark_conformance::profile::{PolicyProfile, Sample};
use proofmark_conformance::subject::PolicySubject;

use super::committee::{self, Dissent};
use super::inspector::{self, Large};
use super::rememberer;
use super::reserver::{self, Dropped};
use crate::LookAlike;

const ITEM: &str = "https://api.example.test/v1/items/7";
const ADMIN: &str = "https://api.example.test/admin";

pub(super) fn look_alikes() -> Vec<LookAlike> {
    vec![
        refuses_unattributed(),
        refuses_any_query_in_path(),
        global_budget(),
        slow_but_never_blocks(),
        two_messages(),
        exact_urls(),
        counts_under_a_lock(),
        allows_unattributed(),
        answers_unattributed_alike(),
        refuses_lower_case(),
        groups_its_messages(),
        bounded_and_full(),
        too_large_is_refused(),
        looks_at_everything(),
        keeps_what_was_dropped(),
        gives_back_what_was_dropped(),
        member_panics_refuse(),
        member_panics_pass(),
    ]
}

fn refuse(message: &'static str) -> Result<(), PolicyRefusal> {
    Err(PolicyRefusal::new(message))
}

fn refuses_unattributed() -> LookAlike {
    let profile = PolicyProfile::new()
        .stateless()
        .allow([ITEM])
        .refuse([Sample::new(ITEM).tool("")])
        .tools(["search_items"]);
    LookAlike::new(
        "refuses every unattributed request; attributing it is the caller's part",
        PolicySubject::new("refuses_unattributed", profile, || {
            policy_fn(|request| match request.tool {
                "search_items" if !request.call_id.is_empty() => Ok(()),
                _ => refuse("the request is not attributed to an allowed tool"),
            })
        }),
    )
}

fn refuses_any_query_in_path() -> LookAlike {
    let profile = PolicyProfile::new()
        .stateless()
        .allow([ITEM])
        .refuse_pairs([("debug", "1")]);
    LookAlike::new(
        "refuses any `?` in a path, harmless pairs included; `query` is the way to send them",
        PolicySubject::new("refuses_any_query_in_path", profile, || {
            policy_fn(|request| {
                let debug = |(key, value): &(String, String)| key == "debug" && value == "1";
                if request.path.contains('?') || request.query.iter().any(debug) {
                    refuse("the query is not allowed")
                } else {
                    Ok(())
                }
            })
        }),
    )
}

/// A budget of three requests for all callers together.
#[derive(Default)]
struct Global {
    spent: Mutex<u64>,
}

#[async_trait]
impl RequestPolicy for Global {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        if *spent >= 3 {
            return refuse("the budget is used up");
        }
        *spent += u64::from(request.phase == RequestPhase::Execute);
        Ok(())
    }
}

fn global_budget() -> LookAlike {
    let profile = PolicyProfile::new().budget().global().requests(3);
    LookAlike::new(
        "one call uses up every other call's budget, as a global one must",
        PolicySubject::new("global_budget", profile, Global::default),
    )
}

/// Waits for two milliseconds before each answer, and keeps a budget of two requests a call.
#[derive(Default)]
struct Slow {
    spent: Mutex<HashMap<String, u64>>,
}

#[async_trait]
impl RequestPolicy for Slow {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        tokio::time::sleep(Duration::from_millis(2)).await;
        if request.call_id.is_empty() {
            return refuse("an unattributed request has no budget");
        }
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let spent = spent.entry(request.call_id.to_owned()).or_default();
        if *spent >= 2 {
            return refuse("the budget is used up");
        }
        *spent += u64::from(request.phase == RequestPhase::Execute);
        Ok(())
    }
}

fn slow_but_never_blocks() -> LookAlike {
    let profile = PolicyProfile::new()
        .budget()
        .per_call()
        .requests(2)
        .block_ms(20);
    LookAlike::new(
        "takes long to answer, but waits without holding its thread",
        PolicySubject::new("slow_but_never_blocks", profile, Slow::default),
    )
}

fn two_messages() -> LookAlike {
    let profile = PolicyProfile::new()
        .stateless()
        .allow([ITEM])
        .refuse([ADMIN, "POST https://api.example.test/v1/items/7"])
        .endpoints([ITEM]);
    LookAlike::new(
        "says two different things, but which one depends on the rule alone",
        PolicySubject::new("two_fixed_messages", profile, || {
            policy_fn(|request| {
                if request.path != ITEM {
                    refuse("the endpoint is not allowed")
                } else if request.method != "GET" {
                    refuse("the method is not allowed")
                } else {
                    Ok(())
                }
            })
        }),
    )
}

fn exact_urls() -> LookAlike {
    let urls = [ITEM, "https://api.example.test/v1/search?sort=asc"];
    let profile = PolicyProfile::new()
        .stateless()
        .allow(urls)
        .refuse([ADMIN])
        .endpoints([ITEM, "https://api.example.test/v1/search"])
        .refuse_pairs([("sort", "desc")]);
    LookAlike::new(
        "compares texts, but only with a whole set of URLs, so no neighbour is among them",
        PolicySubject::new("exact_url_set", profile, move || {
            policy_fn(move |request| {
                let refused = request
                    .query
                    .iter()
                    .any(|(k, v)| k == "sort" && v == "desc");
                if urls.contains(&request.path) && !refused {
                    Ok(())
                } else {
                    refuse("the URL is not one of the allowed ones")
                }
            })
        }),
    )
}

fn counts_under_a_lock() -> LookAlike {
    let profile = PolicyProfile::new()
        .stateless()
        .allow([ITEM])
        .refuse([ADMIN])
        .endpoints([ITEM]);
    LookAlike::new(
        "keeps statistics under a `std` mutex, held for microseconds, on which no verdict depends",
        PolicySubject::new("counts_under_a_lock", profile, || {
            let refused = Mutex::new(0_u64);
            policy_fn(move |request| {
                if request.path == ITEM {
                    return Ok(());
                }
                *refused.lock().unwrap_or_else(PoisonError::into_inner) += 1;
                refuse("the endpoint is not allowed")
            })
        }),
    )
}

fn allows_unattributed() -> LookAlike {
    let profile = PolicyProfile::new()
        .stateless()
        .allow([ITEM])
        .refuse([Sample::new(ITEM).tool("delete_item")])
        .tools(["search_items"])
        .allow_unattributed();
    LookAlike::new(
        "allows requests that name no tool, which it declares",
        PolicySubject::new("allows_unattributed", profile, || {
            policy_fn(|request| match request.tool {
                "search_items" | "" => Ok(()),
                _ => refuse("the tool is not allowed"),
            })
        }),
    )
}

/// A budget of two requests a call, which requests without one do not touch.
#[derive(Default)]
struct NamedOnly {
    spent: Mutex<HashMap<String, u64>>,
}

#[async_trait]
impl RequestPolicy for NamedOnly {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if request.call_id.is_empty() {
            return Ok(());
        }
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let spent = spent.entry(request.call_id.to_owned()).or_default();
        if *spent >= 2 {
            return refuse("the budget is used up");
        }
        *spent += u64::from(request.phase == RequestPhase::Execute);
        Ok(())
    }
}

fn answers_unattributed_alike() -> LookAlike {
    let profile = PolicyProfile::new().budget().per_call().requests(2);
    LookAlike::new(
        "allows any number of requests without a call id, which belong to no call's budget",
        PolicySubject::new("answers_unattributed_alike", profile, NamedOnly::default),
    )
}

fn refuses_lower_case() -> LookAlike {
    let profile = PolicyProfile::new()
        .stateless()
        .allow([ITEM])
        .refuse_methods(["DELETE", "PUT"]);
    LookAlike::new(
        "compares methods as they are written, but with the allowed ones: `get` is refused, too",
        PolicySubject::new("refuses_lower_case_methods", profile, || {
            policy_fn(|request| match request.method {
                "GET" | "POST" => Ok(()),
                _ => refuse("the method is not allowed"),
            })
        }),
    )
}

fn groups_its_messages() -> LookAlike {
    let profile = PolicyProfile::new()
        .stateless()
        .allow([ITEM])
        .refuse([ADMIN])
        .tools(["search_items"]);
    LookAlike::new(
        "says something else to a tool that it does not know, but never its name",
        PolicySubject::new("groups_its_messages", profile, || {
            policy_fn(|request| match (request.tool, request.path) {
                ("search_items", ITEM) => Ok(()),
                ("search_items", _) => refuse("this tool may not call this endpoint"),
                _ => refuse("the request comes from no known tool"),
            })
        }),
    )
}

fn bounded_and_full() -> LookAlike {
    LookAlike::new(
        "refuses every new call once it remembers as many as it may",
        rememberer::sound("refuses_calls_when_full"),
    )
}

fn too_large_is_refused() -> LookAlike {
    LookAlike::new(
        "refuses harmless requests for their size alone",
        inspector::subject("refuses_what_is_too_large", Large::Refuses),
    )
}

fn looks_at_everything() -> LookAlike {
    LookAlike::new(
        "takes the longer the larger a request is, since it looks at all of it",
        inspector::subject("looks_at_everything", Large::Inspects),
    )
}

fn gives_back_what_was_dropped() -> LookAlike {
    LookAlike::new(
        "refuses while a check that may be dropped holds the last unit, and gives it back",
        reserver::subject("gives_back_dropped_units", Dropped::GivesBack),
    )
}

fn keeps_what_was_dropped() -> LookAlike {
    LookAlike::new(
        "charges a check that was dropped, which costs its own unit and no more",
        reserver::subject("charges_dropped_checks", Dropped::Keeps),
    )
}

fn member_panics_refuse() -> LookAlike {
    LookAlike::new(
        "catches a member's panic, and refuses",
        committee::subject("refuses_when_a_member_panics", Dissent::PanicsRefuse),
    )
}

fn member_panics_pass() -> LookAlike {
    LookAlike::new(
        "panics when a member does, which allows nothing",
        committee::subject("passes_a_members_panic_on", Dissent::PanicsPass),
    )
}
