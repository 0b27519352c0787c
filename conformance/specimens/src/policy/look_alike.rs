//! Conforming policies that a careless judge would convict.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use proofmark::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy, policy_fn};
use proofmark::request::{OutboundRequest, RequestPhase};
use proofmark_conformance::profile::{PolicyProfile, Sample};
use proofmark_conformance::subject::PolicySubject;

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
