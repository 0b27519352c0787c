//! A policy before any executor.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use proofmark::executor::{
    Attribution, BaseUrl, BaseUrlError, ExecutionError, HttpExecutor, OutgoingRequest, ask_policy,
};
use proofmark::path::{PlaceholderRules, ResolvedPath};
use proofmark::policy::RequestPolicy;
use proofmark::request::RequestPhase;
use serde_json::Value;

/// Asks a policy about each call before another executor is handed it.
///
/// The policy is shown what the toolkit's own executor would show: the base URL joined on, the fields
/// of GET-like requests as pairs. Use it before executors that ask no policy of their own.
///
/// ```
/// use std::sync::Arc;
/// use proofmark_conformance::mock::{CannedExecutor, PolicyGuard};
/// use proofmark_conformance::toolkit::executor::HttpExecutor;
/// use proofmark_conformance::toolkit::path::ResolvedPath;
/// use proofmark_conformance::toolkit::policy::RequestBudget;
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let backend = CannedExecutor::new().on("* /**", json!(7))?;
/// let guarded = PolicyGuard::new(backend, "https://api.example.test", Arc::new(RequestBudget::new(1)))?
///     .attributed_to("my_tool", "call-1");
/// let path = ResolvedPath::from_checked("/a")?;
/// assert!(guarded.execute_request("GET", path, None).await.is_ok());
/// assert!(guarded.execute_request("GET", path, None).await.is_err());
/// assert_eq!(guarded.inner().calls().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PolicyGuard<E> {
    inner: E,
    base: BaseUrl,
    policy: Arc<dyn RequestPolicy>,
    tool: String,
    call_id: String,
}

impl<E> PolicyGuard<E> {
    /// Puts `policy` before `inner`, whose requests go to `base_url`.
    ///
    /// # Errors
    ///
    /// A [`BaseUrlError`].
    pub fn new(
        inner: E,
        base_url: &str,
        policy: Arc<dyn RequestPolicy>,
    ) -> Result<Self, BaseUrlError> {
        Ok(Self {
            inner,
            base: BaseUrl::parse(base_url)?,
            policy,
            tool: String::new(),
            call_id: String::new(),
        })
    }

    /// Shows requests as those of this tool and call.
    #[must_use]
    pub fn attributed_to(mut self, tool: impl Into<String>, call_id: impl Into<String>) -> Self {
        self.tool = tool.into();
        self.call_id = call_id.into();
        self
    }

    /// The executor behind the policy.
    pub fn inner(&self) -> &E {
        &self.inner
    }
}

#[async_trait]
impl<E: HttpExecutor> HttpExecutor for PolicyGuard<E> {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let request = OutgoingRequest::new(&self.base, method, path, body.clone())?;
        let attribution = Attribution {
            tool: &self.tool,
            call_id: &self.call_id,
        };
        let policy = Some(&*self.policy);
        ask_policy(policy, &request, attribution, RequestPhase::Execute).await?;
        self.inner.execute_request(method, path, body).await
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

impl<E> fmt::Debug for PolicyGuard<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyGuard")
            .field("base", &self.base)
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}
