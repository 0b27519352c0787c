//! A surface certified as any user's is: scripts, run by the toolkit's plan executor.

use std::sync::Arc;
use std::time::Duration;

use proofmark::executor::{ExecutionConfig, PlanExecutor};
use proofmark::http::{BearerAuth, HttpCodeExecutor, HttpConfig, HttpSetupError};
use proofmark_conformance::conformance;
use proofmark_conformance::subject::{Surface, SurfaceEnv, ToolAction, ToolFailure, surface_fn};

fn scripts(env: &SurfaceEnv) -> Result<impl Surface + use<>, HttpSetupError> {
    let config = HttpConfig::default()
        .with_timeout(env.deadline())
        .with_retry_backoff(Duration::from_millis(5));
    let auth = Arc::new(BearerAuth::new(env.credential())?);
    let http = HttpCodeExecutor::with_config(env.base_url(), auth, config)?.with_hooks(env.hooks());
    let tools = env.tools().to_vec();
    Ok(surface_fn(move |call| {
        let (http, tools) = (http.clone(), tools.clone());
        async move {
            let own = tools.iter().find(|tool| tool.name == call.tool);
            let script = match own.map(|tool| &tool.action) {
                Some(ToolAction::Script(script)) => Some(script),
                _ => call.script.as_ref(),
            };
            let plan = script.map(|script| script.plan());
            let Some(Ok(plan)) = plan else {
                return Err(ToolFailure::refused("there is no such tool or script"));
            };
            let http = http.for_call(&call.tool);
            let http = http.map_err(|cause| ToolFailure::fault(cause.to_string()))?;
            let config = ExecutionConfig::default().with_max_api_calls(20);
            Ok(PlanExecutor::new(http, config).execute(&plan).await?.value)
        }
    }))
}

conformance! {
    /// Scripts of the caller's, and of the server's own.
    surface plan_executor(scripted, bearer, retries, calls_per_script = 20) = |env| scripts(env);
}
