//! Conforming policies that refuse so much that there is little to judge them by.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use proofmark::policy::{PolicyRefusal, policy_fn};
use proofmark::request::{OutboundRequest, RequestPhase};
use proofmark_conformance::profile::{PolicyProfile, Sample};
use proofmark_conformance::subject::PolicySubject;
use serde_json::json;

use crate::LookAlike;

const ITEM: &str = "https://api.example.test/v1/items/7";
const ITEMS: &str = "https://api.example.test/v1/items";

pub(super) fn look_alikes() -> Vec<LookAlike> {
    vec![
        refuses_any_pair(),
        wants_a_pair(),
        wants_a_query(),
        knows_one_body(),
        knows_one_request(),
    ]
}

fn allows(
    name: &str,
    profile: PolicyProfile,
    allowed: fn(&OutboundRequest<'_>) -> bool,
) -> PolicySubject {
    PolicySubject::new(name, profile, move || {
        policy_fn(move |request| match allowed(request) {
            true => Ok(()),
            false => Err(PolicyRefusal::new("the request is not allowed")),
        })
    })
}

fn pairs(request: &OutboundRequest<'_>) -> Vec<(String, String)> {
    let written = request.path.split_once('?').map_or("", |(_, query)| query);
    let written = url::form_urlencoded::parse(written.as_bytes()).into_owned();
    written.chain(request.query.iter().cloned()).collect()
}

fn refuses_any_pair() -> LookAlike {
    let profile = PolicyProfile::new()
        .stateless()
        .allow([ITEM])
        .refuse_pairs([("debug", "1")]);
    LookAlike::new(
        "refuses every pair, so that no refused one stands among others",
        allows("refuses_any_pair", profile, |request| {
            request.query.is_empty() && !request.path.contains('?')
        }),
    )
}

fn wants_a_pair() -> LookAlike {
    let profile = PolicyProfile::new()
        .stateless()
        .allow([Sample::new(ITEM).pair("limit", "10")])
        .refuse_pairs([("debug", "1")]);
    LookAlike::new(
        "refuses what has no `limit`, and every pair that it does not know",
        allows("wants_a_pair", profile, |request| {
            let pairs = pairs(request);
            let known = |(key, _): &(String, String)| key == "limit";
            !pairs.is_empty() && pairs.iter().all(known)
        }),
    )
}

fn wants_a_query() -> LookAlike {
    let profile = PolicyProfile::new()
        .stateless()
        .allow(["https://api.example.test/v1/items?limit=10"])
        .refuse([ITEMS]);
    LookAlike::new(
        "refuses to list everything, and allows the same endpoint with any query",
        allows("wants_a_query", profile, |request| {
            let (path, query) = request.path.split_once('?').unwrap_or((request.path, ""));
            path == ITEMS && !(query.is_empty() && request.query.is_empty())
        }),
    )
}

fn knows_one_body() -> LookAlike {
    let sample = Sample::new("POST https://api.example.test/v1/items").body(json!({"name": "a"}));
    let profile = PolicyProfile::new()
        .stateless()
        .allow([sample])
        .refuse_keys(["password"]);
    LookAlike::new(
        "refuses every body that has other members than its schema",
        allows("knows_one_body", profile, |request| {
            request.body.is_none_or(|body| {
                let name = |(key, value): (&String, &serde_json::Value)| {
                    key == "name" && value.is_string()
                };
                body.as_object()
                    .is_some_and(|members| members.iter().all(name))
            })
        }),
    )
}

fn knows_one_request() -> LookAlike {
    let profile = PolicyProfile::new()
        .budget()
        .per_call()
        .requests(3)
        .endpoints([ITEM])
        .tools(["read_item"]);
    LookAlike::new(
        "allows one request only, so that no other can cost less or refill a budget",
        PolicySubject::new("knows_one_request", profile, || {
            let calls = Mutex::new(HashMap::<String, u32>::new());
            policy_fn(move |request| {
                let bare = request.query.is_empty() && request.body.is_none();
                let known = request.method == "GET" && request.path == ITEM && bare;
                if !known || request.tool != "read_item" || request.call_id.is_empty() {
                    return Err(PolicyRefusal::new("the request is not allowed"));
                }
                let mut calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
                let spent = calls.entry(request.call_id.to_owned()).or_default();
                if *spent >= 3 {
                    return Err(PolicyRefusal::new("the budget is used up"));
                }
                *spent += u32::from(request.phase == RequestPhase::Execute);
                Ok(())
            })
        }),
    )
}
