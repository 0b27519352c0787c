//! Limits of a whole script, in time and in size, which the public plan executor does not keep.

use std::time::Duration;

use proofmark::executor::{ExecutionConfig, ExecutionError, LimitReached, PlanExecutor};
use proofmark::executor::{ExecutionPlan, HttpExecutor};
use proofmark::path::ResolvedPath;
use serde_json::Value;
use tokio::runtime::Builder;
use tokio::time::timeout;

use crate::program::{Program, Step, get, var};
use crate::{ours, peer};

/// Answers with a text of this many bytes, or never.
struct Answering(Option<usize>);

impl Answering {
    async fn answer(&self) -> Value {
        match self.0 {
            Some(length) => Value::from("x".repeat(length)),
            None => std::future::pending().await,
        }
    }
}

#[proofmark::async_trait]
impl HttpExecutor for Answering {
    async fn execute_request(
        &self,
        _method: &str,
        _path: ResolvedPath<'_>,
        _body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        Ok(self.answer().await)
    }
}

#[async_trait::async_trait]
impl pmcp_code_mode::HttpExecutor for Answering {
    async fn execute_request(
        &self,
        _method: &str,
        _path: pmcp_code_mode::ResolvedPath<'_>,
        _body: Option<Value>,
    ) -> Result<Value, pmcp_code_mode::ExecutionError> {
        Ok(self.answer().await)
    }
}

fn plan(program: &Program) -> ExecutionPlan {
    ExecutionPlan::new(ours::steps(program).expect("paths"))
}

/// SUR-08. The clock is the runtime's own and goes on by itself once everything waits.
#[test]
fn only_the_toolkit_ends_a_script_whose_time_is_over() {
    let program = vec![get("/")];
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    let long = Duration::from_secs(3600);

    let config = ExecutionConfig::default().with_time_limit(Some(Duration::from_secs(1)));
    let executor = PlanExecutor::new(Answering(None), config);
    let ended = runtime.block_on(async { timeout(long, executor.execute(&plan(&program))).await });
    let over = ExecutionError::Limit(LimitReached::Time { milliseconds: 1000 });
    assert_eq!(ended.expect("an end").map(|result| result.value), Err(over));

    let config = pmcp_code_mode::ExecutionConfig {
        timeout_seconds: 1,
        ..Default::default()
    };
    let mut executor = pmcp_code_mode::PlanExecutor::new(Answering(None), config);
    let plan = peer::plan(&program);
    let ended = runtime.block_on(async { timeout(long, executor.execute(&plan)).await });
    assert!(ended.is_err(), "the peer has ended the script");
}

/// SUR-08.
#[test]
fn only_the_toolkit_refuses_an_answer_that_is_too_large() {
    let call = match get("/") {
        Step::Call { call, .. } => call,
        _ => unreachable!("a call"),
    };
    let keep = Step::Call {
        into: Some("r"),
        call,
    };
    let program = vec![keep, Step::Return(var("r"))];
    let length = ExecutionConfig::default().max_response_bytes;
    let runtime = Builder::new_current_thread().build().expect("a runtime");

    let executor = PlanExecutor::new(Answering(Some(length)), ExecutionConfig::default());
    let ended = runtime.block_on(executor.execute(&plan(&program)));
    let over = ExecutionError::Limit(LimitReached::ResponseSize { limit: length });
    assert_eq!(ended.map(|result| result.value), Err(over));

    let config = pmcp_code_mode::ExecutionConfig::default();
    let mut executor = pmcp_code_mode::PlanExecutor::new(Answering(Some(length)), config);
    let plan = peer::plan(&program);
    let ended = runtime
        .block_on(executor.execute(&plan))
        .expect("an answer");
    assert_eq!(ended.value.as_str().map(str::len), Some(length));
}
