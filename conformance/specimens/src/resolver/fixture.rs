//! Resolvers that misbehave: no row of theirs is about that, so it leaves the row open.

use std::sync::Arc;

use proofmark_conformance::outcome::Outcome;
use proofmark_conformance::profile::ResolverProfile;
use proofmark_conformance::subject::{Refused, ResolveCase, Resolved, ResolverSubject};

use super::path;
use crate::Fixture;

type Answer = Result<Resolved, Refused>;

/// One fixture for each way to misbehave.
pub(crate) fn fixtures() -> Vec<Fixture> {
    vec![
        fixture("fixture_resolver_panics", panics),
        fixture("fixture_resolver_never_answers", never_answers),
        fixture("fixture_resolver_exits", exits),
        fixture("fixture_resolver_refuses_all", refuses_all),
    ]
}

fn fixture(name: &str, resolve: fn(&ResolveCase) -> Answer) -> Fixture {
    let profile = ResolverProfile::new().resolves();
    Fixture {
        subject: Arc::new(ResolverSubject::new(name, profile, move || resolve)),
        row: path(2),
        outcome: Outcome::Inconclusive,
    }
}

#[allow(clippy::panic, reason = "what is shown to be survived")]
fn panics(_: &ResolveCase) -> Answer {
    panic!("a resolver's own fault")
}

fn never_answers(_: &ResolveCase) -> Answer {
    loop {
        std::thread::park();
    }
}

fn exits(_: &ResolveCase) -> Answer {
    std::process::exit(0)
}

fn refuses_all(_: &ResolveCase) -> Answer {
    Err(Refused::new("nothing is resolved"))
}
