//! An executor that answers as told.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use proofmark::executor::{ExecutionError, HttpExecutor};
use proofmark::path::ResolvedPath;
use serde_json::Value;

use super::{Call, Route, RouteError};

/// Answers a call. Every `Fn(&Call) -> Result<Value, ExecutionError> + Send + Sync` does.
pub trait Respond: Send + Sync {
    /// The answer.
    ///
    /// # Errors
    ///
    /// Whatever the backend is to fail with.
    fn respond(&self, call: &Call) -> Result<Value, ExecutionError>;
}

impl<F> Respond for F
where
    F: Fn(&Call) -> Result<Value, ExecutionError> + Send + Sync,
{
    fn respond(&self, call: &Call) -> Result<Value, ExecutionError> {
        self(call)
    }
}

impl Respond for Value {
    fn respond(&self, _: &Call) -> Result<Value, ExecutionError> {
        Ok(self.clone())
    }
}

impl Respond for ExecutionError {
    fn respond(&self, _: &Call) -> Result<Value, ExecutionError> {
        Err(self.clone())
    }
}

/// Answers by route, and keeps what it was asked. The first route that means a call answers it; what
/// no route means is answered with status 404.
///
/// ```
/// use proofmark_conformance::mock::CannedExecutor;
/// use proofmark_conformance::toolkit::executor::{ExecutionError, HttpExecutor};
/// use proofmark_conformance::toolkit::path::ResolvedPath;
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let backend = CannedExecutor::new()
///     .on("GET /items/*", json!({"name": "x"}))?
///     .on("* /**", ExecutionError::Status { status: 503 })?;
///
/// let path = ResolvedPath::from_checked("/items/7")?;
/// assert_eq!(backend.execute_request("GET", path, None).await, Ok(json!({"name": "x"})));
/// assert!(backend.execute_request("DELETE", path, None).await.is_err());
/// assert_eq!(backend.calls().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct CannedExecutor {
    routes: Vec<(Route, Box<dyn Respond>)>,
    calls: Mutex<Vec<Call>>,
}

impl CannedExecutor {
    /// An executor without a route.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers calls that `route` means: with a value, an error, or what a closure makes of the call.
    ///
    /// # Errors
    ///
    /// A [`RouteError`].
    pub fn on(mut self, route: &str, respond: impl Respond + 'static) -> Result<Self, RouteError> {
        self.routes.push((route.parse()?, Box::new(respond)));
        Ok(self)
    }

    /// The calls so far, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[async_trait]
impl HttpExecutor for CannedExecutor {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let call = Call::new(method, path, body.as_ref());
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(call.clone());
        let meant = self
            .routes
            .iter()
            .find(|(route, _)| route.matches(method, path.as_str()));
        match meant {
            Some((_, respond)) => respond.respond(&call),
            None => Err(ExecutionError::Status { status: 404 }),
        }
    }
}

impl fmt::Debug for CannedExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let routes: Vec<_> = self.routes.iter().map(|(route, _)| route).collect();
        f.debug_struct("CannedExecutor")
            .field("routes", &routes)
            .finish_non_exhaustive()
    }
}
