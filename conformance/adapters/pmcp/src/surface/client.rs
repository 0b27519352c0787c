//! The client of curated tools, for an author who declares the operations and answers the calls.

use std::collections::HashMap;
use std::sync::Arc;

use pmcp_server_toolkit::http::{HttpConnector, HttpConnectorError, Operation};
use proofmark_conformance::subject::{Surface, SurfaceEnv, ToolAction, ToolCall, ToolFailure};
use proofmark_conformance::toolkit::async_trait;
use serde_json::Value;

use super::declared::operation;
use crate::error::SetupError;
use crate::request_policy;

/// Operations that can be judged as tools. Made by [`client_surface`].
pub struct JudgedOperations {
    connector: Arc<dyn HttpConnector>,
    operations: HashMap<String, Operation>,
}

/// Lets a client be judged as the tools of the operations that the judge declares, each called
/// through [`HttpConnector::execute_for_tool`]. Only a policy's refusal is a kind of error of its
/// own; every other is taken for a fault. The client is given the judge's policy.
///
/// # Errors
///
/// [`SetupError::Ungoverned`] where the connector takes no policy.
///
/// ```
/// use pmcp_server_toolkit::http::{HttpClient, HttpConfig};
/// use proofmark_conformance::conformance;
/// use proofmark_conformance::subject::{BuildError, SurfaceEnv};
///
/// fn mine(env: &SurfaceEnv) -> Result<proofmark_pmcp::JudgedOperations, BuildError> {
///     let config = HttpConfig { timeout_seconds: 2, retries: 0, ..HttpConfig::default() };
///     let auth = proofmark_pmcp::auth(env)?;
///     let client = HttpClient::from_config(env.base_url().to_owned(), auth, config)?;
///     Ok(proofmark_pmcp::client_surface(env, client)?)
/// }
///
/// conformance! {
///     surface my_operations(curated, bearer, header_parameters, deadline_ms = 2_500) = |env| mine(env);
/// }
/// # fn main() {}
/// ```
pub fn client_surface(
    env: &SurfaceEnv,
    client: impl HttpConnector,
) -> Result<JudgedOperations, SetupError> {
    let connector: Arc<dyn HttpConnector> = match env.policy() {
        Some(policy) => client
            .governed(request_policy(policy))
            .ok_or(SetupError::Ungoverned)?,
        None => Arc::new(client),
    };
    let operations = env.tools().iter().filter_map(|tool| match &tool.action {
        ToolAction::Operation(spec) => Some((tool.name.clone(), operation(spec))),
        _ => None,
    });
    Ok(JudgedOperations {
        connector,
        operations: operations.collect(),
    })
}

#[async_trait]
impl Surface for JudgedOperations {
    async fn call(&self, call: ToolCall) -> Result<Value, ToolFailure> {
        let operation = self.operations.get(&call.tool);
        let operation = operation.ok_or_else(|| ToolFailure::refused("there is no such tool"))?;
        let sent = self
            .connector
            .execute_for_tool(&call.tool, operation, &call.arguments);
        sent.await.map_err(|error| {
            let failure = match &error {
                HttpConnectorError::PolicyRefused(_) => ToolFailure::refused(error.to_string()),
                _ => ToolFailure::fault(error.to_string()),
            };
            failure.with_error(&error)
        })
    }
}
