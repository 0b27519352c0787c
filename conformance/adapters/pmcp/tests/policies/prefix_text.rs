//! Decides as the documentation of `RequestPolicy` shows: the target's text begins with a prefix.

use pmcp_server_toolkit::{OutboundRequest, PolicyRefusal, RequestPolicy, async_trait};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::PolicySubject;

struct PrefixText(&'static str);

#[async_trait]
impl RequestPolicy for PrefixText {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if request.path.starts_with(self.0) {
            Ok(())
        } else {
            Err(PolicyRefusal::new("the endpoint is not on the allowlist"))
        }
    }
}

const ALLOWED: &str = "https://api.example.test/v1";

pub fn subject() -> PolicySubject {
    let profile = PolicyProfile::new()
        .stateless()
        .prefixes([ALLOWED])
        .allow(["https://api.example.test/v1/items/7"])
        .refuse(["https://api.example.test/admin"]);
    PolicySubject::new("prefix_text", profile, || {
        proofmark_pmcp::policy(PrefixText(ALLOWED))
    })
}
