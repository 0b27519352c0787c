//! Broken executors judged in this process: each is convicted of the row that it is for, in a line
//! that people can read.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::sync::Arc;

use proofmark_conformance::catalogue::{Catalogue, Family, SubjectKind};
use proofmark_conformance::judge::judge_row;
use proofmark_conformance::outcome::{Outcome, RowOutcome};
use proofmark_conformance::seed::Seed;
use proofmark_conformance::trial::{Settings, Watch};
use proofmark_specimens::{Specimen, specimens};

/// A headline stands in a line of 120 columns, behind the harness's and the row's names.
const LINE: usize = 105;

fn settings() -> Settings {
    Settings {
        cases: 32,
        ..Settings::with_seed(Seed::new(7))
    }
}

/// The row about proxy variables needs a process of its own, that about traces a subscriber.
fn judged_here(row: &RowOutcome) -> bool {
    let elsewhere = [(Family::Exe, 16), (Family::Cred, 4)];
    !elsewhere.contains(&(row.id.family(), row.id.number()))
}

#[test]
fn a_broken_executor_is_convicted_by_the_row_it_is_for() {
    let broken = specimens().into_iter();
    let broken = broken.filter(|s| s.subject.view().kind() == SubjectKind::Executor);
    broken.for_each(|specimen| is_convicted(&specimen));
}

fn is_convicted(specimen: &Specimen) {
    let name = specimen.subject.name();
    let row = Catalogue::shared().unwrap().get(specimen.primary).unwrap();
    let watch = Arc::new(Watch::default());
    let row = judge_row(row, specimen.subject.as_ref(), settings(), &watch).unwrap();
    if judged_here(&row) {
        let convicted = matches!(row.outcome, Outcome::Fail | Outcome::Timeout);
        assert!(convicted, "{name}: {row:#?}");
        let headline = row.counterexample.unwrap().headline;
        assert!(headline.chars().count() <= LINE, "{name}: {headline}");
    }
}
