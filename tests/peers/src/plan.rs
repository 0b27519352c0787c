//! One call resolved by the public plan executor, as the mock behind it sees it.

use std::sync::{Arc, Mutex, PoisonError};

use pmcp_code_mode::{
    ExecutionConfig, ExecutionError, ExecutionPlan, HttpExecutor, PathPart, PathTemplate,
    PlanExecutor, PlanMetadata, PlanStep, ResolvedPath, ValueExpr,
};
use serde_json::{Map, Value};

use crate::answering::Deaf;

/// What a resolution hands to an executor.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    /// The resolved path, with its query.
    pub path: String,
    /// What is left of the body.
    pub body: Option<Value>,
}

/// An executor that writes down what it is asked to send.
#[derive(Default, Clone)]
struct Recorder(Arc<Mutex<Vec<Sent>>>);

#[async_trait::async_trait]
impl HttpExecutor for Recorder {
    async fn execute_request(
        &self,
        _method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let sent = Sent {
            path: path.as_str().to_owned(),
            body,
        };
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(sent);
        Ok(Value::Null)
    }
}

/// A plan of one POST, whose path is made of `parts` and whose body is `body`.
#[must_use]
pub fn one_call(parts: Vec<PathPart>, body: Option<Value>) -> ExecutionPlan {
    ExecutionPlan {
        steps: vec![PlanStep::ApiCall {
            result_var: "r".to_owned(),
            method: "POST".to_owned(),
            path: PathTemplate { parts },
            body: body.map(ValueExpr::Literal),
        }],
        metadata: PlanMetadata {
            api_call_count: 1,
            has_mutations: true,
            endpoints: Vec::new(),
            methods_used: vec!["POST".to_owned()],
        },
    }
}

/// What the plan executor sends for the call, or its refusal.
///
/// # Errors
///
/// The text of the refusal.
pub async fn send(
    parts: Vec<PathPart>,
    variables: &Map<String, Value>,
    body: Option<Value>,
) -> Result<Sent, String> {
    let recorder = Recorder::default();
    let mut executor = PlanExecutor::new(recorder.clone(), ExecutionConfig::default());
    for (name, value) in variables {
        executor.set_variable(name.clone(), value.clone());
    }
    executor
        .execute(&one_call(parts, body))
        .await
        .map_err(|error| error.to_string())?;
    let mut sent = recorder.0.lock().unwrap_or_else(PoisonError::into_inner);
    sent.pop().ok_or_else(|| "nothing was sent".to_owned())
}

/// Runs the plan on an executor that does nothing.
///
/// # Errors
///
/// The refusal of the plan executor.
pub async fn run_deaf(
    plan: &ExecutionPlan,
    variables: &[(&str, Value)],
) -> Result<Value, ExecutionError> {
    let mut executor = PlanExecutor::new(Deaf, ExecutionConfig::default());
    for (name, value) in variables {
        executor.set_variable(*name, value.clone());
    }
    executor.execute(plan).await.map(|result| result.value)
}
