//! Each public fault that a row about executors is for, as a small client with that very fault:
//! the row convicts it, and not the client without the fault.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

mod field_client;

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;

use field_client::{Client, Fault, KEY};
use proofmark_conformance::catalogue::{Catalogue, Family, RequirementId, SubjectKind};
use proofmark_conformance::check;
use proofmark_conformance::judge::judge_row;
use proofmark_conformance::outcome::{Outcome, RowOutcome};
use proofmark_conformance::profile::ExecutorProfile;
use proofmark_conformance::seed::Seed;
use proofmark_conformance::subject::ExecutorSubject;
use proofmark_conformance::trial::{Settings, Watch};
use proofmark_conformance::worker::{self, Job, Supervisor};
use rstest::rstest;

/// A fault, the row that is for it, and the client that has it.
struct Case {
    fault: &'static str,
    row: RequirementId,
    client: Fault,
    /// Whether the credential is a query pair rather than a bearer token.
    keyed: bool,
}

const fn exe(fault: &'static str, number: u8, client: Fault) -> Case {
    Case {
        fault,
        row: RequirementId::new(Family::Exe, number),
        client,
        keyed: false,
    }
}

const fn cred(fault: &'static str, number: u8, client: Fault) -> Case {
    Case {
        fault,
        row: RequirementId::new(Family::Cred, number),
        client,
        keyed: false,
    }
}

const fn keyed(mut case: Case) -> Case {
    case.keyed = true;
    case
}

const CASES: &[Case] = &[
    exe("B32", 1, Fault::TakesAbsolutePaths),
    exe("B34", 1, Fault::ResolvesAgainstTheBase),
    exe("B35", 1, Fault::ReadsColonsAsSchemes),
    exe("B37", 10, Fault::ReplaysBodies),
    exe("B38", 10, Fault::ComparesHostsOnly),
    keyed(exe("B40", 11, Fault::QuotesTheUrl)),
    exe("B41", 11, Fault::NamesItsEndpoint),
    exe("B43", 18, Fault::QuotesTheCredential),
    exe("B44", 16, Fault::UsesTheProxy),
    exe("B46", 7, Fault::WritesObjectsAsText),
    exe("B47", 7, Fault::RenamesLists),
    exe("B49", 6, Fault::GluesPairs),
    exe("B50", 21, Fault::SendsInClear),
    keyed(cred("B40", 4, Fault::QuotesTheUrl)),
    cred("B41", 10, Fault::NamesItsEndpoint),
    cred("B100", 7, Fault::SeesPlainEchoesOnly),
    keyed(cred("B109", 4, Fault::TracesTheQuery)),
    cred("B111", 4, Fault::TracesHeaders),
    cred("B112", 4, Fault::QuotesItsSettings),
];

/// A headline stands in a line of 120 columns, behind the harness's and the row's names.
const LINE: usize = 105;

const FAULTY: &str = "faulty";
const SOUND: &str = "sound";

fn subject(case: &Case, name: &str) -> ExecutorSubject {
    let profile = ExecutorProfile::new().policy().methods(["GET", "POST"]);
    let profile = if case.keyed {
        profile.query_key(KEY)
    } else {
        profile.bearer()
    };
    let client = if name == FAULTY {
        case.client
    } else {
        Fault::None
    };
    ExecutorSubject::new(name, profile, move |env| Client::new(env, client))
}

/// Canaries come from the seed: what the faulty client traced must not be the sound one's.
fn settings(name: &str) -> Settings {
    Settings {
        cases: 32,
        ..Settings::with_seed(Seed::new(if name == FAULTY { 7 } else { 8 }))
    }
}

const PROXIES: RequirementId = RequirementId::new(Family::Exe, 16);

fn judged(case: &Case, name: &str) -> RowOutcome {
    let requirement = Catalogue::shared().unwrap().get(case.row).unwrap();
    let subject = subject(case, name);
    if case.row == PROXIES {
        // The row sets environment variables, so it needs a process of its own.
        let program = std::env::current_exe().unwrap();
        let supervisor = Supervisor::new(|| {
            let mut command = Command::new(&program);
            command.args(["the_row_that_needs_a_process", "--exact", "--nocapture"]);
            command
        });
        let rows = supervisor
            .judge(name, &[requirement], settings(name))
            .unwrap();
        return rows.into_iter().next().unwrap();
    }
    let watch = Arc::new(Watch::default());
    judge_row(requirement, &subject, settings(name), &watch).unwrap()
}

#[test]
fn the_row_that_needs_a_process() {
    if worker::is_worker() {
        let job = Job::from_stdin().unwrap();
        let case = CASES.iter().find(|case| case.row == PROXIES).unwrap();
        worker::serve(&job, &subject(case, &job.subject)).unwrap();
    }
}

#[rstest]
fn each_public_fault_is_convicted_by_its_row_and_the_sound_twin_is_not(
    #[values(Family::Exe, Family::Cred)] family: Family,
) {
    for case in CASES.iter().filter(|case| case.row.family() == family) {
        let faulty = judged(case, FAULTY);
        let told = (case.fault, case.row);
        assert_eq!(faulty.outcome, Outcome::Fail, "{told:?}: {faulty:#?}");
        let found = faulty.counterexample.unwrap();
        assert!(!found.twin.is_empty() && !found.steps.is_empty());
        let headline = found.headline;
        assert!(headline.chars().count() <= LINE, "{told:?}: {headline}");

        let sound = judged(case, SOUND);
        assert_eq!(sound.outcome, Outcome::Pass, "{told:?}: {sound:#?}");
    }
}

#[test]
fn every_fault_that_the_catalogue_names_is_among_the_cases() {
    let rows = Catalogue::shared().unwrap().iter();
    let of_executors = rows.filter(|row| {
        row.subjects.contains(&SubjectKind::Executor) && check::find(row.id).is_some()
    });
    let named: BTreeSet<(String, String)> = of_executors
        .flat_map(|row| {
            let faults = row.field.iter();
            faults.map(|fault| (fault.to_string(), row.id.to_string()))
        })
        .collect();
    let judged = CASES
        .iter()
        .map(|case| (case.fault.to_owned(), case.row.to_string()));
    assert_eq!(judged.collect::<BTreeSet<_>>(), named);
}
