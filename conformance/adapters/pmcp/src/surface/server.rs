//! The tools that the toolkit makes of a server's configuration.

use std::collections::HashMap;
use std::sync::Arc;

use pmcp::ToolHandler;
use pmcp::server::auth::AuthContext;
use pmcp_code_mode::ExecutionConfig;
use pmcp_server_toolkit::code_mode::{
    HttpCodeExecutor, ValidationFlavor, code_mode_http_tools_from_executor,
};
use pmcp_server_toolkit::http::HttpConnector;
use pmcp_server_toolkit::{
    ServerConfig, synthesize_from_config_with_http_connector_and_hooks,
    synthesize_from_config_with_http_connector_and_scripts_and_hooks,
};
use proofmark_conformance::subject::{
    EXECUTE_CODE, Script, Surface, SurfaceEnv, ToolCall, ToolFailure,
};
use proofmark_conformance::toolkit::async_trait;
use serde_json::{Value, json};

use super::declared::configured;
use crate::error::SetupError;
use crate::{hooks, request_policy};

/// The tool that looks at scripts.
const VALIDATE_CODE: &str = "validate_code";

type Handler = Arc<dyn ToolHandler>;

/// A server's tools that can be judged. Made by [`curated_server`] or [`script_server`].
///
/// What a handler rejects, as the toolkit calls it, is the caller's to mend; any other error is a
/// fault.
pub struct JudgedServer {
    tools: HashMap<String, Handler>,
    /// Looks at a script, and asks the policy about it.
    validate: Option<Handler>,
    /// Approves scripts without asking, so that a call is judged alone.
    approve: Option<Handler>,
    execute: Option<Handler>,
    /// The caller's token, where that is what is passed on.
    token: String,
}

/// Lets the curated tools of a configuration be judged, whatever client they send by: the judge's
/// tools are put in the place of the configuration's own, and its hooks are registered.
///
/// # Errors
///
/// Where the connector takes no policy, or the toolkit makes no tools.
///
/// ```
/// use pmcp_server_toolkit::ServerConfig;
/// use pmcp_server_toolkit::http::{HttpClient, HttpConfig};
/// use proofmark_conformance::conformance;
/// use proofmark_conformance::subject::{BuildError, SurfaceEnv};
///
/// fn mine(env: &SurfaceEnv) -> Result<proofmark_pmcp::JudgedServer, BuildError> {
///     let config = HttpConfig { timeout_seconds: 2, retries: 0, ..HttpConfig::default() };
///     let auth = proofmark_pmcp::auth(env)?;
///     let client = HttpClient::from_config(env.base_url().to_owned(), auth, config)?;
///     Ok(proofmark_pmcp::curated_server(env, client, ServerConfig::default())?)
/// }
///
/// conformance! {
///     surface my_tools(curated, bearer, argument_validator, optional_schema, deadline_ms = 2_500) = |env| mine(env);
/// }
/// # fn main() {}
/// ```
pub fn curated_server(
    env: &SurfaceEnv,
    client: impl HttpConnector,
    config: ServerConfig,
) -> Result<JudgedServer, SetupError> {
    let connector = governed(env, client)?;
    let config = configured(env, config);
    let made =
        synthesize_from_config_with_http_connector_and_hooks(&config, connector, &hooks(env))?;
    Ok(JudgedServer {
        tools: made
            .into_iter()
            .map(|(name, _, handler)| (name, handler))
            .collect(),
        validate: None,
        approve: None,
        execute: None,
        token: env.credential().to_owned(),
    })
}

/// Lets the scripts of a configuration be judged: `validate_code`, `execute_code`, and a script tool
/// for each that the judge declares in the place of the configuration's own. `config` needs a
/// `[code_mode]` with a token secret. The executor is given the judge's policy.
///
/// A script is approved before it is executed, as it has to be; the policy is not asked then, unless
/// it is validation that is judged.
///
/// # Errors
///
/// Where the toolkit makes no tools, among them those whose script does not compile.
///
/// ```
/// use std::time::Duration;
/// use pmcp_code_mode::ExecutionConfig;
/// use pmcp_server_toolkit::ServerConfig;
/// use pmcp_server_toolkit::code_mode::HttpCodeExecutor;
/// use proofmark_conformance::conformance;
/// use proofmark_conformance::subject::{BuildError, SurfaceEnv};
///
/// const CONFIG: &str = r#"
///     [code_mode]
///     enabled = true
///     token_secret = "not a secret at all, but long enough"
///     allow_inline_token_secret_for_dev = true
/// "#;
///
/// fn mine(env: &SurfaceEnv) -> Result<proofmark_pmcp::JudgedServer, BuildError> {
///     let client = reqwest::Client::builder().timeout(Duration::from_secs(2)).build()?;
///     let auth = proofmark_pmcp::auth(env)?;
///     let executor = HttpCodeExecutor::new(client, env.base_url().to_owned(), auth);
///     let config = ServerConfig::from_toml(CONFIG)?;
///     Ok(proofmark_pmcp::script_server(env, executor, ExecutionConfig::default(), config)?)
/// }
///
/// conformance! {
///     surface my_scripts(
///         scripted,
///         validates_scripts,
///         bearer,
///         methods = ["GET", "HEAD"],
///         calls_per_script = 50,
///         loop_iterations = 100,
///         deadline_ms = 2_500,
///     ) = |env| mine(env);
/// }
/// # fn main() {}
/// ```
pub fn script_server(
    env: &SurfaceEnv,
    executor: HttpCodeExecutor,
    limits: ExecutionConfig,
    config: ServerConfig,
) -> Result<JudgedServer, SetupError> {
    let asking = match env.policy() {
        Some(policy) => executor.clone().with_request_policy(request_policy(policy)),
        None => executor.clone(),
    };
    let config = configured(env, config);
    let made = synthesize_from_config_with_http_connector_and_scripts_and_hooks(
        &config,
        Arc::new(NoOperations),
        asking.clone(),
        limits.clone(),
        &hooks(env),
    )?;
    let [validate, execute] = code_tools(&config, asking, &limits)?;
    let [approve, _] = code_tools(&config, executor, &limits)?;
    Ok(JudgedServer {
        tools: made
            .into_iter()
            .map(|(name, _, handler)| (name, handler))
            .collect(),
        validate: Some(validate),
        approve: Some(approve),
        execute: Some(execute),
        token: env.credential().to_owned(),
    })
}

