//! The outbound policy of an imaginary shop's agent: which endpoints it may reach, and how often
//! within one call.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use proofmark::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::{OutboundRequest, RequestPhase};
use url::Url;

/// A call that asked for nothing for so long is over.
const IDLE: Duration = Duration::from_secs(15 * 60);

/// Calls that are over are looked for each time so many came in.
const SWEEP: usize = 1_000;

/// Reading items and orders of the shop, at most so many times per call.
#[derive(Debug)]
pub struct ShopPolicy {
    most: u32,
    calls: Mutex<HashMap<String, Call>>,
}

#[derive(Debug)]
struct Call {
    requests: u32,
    last: Instant,
}

impl ShopPolicy {
    /// A policy that admits `most` requests of each call.
    pub fn new(most: u32) -> Self {
        Self {
            most,
            calls: Mutex::default(),
        }
    }

    /// Counts a request that is sent; a preview is only compared.
    fn has_budget(&self, call_id: &str, phase: RequestPhase) -> bool {
        let now = Instant::now();
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if phase == RequestPhase::Validate {
            return calls
                .get(call_id)
                .map_or(self.most > 0, |call| call.requests < self.most);
        }
        if !calls.contains_key(call_id) && calls.len() % SWEEP == SWEEP - 1 {
            calls.retain(|_, call| now.duration_since(call.last) < IDLE);
        }
        let call = calls.entry(call_id.to_owned()).or_insert(Call {
            requests: 0,
            last: now,
        });
        call.last = now;
        if call.requests >= self.most {
            return false;
        }
        call.requests += 1;
        true
    }
}

#[async_trait]
impl RequestPolicy for ShopPolicy {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if request.method != "GET" || !is_listed(request.path) {
            return Err(PolicyRefusal::new("this endpoint is not on the allowlist"));
        }
        if request.call_id.is_empty() {
            return Err(PolicyRefusal::new("the request belongs to no call"));
        }
        if !self.has_budget(request.call_id, request.phase) {
            return Err(PolicyRefusal::new("this call has used up its requests"));
        }
        Ok(())
    }
}

/// `/v1/items/{id}` and `/v1/orders` of one host, however the URL is spelt.
fn is_listed(target: &str) -> bool {
    let Ok(url) = Url::parse(target) else {
        return false;
    };
    let segments: Vec<&str> = url.path_segments().into_iter().flatten().collect();
    url.origin().ascii_serialization() == "https://api.shop.example"
        && url.username().is_empty()
        && match segments.as_slice() {
            ["v1", "items", id] => id.bytes().all(|b| b.is_ascii_digit()) && !id.is_empty(),
            ["v1", "orders"] => true,
            _ => false,
        }
}
