//! The real crate is convicted of exactly what the requirements' text says.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;

use agent_bridle_core::{SandboxKind, best_available_sandbox};
use proofmark_agent_bridle::BridleLeash;
use proofmark_conformance::catalogue::{Catalogue, RequirementId, SubjectKind};
use proofmark_conformance::judge::{Selection, report};
use proofmark_conformance::outcome::{Outcome, SubjectReport};
use proofmark_conformance::profile::LeashProfile;
use proofmark_conformance::seed::Seed;
use proofmark_conformance::subject::{Identity, LeashSubject};
use proofmark_conformance::trial::Settings;
use proofmark_conformance::worker::{self, Job, Supervisor};
use serde::Deserialize;

const NAME: &str = "agent_bridle";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Conviction {
    id: RequirementId,
    because: String,
    /// It takes a kernel sandbox to show it; without one the row is inconclusive.
    #[serde(default)]
    needs_sandbox: bool,
}

fn expected() -> Vec<Conviction> {
    let text = include_str!("expected.toml");
    let mut by_name: BTreeMap<String, Vec<Conviction>> = toml::from_str(text).unwrap();
    let expected = by_name.remove(NAME).unwrap();
    assert!(by_name.is_empty(), "only {NAME} is judged");
    expected
}

/// The crate as it comes, held to all that it offers.
fn subject() -> LeashSubject {
    let checks = LeashProfile::new().check_exec().check_net().check_path();
    let counts = checks.spawn().generation().call_budget();
    let lattice = counts.meet().leq().fence_strength().serialised();
    LeashSubject::new(NAME, lattice, BridleLeash::new).version_is("0.7.17")
}

/// Not a test: the process in which the crate is judged.
#[test]
#[ignore = "the other tests start this as a worker"]
fn worker() {
    if worker::is_worker() {
        let job = Job::from_stdin().unwrap();
        worker::serve(&job, &subject()).unwrap();
    }
}

/// Judges every row in workers, which are this very program started again.
fn judged() -> SubjectReport {
    let program = std::env::current_exe().unwrap();
    let supervisor = Supervisor::new(|| {
        let mut command = Command::new(&program);
        command.args(["worker", "--exact", "--nocapture", "--include-ignored"]);
        command
    });
    let catalogue = Catalogue::shared().unwrap();
    let selection = Selection::all();
    let rows = selection.rows(catalogue, SubjectKind::Leash);
    let settings = Settings::with_seed(Seed::fresh());
    let rows = supervisor.judge(NAME, &rows, settings).unwrap();
    report(catalogue, &Identity::of(&subject()), &selection, rows)
}

#[test]
fn the_crate_is_convicted_of_exactly_what_is_expected() {
    let sandboxed = best_available_sandbox(&Arc::default()).kind() != SandboxKind::None;
    let (undecided, convicted): (Vec<_>, Vec<_>) = expected()
        .into_iter()
        .partition(|conviction| conviction.needs_sandbox && !sandboxed);
    let ids = |convictions: &[Conviction]| -> Vec<_> {
        convictions.iter().map(|conviction| conviction.id).collect()
    };

    let report = judged();

    assert_eq!(report.failed(), ids(&convicted), "{:#?}", report.outcomes);
    let decided = [Outcome::Pass, Outcome::Fail, Outcome::NotApplicable];
    let open = report.outcomes.iter();
    let open = open.filter(|row| !decided.contains(&row.outcome));
    let open: Vec<_> = open.map(|row| row.id).collect();
    assert_eq!(open, ids(&undecided), "{:#?}", report.outcomes);
}

#[test]
fn every_expectation_says_why() {
    for conviction in expected() {
        assert!(!conviction.because.trim().is_empty(), "{}", conviction.id);
    }
}
