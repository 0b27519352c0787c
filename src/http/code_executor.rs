//! The executor of scripts.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use secrecy::SecretString;
use serde_json::Value;

use super::dispatch::Dispatch;
use super::{HttpAuthProvider, HttpConfig, HttpSetupError, Operation, ParameterLocation};
use crate::executor::{Attribution, ExecutionError, HttpExecutor, Method, OutgoingRequest};
use crate::path::{PlaceholderRules, ResolvedPath};
use crate::policy::{RequestPolicy, ToolkitHooks};
use crate::request::{CallId, NoRandomBytes};

/// The rules of the path parameters of every operation, by method and path.
type Operations = HashMap<Method, HashMap<String, Operation>>;

/// Sends the calls of scripts over HTTP.
///
/// One that is driven directly sends unattributed requests; [`for_call`](Self::for_call) makes the
/// one to use for a `tools/call`. Clones share connections and cost little.
///
/// ```no_run
/// use std::sync::Arc;
/// use proofmark::executor::{ExecutionConfig, ExecutionPlan, PlanExecutor};
/// use proofmark::http::{BearerAuth, HttpCodeExecutor};
/// use proofmark::policy::RequestBudget;
///
/// # async fn run(plan: &ExecutionPlan) -> Result<(), Box<dyn std::error::Error>> {
/// let http = HttpCodeExecutor::new("https://api.example.test/v1", Arc::new(BearerAuth::new("tok_example")?))?
///     .with_request_policy(Arc::new(RequestBudget::new(20)));
///
/// let call = PlanExecutor::new(http.for_call("execute_code")?, ExecutionConfig::default());
/// let result = call.execute(plan).await?;
/// # let _ = result;
/// # Ok(())
/// # }
/// ```
///
/// Source: seeds 000 and 001.
#[derive(Debug, Clone)]
pub struct HttpCodeExecutor {
    dispatch: Arc<Dispatch>,
    operations: Arc<Operations>,
    tool: Arc<str>,
    call_id: Arc<str>,
    inbound: Option<SecretString>,
}

impl HttpCodeExecutor {
    /// An executor with the default limits and without a policy.
    ///
    /// # Errors
    ///
    /// As [`with_config`](Self::with_config).
    pub fn new(base_url: &str, auth: Arc<dyn HttpAuthProvider>) -> Result<Self, HttpSetupError> {
        Self::with_config(base_url, auth, HttpConfig::default())
    }

    /// An executor within these limits and without a policy.
    ///
    /// # Errors
    ///
    /// An [`HttpSetupError`] if the base URL cannot be used, or would carry a credential over plain
    /// http to another machine.
    pub fn with_config(
        base_url: &str,
        auth: Arc<dyn HttpAuthProvider>,
        config: HttpConfig,
    ) -> Result<Self, HttpSetupError> {
        Ok(Self {
            dispatch: Arc::new(Dispatch::new(base_url, auth, config)?),
            operations: Arc::default(),
            tool: Arc::from(""),
            call_id: Arc::from(""),
            inbound: None,
        })
    }

    /// Has every request shown to `policy` first. A second policy replaces the first.
    #[must_use]
    pub fn with_request_policy(mut self, policy: Arc<dyn RequestPolicy>) -> Self {
        Arc::make_mut(&mut self.dispatch).set_policy(policy);
        self
    }

    /// Takes the registered policy, if there is one.
    #[must_use]
    pub fn with_hooks(self, hooks: &ToolkitHooks) -> Self {
        match hooks.request_policy() {
            Some(policy) => self.with_request_policy(policy),
            None => self,
        }
    }

    /// Narrows placeholders by what these operations declare for their path parameters. None of them
    /// admits `/`, whatever it declares.
    #[must_use]
    pub fn with_operations(mut self, operations: impl IntoIterator<Item = Operation>) -> Self {
        let known = Arc::make_mut(&mut self.operations);
        for operation in operations {
            let path = operation.path().as_str().to_owned();
            let of_method = known.entry(operation.method()).or_default();
            of_method.insert(path, operation);
        }
        self
    }

    /// The same executor under another tool's name.
    #[must_use]
    pub fn with_tool_label(mut self, tool: impl AsRef<str>) -> Self {
        self.tool = Arc::from(tool.as_ref());
        self
    }

    /// The same executor under a call id that was minted elsewhere: never one that a client sent.
    #[must_use]
    pub fn with_call_id(mut self, call_id: impl AsRef<str>) -> Self {
        self.call_id = Arc::from(call_id.as_ref());
        self
    }

    /// The same executor, for a caller who came with this token.
    #[must_use]
    pub fn with_inbound_token(mut self, token: Option<SecretString>) -> Self {
        self.inbound = token;
        self
    }

    /// The executor to use for one `tools/call` of the tool of this name, under an id of its own.
    ///
    /// # Errors
    ///
    /// [`NoRandomBytes`]; the call must then not be made. Without a policy nobody is told the id,
    /// and none is made.
    pub fn for_call(&self, tool: impl AsRef<str>) -> Result<Self, NoRandomBytes> {
        let bound = self.clone().with_tool_label(tool);
        if self.dispatch.policy().is_none() {
            return Ok(bound);
        }
        Ok(bound.with_call_id(CallId::mint()?.as_str()))
    }

    /// The name under which requests are shown to the policy.
    #[must_use]
    pub fn tool_label(&self) -> &str {
        &self.tool
    }

    /// The id under which requests are shown to the policy.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// Whether a policy is asked.
    #[must_use]
    pub fn has_request_policy(&self) -> bool {
        self.dispatch.policy().is_some()
    }

    /// Asks the policy about a call in phase
    /// [`Validate`](crate::request::RequestPhase::Validate), and sends nothing. The policy is shown
    /// what it would be shown if the call were made.
    ///
    /// # Errors
    ///
    /// The refusal that the call would meet with.
    pub async fn preview(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<(), ExecutionError> {
        let request = OutgoingRequest::new(self.dispatch.base(), method, path, body)?;
        self.dispatch.preview(&request, self.attribution()).await
    }

    fn attribution(&self) -> Attribution<'_> {
        Attribution {
            tool: &self.tool,
            call_id: &self.call_id,
        }
    }
}

#[async_trait]
impl HttpExecutor for HttpCodeExecutor {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let request = OutgoingRequest::new(self.dispatch.base(), method, path, body)?;
        self.dispatch
            .send(&request, &[], self.attribution(), self.inbound.as_ref())
            .await
    }

    fn placeholder_rules(
        &self,
        method: &str,
        path_template: &str,
        param: &str,
    ) -> PlaceholderRules<'_> {
        let operation = Method::parse(method)
            .ok()
            .and_then(|method| self.operations.get(&method)?.get(path_template));
        let parameter = operation
            .and_then(|operation| operation.parameter(param))
            .filter(|parameter| parameter.location() == ParameterLocation::Path);
        parameter.map_or_else(PlaceholderRules::default, |parameter| parameter.rules())
    }
}
