//! Runs plans on an executor, within limits.

use std::fmt;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::deadline::until;
use super::meter::Meter;
use super::scope::{Values, Variables};
use super::steps::{Flow, Run};
use super::{ExecutionConfig, blocked};
use crate::executor::{ExecutionError, ExecutionPlan, HttpExecutor, Method, ScriptError};
use crate::path::nesting::bounded;

/// Runs plans on an [`HttpExecutor`].
///
/// Every target is resolved here, before the executor is asked: a refused value is never sent, and
/// what a value contributes is never read as a placeholder. All limits of the [`ExecutionConfig`]
/// are kept whatever a plan asks for; one that is reached ends the script, and no handler of the
/// script is asked. Time includes waiting: a backend that never answers is left when it is over.
///
/// One executor may run many plans at once; runs share nothing but the variables that were set
/// before.
///
/// ```
/// use proofmark::async_trait;
/// use proofmark::executor::{
///     ExecutionConfig, ExecutionError, ExecutionPlan, HttpExecutor, Method, PlanExecutor, PlanStep,
///     PlannedCall, ValueExpr,
/// };
/// use proofmark::path::{PathTemplate, ResolvedPath};
/// use serde_json::{Value, json};
///
/// struct Echo;
///
/// #[async_trait]
/// impl HttpExecutor for Echo {
///     async fn execute_request(
///         &self,
///         method: &str,
///         path: ResolvedPath<'_>,
///         _body: Option<Value>,
///     ) -> Result<Value, ExecutionError> {
///         Ok(json!({"asked": format!("{method} {path}")}))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let plan = ExecutionPlan::new(vec![
///     PlanStep::ApiCall {
///         result_var: Some("item".to_owned()),
///         call: PlannedCall::new(Method::Get, PathTemplate::parse("/items/${id}")?),
///     },
///     PlanStep::Return { value: ValueExpr::property(ValueExpr::variable("item"), "asked") },
/// ]);
/// let mut executor = PlanExecutor::new(Echo, ExecutionConfig::default());
/// executor.set_variable("id", json!(7));
/// let result = executor.execute(&plan).await?;
/// assert_eq!(result.value, json!("GET /items/7"));
/// # Ok(())
/// # }
/// ```
///
/// Source: seed 001.
pub struct PlanExecutor<H> {
    http: H,
    config: ExecutionConfig,
    variables: Values,
    /// A variable nested too deeply to be held.
    too_deep: bool,
}

/// What a plan came to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ExecutionResult {
    /// What it returned; `null` if it returned nothing.
    pub value: Value,
    /// The calls that were sent, in order.
    pub api_calls: Vec<ApiCallLog>,
    /// How long it took.
    pub duration: Duration,
}

/// One call that was sent, without any value of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiCallLog {
    /// The method.
    pub method: Method,
    /// The path as its author wrote it, never as it was resolved.
    pub path: String,
    /// Whether it came to nothing.
    pub failed: bool,
    /// How long it took.
    pub duration: Duration,
}

impl<H: HttpExecutor> PlanExecutor<H> {
    /// An executor without variables.
    #[must_use]
    pub fn new(http: H, config: ExecutionConfig) -> Self {
        Self {
            http,
            config,
            variables: Values::default(),
            too_deep: false,
        }
    }

    /// Sets a variable that every run begins with.
    ///
    /// One that nests deeper than [`MAX_BODY_DEPTH`](crate::path::MAX_BODY_DEPTH) is dropped, and
    /// no plan is run then.
    pub fn set_variable(&mut self, name: impl Into<String>, value: Value) {
        match bounded(value) {
            Some(value) => {
                self.variables.insert(name.into(), value);
            }
            None => self.too_deep = true,
        }
    }

    /// Runs a plan.
    ///
    /// # Errors
    ///
    /// The first error that the plan does not handle, or the limit that was reached. What was sent
    /// until then was sent.
    ///
    /// # Panics
    ///
    /// Outside a Tokio runtime with its timer, when it has to wait and has a time limit.
    pub async fn execute(&self, plan: &ExecutionPlan) -> Result<ExecutionResult, ExecutionError> {
        if self.too_deep {
            return Err(ScriptError::TooDeep.into());
        }
        let started = Instant::now();
        let mut run = Run {
            http: &self.http,
            config: &self.config,
            meter: Meter::new(&self.config, started),
            variables: Variables::new(&self.variables),
            log: Vec::new(),
            depth: 0,
        };
        let deadline = run.meter.deadline();
        let ended = match until(deadline, run.steps(&plan.steps)).await {
            Ok(ended) => ended.map_err(super::interrupt::Interrupt::into_error)?,
            Err(super::deadline::Elapsed) => return Err(run.meter.out_of_time().into()),
        };
        let value = match ended {
            Flow::Next => Value::Null,
            Flow::Return(value) => value,
            Flow::Continue | Flow::Break => return Err(ScriptError::OutsideLoop.into()),
        };
        if let Some(field) = blocked::found(&value, &self.config.output_blocked_fields) {
            return Err(ScriptError::BlockedField {
                field: field.to_owned(),
            }
            .into());
        }
        Ok(ExecutionResult {
            value,
            api_calls: run.log,
            duration: started.elapsed(),
        })
    }
}

/// Names variables and shows none of their values.
impl<H> fmt::Debug for PlanExecutor<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanExecutor")
            .field("config", &self.config)
            .field("variables", &self.variables.keys())
            .finish_non_exhaustive()
    }
}
