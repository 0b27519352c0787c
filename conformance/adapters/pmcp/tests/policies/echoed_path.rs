//! A list of whole URLs whose refusal tells the caller which URL was refused.

use pmcp_server_toolkit::{OutboundRequest, PolicyRefusal, RequestPolicy, async_trait};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::PolicySubject;

const ALLOWED: [&str; 2] = [
    "https://api.example.test/v1/items",
    "https://api.example.test/v1/search",
];

struct EchoedPath;

#[async_trait]
impl RequestPolicy for EchoedPath {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if ALLOWED.contains(&request.path) {
            return Ok(());
        }
        Err(PolicyRefusal::new(format!(
            "{} is not on the allowlist",
            request.path
        )))
    }
}

pub fn subject() -> PolicySubject {
    let profile = PolicyProfile::new()
        .stateless()
        .endpoints(ALLOWED)
        .allow(ALLOWED)
        .refuse(["https://api.example.test/admin"]);
    PolicySubject::new("echoed_path", profile, || {
        proofmark_pmcp::policy(EchoedPath)
    })
}
