//! The shapes that scripts rely on, and the texts that people read.

use proofmark_conformance::catalogue::Catalogue;
use proofmark_conformance::check;
use rstest::rstest;
use serde_json::Value;

use crate::program::{Run, texts};

#[test]
fn the_list_holds_every_requirement_and_says_which_have_a_check() {
    let catalogue = Catalogue::shared().unwrap();

    let run = Run::line("list --format json");
    let list = run.json();

    assert_eq!(run.code, Some(0));
    assert_eq!(list["schema"], 1);
    assert!(list["suite"].is_string());
    assert_eq!(list["catalogue"], catalogue.version());
    assert_eq!(list["catalogue_digest"], catalogue.digest());
    let rows = list["requirements"].as_array().unwrap();
    assert_eq!(rows.len(), catalogue.len());
    for (row, requirement) in rows.iter().zip(catalogue) {
        assert_eq!(row["id"], requirement.id.to_string());
        assert_eq!(row["family"], requirement.family().to_string());
        assert_eq!(row["level"], requirement.level.to_string());
        assert_eq!(row["title"], requirement.title);
        assert_eq!(row["mode"], requirement.mode.to_string());
        assert_eq!(row["check"], check::judges(requirement.id));
        assert_eq!(texts(&row["needs"]), requirement.needs);
        for field in ["subjects", "source", "transports"] {
            assert!(!texts(&row[field]).is_empty(), "{row}");
        }
    }
}

#[test]
fn the_table_has_a_line_for_every_requirement() {
    let run = Run::line("list");
    assert_eq!(run.code, Some(0));
    for row in Catalogue::shared().unwrap() {
        let check = if check::judges(row.id) { "yes" } else { "-" };
        let line = format!(
            "{:<7}  {:<6}  {check:<5}  {}",
            row.id.to_string(),
            row.level,
            row.title
        );
        assert!(run.stdout.lines().any(|shown| shown == line), "{line}");
    }
}

#[test]
fn every_requirement_is_explained_within_the_page_in_both_forms() {
    for row in Catalogue::shared().unwrap() {
        let id = row.id.to_string();
        let shown = Run::of(["explain", &id]);
        assert_eq!(shown.code, Some(0), "{shown:?}");
        // Code keeps its lines, however long; text begins at column 16.
        let prose = shown.stdout.lines().filter(|line| {
            let text = line.chars().skip(16).collect::<String>();
            !text.starts_with("    ")
        });
        let long: Vec<&str> = prose.filter(|line| line.chars().count() > 100).collect();
        assert_eq!(long, [""; 0], "{id}");
    }
    let told = Run::line("explain pol-12 --format json").json();
    assert_eq!(told["id"], "POL-12");
    for field in [
        "statement",
        "attack",
        "observable",
        "control",
        "repair",
        "applies_when",
    ] {
        assert!(told[field].as_str().unwrap().len() > 20, "{field}");
    }
}

#[test]
fn a_certificate_has_the_fields_that_scripts_rely_on() {
    let run = Run::line(
        "certify policy --subject fixture_allows_all --only POL-11,POL-12 --seed 0x1f --format json",
    );
    let certificate = run.json();
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(certificate["schema"], 1);
    assert!(certificate["suite"].is_string());
    assert_eq!(certificate["seed"], "0x1f");
    assert_eq!(certificate["verdict"], "not-certified");
    let subject = &certificate["subjects"][0];
    assert_eq!(subject["name"], "fixture_allows_all");
    assert_eq!(subject["kind"], "policy");
    assert!(subject["version"].is_string());
    assert_eq!(subject["verdict"], "not-certified");
    let outcomes = subject["outcomes"].as_array().unwrap();
    let told: Vec<(&Value, &Value, &Value)> = outcomes
        .iter()
        .map(|row| (&row["id"], &row["level"], &row["outcome"]))
        .collect();
    assert_eq!(
        told,
        [
            (&"POL-11".into(), &"must".into(), &"fail".into()),
            (&"POL-12".into(), &"must".into(), &"not_applicable".into()),
        ]
    );
    for row in outcomes {
        assert!(row["cases"].is_u64() && row["ms"].is_u64(), "{row}");
        assert!(row["reason"].is_string(), "{row}");
    }
    assert!(outcomes[0]["counterexample"]["headline"].is_string());
    assert!(outcomes[1]["counterexample"].is_null());
}

#[test]
fn a_certificate_reads_as_a_report_on_each_failure() {
    let run = Run::line("certify --subject fixture_allows_all --only POL-11,POL-12 --seed 1");
    insta::with_settings!({filters => vec![
        (r"suite \d+\.\d+\.\d+, catalogue \d+\.\d+", "suite [version], catalogue [version]"),
        (r"\d+ rows", "[n] rows"),
        // The report is a failing test's, which has tests of its own.
        (r"(?s)\n(POL-11: [^\n]*)\n.*?\n  not judged", "\n$1\n[report]\n\n  not judged"),
        // This line shrinks with every check that is added.
        (r"    the suite has no check for it yet:[^\n]*\n(    [A-Z]+-\d\d[^\n]*\n)*", ""),
    ]}, { insta::assert_snapshot!(run.stdout) });
}

#[rstest]
#[case("--help")]
#[case("certify --help")]
#[case("help selftest")]
#[case("--version")]
fn help_is_a_document_like_any_other(#[case] line: &str) {
    let run = Run::line(line);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(!run.stdout.is_empty());
    assert!(!run.stdout.contains("worker") && !run.stdout.contains("--without"));
}