fn governed(
    env: &SurfaceEnv,
    client: impl HttpConnector,
) -> Result<Arc<dyn HttpConnector>, SetupError> {
    match env.policy() {
        Some(policy) => client
            .governed(request_policy(policy))
            .ok_or(SetupError::Ungoverned),
        None => Ok(Arc::new(client)),
    }
}

/// `validate_code` and `execute_code` over an executor.
fn code_tools(
    config: &ServerConfig,
    executor: HttpCodeExecutor,
    limits: &ExecutionConfig,
) -> Result<[Handler; 2], SetupError> {
    let builder = pmcp::Server::builder().name("judged").version("0");
    let flavor = ValidationFlavor::OpenApi;
    let limits = limits.clone();
    let builder = code_mode_http_tools_from_executor(builder, config, executor, limits, flavor)?;
    let server = builder.build()?;
    let named = |name: &'static str| {
        let handler = server.get_tool(name).map(Arc::clone);
        handler.ok_or(SetupError::NoTool(name))
    };
    Ok([named(VALIDATE_CODE)?, named(EXECUTE_CODE)?])
}

/// Stands where the toolkit asks for a client of curated tools, and there are none.
struct NoOperations;

#[pmcp_server_toolkit::async_trait]
impl HttpConnector for NoOperations {
    async fn execute(
        &self,
        _: &pmcp_server_toolkit::Operation,
        _: &Value,
    ) -> Result<Value, pmcp_server_toolkit::HttpConnectorError> {
        let none = "no operation is declared".to_owned();
        Err(pmcp_server_toolkit::HttpConnectorError::Backend(none))
    }

    fn base_url(&self) -> &str {
        ""
    }
}

impl JudgedServer {
    async fn handled(
        &self,
        handler: &Handler,
        arguments: Value,
        call: &ToolCall,
    ) -> Result<Value, ToolFailure> {
        let mut caller = AuthContext::new("caller");
        caller.token = Some(self.token.clone());
        let mut extra = pmcp::RequestHandlerExtra::default().with_auth_context(Some(caller));
        let id = call.message_id.as_str().map(str::to_owned);
        extra.request_id = id.unwrap_or_else(|| call.message_id.to_string());
        extra.request_meta = Some(call.meta.clone());
        extra.metadata.extend(call.headers.iter().cloned());
        let answer = handler.handle(arguments, extra).await;
        answer.map_err(|error| failure(&error))
    }

    /// The token without which no script is executed.
    async fn approval(&self, call: &ToolCall, code: &str) -> Result<Value, ToolFailure> {
        let approve = self.approve.as_ref().ok_or_else(no_such_tool)?;
        let answer = self.handled(approve, json!({"code": code}), call).await?;
        Ok(answer.get("approval_token").cloned().unwrap_or_default())
    }
}

fn no_such_tool() -> ToolFailure {
    ToolFailure::refused("there is no such tool")
}

/// As the server reports it to its client.
fn failure(error: &pmcp::Error) -> ToolFailure {
    let failure = match error {
        pmcp::Error::ToolRejected { .. } => ToolFailure::refused(error.to_string()),
        _ => ToolFailure::fault(error.to_string()),
    };
    failure.with_error(error)
}

#[async_trait]
impl Surface for JudgedServer {
    async fn call(&self, call: ToolCall) -> Result<Value, ToolFailure> {
        let Some(script) = &call.script else {
            let handler = self.tools.get(&call.tool).ok_or_else(no_such_tool)?;
            return self.handled(handler, call.arguments.clone(), &call).await;
        };
        let execute = self.execute.as_ref().ok_or_else(no_such_tool)?;
        let code = script.source();
        let token = self.approval(&call, &code).await?;
        let arguments = json!({"code": code, "approval_token": token});
        self.handled(execute, arguments, &call).await
    }

    async fn validate(&self, script: Script) -> Result<(), ToolFailure> {
        let validate = self.validate.as_ref().ok_or_else(no_such_tool)?;
        let arguments = json!({"code": script.source()});
        let call = ToolCall::new(VALIDATE_CODE, arguments.clone());
        self.handled(validate, arguments, &call).await.map(drop)
    }
}
