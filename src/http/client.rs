//! The client of curated tools.

use std::sync::Arc;

use async_trait::async_trait;
use secrecy::SecretString;
use serde_json::Value;

use super::arguments::request_of;
use super::dispatch::Dispatch;
use super::{HttpAuthProvider, HttpConfig, HttpConnector, HttpSetupError, Operation};
use crate::executor::{Attribution, ExecutionError};
use crate::policy::{RequestPolicy, ToolkitHooks};
use crate::request::CallId;

/// Executes declared operations over HTTP, each `tools/call` as one request under an id of its own.
///
/// Clones share connections and cost little.
///
/// ```no_run
/// use std::sync::Arc;
/// use proofmark::http::{BearerAuth, HttpClient, HttpConnector, Operation, Parameter};
/// use proofmark::policy::EndpointAllowlist;
/// use serde_json::json;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let client = HttpClient::new("https://api.example.test/v1", Arc::new(BearerAuth::new("tok_example")?))?
///     .with_request_policy(Arc::new(
///         EndpointAllowlist::new().allow("GET https://api.example.test/v1/items/{id}")?,
///     ));
/// let operation = Operation::new("GET", "/items/{id}", [Parameter::path("id")])?;
/// let item = client.execute_for_tool("get_item", &operation, &json!({"id": 7})).await?;
/// # let _ = item;
/// # Ok(())
/// # }
/// ```
///
/// Source: seed 000.
#[derive(Debug, Clone)]
pub struct HttpClient {
    dispatch: Arc<Dispatch>,
    hooks: ToolkitHooks,
    inbound: Option<SecretString>,
}

impl HttpClient {
    /// A client with the default limits and without a policy.
    ///
    /// # Errors
    ///
    /// As [`with_config`](Self::with_config).
    pub fn new(base_url: &str, auth: Arc<dyn HttpAuthProvider>) -> Result<Self, HttpSetupError> {
        Self::with_config(base_url, auth, HttpConfig::default())
    }

    /// A client within these limits and without a policy.
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
            hooks: ToolkitHooks::new(),
            inbound: None,
        })
    }

    /// Has every request shown to `policy` first. A second policy replaces the first.
    #[must_use]
    pub fn with_request_policy(mut self, policy: Arc<dyn RequestPolicy>) -> Self {
        Arc::make_mut(&mut self.dispatch).set_policy(policy);
        self
    }

    /// Takes the registered policy, if there is one, and the validators: that of a tool is asked
    /// about its arguments after they were found to fit the operation, and before the policy.
    #[must_use]
    pub fn with_hooks(mut self, hooks: &ToolkitHooks) -> Self {
        self.hooks = hooks.clone();
        match hooks.request_policy() {
            Some(policy) => self.with_request_policy(policy),
            None => self,
        }
    }

    /// The same client, for a caller who came with this token. Make one for each `tools/call`.
    #[must_use]
    pub fn with_inbound_token(mut self, token: Option<SecretString>) -> Self {
        self.inbound = token;
        self
    }

    async fn send(
        &self,
        tool: &str,
        call_id: &str,
        operation: &Operation,
        args: &Value,
    ) -> Result<Value, ExecutionError> {
        let has_policy = self.dispatch.policy().is_some();
        let (request, headers) = request_of(operation, args, self.dispatch.base(), has_policy)?;
        if let Some(validator) = self.hooks.argument_validator_for(tool) {
            validator.validate(args)?;
        }
        let attribution = Attribution { tool, call_id };
        self.dispatch
            .send(&request, &headers, attribution, self.inbound.as_ref())
            .await
    }
}

#[async_trait]
impl HttpConnector for HttpClient {
    async fn execute(&self, operation: &Operation, args: &Value) -> Result<Value, ExecutionError> {
        self.send("", "", operation, args).await
    }

    async fn execute_for_tool(
        &self,
        tool: &str,
        operation: &Operation,
        args: &Value,
    ) -> Result<Value, ExecutionError> {
        if self.dispatch.policy().is_none() {
            return self.send(tool, "", operation, args).await;
        }
        let id = CallId::mint().map_err(|_| ExecutionError::NoCallId)?;
        self.send(tool, id.as_str(), operation, args).await
    }
}
