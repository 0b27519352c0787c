//! The toolkit's own surfaces: the curated client, and the executor of scripts.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use proofmark::async_trait;
use proofmark::executor::{ExecutionConfig, HttpExecutor as _, PlanExecutor};
use proofmark::http::{
    ApiKeyAuth, BasicAuth, BearerAuth, HttpAuthProvider, HttpClient, HttpCodeExecutor, HttpConfig,
    HttpConnector as _, HttpSetupError, NoAuth, OAuthPassthroughAuth, Operation, OperationError,
    Parameter, SecretString,
};
use proofmark::path::PathTemplate;
use proofmark_conformance::profile::{AuthScheme, SurfaceProfile};
use proofmark_conformance::subject::{
    Described, EXECUTE_CODE, OperationSpec, ParameterSpec, Place, Script, ScriptCall, ScriptStep,
    ScriptValue, Surface, SurfaceEnv, SurfaceSubject, ToolAction, ToolCall, ToolFailure,
};
use serde_json::Value;

/// The limits of the reference surfaces.
const CALLS: u64 = 20;
const ITERATIONS: u64 = 100;
const RESPONSE_BYTES: u64 = 64 << 10;
const SCRIPT_MS: u64 = 400;

/// The names under which the reference's keys travel.
const KEY_HEADER: &str = "x-api-key";
const KEY_PAIR: &str = "api_key";

