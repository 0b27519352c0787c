//! The client of curated tools.

use std::sync::Arc;

use pmcp_server_toolkit::HttpConnector;
use pmcp_server_toolkit::http::{Operation, Parameter, ParameterLocation};
use proofmark_conformance::subject::ExecutorEnv;
use proofmark_conformance::toolkit::async_trait;
use proofmark_conformance::toolkit::executor::{ExecutionError, HttpExecutor};
use proofmark_conformance::toolkit::path::ResolvedPath;
use serde_json::{Value, json};

use crate::error::{SetupError, told};
use crate::request_policy;

/// A client of curated tools that can be judged. Made by [`curated_executor`].
pub struct JudgedClient {
    connector: Arc<dyn HttpConnector>,
    tool: String,
}

/// Lets a client of curated tools be judged as what sends requests: each is an operation of its own,
/// whose path is finished and whose fields are declared as the method carries them. It is given the
/// judge's policy.
///
/// # Errors
///
/// [`SetupError::Ungoverned`] where the connector takes no policy.
///
/// ```
/// use pmcp_server_toolkit::http::{HttpClient, HttpConfig};
/// use proofmark_conformance::conformance;
/// use proofmark_conformance::subject::{BuildError, ExecutorEnv};
///
/// fn mine(env: &ExecutorEnv) -> Result<proofmark_pmcp::JudgedClient, BuildError> {
///     let config = HttpConfig { timeout_seconds: 2, retries: 0, ..HttpConfig::default() };
///     let auth = proofmark_pmcp::auth(env)?;
///     let client = HttpClient::from_config(env.base_url().to_owned(), auth, config)?;
///     Ok(proofmark_pmcp::curated_executor(env, client)?)
/// }
///
/// conformance! {
///     executor my_client(bearer, policy, comma_arrays, deadline_ms = 2_500) = |env| mine(env);
/// }
/// # fn main() {}
/// ```
pub fn curated_executor(
    env: &ExecutorEnv,
    client: impl HttpConnector,
) -> Result<JudgedClient, SetupError> {
    let governed = client.governed(request_policy(env.policy()));
    Ok(JudgedClient {
        connector: governed.ok_or(SetupError::Ungoverned)?,
        tool: env.tool().to_owned(),
    })
}

#[async_trait]
impl HttpExecutor for JudgedClient {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let get_like = ["GET", "HEAD", "OPTIONS"];
        let get_like = get_like.contains(&method.to_uppercase().as_str());
        let beside = if get_like {
            ParameterLocation::Query
        } else {
            ParameterLocation::Body
        };
        let arguments = arguments(body, get_like);
        let names = arguments.as_object().into_iter().flatten();
        let parameters = names.map(|(name, _)| Parameter::new(name, beside, false));
        let operation = Operation {
            method: method.to_owned(),
            path: path.as_str().to_owned(),
            parameters: parameters.collect(),
            has_request_body: !get_like,
            base_url: None,
        };
        let sent = self
            .connector
            .execute_for_tool(&self.tool, &operation, &arguments);
        sent.await.map_err(|error| told(&error))
    }
}

/// The arguments that ask for this body. One that is no object is the argument that the toolkit
/// reserves for a whole body; where there is none, it is all that is given.
fn arguments(body: Option<Value>, get_like: bool) -> Value {
    match body {
        None => json!({}),
        Some(body) if body.is_object() || get_like => body,
        Some(body) => json!({"body": body}),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::none(None, false, json!({}))]
    #[case::of_a_get(Some(json!([1])), true, json!([1]))]
    #[case::members(Some(json!({"a": 1})), false, json!({"a": 1}))]
    #[case::whole(Some(json!([1])), false, json!({"body": [1]}))]
    fn a_body_is_asked_for_as_the_toolkit_takes_it(
        #[case] body: Option<Value>,
        #[case] get_like: bool,
        #[case] expected: Value,
    ) {
        assert_eq!(arguments(body, get_like), expected);
    }

    #[test]
    fn a_connector_that_takes_no_policy_is_not_judged() {
        struct Deaf;

        #[pmcp_server_toolkit::async_trait]
        impl HttpConnector for Deaf {
            async fn execute(
                &self,
                _: &Operation,
                _: &Value,
            ) -> Result<Value, pmcp_server_toolkit::HttpConnectorError> {
                Ok(Value::Null)
            }

            fn base_url(&self) -> &str {
                ""
            }
        }

        let env = ExecutorEnv::new("http://127.0.0.1:9");
        let error = curated_executor(&env, Deaf).err().unwrap();
        assert!(matches!(error, SetupError::Ungoverned), "{error}");
    }
}
