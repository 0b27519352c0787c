//! Outcomes that real tests left behind become a certificate.

use std::fs;
use std::path::Path;
use std::process::Command;

use proofmark_conformance::conformance;
use proofmark_conformance::toolkit::policy::RequestBudget;
use rstest::rstest;

use crate::program::Run;

conformance! {
    /// The subject whose outcomes are merged below.
    policy request_budget(budget, per_call, requests = 3) = || RequestBudget::new(3);
}

/// Runs the tests above once more, so that they leave their outcomes in `folder`.
fn leave_outcomes(folder: &Path, filter: &str) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--test-threads=2", filter])
        .env("PROOFMARK_OUT", folder)
        .env("PROOFMARK_SEED", "0x7")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

fn report(folder: &Path, more: &[&str]) -> Run {
    let folder = folder.to_str().unwrap();
    Run::of(["report", folder].iter().chain(more))
}

#[test]
fn the_outcomes_of_all_tests_make_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    leave_outcomes(folder.path(), "report::request_budget::");

    let run = report(folder.path(), &["--format", "json"]);

    let certificate = run.json();
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(certificate["seed"], "0x7");
    assert_eq!(certificate["subjects"][0]["name"], "request_budget");
    let verdict = certificate["verdict"].as_str().unwrap();
    assert!(verdict.starts_with("certified"), "{run:?}");
}

#[test]
fn the_outcomes_of_some_tests_are_partial_and_a_broken_one_is_told() {
    let folder = tempfile::tempdir().unwrap();
    leave_outcomes(folder.path(), "report::request_budget::bud_02");
    let partial = report(folder.path(), &[]);
    assert_eq!(partial.code, Some(0), "{partial:?}");
    assert!(partial.stdout.contains("\npartial\n"), "{partial:?}");
    assert!(
        partial.stdout.contains("next: rows are missing"),
        "{partial:?}"
    );

    let path = folder.path().join("request_budget.BUD-02.json");
    let text = fs::read_to_string(&path).unwrap();
    let broken = text
        .replace("\"pass\"", "\"fail\"")
        .replace("\"reason\": null", "\"reason\": \"it \\u001b[2J broke\"");
    fs::write(&path, broken).unwrap();
    let broken = report(folder.path(), &[]);

    assert_eq!(broken.code, Some(1), "{broken:?}");
    for text in [
        "BUD-02: it \\u{1b}[2J broke",
        "PROOFMARK_SEED=0x7 cargo test request_budget::bud_02",
    ] {
        assert!(broken.stdout.contains(text), "{broken:?}");
    }
}

#[rstest]
#[case::no_json("{", "is no outcome of a test")]
#[case::another_document("{\"schema\": 1}", "is no outcome of a test")]
fn a_file_that_is_no_outcome_is_named(#[case] text: &str, #[case] said: &str) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.json"), text).unwrap();
    let run = report(folder.path(), &[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    assert!(
        run.stderr.contains(said) && run.stderr.contains("x.json"),
        "{run:?}"
    );
}

#[test]
fn a_folder_without_outcomes_says_how_to_get_some() {
    let folder = tempfile::tempdir().unwrap();
    let run = report(folder.path(), &[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    assert!(run.stderr.contains("PROOFMARK_OUT="), "{run:?}");
}

#[test]
fn outcomes_of_another_catalogue_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    leave_outcomes(folder.path(), "report::request_budget::bud_01");
    let path = folder.path().join("request_budget.BUD-01.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut fragment: serde_json::Value = serde_json::from_str(&text).unwrap();
    fragment["catalogue_digest"] = "0".repeat(64).into();
    fs::write(&path, fragment.to_string()).unwrap();

    let run = report(folder.path(), &[]);

    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("another catalogue"), "{run:?}");
}