/// The toolkit's surfaces, with every credential they can send.
pub(crate) fn references() -> Vec<SurfaceSubject> {
    let profile = || {
        SurfaceProfile::new()
            .retries()
            .methods(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"])
            .bearer()
            .basic()
            .header_key(KEY_HEADER)
            .query_key(KEY_PAIR)
            .forwarded()
            .response_bytes(RESPONSE_BYTES)
    };
    let curated = profile().curated().argument_validator().header_parameters();
    let scripted = profile()
        .scripted()
        .validates_scripts()
        .calls_per_script(CALLS)
        .loop_iterations(ITERATIONS)
        .script_ms(SCRIPT_MS);
    let subjects = [
        SurfaceSubject::new("http_client_surface", curated, |env| {
            Described::new(Curated::new(env))
        }),
        SurfaceSubject::new("plan_executor_surface", scripted, |env| {
            Described::new(Scripted::new(env))
        }),
    ];
    let version = env!("CARGO_PKG_VERSION");
    subjects.map(|subject| subject.version_is(version)).into()
}

fn config(env: &SurfaceEnv) -> HttpConfig {
    HttpConfig::default()
        .with_timeout(env.deadline())
        .with_retry_backoff(Duration::from_millis(5))
        .with_max_response_bytes(size(RESPONSE_BYTES))
}

fn size(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn auth(env: &SurfaceEnv) -> Result<Arc<dyn HttpAuthProvider>, HttpSetupError> {
    let credential = env.credential();
    Ok(match env.scheme() {
        None => Arc::new(NoAuth),
        Some(AuthScheme::Basic) => Arc::new(BasicAuth::new(env.user(), credential)?),
        Some(AuthScheme::HeaderKey(name)) => Arc::new(ApiKeyAuth::in_header(name, credential)?),
        Some(AuthScheme::QueryKey(name)) => Arc::new(ApiKeyAuth::in_query(name, credential)?),
        Some(AuthScheme::Forwarded) => Arc::new(OAuthPassthroughAuth::new()),
        Some(_) => Arc::new(BearerAuth::new(credential)?),
    })
}

/// The caller's own token, where that is what is passed on.
fn inbound(env: &SurfaceEnv) -> Option<SecretString> {
    let is_inbound = matches!(env.scheme(), Some(AuthScheme::Forwarded));
    is_inbound.then(|| env.credential().into())
}

/// Tools that send one request each.
#[derive(Debug)]
struct Curated {
    client: HttpClient,
    operations: HashMap<String, Operation>,
}

impl Curated {
    fn new(env: &SurfaceEnv) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let client = HttpClient::with_config(env.base_url(), auth(env)?, config(env))?
            .with_hooks(env.hooks())
            .with_inbound_token(inbound(env));
        let mut operations = HashMap::new();
        for tool in env.tools() {
            if let ToolAction::Operation(operation) = &tool.action {
                operations.insert(tool.name.clone(), declared(operation)?);
            }
        }
        Ok(Self { client, operations })
    }
}

fn declared(operation: &OperationSpec) -> Result<Operation, OperationError> {
    let parameters = operation.parameters.iter().map(parameter);
    Operation::new(&operation.method, &operation.path, parameters)
}

fn parameter(spec: &ParameterSpec) -> Parameter {
    let name = spec.name.as_str();
    let parameter = match spec.place {
        Place::Path => Parameter::path(name),
        Place::Query => Parameter::query(name),
        // The judge declares headers for the backend's sake: no policy has to see them.
        Place::Header => Parameter::header(name).past_policy(),
        Place::Body => Parameter::body(name),
    };
    let parameter = match &spec.pattern {
        Some(pattern) => parameter.with_pattern(pattern),
        None => parameter,
    };
    match spec.required {
        true => parameter.required(),
        false => parameter,
    }
}

#[async_trait]
impl Surface for Curated {
    async fn call(&self, call: ToolCall) -> Result<Value, ToolFailure> {
        let operation = self.operations.get(&call.tool);
        let operation = operation.ok_or_else(|| ToolFailure::refused("there is no such tool"))?;
        let sent = self
            .client
            .execute_for_tool(&call.tool, operation, &call.arguments);
        Ok(sent.await?)
    }
}

/// Scripts: the caller's own, and those of tools.
#[derive(Debug)]
struct Scripted {
    http: HttpCodeExecutor,
    config: ExecutionConfig,
    tools: HashMap<String, Script>,
}

impl Scripted {
    fn new(env: &SurfaceEnv) -> Result<Self, HttpSetupError> {
        let http = HttpCodeExecutor::with_config(env.base_url(), auth(env)?, config(env))?
            .with_hooks(env.hooks())
            .with_inbound_token(inbound(env));
        let tools = env.tools().iter().filter_map(|tool| match &tool.action {
            ToolAction::Script(script) => Some((tool.name.clone(), script.clone())),
            _ => None,
        });
        Ok(Self {
            http,
            config: ExecutionConfig::default()
                .with_max_api_calls(size(CALLS))
                .with_max_loop_iterations(size(ITERATIONS))
                .with_max_response_bytes(size(RESPONSE_BYTES))
                .with_time_limit(Some(Duration::from_millis(SCRIPT_MS))),
            tools: tools.collect(),
        })
    }

    fn for_call(&self, tool: &str) -> Result<HttpCodeExecutor, ToolFailure> {
        let bound = self.http.for_call(tool);
        bound.map_err(|cause| ToolFailure::fault(cause.to_string()))
    }
}

#[async_trait]
impl Surface for Scripted {
    async fn call(&self, call: ToolCall) -> Result<Value, ToolFailure> {
        let script = call.script.as_ref().or_else(|| self.tools.get(&call.tool));
        let script = script.ok_or_else(|| ToolFailure::refused("there is no such tool"))?;
        let plan = script.plan();
        let plan = plan.map_err(|fault| ToolFailure::refused(fault.to_string()))?;
        let executor = PlanExecutor::new(self.for_call(&call.tool)?, self.config.clone());
        Ok(executor.execute(&plan).await?.value)
    }

    async fn validate(&self, script: Script) -> Result<(), ToolFailure> {
        let http = self.for_call(EXECUTE_CODE)?;
        let mut left: Vec<&ScriptStep> = script.steps.iter().rev().collect();
        while let Some(step) = left.pop() {
            match step {
                ScriptStep::Call { call, .. } => preview(&http, call).await?,
                ScriptStep::ForEach { body, .. } => left.extend(body.steps.iter().rev()),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Asks the policy about a call whose every part is literal.
async fn preview(http: &HttpCodeExecutor, call: &ScriptCall) -> Result<(), ToolFailure> {
    let body = match &call.body {
        None => None,
        Some(ScriptValue::Literal(body)) => Some(body.clone()),
        Some(_) => return Ok(()),
    };
    let template = PathTemplate::parse(&call.path);
    let template = template.map_err(|error| ToolFailure::refused(error.to_string()))?;
    if template.is_dynamic() {
        return Ok(());
    }
    let rules = |method: &str, path: &str, param: &str| http.placeholder_rules(method, path, param);
    let resolution = template
        .resolve(&call.method, |_| None, rules, body)
        .map_err(proofmark::executor::ExecutionError::from)?;
    let (target, body) = resolution.into_parts();
    Ok(http.preview(&call.method, target.as_path(), body).await?)
}
