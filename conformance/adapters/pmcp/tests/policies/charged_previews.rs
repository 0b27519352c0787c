//! At most three requests per call, counted without a look at the phase.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pmcp_server_toolkit::{OutboundRequest, PolicyRefusal, RequestPolicy, async_trait};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::PolicySubject;

const LIMIT: u32 = 3;

#[derive(Default)]
struct ChargedPreviews {
    seen: Mutex<HashMap<String, u32>>,
}

#[async_trait]
impl RequestPolicy for ChargedPreviews {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let count = seen.entry(request.call_id.to_owned()).or_default();
        if *count >= LIMIT {
            return Err(PolicyRefusal::new("this call has used up its requests"));
        }
        *count += 1;
        Ok(())
    }
}

pub fn subject() -> PolicySubject {
    let profile = PolicyProfile::new()
        .budget()
        .per_call()
        .requests(u64::from(LIMIT));
    PolicySubject::new("charged_previews", profile, || {
        proofmark_pmcp::policy(ChargedPreviews::default())
    })
}
