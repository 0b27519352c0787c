//! What sends requests in the real crates, each with the profile that its documentation declares.

use std::time::Duration;

use pmcp_code_mode::ExecutionConfig;
use pmcp_server_toolkit::ServerConfig;
use pmcp_server_toolkit::code_mode::HttpCodeExecutor;
use pmcp_server_toolkit::http::{HttpClient, HttpConfig};
use proofmark_conformance::profile::{ExecutorProfile, SurfaceProfile};
use proofmark_conformance::subject::{
    BuildError, ExecutorEnv, ExecutorSubject, SurfaceEnv, SurfaceSubject,
};
use proofmark_pmcp::{
    Given, JudgedClient, JudgedOperations, JudgedServer, auth, client_surface, code_executor,
    curated_executor, curated_server, script_server,
};

/// The names under which keys travel.
const KEY_HEADER: &str = "x-api-key";
const KEY_PAIR: &str = "api_key";

const METHODS: [&str; 7] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];

/// Those that a script can send.
const OF_SCRIPTS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/// An attempt takes at most a second, and there are at most two of them.
const ATTEMPT: u64 = 1;
const DEADLINE_MS: u64 = 2_500;

const CALLS: usize = 20;
const ITERATIONS: usize = 100;
const SCRIPT_S: u64 = 1;

/// Every class of operations may be called: what is refused here is refused by the judge.
const CODE_MODE: &str = r#"
    [code_mode]
    enabled = true
    token_secret = "not a secret at all, but long enough"
    allow_inline_token_secret_for_dev = true
    write_mode = "allow_all"
    delete_mode = "allow_all"
    admin_mode = "allow_all"
"#;

/// Every executor, by name.
pub fn executors() -> Vec<ExecutorSubject> {
    let profile = || {
        ExecutorProfile::new()
            .policy()
            .bearer()
            .basic()
            .header_key(KEY_HEADER)
            .query_key(KEY_PAIR)
            .forwarded()
            .token_endpoint()
            .deadline_ms(DEADLINE_MS)
    };
    let client = profile().methods(METHODS).retries().comma_arrays();
    let code = profile().methods(OF_SCRIPTS);
    let by_default = code.clone();
    vec![
        ExecutorSubject::new("curated_client", client, curated_client),
        ExecutorSubject::new("code_executor", code, |env| {
            Ok::<_, BuildError>(code_executor(env, executor_of(env, env.base_url())?))
        }),
        ExecutorSubject::new("code_executor_by_default", by_default, |env| {
            let client = reqwest::Client::new();
            let base = env.base_url().to_owned();
            let executor = HttpCodeExecutor::new(client, base, auth(env)?);
            Ok::<_, BuildError>(code_executor(env, executor))
        }),
    ]
}

fn curated_client(env: &ExecutorEnv) -> Result<JudgedClient, BuildError> {
    Ok(curated_executor(env, client_of(env, env.base_url())?)?)
}

/// Every surface, by name.
pub fn surfaces() -> Vec<SurfaceSubject> {
    let profile = || {
        SurfaceProfile::new()
            .bearer()
            .basic()
            .header_key(KEY_HEADER)
            .query_key(KEY_PAIR)
            .forwarded()
            .deadline_ms(DEADLINE_MS)
    };
    let curated = || profile().curated().methods(METHODS).retries();
    let operations = curated().header_parameters();
    let tools = curated().argument_validator().optional_schema();
    let scripts = profile()
        .scripted()
        .validates_scripts()
        .methods(OF_SCRIPTS)
        .calls_per_script(CALLS as u64)
        .loop_iterations(ITERATIONS as u64)
        .script_ms(SCRIPT_S * 1000);
    vec![
        SurfaceSubject::new("http_client", operations, http_client),
        SurfaceSubject::new("curated_tools", tools, curated_tools),
        SurfaceSubject::new("code_mode", scripts, code_mode),
    ]
}

fn http_client(env: &SurfaceEnv) -> Result<JudgedOperations, BuildError> {
    Ok(client_surface(env, client_of(env, env.base_url())?)?)
}

fn curated_tools(env: &SurfaceEnv) -> Result<JudgedServer, BuildError> {
    let client = client_of(env, env.base_url())?;
    Ok(curated_server(env, client, ServerConfig::default())?)
}

fn code_mode(env: &SurfaceEnv) -> Result<JudgedServer, BuildError> {
    let limits = ExecutionConfig {
        max_api_calls: CALLS,
        max_loop_iterations: ITERATIONS,
        timeout_seconds: SCRIPT_S,
        ..ExecutionConfig::default()
    };
    let executor = executor_of(env, env.base_url())?;
    let config = ServerConfig::from_toml(CODE_MODE)?;
    Ok(script_server(env, executor, limits, config)?)
}

/// As a server's `[backend.http]` makes it.
fn client_of(env: &impl Given, base: &str) -> Result<HttpClient, BuildError> {
    let config = HttpConfig {
        timeout_seconds: ATTEMPT,
        retries: 1,
        retry_backoff_ms: 5,
        ..HttpConfig::default()
    };
    Ok(HttpClient::from_config(
        base.to_owned(),
        auth(env)?,
        config,
    )?)
}

/// With a client like the one that the toolkit builds for curated tools.
fn executor_of(env: &impl Given, base: &str) -> Result<HttpCodeExecutor, BuildError> {
    let client = reqwest::Client::builder()
        .timeout(Duration::from_secs(ATTEMPT))
        .redirect(reqwest::redirect::Policy::none())
        .build()?;
    Ok(HttpCodeExecutor::new(client, base.to_owned(), auth(env)?))
}
