//! A surface seen as an executor, so that what holds for whatever sends requests is judged of it in
//! the same way: each request is made by a `tools/call` of its own.

use std::sync::Arc;

use proofmark::async_trait;
use proofmark::executor::{ExecutionError, HttpExecutor, Method};
use proofmark::path::ResolvedPath;
use serde_json::{Map, Value};

use super::{
    MadeSurface, ParameterSpec, Place, Script, ScriptCall, ScriptValue, Surface, SurfaceEnv,
    SurfaceSubject, ToolCall, ToolFailure, ToolSpec,
};
use crate::subject::executor::BuildError;
use crate::subject::{Described, ExecutorEnv, ExecutorSubject};

impl SurfaceSubject {
    /// The surface as an executor, once for each way in which it can be called.
    pub(crate) fn as_executors(&self) -> Vec<ExecutorSubject> {
        let profile = self.profile().as_sender();
        let mut executors = Vec::new();
        if self.profile().scripted {
            let surface = self.clone();
            let make = move |env: &ExecutorEnv| {
                let made = surface.make(&env_of(&surface, env));
                told_with(made, |made| ByScript(made.surface))
            };
            executors.push(ExecutorSubject::new(self.name(), profile.clone(), make));
        }
        if self.profile().curated {
            let surface = self.clone();
            let make = move |env: &ExecutorEnv| by_tool(&surface, env);
            executors.push(ExecutorSubject::new(self.name(), profile, make));
        }
        executors
    }
}

fn env_of(surface: &SurfaceSubject, env: &ExecutorEnv) -> SurfaceEnv {
    let made = SurfaceEnv::new(env.base_url())
        .with_credential(env.scheme().cloned(), env.user(), env.credential())
        .with_policy(env.policy());
    match surface.profile().deadline_ms {
        Some(_) => made,
        None => made.with_deadline(env.deadline()),
    }
}

/// Sends each request as the only call of a script.
struct ByScript(Arc<dyn Surface>);

#[async_trait]
impl HttpExecutor for ByScript {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let mut call = ScriptCall::new(method, path.as_str());
        call.body = body.map(ScriptValue::Literal);
        let script = Script::new()
            .keep("answer", call)
            .returning(ScriptValue::variable("answer"));
        let ended = self.0.call(ToolCall::of_script(script)).await;
        ended.map_err(|failure| told(&failure))
    }
}

/// Sends each request by a tool that is declared for it.
struct ByTool {
    surface: SurfaceSubject,
    env: SurfaceEnv,
}

fn by_tool(surface: &SurfaceSubject, env: &ExecutorEnv) -> Described<Result<ByTool, BuildError>> {
    let env = env_of(surface, env);
    // A base URL or a credential that is refused is refused now.
    let tool = ToolSpec::operation("get_item", "GET", "/items/7", []);
    let made = surface.make(&env.clone().with_tools([tool]));
    let surface = surface.clone();
    told_with(made, |_| ByTool { surface, env })
}

/// What is made of a surface, with what the surface shows of itself.
fn told_with<E>(
    made: Result<MadeSurface, BuildError>,
    executor: impl FnOnce(MadeSurface) -> E,
) -> Described<Result<E, BuildError>> {
    let debug = made.as_ref().ok().and_then(|made| made.debug.clone());
    Described::with(made.map(executor), debug)
}

#[async_trait]
impl HttpExecutor for ByTool {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let get_like = Method::parse(method).is_ok_and(Method::is_get_like);
        let place = if get_like { Place::Query } else { Place::Body };
        let arguments = body.unwrap_or_else(|| Value::Object(Map::new()));
        let fields = arguments.as_object().into_iter().flatten();
        let parameters = fields.map(|(name, _)| ParameterSpec::new(name, place));
        let tool = ToolSpec::operation("send_request", method, path.as_str(), parameters);
        let env = self.env.clone().with_tools([tool]);
        let made = self
            .surface
            .make(&env)
            .map_err(|cause| told(&ToolFailure::refused(cause.to_string()).with_error(&*cause)))?;
        let call = ToolCall::new("send_request", arguments);
        let ended = made.surface.call(call).await;
        ended.map_err(|failure| told(&failure))
    }
}

/// Everything that the failure shows, in one text.
fn told(failure: &ToolFailure) -> ExecutionError {
    let texts = failure.texts().iter();
    let texts: Vec<&str> = texts.map(|(_, text)| text.as_str()).collect();
    ExecutionError::RefusedArguments {
        message: texts.join("\n"),
    }
}
