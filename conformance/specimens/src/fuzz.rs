//! The subjects that fuzz targets run against: the one that `PROOFMARK_FUZZ_SUBJECT` names, or the
//! toolkit's own.
//!
//! Each looks among the subjects of its own kind only. A target then links nothing of the other
//! kinds, and libFuzzer goes through the counters of all that is linked after every single input.

use std::env;
use std::sync::Arc;

use proofmark_conformance::subject::{
    ExecutorSubject, LeashSubject, PolicySubject, Refused, ResolverSubject, ScannerSubject,
    Subject, View, resolver_fn,
};

use crate::{
    LookAlike, Specimen, executor, leash, policy, reference_executors, reference_leash,
    reference_policies, reference_resolvers, resolver, scanner,
};

/// The policies to fuzz. `None` where no policy has the given name.
#[must_use]
pub fn fuzz_policies() -> Option<Vec<PolicySubject>> {
    match env::var("PROOFMARK_FUZZ_SUBJECT") {
        Ok(name) => Some(vec![find_policy(&name)?]),
        Err(_) => Some(reference_policies()),
    }
}

/// The resolvers to fuzz. `refuses_always` stands for resolvers held to the toolkit's promises that
/// answer nothing: what a target costs by itself. `None` where no resolver has the given name.
#[must_use]
pub fn fuzz_resolvers() -> Option<Vec<ResolverSubject>> {
    match env::var("PROOFMARK_FUZZ_SUBJECT").as_deref() {
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

/// The executors to fuzz. `None` where no executor has the given name.
#[must_use]
pub fn fuzz_executors() -> Option<Vec<ExecutorSubject>> {
    match env::var("PROOFMARK_FUZZ_SUBJECT") {
        Ok(name) => Some(vec![find_executor(&name)?]),
        Err(_) => Some(reference_executors()),
    }
}

/// The scanner to fuzz. `None` where no scanner has the given name.
#[must_use]
pub fn fuzz_scanner() -> Option<ScannerSubject> {
    let name = env::var("PROOFMARK_FUZZ_SUBJECT");
    find_scanner(name.as_deref().unwrap_or("credential_scanner"))
}

/// The leash to fuzz. `None` where no leash has the given name.
#[must_use]
pub fn fuzz_leash() -> Option<LeashSubject> {
    match env::var("PROOFMARK_FUZZ_SUBJECT") {
        Ok(name) => find_leash(&name),
        Err(_) => Some(reference_leash()),
    }
}

/// The policy of that name: one of the toolkit's, a specimen or a look-alike.
#[must_use]
pub fn find_policy(name: &str) -> Option<PolicySubject> {
    let judged = judged(policy::specimens(), policy::look_alikes());
    let judged = judged.filter_map(|subject| match subject.view() {
        View::Policy(policy) => Some(policy.clone()),
        _ => None,
    });
    let mut policies = reference_policies().into_iter().chain(judged);
    policies.find(|policy| policy.name() == name)
}

/// The resolver of that name: one of the toolkit's, a specimen or a look-alike.
#[must_use]
pub fn find_resolver(name: &str) -> Option<ResolverSubject> {
    let judged = judged(resolver::specimens(), resolver::look_alikes());
    let judged = judged.filter_map(|subject| match subject.view() {
        View::Resolver(resolver) => Some(resolver.clone()),
        _ => None,
    });
    let mut resolvers = reference_resolvers().into_iter().chain(judged);
    resolvers.find(|resolver| resolver.name() == name)
}

/// The executor of that name: one of the toolkit's, a specimen or a look-alike.
#[must_use]
pub fn find_executor(name: &str) -> Option<ExecutorSubject> {
    let judged = judged(executor::specimens(), executor::look_alikes());
    let judged = judged.filter_map(|subject| match subject.view() {
        View::Executor(executor) => Some(executor.clone()),
        _ => None,
    });
    let mut executors = reference_executors().into_iter().chain(judged);
    executors.find(|executor| executor.name() == name)
}

/// The leash of that name: the toolkit's, a specimen or a look-alike.
#[must_use]
pub fn find_leash(name: &str) -> Option<LeashSubject> {
    let judged = judged(leash::specimens(), leash::look_alikes());
    let judged = judged.filter_map(|subject| match subject.view() {
        View::Leash(leash) => Some(leash.clone()),
        _ => None,
    });
    let mut leashes = std::iter::once(reference_leash()).chain(judged);
    leashes.find(|leash| leash.name() == name)
}

/// The scanner of that name: the suite's own, a specimen or a look-alike.
#[must_use]
pub fn find_scanner(name: &str) -> Option<ScannerSubject> {
    let judged = judged(scanner::specimens(), scanner::look_alikes());
    let mut scanners = scanner::references().into_iter().chain(judged);
    scanners.find_map(|subject| match subject.view() {
        View::Scanner(scanner) if subject.name() == name => Some(scanner.clone()),
        _ => None,
    })
}

fn judged(
    specimens: Vec<Specimen>,
    look_alikes: Vec<LookAlike>,
) -> impl Iterator<Item = Arc<dyn Subject>> {
    let broken = specimens.into_iter().map(|specimen| specimen.subject);
    let conforming = look_alikes.into_iter().map(|look_alike| look_alike.subject);
    broken.chain(conforming)
}
