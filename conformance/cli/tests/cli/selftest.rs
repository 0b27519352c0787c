//! The suite convicts each specimen exactly, and a suite that lost a check is found out.

use std::sync::LazyLock;

use proofmark_conformance::catalogue::{Catalogue, Level};
use proofmark_conformance::check;
use proofmark_conformance::outcome::SubjectReport;
use proofmark_specimens::{SelfTest, fixtures, look_alikes, specimens};
use serde_json::{Value, json};

use crate::program::{Run, texts};

/// One run, which several tests look at. CI makes the whole one, with more cases.
static QUICK: LazyLock<Run> =
    LazyLock::new(|| Run::line("selftest --quick --format json --seed 0x5e1f --cases 24"));

#[test]
fn the_suite_is_exact_and_complete_and_raises_no_false_alarm() {
    let matrix = QUICK.json();
    for found in [
        "missed",
        "inexact",
        "false_alarms",
        "undecided",
        "uncovered",
        "fixtures_wrong",
    ] {
        assert_eq!(matrix[found], json!([]), "{found}");
    }
    assert_eq!(matrix["convicted"], matrix["specimens"]);
    assert_eq!(QUICK.code, Some(0), "{}", QUICK.stderr);
}

#[test]
fn the_kill_matrix_has_the_fields_that_scripts_rely_on() {
    let matrix = QUICK.json();
    assert_eq!(matrix["schema"], 1);
    assert_eq!(matrix["specimens"], specimens().len());
    assert_eq!(matrix["conforming"], look_alikes().len());
    assert_eq!(matrix["fixtures"], fixtures().len());
    assert!(matrix["compile_specimens"].is_u64());
    for list in ["missed", "false_alarms", "uncovered"] {
        texts(&matrix[list]);
    }
    for inexact in matrix["inexact"].as_array().unwrap() {
        assert!(inexact["specimen"].is_string(), "{inexact}");
        texts(&inexact["declared"]);
        texts(&inexact["failed"]);
    }
    let subjects = specimens().len() + look_alikes().len() + fixtures().len();
    let last = format!("judged {subjects}/{subjects} ");
    assert!(QUICK.stderr.contains(&last), "{}", QUICK.stderr);
}

/// What the run found, as reports.
fn reports(matrix: &Value) -> Vec<SubjectReport> {
    let kills = matrix["matrix"].as_array().unwrap();
    let report = |kill: &Value| {
        let outcome =
            |id| json!({"id": id, "level": "must", "outcome": "fail", "cases": 0, "ms": 0});
        let outcomes: Vec<Value> = texts(&kill["failed"]).into_iter().map(outcome).collect();
        let report = json!({
            "name": kill["specimen"], "kind": "policy", "version": "", "profile_digest": "",
            "verdict": "not-certified", "outcomes": outcomes, "not_judged": [],
        });
        serde_json::from_value(report).unwrap()
    };
    kills.iter().map(report).collect()
}

#[test]
fn a_suite_that_lost_any_one_check_does_not_hold() {
    let catalogue = Catalogue::shared().unwrap();
    let judged: Vec<_> = catalogue
        .iter()
        .filter(|row| check::find(row.id).is_some())
        .collect();
    let (specimens, look_alikes) = (specimens(), look_alikes());
    let found = reports(&QUICK.json());
    for row in judged.iter().filter(|row| row.level != Level::May) {
        let mut reports = found.clone();
        for report in &mut reports {
            report.outcomes.retain(|outcome| outcome.id != row.id);
        }
        let selftest = SelfTest::of(&specimens, &look_alikes, &reports, &judged);
        let for_it = specimens.iter().filter(|one| one.primary == row.id);
        for specimen in for_it.clone() {
            let name = specimen.subject.name().to_owned();
            assert!(selftest.missed.contains(&name), "{}: {name}", row.id);
        }
        assert_ne!(for_it.count(), 0, "no specimen is made for {}", row.id);
        assert!(!selftest.holds(), "{}", row.id);
    }
}

#[test]
fn a_check_that_is_really_left_out_is_missed() {
    let lost = "POL-11";
    let run = Run::of([
        "selftest",
        "--format",
        "json",
        "--seed",
        "1",
        "--cases",
        "8",
        "--without",
        lost,
    ]);
    let matrix = run.json();
    assert_eq!(run.code, Some(1), "{run:?}");
    for kill in matrix["matrix"].as_array().unwrap() {
        assert!(!texts(&kill["failed"]).contains(&lost), "{kill}");
    }
    assert_eq!(matrix["conforming"], 0, "{matrix}");
    let made_for_it = specimens()
        .into_iter()
        .filter(|specimen| specimen.primary.to_string() == lost)
        .map(|specimen| specimen.subject.name().to_owned());
    for name in made_for_it {
        assert!(texts(&matrix["missed"]).contains(&name.as_str()), "{name}");
    }
    // The fixtures of that row cannot come to their outcome either.
    let wrong = matrix["fixtures_wrong"].as_array().unwrap();
    assert!(
        wrong
            .iter()
            .any(|wrong| wrong["id"] == lost && wrong["seen"].is_null()),
        "{wrong:?}"
    );
}
