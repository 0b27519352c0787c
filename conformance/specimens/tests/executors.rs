//! Executors judged in this process: the toolkit's is convicted of nothing, each broken one of the
//! row that it is for.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::sync::Arc;

use proofmark_conformance::catalogue::{Catalogue, Family, SubjectKind};
use proofmark_conformance::judge::{Selection, judge_row};
use proofmark_conformance::outcome::{Outcome, RowOutcome};
use proofmark_conformance::seed::Seed;
use proofmark_conformance::subject::Subject;
use proofmark_conformance::trial::{Settings, Watch};
use proofmark_specimens::{references, specimens};

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

fn judge(subject: &dyn Subject) -> Vec<RowOutcome> {
    let catalogue = Catalogue::shared().unwrap();
    let rows = Selection::all();
    let rows = rows.rows(catalogue, SubjectKind::Executor).into_iter();
    rows.filter_map(|row| judge_row(row, subject, settings(), &Arc::new(Watch::default())))
        .filter(judged_here)
        .collect()
}

#[test]
fn the_toolkits_executors_keep_every_promise() {
    let executors = references().into_iter();
    for subject in executors.filter(|s| s.view().kind() == SubjectKind::Executor) {
        let open: Vec<RowOutcome> = judge(subject.as_ref())
            .into_iter()
            .filter(|row| !matches!(row.outcome, Outcome::Pass | Outcome::NotApplicable))
            .collect();
        assert!(open.is_empty(), "{}: {open:#?}", subject.name());
    }
}

#[test]
fn a_broken_executor_is_convicted_by_the_row_it_is_for() {
    let catalogue = Catalogue::shared().unwrap();
    let broken = specimens().into_iter();
    for specimen in broken.filter(|s| s.subject.view().kind() == SubjectKind::Executor) {
        let name = specimen.subject.name();
        let row = catalogue.get(specimen.primary).unwrap();
        let watch = Arc::new(Watch::default());
        let row = judge_row(row, specimen.subject.as_ref(), settings(), &watch).unwrap();
        if judged_here(&row) {
            let convicted = matches!(row.outcome, Outcome::Fail | Outcome::Timeout);
            assert!(convicted, "{name}: {row:#?}");
            let headline = row.counterexample.unwrap().headline;
            assert!(headline.chars().count() <= LINE, "{name}: {headline}");
        }
    }
}
