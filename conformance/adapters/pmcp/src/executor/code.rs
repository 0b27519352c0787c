//! The executor of scripts' requests.

use pmcp_code_mode::{HttpExecutor as _, ResolvedPath as PmcpPath};
use pmcp_server_toolkit::code_mode::HttpCodeExecutor;
use proofmark_conformance::subject::ExecutorEnv;
use proofmark_conformance::toolkit::async_trait;
use proofmark_conformance::toolkit::executor::{ExecutionError, HttpExecutor};
use proofmark_conformance::toolkit::path::ResolvedPath;
use serde_json::Value;

use crate::error::told;
use crate::request_policy;

/// An [`HttpCodeExecutor`] that can be judged. Made by [`code_executor`].
pub struct JudgedCode(HttpCodeExecutor);

/// Lets an executor of scripts' requests be judged, as its author configured it. It is given the
/// judge's policy, the tool's name and the call id.
///
/// ```
/// use std::time::Duration;
/// use pmcp_server_toolkit::code_mode::HttpCodeExecutor;
/// use proofmark_conformance::conformance;
/// use proofmark_conformance::subject::{BuildError, ExecutorEnv};
///
/// fn mine(env: &ExecutorEnv) -> Result<proofmark_pmcp::JudgedCode, BuildError> {
///     let client = reqwest::Client::builder()
///         .timeout(Duration::from_secs(2))
///         .redirect(reqwest::redirect::Policy::none())
///         .no_proxy()
///         .build()?;
///     let auth = proofmark_pmcp::auth(env)?;
///     let executor = HttpCodeExecutor::new(client, env.base_url().to_owned(), auth);
///     Ok(proofmark_pmcp::code_executor(env, executor))
/// }
///
/// conformance! {
///     executor my_backend(bearer, policy, deadline_ms = 2_500) = |env| mine(env);
/// }
/// # fn main() {}
/// ```
#[must_use]
pub fn code_executor(env: &ExecutorEnv, executor: HttpCodeExecutor) -> JudgedCode {
    let executor = executor
        .with_request_policy(request_policy(env.policy()))
        .with_tool_label(env.tool())
        .with_call_id(env.call_id());
    JudgedCode(executor)
}

#[async_trait]
impl HttpExecutor for JudgedCode {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let path = PmcpPath::from_checked(path.as_str()).map_err(|refusal| told(&refusal))?;
        let sent = self.0.execute_request(method, path, body).await;
        sent.map_err(|error| told(&error))
    }
}
