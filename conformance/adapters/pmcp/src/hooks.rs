//! The judge's policy and validators in the vocabulary of `pmcp-server-toolkit`.

use std::sync::Arc;

use pmcp_server_toolkit as pmcp;
use proofmark_conformance::subject::SurfaceEnv;
use proofmark_conformance::toolkit::policy::{ArgumentValidator, RequestPolicy};
use proofmark_conformance::toolkit::request::{OutboundRequest, RequestPhase};
use serde_json::Value;

/// The policy that the judge asks an executor or a surface to consult, as one that the toolkit's
/// clients take. It is the counterpart of [`policy`](crate::policy()): what it is shown reaches the
/// judge unchanged.
///
/// ```
/// use std::sync::Arc;
/// use pmcp_server_toolkit as pmcp;
/// use proofmark_conformance::toolkit::policy::{PolicyRefusal, policy_fn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let judges = policy_fn(|request| match request.method {
///     "GET" => Ok(()),
///     _ => Err(PolicyRefusal::new("only reading is allowed")),
/// });
/// let hook = proofmark_pmcp::request_policy(Arc::new(judges));
/// let request = pmcp::OutboundRequest::new("t", "DELETE", "https://api.example.test/v1", &[], None);
/// assert_eq!(hook.check(&request).await.unwrap_err().message(), "only reading is allowed");
/// # }
/// ```
#[must_use]
pub fn request_policy(policy: Arc<dyn RequestPolicy>) -> Arc<dyn pmcp::RequestPolicy> {
    Arc::new(Asked(policy))
}

/// The judge's policy and its validators of arguments, as the hooks of a server.
///
/// ```
/// use proofmark_conformance::subject::SurfaceEnv;
///
/// let env = SurfaceEnv::new("http://127.0.0.1:9");
/// assert!(proofmark_pmcp::hooks(&env).is_empty());
/// ```
#[must_use]
pub fn hooks(env: &SurfaceEnv) -> pmcp::ToolkitHooks {
    let given = env.hooks();
    let mut hooks = pmcp::ToolkitHooks::new();
    if let Some(policy) = given.request_policy() {
        hooks = hooks.with_request_policy(request_policy(policy));
    }
    for tool in given.validator_names() {
        if let Some(validator) = given.argument_validator_for(tool) {
            hooks = hooks.with_argument_validator(tool, Arc::new(Validating(validator)));
        }
    }
    hooks
}

struct Asked(Arc<dyn RequestPolicy>);

#[pmcp::async_trait]
impl pmcp::RequestPolicy for Asked {
    async fn check(&self, request: &pmcp::OutboundRequest<'_>) -> Result<(), pmcp::PolicyRefusal> {
        let phase = match request.phase {
            pmcp::RequestPhase::Execute => RequestPhase::Execute,
            pmcp::RequestPhase::Validate => RequestPhase::Validate,
            // Both enums may grow: what has no counterpart is not passed off as something else.
            _ => {
                return Err(pmcp::PolicyRefusal::new(
                    "the request's phase is not known here",
                ));
            }
        };
        let request = OutboundRequest::new(
            request.tool,
            request.method,
            request.path,
            request.query,
            request.body,
        )
        .with_call_id(request.call_id)
        .with_phase(phase);
        let answer = self.0.check(&request).await;
        answer.map_err(|refusal| pmcp::PolicyRefusal::new(refusal.message()))
    }
}

struct Validating(Arc<dyn ArgumentValidator>);

impl pmcp::ArgumentValidator for Validating {
    fn validate(&self, args: &Value) -> Result<(), pmcp::ArgumentRefusal> {
        let answer = self.0.validate(args);
        answer.map_err(|refusal| pmcp::ArgumentRefusal::new(refusal.message()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    // By name: a crate is called so too.
    use pmcp_server_toolkit as pmcp;
    use proofmark_conformance::toolkit::policy::{ArgumentRefusal, PolicyRefusal, policy_fn};
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn fields(request: &OutboundRequest<'_>) -> String {
        let named = (request.tool, request.call_id, request.phase);
        let sent = (request.method, request.path, request.query, request.body);
        format!("{named:?} {sent:?}")
    }

    #[rstest]
    #[case::sent(pmcp::RequestPhase::Execute, RequestPhase::Execute)]
    #[case::previewed(pmcp::RequestPhase::Validate, RequestPhase::Validate)]
    #[tokio::test]
    async fn every_field_arrives_as_it_was_shown(
        #[case] phase: pmcp::RequestPhase,
        #[case] expected: RequestPhase,
    ) {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let keeps = Arc::clone(&seen);
        let judges = policy_fn(move |request| {
            let mut seen = keeps.lock().unwrap_or_else(PoisonError::into_inner);
            seen.push(fields(request));
            Err(PolicyRefusal::new("  kept: \u{e9}\n"))
        });
        let query = [("b", "2"), ("a", "1"), ("b", ""), ("", "%26")];
        let query = query.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let body = json!({"z": [1, {"k": null}], "a": "\u{1f980}"});
        let path = "https://a.test/x?q=1";
        let request = pmcp::OutboundRequest::new("tool", "POST", path, &query, Some(&body))
            .with_call_id("call")
            .with_phase(phase);

        let refusal = request_policy(Arc::new(judges)).check(&request).await;

        let shown = OutboundRequest::new("tool", "POST", path, &query, Some(&body))
            .with_call_id("call")
            .with_phase(expected);
        assert_eq!(*seen.lock().unwrap(), [fields(&shown)]);
        assert_eq!(refusal.unwrap_err().message(), "  kept: \u{e9}\n");
    }

    #[test]
    fn a_validator_is_registered_for_its_tool_alone() {
        let refuses = |_: &Value| Err(ArgumentRefusal::new("not today"));
        let env = SurfaceEnv::new("http://127.0.0.1:9")
            .with_argument_validator("watched", Arc::new(refuses));

        let hooks = hooks(&env);

        let refusal = hooks.argument_validator_for("watched").unwrap();
        let refusal = refusal.validate(&json!({})).unwrap_err();
        assert_eq!(refusal.message(), "not today");
        assert!(hooks.argument_validator_for("other").is_none());
        assert!(hooks.request_policy().is_none());
    }
}
