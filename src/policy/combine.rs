//! Policies made of policies: all must allow, or any may.

use std::any::Any;
use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use async_trait::async_trait;

use super::{PolicyRefusal, RequestPolicy};
use crate::request::{OutboundRequest, RequestPhase};

/// Allows a request only if every member does. Without a member it refuses everything.
///
/// Members are *rules*, which keep no account, or *budgets*, which do. Whatever the order of
/// adding, rules are asked first and each once, so a request that a rule refuses charges nobody.
/// Then, if there is more than one budget, each is asked for a preview
/// ([`Validate`](RequestPhase::Validate)) before any is charged, so a request that one budget
/// refuses is not charged to another. The first refusal is the answer.
///
/// **Promised.** A refuser, and a member that panics, refuse the request wherever they stand. The
/// panic is contained and answered with a fixed sentence; the member is asked again next time.
///
/// **Not promised.** A budget added as a rule is charged before later rules are asked. Between a
/// preview and its charge another request may spend a budget: the request is then refused, and
/// the budgets before that one keep the charge (never the reverse). Whoever calls this must poll
/// it to the end: a member that waits and is dropped may have been charged. A program built to
/// abort on panic aborts.
///
/// ```
/// use std::sync::Arc;
/// use proofmark::policy::{AllOf, ByteBudget, EndpointAllowlist, RequestBudget};
///
/// let endpoints = EndpointAllowlist::new().allow("GET https://api.example.test/v1/**")?;
/// let policy = AllOf::new()
///     .rule(Arc::new(endpoints))
///     .budget(Arc::new(RequestBudget::new(20)))
///     .budget(Arc::new(ByteBudget::new(10_000)));
/// # let _: &dyn proofmark::policy::RequestPolicy = &policy;
/// # Ok::<(), proofmark::policy::EndpointPatternError>(())
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct AllOf {
    rules: Vec<Arc<dyn RequestPolicy>>,
    budgets: Vec<Arc<dyn RequestPolicy>>,
}

impl AllOf {
    /// A combination without a member.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a member that is asked once, before any budget.
    pub fn rule(mut self, policy: Arc<dyn RequestPolicy>) -> Self {
        self.rules.push(policy);
        self
    }

    /// Adds a member that charges what it allows, asked after all rules.
    pub fn budget(mut self, policy: Arc<dyn RequestPolicy>) -> Self {
        self.budgets.push(policy);
        self
    }
}

#[async_trait]
impl RequestPolicy for AllOf {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if self.rules.is_empty() && self.budgets.is_empty() {
            return Err(PolicyRefusal::new("no policy was given to decide"));
        }
        for rule in &self.rules {
            contained(&**rule, request).await?;
        }
        let sent = request.phase != RequestPhase::Validate;
        if sent && self.budgets.len() > 1 {
            let preview = request.with_phase(RequestPhase::Validate);
            for budget in &self.budgets {
                contained(&**budget, &preview).await?;
            }
        }
        for budget in &self.budgets {
            contained(&**budget, request).await?;
        }
        Ok(())
    }
}

impl fmt::Debug for AllOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AllOf")
            .field("rules", &self.rules.len())
            .field("budgets", &self.budgets.len())
            .finish()
    }
}

/// Allows a request if any member does. Without a member it refuses everything.
///
/// Members are asked in the order of adding, until one allows; later ones are not asked, and not
/// charged. A budget is therefore charged only for what it allows, but it is spent by requests
/// that a later member would have allowed for nothing: put rules first.
///
/// **Promised.** A member that panics counts as refusing, and the next is asked. If no member
/// allows, the answer is one fixed sentence.
///
/// **Not promised.** A member that is an [`AllOf`] may keep the charges that it documents.
///
/// ```
/// use std::sync::Arc;
/// use proofmark::policy::{AnyOf, EndpointAllowlist, RequestBudget};
///
/// let health = EndpointAllowlist::new().allow("GET https://api.example.test/health")?;
/// let policy = AnyOf::new()
///     .alternative(Arc::new(health))
///     .alternative(Arc::new(RequestBudget::new(20)));
/// # let _: &dyn proofmark::policy::RequestPolicy = &policy;
/// # Ok::<(), proofmark::policy::EndpointPatternError>(())
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct AnyOf {
    alternatives: Vec<Arc<dyn RequestPolicy>>,
}

impl AnyOf {
    /// A combination without a member.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a member that is asked if none before it allowed.
    pub fn alternative(mut self, policy: Arc<dyn RequestPolicy>) -> Self {
        self.alternatives.push(policy);
        self
    }
}

#[async_trait]
impl RequestPolicy for AnyOf {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        for policy in &self.alternatives {
            if contained(&**policy, request).await.is_ok() {
                return Ok(());
            }
        }
        Err(PolicyRefusal::new("no alternative allows the request"))
    }
}

impl fmt::Debug for AnyOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyOf")
            .field("alternatives", &self.alternatives.len())
            .finish()
    }
}

/// The member's answer; a panic is a refusal.
///
/// What a panic may have left half done stays inside the member, which a caller could have seen
/// as well by catching the panic itself: asserting unwind safety adds no hazard here.
async fn contained(
    policy: &dyn RequestPolicy,
    request: &OutboundRequest<'_>,
) -> Result<(), PolicyRefusal> {
    let panicked = |_: Box<dyn Any + Send>| PolicyRefusal::new("a policy failed to decide");
    let check = catch_unwind(AssertUnwindSafe(|| policy.check(request)));
    let mut check = check.map_err(panicked)?;
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| check.as_mut().poll(context)));
        match polled {
            Ok(polled) => polled,
            Err(panic) => std::task::Poll::Ready(Err(panicked(panic))),
        }
    })
    .await
}
