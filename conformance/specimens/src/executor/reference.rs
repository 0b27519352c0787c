//! The toolkit's own executor.

use std::sync::Arc;
use std::time::Duration;

use proofmark::http::{
    ApiKeyAuth, BasicAuth, BearerAuth, HttpAuthProvider, HttpCodeExecutor, HttpConfig,
    HttpSetupError, NoAuth, OAuth2ClientCredentialsAuth, OAuthPassthroughAuth,
};
use proofmark_conformance::profile::{AuthScheme, ExecutorProfile};
use proofmark_conformance::subject::{Described, ExecutorEnv, ExecutorSubject};

/// The names under which the reference's keys travel.
const KEY_HEADER: &str = "x-api-key";
const KEY_PAIR: &str = "api_key";

/// The toolkit's executor, with every credential it can send.
pub fn references() -> Vec<ExecutorSubject> {
    let profile = || {
        ExecutorProfile::new()
            .policy()
            .retries()
            .methods(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"])
    };
    let keys = profile()
        .bearer()
        .basic()
        .header_key(KEY_HEADER)
        .query_key(KEY_PAIR)
        .forwarded();
    let subjects = [
        ExecutorSubject::new("http_code_executor", keys, described),
        ExecutorSubject::new(
            "http_code_executor_query_key",
            profile().query_key(KEY_PAIR),
            described,
        ),
        ExecutorSubject::new(
            "http_code_executor_oauth2",
            profile().token_endpoint(),
            described,
        ),
    ];
    let version = env!("CARGO_PKG_VERSION");
    subjects.map(|subject| subject.version_is(version)).into()
}

fn described(env: &ExecutorEnv) -> Described<Result<HttpCodeExecutor, HttpSetupError>> {
    Described::new(build(env))
}

fn build(env: &ExecutorEnv) -> Result<HttpCodeExecutor, HttpSetupError> {
    let config = HttpConfig::default()
        .with_timeout(env.deadline())
        .with_retry_backoff(Duration::from_millis(10));
    let auth = auth(env, &config)?;
    let executor = HttpCodeExecutor::with_config(env.base_url(), auth, config)?
        .with_request_policy(env.policy())
        .with_tool_label(env.tool())
        .with_call_id(env.call_id());
    let inbound = matches!(env.scheme(), Some(AuthScheme::Forwarded));
    Ok(executor.with_inbound_token(inbound.then(|| env.credential().into())))
}

fn auth(
    env: &ExecutorEnv,
    config: &HttpConfig,
) -> Result<Arc<dyn HttpAuthProvider>, HttpSetupError> {
    let credential = env.credential();
    Ok(match env.scheme() {
        None => Arc::new(NoAuth),
        Some(AuthScheme::Basic) => Arc::new(BasicAuth::new(env.user(), credential)?),
        Some(AuthScheme::HeaderKey(name)) => Arc::new(ApiKeyAuth::in_header(name, credential)?),
        Some(AuthScheme::QueryKey(name)) => Arc::new(ApiKeyAuth::in_query(name, credential)?),
        Some(AuthScheme::Forwarded) => Arc::new(OAuthPassthroughAuth::new()),
        Some(AuthScheme::TokenEndpoint) => Arc::new(OAuth2ClientCredentialsAuth::with_config(
            env.token_url(),
            env.user(),
            credential,
            config,
        )?),
        Some(_) => Arc::new(BearerAuth::new(credential)?),
    })
}
