//! Subjects that show whether the suite can be trusted: broken ones that it must convict of
//! exactly what is declared, conforming ones that look suspicious, and the toolkit's own.
#![forbid(unsafe_code)]

mod fixture;
mod look_alike;
mod policy;
mod reference;
mod selftest;
mod specimen;

pub use fixture::{Fixture, fixtures};
pub use look_alike::{LookAlike, look_alikes};
pub use reference::references;
pub use selftest::{Inexact, SelfTest, judge_all};
pub use specimen::{Also, Specimen, specimens};

use proofmark_conformance::subject::PolicySubject;

/// The subject of that name, wherever it belongs: names are unique across all of them.
#[must_use]
pub fn find(name: &str) -> Option<PolicySubject> {
    all().find(|subject| subject.name() == name)
}

/// The subjects that fuzz targets run against: the one that `PROOFMARK_FUZZ_SUBJECT` names, or the
/// toolkit's own. `None` where no subject has that name.
#[must_use]
pub fn fuzz_subjects() -> Option<Vec<PolicySubject>> {
    match std::env::var("PROOFMARK_FUZZ_SUBJECT") {
        Ok(name) => Some(vec![find(&name)?]),
        Err(_) => Some(references()),
    }
}

/// Every subject there is.
pub fn all() -> impl Iterator<Item = PolicySubject> {
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
