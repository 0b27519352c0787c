//! Every specimen is convicted of exactly what it declares, and no look-alike of anything.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use proofmark_conformance::catalogue::{Catalogue, Level, Requirement};
use proofmark_conformance::check;
use proofmark_conformance::judge::{Selection, not_applicable};
use proofmark_conformance::outcome::{Outcome, SubjectReport};
use proofmark_conformance::seed::Seed;
use proofmark_conformance::subject::Subject;
use proofmark_conformance::trial::Settings;
use proofmark_conformance::worker::{self, Job, Supervisor};
use proofmark_specimens::{SelfTest, find, fixtures, judge_all, look_alikes, specimens};

/// Not a test: what this program does when it is started again as a worker.
#[test]
#[ignore = "the worker of the other tests"]
fn worker() {
    if worker::is_worker() {
        let job = Job::from_stdin().unwrap();
        worker::serve(&job, find(&job.subject).unwrap().as_ref()).unwrap();
    }
}

fn supervisor() -> Supervisor<'static> {
    Supervisor::new(|| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([
            "worker",
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ]);
        command
    })
}

fn settings() -> Settings {
    let mut settings = Settings::with_seed(Seed::new(7));
    settings.cases = 24;
    settings
}

fn judged(subjects: &[Arc<dyn Subject>]) -> Vec<SubjectReport> {
    let catalogue = Catalogue::shared().unwrap();
    judge_all(
        catalogue,
        &supervisor(),
        subjects,
        &Selection::all(),
        settings(),
        &|_| {},
    )
    .unwrap()
}

fn every_judged_row() -> Vec<&'static Requirement> {
    let catalogue = Catalogue::shared().unwrap();
    let judged = catalogue.iter().filter(|row| check::find(row.id).is_some());
    judged.collect()
}

#[test]
fn every_specimen_is_convicted_exactly_and_no_look_alike_is() {
    let (specimens, look_alikes) = (specimens(), look_alikes());
    let broken = specimens.iter().map(|specimen| specimen.subject.clone());
    let conforming = look_alikes
        .iter()
        .map(|look_alike| look_alike.subject.clone());
    let subjects: Vec<_> = broken.chain(conforming).collect();
    let reports = judged(&subjects);
    let rows = every_judged_row();

    let selftest = SelfTest::of(&specimens, &look_alikes, &reports, &rows);

    assert!(selftest.holds(), "{selftest:#?}");
    for report in &reports[specimens.len()..] {
        let open = report.outcomes.iter().filter(|row| row.outcome.is_open());
        let open: Vec<_> = open.map(|row| (row.id, &row.reason)).collect();
        assert!(open.is_empty(), "{}: {open:#?}", report.name);
    }
    // The matrix is computed from outcomes, so a row without outcomes is a disabled check. A MAY
    // convicts nobody, so nothing depends on it.
    for row in rows.iter().filter(|row| row.level != Level::May) {
        let mut without = reports.clone();
        for report in &mut without {
            report.outcomes.retain(|outcome| outcome.id != row.id);
        }
        let selftest = SelfTest::of(&specimens, &look_alikes, &without, &rows);
        assert!(!selftest.holds(), "the self-test holds without {}", row.id);
    }
}

#[test]
fn every_fixture_comes_to_its_outcome() {
    let catalogue = Catalogue::shared().unwrap();
    for fixture in fixtures() {
        let mut settings = settings();
        if fixture.outcome == Outcome::Timeout {
            // What never answers does not answer sooner for being waited on.
            settings.deadline = Duration::from_secs(1);
        }
        let row = [catalogue.get(fixture.row).unwrap()];
        let name = fixture.subject.name();
        let outcomes = match not_applicable(row[0], &fixture.subject.view().capabilities()) {
            Some(outcome) => vec![outcome],
            None => supervisor().judge(name, &row, settings).unwrap(),
        };
        assert_eq!(
            outcomes[0].outcome, fixture.outcome,
            "{name}: {outcomes:#?}"
        );
    }
}
