//! A backend that writes down what it is sent, and short ways to write plans.

use std::sync::{Arc, Mutex};

use proofmark::async_trait;
use proofmark::executor::{
    BackendFault, ExecutionConfig, ExecutionError, ExecutionPlan, ExecutionResult, HttpExecutor,
    Method, PlanExecutor, PlanStep, PlannedCall, ValueExpr,
};
use proofmark::path::{PathTemplate, PlaceholderRules, ResolvedPath};
use serde_json::{Value, json};

/// What a backend was sent.
pub type Sent = (String, String, Option<Value>);

/// Writes down requests and answers with the path; what lies below `/fail` fails, and what lies below
/// `/hang` never answers.
#[derive(Clone, Default)]
pub struct Backend {
    sent: Arc<Mutex<Vec<Sent>>>,
    asked: Arc<Mutex<Vec<(String, String, String)>>>,
    answer: Option<Value>,
}

impl Backend {
    pub fn answering(answer: Value) -> Self {
        Self {
            answer: Some(answer),
            ..Self::default()
        }
    }

    pub fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    pub fn paths(&self) -> Vec<String> {
        self.sent().into_iter().map(|(_, path, _)| path).collect()
    }

    /// The rules that were asked for: method, template, parameter.
    pub fn asked(&self) -> Vec<(String, String, String)> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl HttpExecutor for Backend {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let path = path.as_str();
        self.sent
            .lock()
            .unwrap()
            .push((method.to_owned(), path.to_owned(), body));
        if path.starts_with("/hang") {
            std::future::pending::<()>().await;
        }
        if path.starts_with("/fail") {
            return Err(BackendFault::Broken.into());
        }
        // Answers out of order: whoever asked first is answered last.
        for _ in 0..path.len() {
            tokio::task::yield_now().await;
        }
        Ok(self.answer.clone().unwrap_or_else(|| json!({"path": path})))
    }

    fn placeholder_rules(
        &self,
        method: &str,
        path_template: &str,
        param: &str,
    ) -> PlaceholderRules<'_> {
        let key = [method, path_template, param].map(str::to_owned);
        self.asked.lock().unwrap().push(key.into());
        match (method, path_template) {
            ("GET", "/numbers/{id}") => PlaceholderRules::default().with_pattern(Some("^[0-9]+$")),
            _ => PlaceholderRules::default(),
        }
    }
}

pub fn template(path: &str) -> PathTemplate {
    PathTemplate::parse(path).unwrap()
}

pub fn get(path: &str) -> PlannedCall {
    PlannedCall::new(Method::Get, template(path))
}

/// A step that makes a call and drops its answer.
pub fn call(call: PlannedCall) -> PlanStep {
    PlanStep::ApiCall {
        result_var: None,
        call,
    }
}

pub fn call_into(result: &str, call: PlannedCall) -> PlanStep {
    PlanStep::ApiCall {
        result_var: Some(result.to_owned()),
        call,
    }
}

pub fn assign(name: &str, expr: ValueExpr) -> PlanStep {
    PlanStep::Assign {
        var: name.to_owned(),
        expr,
    }
}

pub fn give_back(value: ValueExpr) -> PlanStep {
    PlanStep::Return { value }
}

pub fn each(items: Value, body: Vec<PlanStep>) -> PlanStep {
    PlanStep::BoundedLoop {
        item_var: "item".to_owned(),
        collection: ValueExpr::literal(items),
        max_iterations: usize::MAX,
        body,
    }
}

pub fn attempt(try_steps: Vec<PlanStep>, catch: Vec<PlanStep>, finally: Vec<PlanStep>) -> PlanStep {
    PlanStep::TryCatch {
        try_steps,
        catch_var: (!catch.is_empty()).then(|| "e".to_owned()),
        catch_steps: (!catch.is_empty()).then_some(catch),
        finally_steps: finally,
    }
}

pub fn var(name: &str) -> ValueExpr {
    ValueExpr::variable(name)
}

pub fn lit(value: Value) -> ValueExpr {
    ValueExpr::literal(value)
}

/// Runs steps with default limits and these variables.
pub async fn run(
    backend: &Backend,
    variables: Value,
    steps: Vec<PlanStep>,
) -> Result<ExecutionResult, ExecutionError> {
    run_within(ExecutionConfig::default(), backend, variables, steps).await
}

pub async fn run_within(
    config: ExecutionConfig,
    backend: &Backend,
    variables: Value,
    steps: Vec<PlanStep>,
) -> Result<ExecutionResult, ExecutionError> {
    let mut executor = PlanExecutor::new(backend.clone(), config);
    for (name, value) in variables.as_object().into_iter().flatten() {
        executor.set_variable(name, value.clone());
    }
    executor.execute(&ExecutionPlan::new(steps)).await
}

/// The value of an expression.
pub async fn value_of(expr: ValueExpr, variables: Value) -> Result<Value, ExecutionError> {
    let result = run(&Backend::default(), variables, vec![give_back(expr)]).await?;
    Ok(result.value)
}
