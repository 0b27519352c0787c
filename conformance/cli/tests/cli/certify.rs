//! What `certify` says of subjects, and the exit code that scripts act on.

use std::fs;

use proofmark_specimens::{Fixture, fixtures, references};
use rstest::rstest;
use serde_json::{Value, json};

use crate::program::Run;

#[test]
fn the_reference_subjects_are_judged_each_by_name_and_pass() {
    // A few rows of each kind: the suite's own tests judge them by every row, and CI by this program.
    let run = Run::line(
        "certify --only POL-09,POL-11,POL-12,PATH-03,PATH-06,EXE-03,EXE-16,SUR-02,LSH-03,CRED-05 --format json",
    );
    let certificate = run.json();
    assert_eq!(run.code, Some(0), "{run:?}");
    let subjects = certificate["subjects"].as_array().unwrap();
    let names: Vec<&str> = subjects
        .iter()
        .map(|subject| subject["name"].as_str().unwrap())
        .collect();
    let expected = references();
    let expected: Vec<&str> = expected.iter().map(|subject| subject.name()).collect();
    assert_eq!(names, expected);
    for subject in subjects {
        assert_eq!(subject["verdict"], "partial", "{subject}");
        let outcomes = subject["outcomes"].as_array().unwrap().iter();
        let seen: Vec<&Value> = outcomes.map(|row| &row["outcome"]).collect();
        assert!(seen.contains(&&json!("pass")), "{subject}");
        assert!(!seen.contains(&&json!("fail")), "{subject}");
    }
}

#[rstest]
#[case::one("POL-01", 1)]
#[case::two("pol-09,POL-01", 2)]
fn a_selection_is_partial_at_best(#[case] only: &str, #[case] rows: usize) {
    let run = Run::of([
        "certify",
        "policy",
        "--subject",
        "request_budget_global",
        "--format",
        "json",
        "--only",
        only,
    ]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let certificate = run.json();
    assert_eq!(certificate["verdict"], "partial");
    let outcomes = certificate["subjects"][0]["outcomes"].as_array().unwrap();
    assert_eq!(outcomes.len(), rows);
}

#[test]
fn reference_subjects_that_no_selected_row_applies_to_are_left_out_and_named() {
    let run = Run::line("certify --only BUD-02 --format json");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.json()["verdict"], "partial");
    assert!(
        run.stderr
            .contains("left out endpoint_allowlist: no selected requirement applies"),
        "{run:?}"
    );
}

#[test]
fn a_named_subject_that_no_selected_row_applies_to_is_not_certified() {
    let run = Run::line("certify --subject endpoint_allowlist --only BUD-02");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.stdout.contains(
            "passed 0, failed 0, inconclusive 0, not applicable 1, of 1\nnot-certified\n"
        ),
        "{run:?}"
    );
    assert!(run.stdout.contains("nothing was judged"), "{run:?}");
}

#[test]
fn a_subject_is_held_to_the_profile_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("its promises.toml");
    // The denylist refuses `/admin` alone.
    fs::write(
        &path,
        "kind = \"stateless\"\nrefuse = [\"https://api.example.test/v1/search\"]\n",
    )
    .unwrap();
    let judge = |more: &[&str]| {
        let args = [
            "certify",
            "--subject",
            "endpoint_denylist",
            "--only",
            "POL-11",
        ];
        Run::of(args.iter().chain(more))
    };

    assert_eq!(judge(&[]).code, Some(0));
    let held = judge(&["--profile", path.to_str().unwrap(), "--seed", "a"]);

    assert_eq!(held.code, Some(1), "{held:?}");
    assert!(
        held.stdout.contains("POL-11: a request declared refused"),
        "{held:?}"
    );
    // The command that repeats it names the file as one word.
    let again = format!(
        "--profile '{}' --only POL-11 --seed 0xa",
        path.to_str().unwrap()
    );
    let shown = held.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains(&again), "{held:?}");
}

#[test]
fn the_same_seed_gives_the_same_certificate_but_for_time() {
    let judge = || {
        let run =
            Run::line("certify --subject endpoint_allowlist --seed 7 --cases 8 --format json");
        let mut certificate = run.json();
        for row in certificate["subjects"][0]["outcomes"]
            .as_array_mut()
            .unwrap()
        {
            row["ms"] = Value::from(0);
        }
        certificate
    };
    assert_eq!(judge(), judge());
}

#[test]
fn the_certificate_is_kept_as_it_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/er");
    let run = Run::of([
        "certify",
        "--subject",
        "endpoint_denylist",
        "--format",
        "json",
        "--out",
        out.to_str().unwrap(),
    ]);
    let kept = fs::read_to_string(out.join("certificate.json")).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(kept, run.stdout);
    assert!(run.stderr.contains("wrote "), "{run:?}");
}

fn code_of(fixture: &Fixture) -> i32 {
    match fixture.outcome.word() {
        "pass" => 0,
        "error" => 3,
        _ => 1,
    }
}

#[test]
fn every_fixture_comes_to_its_outcome_and_exit_code() {
    let judge = |fixture: &Fixture| {
        let row = fixture.row.to_string();
        let name = fixture.subject.name();
        let run = Run::of([
            "certify",
            "--format",
            "json",
            "--subject",
            name,
            "--only",
            &row,
        ]);
        let outcome = run.json()["subjects"][0]["outcomes"][0]["outcome"].clone();
        assert_eq!(outcome, fixture.outcome.word(), "{name}: {run:?}");
        assert_eq!(run.code, Some(code_of(fixture)), "{name}: {run:?}");
    };
    // Those that never answer are waited for together.
    std::thread::scope(|scope| {
        for fixture in fixtures() {
            scope.spawn(move || judge(&fixture));
        }
    });
}
