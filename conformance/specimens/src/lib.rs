//! Subjects that show whether the suite can be trusted: broken ones that it must convict of
//! exactly what is declared, conforming ones that look suspicious, and the toolkit's own.
#![forbid(unsafe_code)]

mod fixture;
mod leash;
mod look_alike;
mod policy;
mod reference;
mod reference_resolver;
mod resolver;
mod scanner;
mod selftest;
mod specimen;

pub use fixture::{Fixture, fixtures};
pub use look_alike::{LookAlike, look_alikes};
pub use reference::{reference_leash, reference_policies};
pub use reference_resolver::reference_resolvers;
pub use selftest::{Inexact, SelfTest, judge_all};
pub use specimen::{Also, Specimen, specimens};

use std::sync::Arc;

use proofmark_conformance::subject::{
    LeashSubject, PolicySubject, Refused, ResolverSubject, ScannerSubject, Subject, View,
    resolver_fn,
};

/// The subject of that name, wherever it belongs: names are unique across all of them.
#[must_use]
pub fn find(name: &str) -> Option<Arc<dyn Subject>> {
    all().find(|subject| subject.name() == name)
}

/// The policy of that name.
#[must_use]
pub fn find_policy(name: &str) -> Option<PolicySubject> {
    match find(name)?.view() {
        View::Policy(policy) => Some(policy.clone()),
        _ => None,
    }
}

/// The toolkit's own subjects: what is judged when no subject is named.
#[must_use]
pub fn references() -> Vec<Arc<dyn Subject>> {
    let policies = reference_policies().into_iter();
    let policies = policies.map(|policy| Arc::new(policy) as Arc<dyn Subject>);
    let leash = std::iter::once(Arc::new(reference_leash()) as Arc<dyn Subject>);
    let resolvers = reference_resolvers().into_iter();
    let resolvers = resolvers.map(|resolver| Arc::new(resolver) as Arc<dyn Subject>);
    policies
        .chain(resolvers)
        .chain(scanner::references())
        .chain(leash)
        .collect()
}

/// The policies that fuzz targets run against: the one that `PROOFMARK_FUZZ_SUBJECT` names, or the
/// toolkit's own. `None` where no policy has that name.
#[must_use]
pub fn fuzz_policies() -> Option<Vec<PolicySubject>> {
    match std::env::var("PROOFMARK_FUZZ_SUBJECT") {
        Ok(name) => Some(vec![find_policy(&name)?]),
        Err(_) => Some(reference_policies()),
    }
}

/// The resolvers that fuzz targets run against: the one that `PROOFMARK_FUZZ_SUBJECT` names, or the
/// toolkit's own. `refuses_always` stands for resolvers held to the same promises that answer
/// nothing: what a target costs by itself. `None` where no resolver has that name.
#[must_use]
pub fn fuzz_resolvers() -> Option<Vec<ResolverSubject>> {
    match std::env::var("PROOFMARK_FUZZ_SUBJECT").as_deref() {
        Ok("refuses_always") => Some(refusing_resolvers()),
        Ok(name) => Some(vec![find_resolver(name)?]),
        Err(_) => Some(reference_resolvers()),
    }
}

fn refusing_resolvers() -> Vec<ResolverSubject> {
    let references = reference_resolvers().into_iter();
    let refusing = references.map(|reference| {
        ResolverSubject::new("refuses_always", reference.profile().clone(), || {
            resolver_fn(|_| Err(Refused::new("refused")))
        })
    });
    refusing.collect()
}

/// The resolver of that name.
#[must_use]
pub fn find_resolver(name: &str) -> Option<ResolverSubject> {
    match find(name)?.view() {
        View::Resolver(resolver) => Some(resolver.clone()),
        _ => None,
    }
}

/// The scanner that the fuzz target runs against: the one that `PROOFMARK_FUZZ_SUBJECT` names, or
/// the suite's own. `None` where no scanner has that name.
#[must_use]
pub fn fuzz_scanner() -> Option<ScannerSubject> {
    let name = std::env::var("PROOFMARK_FUZZ_SUBJECT");
    find_scanner(name.as_deref().unwrap_or("credential_scanner"))
}

/// The leash that fuzz targets run against: the one that `PROOFMARK_FUZZ_SUBJECT` names, or the
/// toolkit's own. `None` where no leash has that name.
#[must_use]
pub fn fuzz_leash() -> Option<LeashSubject> {
    match std::env::var("PROOFMARK_FUZZ_SUBJECT") {
        Ok(name) => find_leash(&name),
        Err(_) => Some(reference_leash()),
    }
}

/// The leash of that name.
#[must_use]
pub fn find_leash(name: &str) -> Option<LeashSubject> {
    match find(name)?.view() {
        View::Leash(leash) => Some(leash.clone()),
        _ => None,
    }
}

/// The scanner of that name.
#[must_use]
pub fn find_scanner(name: &str) -> Option<ScannerSubject> {
    match find(name)?.view() {
        View::Scanner(scanner) => Some(scanner.clone()),
        _ => None,
    }
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
