//! At most so many bytes of text for each group.

use async_trait::async_trait;

use super::ledger::Ledger;
use super::measure::charged_bytes;
use super::options::BudgetOptions;
use crate::policy::{PolicyRefusal, RequestPolicy};
use crate::request::OutboundRequest;

/// Allows each group to send `limit` bytes in all its requests together, and refuses a request
/// that would exceed them: text split over many small requests is charged like text sent at once.
///
/// A request is charged the UTF-8 bytes of [`path`](OutboundRequest::path), with any query its
/// author wrote, of every query key and value, and of every key, text, number and word of the
/// body, plus one byte for each value of the body. Quotes, separators and escapes are not
/// charged, so the charge is what a caller says and not how it is written.
///
/// **Promised.** A text of more than `limit` bytes is refused wherever it stands. A request that
/// does not fit is refused whole and not charged; a smaller one may still pass, the same one
/// never. Concurrent requests never exceed the limit together. A preview is answered as the
/// request would be if it were sent now, and is never charged. A body nested more than 128 deep
/// is refused. Memory and groups are bounded as [`BudgetOptions`] says.
///
/// **Not promised.** Method, headers and what authentication adds are not counted, nor is the
/// answer. A group that sent nothing for [`BudgetOptions::idle`] may be forgotten when its room
/// is needed. One instance counts alone: two servers have two budgets.
///
/// ```
/// use proofmark::policy::{ByteBudget, RequestPolicy};
/// use proofmark::request::OutboundRequest;
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let budget = ByteBudget::new(100);
/// let body = json!({"note": "x".repeat(60)});
/// let request = OutboundRequest::new("t", "POST", "https://h.test/", &[], Some(&body))
///     .with_call_id("a");
///
/// assert!(budget.check(&request).await.is_ok());
/// assert!(budget.check(&request).await.is_err());
/// # }
/// ```
///
/// Source: seed 000.
#[derive(Debug)]
pub struct ByteBudget {
    limit: u64,
    ledger: Ledger<u64>,
}

impl ByteBudget {
    /// A budget of `limit` bytes for each call.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self::with_options(limit, BudgetOptions::new())
    }

    /// A budget of `limit` bytes for each group of another kind.
    #[must_use]
    pub fn with_options(limit: u64, options: BudgetOptions) -> Self {
        Self {
            limit,
            ledger: Ledger::new(options),
        }
    }

    fn judge(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let cost = charged_bytes(request)
            .ok_or_else(|| PolicyRefusal::new("the body is nested too deeply"))?;
        let spent = || PolicyRefusal::new("the byte budget is spent");
        // Also of a request that no group is charged for.
        if cost > self.limit {
            return Err(spent());
        }
        let more = |sent: &mut u64, _| match sent.checked_add(cost) {
            Some(sent) if sent <= self.limit => Ok(sent),
            _ => Err(spent()),
        };
        self.ledger
            .settle(request, more, |sent, now_sent| *sent = now_sent)
    }
}

#[async_trait]
impl RequestPolicy for ByteBudget {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        self.judge(request)
    }
}
