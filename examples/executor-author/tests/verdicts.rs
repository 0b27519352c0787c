//! The naive executors fail what `expected.toml` says, and nothing else.

use std::collections::BTreeMap;
use std::process::Command;

use executor_author::naive::{HyperExecutor, ReqwestExecutor, UreqExecutor};
use proofmark_conformance::catalogue::Catalogue;
use proofmark_conformance::judge::Selection;
use proofmark_conformance::outcome::Outcome;
use proofmark_conformance::profile::ExecutorProfile;
use proofmark_conformance::seed::Seed;
use proofmark_conformance::subject::{ExecutorSubject, Subject};
use proofmark_conformance::trial::Settings;
use proofmark_conformance::worker::{self, Job, Supervisor};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    id: String,
    #[serde(default = "fail")]
    outcome: String,
    because: String,
    repair: String,
}

fn fail() -> String {
    Outcome::Fail.to_string()
}

fn expected(name: &str) -> Vec<Expectation> {
    let all: BTreeMap<String, Vec<Expectation>> =
        toml::from_str(include_str!("../expected.toml")).unwrap();
    let mut names: Vec<&String> = all.keys().collect();
    names.sort();
    assert_eq!(names, ["hyper", "reqwest", "ureq"]);
    all.into_iter().find(|(of, _)| of == name).unwrap().1
}

fn subject(name: &str) -> ExecutorSubject {
    let profile = ExecutorProfile::new().policy().deadline_ms(500);
    match name {
        "reqwest" => ExecutorSubject::new(name, profile.bearer(), |env| {
            ReqwestExecutor::new(env.base_url(), env.credential(), env.policy())
        }),
        "ureq" => ExecutorSubject::new(name, profile.query_key("api_key"), |env| {
            UreqExecutor::new(env.base_url(), env.credential(), env.policy())
        }),
        _ => ExecutorSubject::new(name, profile.header_key("api_key"), |env| {
            HyperExecutor::new(env.base_url(), env.credential(), env.policy())
        }),
    }
}

/// Not a test: the process in which a row is judged.
#[test]
#[ignore = "the other tests start this as a worker"]
fn worker() {
    if worker::is_worker() {
        let job = Job::from_stdin().unwrap();
        worker::serve(&job, &subject(&job.subject)).unwrap();
    }
}

fn judged_as_expected(name: &str) {
    let program = std::env::current_exe().unwrap();
    let supervisor = Supervisor::new(|| {
        let mut command = Command::new(&program);
        command.args(["worker", "--exact", "--nocapture", "--include-ignored"]);
        command
    });
    let subject = subject(name);
    let selection = Selection::all();
    let rows = selection.rows(Catalogue::shared().unwrap(), subject.view().kind());
    let settings = Settings::with_seed(Seed::fresh());
    let rows = supervisor.judge(name, &rows, settings).unwrap();

    let held = [Outcome::Pass, Outcome::NotApplicable];
    let mut seen: BTreeMap<String, (String, String)> = rows
        .iter()
        .filter(|row| !held.contains(&row.outcome))
        .map(|row| {
            (
                row.id.to_string(),
                (row.outcome.to_string(), format!("{row:#?}")),
            )
        })
        .collect();
    for expected in expected(name) {
        assert!(
            !expected.because.is_empty() && !expected.repair.is_empty(),
            "{}",
            expected.id
        );
        let (outcome, row) = seen.remove(&expected.id).unwrap_or_default();
        // A machine may have no address that is not local.
        let is_open = expected.id == "EXE-21" && outcome == Outcome::Inconclusive.to_string();
        assert!(
            outcome == expected.outcome || is_open,
            "{} is `{outcome}`, where `{}` is expected: {row}",
            expected.id,
            expected.outcome,
        );
    }
    assert!(seen.is_empty(), "nothing says why: {seen:#?}");
}

#[test]
fn the_executor_over_reqwest_fails_what_is_expected() {
    judged_as_expected("reqwest");
}

#[test]
fn the_executor_over_ureq_fails_what_is_expected() {
    judged_as_expected("ureq");
}

#[test]
fn the_executor_over_hyper_fails_what_is_expected() {
    judged_as_expected("hyper");
}
