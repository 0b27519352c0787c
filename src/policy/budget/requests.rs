//! At most so many requests for each group.

use async_trait::async_trait;

use super::ledger::Ledger;
use super::options::BudgetOptions;
use crate::policy::{PolicyRefusal, RequestPolicy};
use crate::request::OutboundRequest;

/// Allows `limit` requests for each group, and refuses the next.
///
/// **Promised.** Exactly `limit` of any number of concurrent requests are allowed. Equal requests
/// are charged one by one. A refused request is not charged, and stays refused. A preview
/// ([`Validate`](crate::request::RequestPhase::Validate)) is answered as the request would be if
/// it were sent now, and is never charged; so several previews may each pass though not all of
/// them would when sent. Memory is bounded by [`BudgetOptions::max_calls`]; a request of a known
/// group is judged without allocating.
///
/// **Not promised.** A group that sent nothing for [`BudgetOptions::idle`] may be forgotten when
/// its room is needed. What is charged is not given back if the request fails afterwards. One
/// instance counts alone: two servers have two budgets.
///
/// ```
/// use proofmark::policy::{RequestBudget, RequestPolicy};
/// use proofmark::request::OutboundRequest;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let budget = RequestBudget::new(1);
/// let request = OutboundRequest::new("t", "GET", "https://api.example.test/", &[], None);
///
/// assert!(budget.check(&request.with_call_id("a")).await.is_ok());
/// assert!(budget.check(&request.with_call_id("a")).await.is_err());
/// assert!(budget.check(&request.with_call_id("b")).await.is_ok());
/// # }
/// ```
#[derive(Debug)]
pub struct RequestBudget {
    limit: u64,
    ledger: Ledger<u64>,
}

impl RequestBudget {
    /// A budget of `limit` requests for each call.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self::with_options(limit, BudgetOptions::new())
    }

    /// A budget of `limit` requests for each group of another kind.
    #[must_use]
    pub fn with_options(limit: u64, options: BudgetOptions) -> Self {
        Self {
            limit,
            ledger: Ledger::new(options),
        }
    }

    fn judge(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let one_more = |sent: &mut u64, _| match sent.checked_add(1) {
            Some(sent) if sent <= self.limit => Ok(sent),
            _ => Err(PolicyRefusal::new("the request budget is spent")),
        };
        self.ledger
            .settle(request, one_more, |sent, now_sent| *sent = now_sent)
    }
}

#[async_trait]
impl RequestPolicy for RequestBudget {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        self.judge(request)
    }
}
