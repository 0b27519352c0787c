//! Policies written for the real crates, and the crates' own resolvers, clients and tools, are
//! convicted of exactly what the requirements' text says.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

mod policies;
mod resolvers;
mod senders;

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;

use proofmark_conformance::catalogue::{Catalogue, RequirementId};
use proofmark_conformance::conformance;
use proofmark_conformance::judge::{Selection, report};
use proofmark_conformance::outcome::{Outcome, SubjectReport, Verdict};
use proofmark_conformance::seed::Seed;
use proofmark_conformance::subject::{Identity, Subject};
use proofmark_conformance::trial::Settings;
use proofmark_conformance::worker::{self, Job, Supervisor};
use rstest::rstest;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Conviction {
    id: String,
    because: String,
}

fn expected() -> BTreeMap<String, Vec<Conviction>> {
    toml::from_str(include_str!("expected.toml")).unwrap()
}

fn subjects() -> Vec<Arc<dyn Subject>> {
    let policies = policies::subjects().into_iter();
    let policies = policies.map(|policy| Arc::new(policy) as Arc<dyn Subject>);
    let resolvers = resolvers::subjects().into_iter();
    let resolvers = resolvers.map(|resolver| Arc::new(resolver) as Arc<dyn Subject>);
    let executors = senders::executors().into_iter();
    let executors = executors.map(|executor| Arc::new(executor) as Arc<dyn Subject>);
    let surfaces = senders::surfaces().into_iter();
    let surfaces = surfaces.map(|surface| Arc::new(surface) as Arc<dyn Subject>);
    policies
        .chain(resolvers)
        .chain(executors)
        .chain(surfaces)
        .collect()
}

fn named(name: &str) -> Arc<dyn Subject> {
    let mut subjects = subjects().into_iter();
    subjects.find(|subject| subject.name() == name).unwrap()
}

/// Not a test: the process in which a policy is judged.
#[test]
#[ignore = "the other tests start this as a worker"]
fn worker() {
    if worker::is_worker() {
        let job = Job::from_stdin().unwrap();
        worker::serve(&job, named(&job.subject).as_ref()).unwrap();
    }
}

/// Judges every row of one subject in workers, which are this very program started again.
fn judged(subject: &dyn Subject) -> SubjectReport {
    let program = std::env::current_exe().unwrap();
    let supervisor = Supervisor::new(|| {
        let mut command = Command::new(&program);
        command.args(["worker", "--exact", "--nocapture", "--include-ignored"]);
        command
    });
    let catalogue = Catalogue::shared().unwrap();
    let selection = Selection::all();
    let settings = Settings::with_seed(Seed::fresh());
    let rows = supervisor
        .judge(
            subject.name(),
            &selection.rows(catalogue, subject.view().kind()),
            settings,
        )
        .unwrap();
    report(catalogue, &Identity::of(subject), &selection, rows)
}

#[rstest]
#[case::prefix_text("prefix_text")]
#[case::text_anywhere("text_anywhere")]
#[case::charged_previews("charged_previews")]
#[case::echoed_path("echoed_path")]
#[case::sound("sound")]
#[case::script_resolver("script_resolver")]
#[case::curated_resolver("curated_resolver")]
#[case::curated_client("curated_client")]
#[case::code_executor("code_executor")]
#[case::code_executor_by_default("code_executor_by_default")]
#[case::http_client("http_client")]
#[case::curated_tools("curated_tools")]
#[case::code_mode("code_mode")]
fn a_subject_is_convicted_of_exactly_what_is_expected(#[case] name: &str) {
    let subject = named(name);
    let expected: Vec<RequirementId> = expected()
        .remove(name)
        .unwrap_or_default()
        .iter()
        .map(|conviction| conviction.id.parse().unwrap())
        .collect();

    let report = judged(subject.as_ref());

    assert_eq!(report.failed(), expected, "{:#?}", report.outcomes);
    // A row from which nothing follows is no pass.
    let concluded = [Outcome::Pass, Outcome::Fail, Outcome::NotApplicable];
    let unjudged = report
        .outcomes
        .iter()
        .find(|row| !concluded.contains(&row.outcome));
    assert_eq!(unjudged, None);
    if expected.is_empty() {
        let verdicts = [Verdict::Certified, Verdict::CertifiedStrict];
        assert!(verdicts.contains(&report.verdict), "{:#?}", report.outcomes);
    }
}

#[test]
fn every_expectation_names_a_subject_and_says_why() {
    let names: Vec<String> = subjects()
        .iter()
        .map(|subject| subject.name().to_owned())
        .collect();
    for (name, convictions) in expected() {
        assert!(names.contains(&name), "{name} is no subject");
        for conviction in convictions {
            assert!(
                !conviction.because.trim().is_empty(),
                "{name} {}",
                conviction.id
            );
        }
    }
}

conformance! {
    /// The same sound policy as users certify it.
    policy sound(
        budget,
        per_call,
        requests = 3,
        endpoints = ["https://api.example.test/v1/items/{id}", "https://api.example.test/v1/search"],
        allow = ["https://api.example.test/v1/items/7"],
        refuse = ["https://api.example.test/admin"],
        refuse_pairs = [("export", "all")],
    ) = || proofmark_pmcp::policy(policies::gateway());
}
