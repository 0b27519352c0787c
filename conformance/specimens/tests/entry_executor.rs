//! The `executor` entry of the macro, as an author writes it: the toolkit's executor passes.

use std::sync::Arc;

use proofmark::http::{BearerAuth, HttpCodeExecutor, HttpConfig, HttpSetupError};
use proofmark_conformance::conformance;
use proofmark_conformance::subject::ExecutorEnv;

fn client(env: &ExecutorEnv) -> Result<HttpCodeExecutor, HttpSetupError> {
    let auth = Arc::new(BearerAuth::new(env.credential())?);
    let config = HttpConfig::default().with_timeout(env.deadline());
    let executor = HttpCodeExecutor::with_config(env.base_url(), auth, config)?;
    Ok(executor.with_request_policy(env.policy()))
}

conformance! {
    /// Sends a bearer token, asks a policy first, and repeats what failed.
    executor toolkit(bearer, policy, retries) = |env| client(env);
}
