//! At most so many requests for each group in a given time.

use async_trait::async_trait;

use super::ledger::Ledger;
use super::options::BudgetOptions;
use super::rate::{Rate, Standing};
use super::scope::BudgetScope;
use crate::policy::{PolicyRefusal, RequestPolicy};
use crate::request::OutboundRequest;

/// Allows the requests of each group at a [`Rate`], and refuses those that come too early.
///
/// **Promised.** The rate is never exceeded, also by concurrent requests, and a request is allowed
/// as soon as it is due. A refused request is not charged. A preview
/// ([`Validate`](crate::request::RequestPhase::Validate)) is answered as the request would be if
/// it were sent now, and is never charged. A clock that goes back or leaps neither panics nor
/// gives a surplus: set back by less than the time after which nothing sent counts any more, it
/// is taken to stand still until it has caught up; set back further, the group starts with nothing
/// left to send. Memory and groups are bounded as [`BudgetOptions`] says, but that no group is
/// forgotten while anything it sent still counts.
///
/// **Not promised.** Nobody waits: a refused caller has to come back. One instance counts alone.
///
/// ```
/// use std::time::Duration;
/// use proofmark::clock::SteeredClock;
/// use proofmark::policy::{BudgetOptions, BudgetScope, Rate, RateLimit, RequestPolicy};
/// use proofmark::request::OutboundRequest;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let clock = SteeredClock::new();
/// let options = BudgetOptions::new().scope(BudgetScope::Global).clock(clock.clone());
/// let limit = RateLimit::with_options(Rate::sliding(1, Duration::from_secs(60)), options);
/// let request = OutboundRequest::new("t", "GET", "https://api.example.test/", &[], None);
///
/// assert!(limit.check(&request).await.is_ok());
/// assert!(limit.check(&request).await.is_err());
/// clock.advance(Duration::from_secs(60));
/// assert!(limit.check(&request).await.is_ok());
/// # }
/// ```
#[derive(Debug)]
pub struct RateLimit {
    rate: Rate,
    ledger: Ledger<Standing>,
}

impl RateLimit {
    /// A rate for all requests together.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self::with_options(rate, BudgetOptions::new().scope(BudgetScope::Global))
    }

    /// A rate for each group that the options name: each call, unless they say otherwise.
    #[must_use]
    pub fn with_options(rate: Rate, options: BudgetOptions) -> Self {
        let idle = options.idle.max(rate.horizon());
        Self {
            rate,
            ledger: Ledger::new(options.idle(idle)),
        }
    }

    fn judge(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let rate = self.rate;
        self.ledger.settle(
            request,
            |standing, now| {
                rate.bring(standing, now);
                if rate.admits(standing) {
                    return Ok(());
                }
                Err(PolicyRefusal::new("the rate limit is reached"))
            },
            |standing, ()| rate.charge(standing),
        )
    }
}

#[async_trait]
impl RequestPolicy for RateLimit {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        self.judge(request)
    }
}
