//! Subjects that show whether the suite can be trusted: broken ones that it must convict of
//! exactly what is declared, conforming ones that look suspicious, and the toolkit's own.
#![forbid(unsafe_code)]

mod executor;
mod fixture;
mod fuzz;
mod leash;
mod look_alike;
mod policy;
mod reference;
mod reference_resolver;
mod resolver;
mod scanner;
mod selftest;
mod specimen;
mod surface;

pub use executor::references as reference_executors;
pub use fixture::{Fixture, fixtures};
pub use fuzz::{
    find_executor, find_leash, find_policy, find_resolver, find_scanner, fuzz_executors,
    fuzz_leash, fuzz_policies, fuzz_resolvers, fuzz_scanner,
};
pub use look_alike::{LookAlike, look_alikes};
pub use reference::{reference_leash, reference_policies};
pub use reference_resolver::reference_resolvers;
pub use selftest::{Candidate, Inexact, SelfTest, judge_all};
pub use specimen::{Also, Specimen, specimens};
pub use surface::{CountedSurface, counted_surfaces};

use std::sync::Arc;

use proofmark_conformance::subject::Subject;

/// The subject of that name, wherever it belongs: names are unique across all of them.
#[must_use]
pub fn find(name: &str) -> Option<Arc<dyn Subject>> {
    all().find(|subject| subject.name() == name)
}

/// The toolkit's own subjects: what is judged when no subject is named.
#[must_use]
pub fn references() -> Vec<Arc<dyn Subject>> {
    let policies = reference_policies().into_iter();
    let policies = policies.map(|policy| Arc::new(policy) as Arc<dyn Subject>);
    let executors = executor::references().into_iter();
    let executors = executors.map(|executor| Arc::new(executor) as Arc<dyn Subject>);
    let leash = std::iter::once(Arc::new(reference_leash()) as Arc<dyn Subject>);
    let resolvers = reference_resolvers().into_iter();
    let resolvers = resolvers.map(|resolver| Arc::new(resolver) as Arc<dyn Subject>);
    let surfaces = surface::references().into_iter();
    let surfaces = surfaces.map(|surface| Arc::new(surface) as Arc<dyn Subject>);
    policies
        .chain(executors)
        .chain(resolvers)
        .chain(scanner::references())
        .chain(leash)
        .chain(surfaces)
        .collect()
}

/// Every subject there is.
pub fn all() -> impl Iterator<Item = Arc<dyn Subject>> {
    let broken = specimens().into_iter().map(|specimen| specimen.subject);
    let conforming = look_alikes()
        .into_iter()
        .map(|look_alike| look_alike.subject);
    let fixtures = fixtures().into_iter().map(|fixture| fixture.subject);
    references()
        .into_iter()
        .chain(broken)
        .chain(conforming)
        .chain(fixtures)
}
