//! Decides as one of the crate's example programs does: the target's text contains an allowed part.

use pmcp_server_toolkit::{OutboundRequest, PolicyRefusal, RequestPolicy, async_trait};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::PolicySubject;

struct TextAnywhere(&'static str);

#[async_trait]
impl RequestPolicy for TextAnywhere {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if request.path.contains(self.0) {
            Ok(())
        } else {
            Err(PolicyRefusal::new("the endpoint is not on the allowlist"))
        }
    }
}

pub fn subject() -> PolicySubject {
    let profile = PolicyProfile::new()
        .stateless()
        .prefixes(["https://api.example.test/v1/items"])
        .allow(["https://api.example.test/v1/items/7"])
        .refuse(["https://api.example.test/admin"]);
    PolicySubject::new("text_anywhere", profile, || {
        proofmark_pmcp::policy(TextAnywhere("/v1/items"))
    })
}
