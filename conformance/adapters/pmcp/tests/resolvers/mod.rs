//! The resolvers of the real crates, each with the profile that their documentation declares.

use proofmark_conformance::profile::ResolverProfile;
use proofmark_conformance::subject::ResolverSubject;

/// Every resolver, by name.
pub fn subjects() -> Vec<ResolverSubject> {
    vec![script(), curated()]
}

fn declared() -> ResolverProfile {
    ResolverProfile::new()
        .resolves()
        .composes_query()
        .patterns()
        .max_lengths()
        .allow_slash()
}

/// The plan executor asks its HTTP executor for rules, and interpolates.
fn script() -> ResolverSubject {
    let profile = declared().placeholder_rules().interpolates();
    ResolverSubject::new("script_resolver", profile, proofmark_pmcp::script_resolver)
}

/// The curated client is handed an operation whose parameters already carry their rules.
fn curated() -> ResolverSubject {
    ResolverSubject::new(
        "curated_resolver",
        declared(),
        proofmark_pmcp::curated_resolver,
    )
}
