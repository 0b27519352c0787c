//! The seam itself: one method that allows or refuses an outbound request.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use super::PolicyRefusal;
use crate::request::OutboundRequest;

/// A rule about what may leave the server, asked once for each logical request, after the base
/// URL is joined on and before the credential exists.
///
/// One instance serves all concurrent requests. A stateful policy must not charge a request whose
/// phase is [`Validate`](crate::request::RequestPhase::Validate).
///
/// ```
/// use proofmark::async_trait;
/// use proofmark::policy::{PolicyRefusal, RequestPolicy};
/// use proofmark::request::OutboundRequest;
///
/// struct ReadOnly;
///
/// #[async_trait]
/// impl RequestPolicy for ReadOnly {
///     async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
///         match request.method {
///             "GET" | "HEAD" => Ok(()),
///             _ => Err(PolicyRefusal::new("only reading is allowed")),
///         }
///     }
/// }
/// ```
///
/// Source: seed 000.
#[async_trait]
pub trait RequestPolicy: Send + Sync {
    /// Allows or refuses one request.
    ///
    /// # Errors
    ///
    /// A [`PolicyRefusal`] refuses: the request is then neither authenticated nor sent.
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal>;
}

#[async_trait]
impl<P: RequestPolicy + ?Sized> RequestPolicy for Arc<P> {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        (**self).check(request).await
    }
}

#[async_trait]
impl<P: RequestPolicy + ?Sized> RequestPolicy for Box<P> {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        (**self).check(request).await
    }
}

/// A policy made of a closure; see [`policy_fn`].
#[derive(Clone, Copy)]
pub struct PolicyFn<F>(F);

/// Makes a policy of a closure that decides without waiting.
///
/// ```
/// use proofmark::policy::{PolicyRefusal, policy_fn};
///
/// let only_get = policy_fn(|request| match request.method {
///     "GET" => Ok(()),
///     _ => Err(PolicyRefusal::new("only GET is allowed")),
/// });
/// # let _: &dyn proofmark::policy::RequestPolicy = &only_get;
/// ```
pub fn policy_fn<F>(decide: F) -> PolicyFn<F>
where
    F: Fn(&OutboundRequest<'_>) -> Result<(), PolicyRefusal> + Send + Sync,
{
    PolicyFn(decide)
}

#[async_trait]
impl<F> RequestPolicy for PolicyFn<F>
where
    F: Fn(&OutboundRequest<'_>) -> Result<(), PolicyRefusal> + Send + Sync,
{
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        (self.0)(request)
    }
}

impl<F> fmt::Debug for PolicyFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PolicyFn(..)")
    }
}
