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
