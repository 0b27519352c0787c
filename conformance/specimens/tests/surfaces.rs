//! Surfaces judged in this process: the toolkit's are convicted of nothing, each broken one of the
//! row that it is for.

use std::sync::Arc;

use proofmark_conformance::catalogue::{Catalogue, Family, Requirement, SubjectKind};
use proofmark_conformance::judge::{Selection, judge_row};
use proofmark_conformance::outcome::{Outcome, RowOutcome};
use proofmark_conformance::seed::Seed;
use proofmark_conformance::subject::Subject;
use proofmark_conformance::trial::{Settings, Watch};
use proofmark_specimens::{references, specimens};

fn settings() -> Settings {
    Settings {
        cases: 32,
        ..Settings::with_seed(Seed::new(7))
    }
}

/// The row about two processes starts this one again, that about traces needs a subscriber.
fn judged_here(row: &Requirement) -> bool {
    let elsewhere = [(Family::Sur, 13), (Family::Cred, 4)];
    !elsewhere.contains(&(row.id.family(), row.id.number()))
}

fn judge(row: &Requirement, subject: &dyn Subject) -> Option<RowOutcome> {
    judge_row(row, subject, settings(), &Arc::new(Watch::default()))
}

#[test]
fn the_toolkits_surfaces_keep_every_promise() {
    let rows = Selection::all();
    let rows = rows.rows(Catalogue::shared().unwrap(), SubjectKind::Surface);
    let surfaces = references().into_iter();
    for subject in surfaces.filter(|s| s.view().kind() == SubjectKind::Surface) {
        for row in rows.iter().filter(|row| judged_here(row)) {
            let row = judge(row, subject.as_ref()).unwrap();
            let kept = matches!(row.outcome, Outcome::Pass | Outcome::NotApplicable);
            assert!(kept, "{}: {row:#?}", subject.name());
        }
    }
}

#[test]
fn a_broken_surface_is_convicted_by_the_row_it_is_for() {
    let catalogue = Catalogue::shared().unwrap();
    let broken = specimens().into_iter();
    for specimen in broken.filter(|s| s.subject.view().kind() == SubjectKind::Surface) {
        let row = catalogue.get(specimen.primary).unwrap();
        if judged_here(row) {
            let row = judge(row, specimen.subject.as_ref()).unwrap();
            let name = specimen.subject.name();
            assert_eq!(row.outcome, Outcome::Fail, "{name}: {row:#?}");
            assert!(!row.counterexample.unwrap().twin.is_empty(), "{name}");
        }
    }
}
