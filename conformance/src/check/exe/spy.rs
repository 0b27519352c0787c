//! Policies of the judge's own: one that remembers what it was shown, and ones that misbehave.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::{OutboundRequest, RequestPhase};
use tokio::sync::watch;

use crate::subject::RequestCase;

/// What a policy of the judge's decides.
pub(in crate::check) enum Verdict {
    /// Every request may be sent.
    Allow,
    /// A request whose target holds this text may not.
    RefuseTarget(&'static str),
    /// A request for which this holds may not.
    RefuseIf(fn(&OutboundRequest<'_>) -> bool),
    /// It panics.
    Panic,
    /// It never answers.
    Never,
    /// It allows, once it is released.
    OnceReleased,
}

/// A policy that remembers what it was shown.
pub(in crate::check) struct Spy {
    verdict: Verdict,
    seen: Mutex<Vec<RequestCase>>,
    released: watch::Sender<bool>,
}

impl Spy {
    pub(in crate::check) fn new(verdict: Verdict) -> Arc<Self> {
        Arc::new(Self {
            verdict,
            seen: Mutex::default(),
            released: watch::Sender::new(false),
        })
    }

    /// Every request it was shown, in order.
    pub(in crate::check) fn seen(&self) -> Vec<RequestCase> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The last request it was shown, where it was shown more than so many.
    pub(in crate::check) fn last_after(&self, shown: usize) -> Option<RequestCase> {
        self.seen().split_off(shown).pop()
    }

    /// Lets a policy that waits for it allow.
    pub(in crate::check) fn release(&self) {
        self.released.send_replace(true);
    }
}

/// As a policy, so that an executor may own it.
pub(in crate::check) struct Asked(pub(in crate::check) Arc<Spy>);

#[proofmark::async_trait]
impl RequestPolicy for Asked {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let case = owned(request);
        self.0
            .seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(case);
        match self.0.verdict {
            Verdict::Allow => Ok(()),
            Verdict::RefuseTarget(part) => refused_if(request.path.contains(part)),
            Verdict::RefuseIf(refuses) => refused_if(refuses(request)),
            Verdict::Panic => misbehave(),
            Verdict::Never => std::future::pending().await,
            Verdict::OnceReleased => {
                let mut released = self.0.released.subscribe();
                // The sender lives as long as this policy.
                let _ = released.wait_for(|released| *released).await;
                Ok(())
            }
        }
    }
}

fn refused_if(refused: bool) -> Result<(), PolicyRefusal> {
    if refused {
        let message = "the judge's policy refuses this request";
        return Err(PolicyRefusal::new(message));
    }
    Ok(())
}

#[allow(clippy::panic, reason = "a policy that panics is what is tried")]
fn misbehave() -> Result<(), PolicyRefusal> {
    panic!("the judge's policy panics on purpose")
}

fn owned(request: &OutboundRequest<'_>) -> RequestCase {
    RequestCase {
        tool: Some(request.tool.to_owned()),
        method: request.method.to_owned(),
        path: request.path.to_owned(),
        query: request.query.to_vec(),
        body: request.body.cloned(),
        call_id: request.call_id.to_owned(),
        preview: request.phase == RequestPhase::Validate,
    }
}

/// The values under each key, in their order: among different keys there is none.
pub(in crate::check) fn by_key(pairs: Vec<(String, String)>) -> BTreeMap<String, Vec<String>> {
    let mut by_key: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (key, value) in pairs {
        by_key.entry(key).or_default().push(value);
    }
    by_key
}

/// The pairs of the target's own query and the added ones, as the policy saw them.
pub(in crate::check) fn pairs_of(case: &RequestCase) -> Vec<(String, String)> {
    let own = case.path.split_once('?').map_or("", |(_, query)| query);
    let own = url::form_urlencoded::parse(own.as_bytes()).into_owned();
    own.chain(case.query.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_order_among_equal_keys_counts() {
        let pairs = |pairs: &[(&str, &str)]| {
            let pairs = pairs
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            by_key(pairs.collect())
        };
        assert_eq!(
            pairs(&[("a", "1"), ("b", "2"), ("a", "3")]),
            pairs(&[("b", "2"), ("a", "1"), ("a", "3")]),
        );
        assert_ne!(
            pairs(&[("a", "1"), ("a", "3")]),
            pairs(&[("a", "3"), ("a", "1")])
        );
    }
}
