//! At most so many different endpoints for each group.

use std::collections::HashSet;

use async_trait::async_trait;

use super::ledger::Ledger;
use super::options::BudgetOptions;
use super::table::{Fingerprint, Fingerprints};
use crate::policy::endpoint::Target;
use crate::policy::{PolicyRefusal, RequestPolicy};
use crate::request::OutboundRequest;

/// Allows each group to reach `limit` different endpoints, as often as it likes, and refuses one
/// more.
///
/// An endpoint is an origin and a path as the WHATWG parser reads them; neither the method nor a
/// query makes another one. A target that is not plainly written (see
/// [`TargetFault`](crate::policy::TargetFault)) counts as an endpoint of its own in each
/// spelling, so that no spelling hides an endpoint behind another.
///
/// **Promised.** Concurrent requests never reach more endpoints together. An endpoint that was
/// charged stays allowed. A refused request is not charged. A preview
/// ([`Validate`](crate::request::RequestPhase::Validate)) is answered as the request would be if
/// it were sent now, and is never charged. Groups are bounded as [`BudgetOptions`] says, and each
/// remembers at most [`MAX_ENDPOINTS`](Self::MAX_ENDPOINTS) endpoints at some 20 bytes.
///
/// **Not promised.** A group that sent nothing for [`BudgetOptions::idle`] may be forgotten when
/// its room is needed. One instance counts alone: two servers have two budgets.
///
/// ```
/// use proofmark::policy::{DistinctEndpointBudget, RequestPolicy};
/// use proofmark::request::OutboundRequest;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let budget = DistinctEndpointBudget::new(1);
/// let get = |path| OutboundRequest::new("t", "GET", path, &[], None).with_call_id("a");
///
/// assert!(budget.check(&get("https://api.example.test/items")).await.is_ok());
/// assert!(budget.check(&get("https://api.example.test/items?page=2")).await.is_ok());
/// assert!(budget.check(&get("https://api.example.test/orders")).await.is_err());
/// # }
/// ```
///
/// Source: seed 000.
#[derive(Debug)]
pub struct DistinctEndpointBudget {
    limit: usize,
    fingerprints: Fingerprints,
    ledger: Ledger<HashSet<Fingerprint>>,
}

impl DistinctEndpointBudget {
    /// The most endpoints a group may reach, whatever the limit: more would not be remembered.
    pub const MAX_ENDPOINTS: usize = 65_536;

    /// A budget of `limit` endpoints for each call.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self::with_options(limit, BudgetOptions::new())
    }

    /// A budget of `limit` endpoints for each group of another kind.
    #[must_use]
    pub fn with_options(limit: u64, options: BudgetOptions) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self {
            limit: limit.min(Self::MAX_ENDPOINTS),
            fingerprints: Fingerprints::default(),
            ledger: Ledger::new(options),
        }
    }

    fn judge(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let endpoint = match Target::read(request.path) {
            Ok(target) => self.fingerprints.of(target.place()),
            Err(_) => self.fingerprints.of(before_query(request.path)),
        };
        self.ledger.settle(
            request,
            |reached, _| {
                if reached.len() < self.limit || reached.contains(&endpoint) {
                    return Ok(());
                }
                Err(PolicyRefusal::new("the endpoint budget is spent"))
            },
            |reached, ()| {
                reached.insert(endpoint);
            },
        )
    }
}

fn before_query(path: &str) -> &str {
    path.split_once('?').map_or(path, |(place, _)| place)
}

#[async_trait]
impl RequestPolicy for DistinctEndpointBudget {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        self.judge(request)
    }
}
