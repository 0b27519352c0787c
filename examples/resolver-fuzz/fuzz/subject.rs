//! The resolver as proofmark sees it.

use proofmark_conformance::fuzz::ResolverFuzzer;
use proofmark_conformance::profile::ResolverProfile;
use proofmark_conformance::subject::{Resolved, ResolverSubject, resolver_fn};
use serde_json::Value;

/// A fuzzer over `resolver_fuzz::fill`.
pub fn fuzzer() -> ResolverFuzzer {
    let profile = ResolverProfile::new().resolves().composes_query();
    ResolverFuzzer::new(ResolverSubject::new("fill", profile, || {
        resolver_fn(|asked| {
            let arguments = asked.body.as_ref().and_then(Value::as_object);
            let arguments = arguments.cloned().unwrap_or_default();
            let (target, left) = resolver_fuzz::fill(&asked.template, &arguments)?;
            Ok(Resolved::new(target, Some(Value::Object(left))))
        })
    }))
}
