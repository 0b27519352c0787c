//! A policy that lets each call reach three endpoints; and that policy with one fault at a time.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use proofmark::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::{OutboundRequest, RequestPhase};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::PolicySubject;

use super::bud;
use crate::Specimen;

const LIMIT: usize = 3;

/// What is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    CountsQueries,
    ChargesRepeats,
    CountsHosts,
    CountsPaths,
}

pub(super) fn specimens() -> Vec<Specimen> {
    let faults = [
        (
            Fault::CountsQueries,
            "counts_queries",
            "takes another query for another endpoint",
        ),
        (
            Fault::ChargesRepeats,
            "charges_repeats",
            "charges an endpoint whenever it is used",
        ),
        (
            Fault::CountsHosts,
            "counts_hosts",
            "takes all of a host for one endpoint",
        ),
        (
            Fault::CountsPaths,
            "counts_paths",
            "takes the same path on two hosts for one endpoint",
        ),
    ];
    faults
        .map(|(fault, name, text)| {
            let profile = PolicyProfile::new()
                .budget()
                .per_call()
                .distinct_endpoints(LIMIT as u64);
            let subject = PolicySubject::new(name, profile, move || EndpointCount {
                fault,
                calls: Mutex::default(),
            });
            Specimen::new(bud(17), text, subject)
        })
        .into()
}

struct EndpointCount {
    fault: Fault,
    calls: Mutex<HashMap<String, Used>>,
}

#[derive(Default)]
struct Used {
    endpoints: HashSet<String>,
    times: usize,
}

#[async_trait]
impl RequestPolicy for EndpointCount {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if request.call_id.is_empty() {
            return Err(PolicyRefusal::new("an unattributed request has no budget"));
        }
        let endpoint = self.endpoint(request);
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let used = calls.entry(request.call_id.to_owned()).or_default();
        let fits = if self.fault == Fault::ChargesRepeats {
            used.times < LIMIT
        } else {
            used.endpoints.len() < LIMIT || used.endpoints.contains(&endpoint)
        };
        if !fits {
            return Err(PolicyRefusal::new("no further endpoint is allowed"));
        }
        if request.phase == RequestPhase::Execute {
            used.times += 1;
            used.endpoints.insert(endpoint);
        }
        Ok(())
    }
}

impl EndpointCount {
    fn endpoint(&self, request: &OutboundRequest<'_>) -> String {
        let place = request.path.split(['?', '#']).next().unwrap_or_default();
        let mut parts = place.splitn(4, '/');
        let host = parts.nth(2).unwrap_or_default();
        match self.fault {
            Fault::CountsQueries => format!("{} {:?}", request.path, request.query),
            Fault::ChargesRepeats => place.to_owned(),
            Fault::CountsHosts => host.to_owned(),
            Fault::CountsPaths => parts.next().unwrap_or_default().to_owned(),
        }
    }
}
