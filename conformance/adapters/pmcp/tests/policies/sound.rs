//! A gateway to two endpoints that keeps what it promises: whole segments of one origin, one pair
//! that is never sent, and three requests per call.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pmcp_server_toolkit::{
    OutboundRequest, PolicyRefusal, RequestPhase, RequestPolicy, async_trait,
};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::PolicySubject;
use url::Url;

const LIMIT: u32 = 3;
const MOST_CALLS: usize = 2_000;
const IDLE: Duration = Duration::from_secs(600);

/// A call's count and when it last asked.
type Calls = HashMap<String, (u32, Instant)>;

#[derive(Default)]
struct Gateway {
    calls: Mutex<Calls>,
}

#[async_trait]
impl RequestPolicy for Gateway {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let refused = |rule| Err(PolicyRefusal::new(rule));
        let Some(url) = plain(request.path) else {
            return refused("the target is not written plainly");
        };
        if request.method != "GET" || !is_listed(&url) {
            return refused("the endpoint is not on the allowlist");
        }
        let written = url.query_pairs();
        let added = request.query.iter();
        let exports = |key: &str, value: &str| key == "export" && value == "all";
        if written
            .into_iter()
            .any(|(key, value)| exports(&key, &value))
            || added.into_iter().any(|(key, value)| exports(key, value))
        {
            return refused("everything at once is not exported");
        }
        if request.call_id.is_empty() {
            return refused("the request belongs to no call");
        }
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if spent(&calls, request.call_id) >= LIMIT {
            return refused("this call has used up its requests");
        }
        if request.phase == RequestPhase::Validate {
            return Ok(());
        }
        if !charge(&mut calls, request.call_id) {
            return refused("too many calls are under way");
        }
        Ok(())
    }
}

/// The target, where a URL parser finds nothing in it to rewrite.
fn plain(path: &str) -> Option<Url> {
    let url = Url::parse(path).ok()?;
    (url.as_str() == path && !path.contains('#')).then_some(url)
}

fn is_listed(url: &Url) -> bool {
    let origin = (url.scheme(), url.host_str(), url.port());
    let segments: Vec<&str> = url.path_segments().into_iter().flatten().collect();
    let is_id = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric());
    origin == ("https", Some("api.example.test"), None)
        && url.username().is_empty()
        && match segments.as_slice() {
            ["v1", "items", id] => is_id(id),
            ["v1", "search"] => true,
            _ => false,
        }
}

fn spent(calls: &Calls, call: &str) -> u32 {
    calls.get(call).map_or(0, |(count, _)| *count)
}

/// Counts one more request of `call`; `false` where no further call can be remembered.
fn charge(calls: &mut Calls, call: &str) -> bool {
    let now = Instant::now();
    if calls.len() >= MOST_CALLS && !calls.contains_key(call) {
        calls.retain(|_, (_, asked)| now.duration_since(*asked) < IDLE);
        if calls.len() >= MOST_CALLS {
            return false;
        }
    }
    let (count, asked) = calls.entry(call.to_owned()).or_insert((0, now));
    *count += 1;
    *asked = now;
    true
}

/// The policy on its own, for an entry of `conformance!`.
pub fn gateway() -> impl RequestPolicy + 'static {
    Gateway::default()
}

pub fn subject() -> PolicySubject {
    let profile = PolicyProfile::new()
        .budget()
        .per_call()
        .requests(u64::from(LIMIT))
        .max_calls(MOST_CALLS as u64)
        .endpoints([
            "https://api.example.test/v1/items/{id}",
            "https://api.example.test/v1/search",
        ])
        .allow([
            "https://api.example.test/v1/items/7",
            "https://api.example.test/v1/search?q=tea",
        ])
        .refuse([
            "https://api.example.test/admin",
            "POST https://api.example.test/v1/items/7",
        ])
        .refuse_pairs([("export", "all")])
        .refuse_methods(["DELETE"]);
    PolicySubject::new("sound", profile, || proofmark_pmcp::policy(gateway()))
}
