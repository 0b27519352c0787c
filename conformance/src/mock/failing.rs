//! An executor whose backend fails by a script.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use proofmark::executor::{BackendFault, ExecutionError, HttpExecutor};
use proofmark::path::{PlaceholderRules, ResolvedPath};
use serde_json::Value;

/// What becomes of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// It goes through.
    None,
    /// It goes through after this time, by Tokio's clock.
    Delay(Duration),
    /// The backend answers with this status and does nothing.
    Status(u16),
    /// The connection is reset before the backend has heard anything.
    ResetBefore,
    /// The backend acts, and its answer is lost.
    ResetAfter,
    /// The backend acts, and its answer is cut off.
    Truncated,
    /// The backend acts, and answers with rubbish.
    Rubbish,
    /// The backend hears nothing and never answers.
    Hang,
}

/// Hands calls on to another executor, but for those that fail by the script: the first call by its
/// first entry, and so on. Calls behind its end go through, unless it [repeats](Self::repeating).
///
/// ```
/// use proofmark_conformance::mock::{CannedExecutor, Failure, FailingExecutor};
/// use proofmark_conformance::toolkit::executor::{ExecutionError, HttpExecutor};
/// use proofmark_conformance::toolkit::path::ResolvedPath;
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let backend = CannedExecutor::new().on("* /**", json!(7))?;
/// let failing = FailingExecutor::new(backend, [Failure::Status(503), Failure::ResetAfter]);
/// let path = ResolvedPath::from_checked("/a")?;
/// let status = failing.execute_request("GET", path, None).await;
/// assert_eq!(status, Err(ExecutionError::Status { status: 503 }));
/// assert!(failing.execute_request("GET", path, None).await.is_err());
/// assert_eq!(failing.execute_request("GET", path, None).await, Ok(json!(7)));
/// assert_eq!(failing.inner().calls().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FailingExecutor<E> {
    inner: E,
    script: Vec<Failure>,
    repeats: bool,
    next: AtomicUsize,
}

impl<E> FailingExecutor<E> {
    /// Lets calls to `inner` fail by `script`.
    pub fn new(inner: E, script: impl IntoIterator<Item = Failure>) -> Self {
        Self {
            inner,
            script: script.into_iter().collect(),
            repeats: false,
            next: AtomicUsize::new(0),
        }
    }

    /// Begins the script anew where it ends.
    #[must_use]
    pub fn repeating(mut self) -> Self {
        self.repeats = true;
        self
    }

    /// The executor behind this one.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    fn next(&self) -> Failure {
        let number = self.next.fetch_add(1, Ordering::SeqCst);
        let at = match self.script.len() {
            0 => return Failure::None,
            length if self.repeats => number % length,
            _ => number,
        };
        self.script.get(at).copied().unwrap_or(Failure::None)
    }
}

#[async_trait]
impl<E: HttpExecutor> HttpExecutor for FailingExecutor<E> {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let failure = self.next();
        match failure {
            Failure::Status(status) => return Err(ExecutionError::Status { status }),
            Failure::ResetBefore => return Err(BackendFault::Broken.into()),
            Failure::Hang => std::future::pending().await,
            Failure::Delay(time) => tokio::time::sleep(time).await,
            _ => {}
        }
        let answer = self.inner.execute_request(method, path, body).await?;
        match failure {
            Failure::ResetAfter | Failure::Truncated => Err(BackendFault::Broken.into()),
            Failure::Rubbish => Err(BackendFault::NotJson.into()),
            _ => Ok(answer),
        }
    }

    fn placeholder_rules(
        &self,
        method: &str,
        path_template: &str,
        param: &str,
    ) -> PlaceholderRules<'_> {
        self.inner.placeholder_rules(method, path_template, param)
    }
}

impl<E> fmt::Debug for FailingExecutor<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FailingExecutor")
            .field("script", &self.script)
            .field("repeats", &self.repeats)
            .finish_non_exhaustive()
    }
}
