//! `scan` finds each line that holds a secret, whatever its spelling, and never prints one.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use rstest::rstest;
use tempfile::TempDir;

const SECRET: &str = "tok_FAKE_9f3A/x+Q7==";

/// The secret in the spellings that logs have it in, written out so that no encoder of ours is
/// trusted.
const LINES: &[(&str, &str)] = &[
    ("plain", "key=tok_FAKE_9f3A/x+Q7=="),
    ("percent", "GET /?k=tok_FAKE_9f3A%2Fx%2BQ7%3D%3D HTTP/1.1"),
    (
        "percent, lower case",
        "GET /?k=tok_FAKE_9f3A%2fx%2bQ7%3d%3d HTTP/1.1",
    ),
    (
        "percent, in part",
        "GET /?k=%74ok_FAKE_9f3A%2Fx+Q7%3D%3D HTTP/1.1",
    ),
    (
        "base64",
        "Authorization: Basic dG9rX0ZBS0VfOWYzQS94K1E3PT0=",
    ),
    (
        "base64 after a name",
        "Authorization: Basic dXNlcjp0b2tfRkFLRV85ZjNBL3grUTc9PQ==",
    ),
    ("hex", "dump 746f6b5f46414b455f396633412f782b51373d3d end"),
    (
        "JSON escapes",
        r#"{"token":"tok_FAKE_9f3A\/x\u002bQ7\u003d="}"#,
    ),
    (
        "HTML entities",
        "<b>tok_FAKE_9f3A&#x2F;x&#43;Q7&#61;&#61;</b>",
    ),
    ("reversed", "==7Q+x/A3f9_EKAF_kot"),
    (
        "encoded twice",
        "GET /?next=%252F%3Fk%3Dtok_FAKE_9f3A%252Fx%252BQ7%253D%253D",
    ),
    (
        "decimal bytes",
        "[116, 111, 107, 95, 70, 65, 75, 69, 95, 57, 102, 51, 65, 47, 120, 43, 81, 55, 61, 61]",
    ),
];

fn scan(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .arg("scan")
        .args(arguments)
        .current_dir(folder)
        .env("SCAN_TEST_SECRET", SECRET)
        .env("SCAN_TEST_WEAK", "1234")
        .output()
        .unwrap()
}

fn log(lines: impl Iterator<Item = &'static str>) -> TempDir {
    let folder = TempDir::new().unwrap();
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    fs::write(folder.path().join("log"), text).unwrap();
    folder
}

fn assert_silent(output: &Output) {
    for printed in [&output.stdout, &output.stderr] {
        let printed = String::from_utf8_lossy(printed);
        assert!(
            !printed.contains(SECRET) && !printed.contains("9f3A"),
            "{printed}"
        );
        assert!(
            !printed.contains("OWYzQ") && !printed.contains("39663341"),
            "{printed}"
        );
    }
}

#[test]
fn every_line_with_a_secret_is_found_and_none_is_printed() {
    let harmless = ["tok_FAKE_9f3B/x+Q7==", "nothing here", "dG9rX0ZBS0U="];
    let lines = LINES.iter().map(|(_, line)| *line);
    let folder = log(lines.flat_map(|line| [line, harmless[line.len() % 3]]));

    let output = scan(
        folder.path(),
        &[
            "--secret-env",
            "SCAN_TEST_SECRET",
            "--format",
            "json",
            "log",
        ],
    );

    assert_eq!(output.status.code(), Some(1));
    assert_silent(&output);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let found: Vec<u64> = document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["line"].as_u64().unwrap())
        .collect();
    let wanted: Vec<u64> = (0..LINES.len() as u64).map(|line| 2 * line + 1).collect();
    assert_eq!(found, wanted, "{document:#}");
    let first = &document["findings"][0];
    assert_eq!(
        (&first["file"], &first["column"], &first["secret"]),
        (&"log".into(), &5.into(), &"SCAN_TEST_SECRET".into())
    );
}

#[test]
fn a_log_without_the_secret_is_clean() {
    let folder = log(["tok_FAKE_9f3B/x+Q7==", "nothing here"].into_iter());
    let output = scan(folder.path(), &["--secret-env", "SCAN_TEST_SECRET", "log"]);
    assert_eq!(output.status.code(), Some(0));
}

#[rstest]
#[case::unset(&["--secret-env", "SCAN_TEST_UNSET", "log"], "`SCAN_TEST_UNSET` is unset")]
#[case::weak(&["--secret-env", "SCAN_TEST_WEAK", "log"], "`SCAN_TEST_WEAK` was not looked for")]
#[case::no_log(&["--secret-env", "SCAN_TEST_SECRET", "nowhere"], "nowhere cannot be read")]
#[case::no_secret_file(&["--secret-file", "nowhere", "log"], "nowhere cannot be read")]
#[case::no_secret(&["log"], "--secret-env")]
fn what_cannot_be_looked_for_is_no_clean_log(#[case] arguments: &[&str], #[case] said: &str) {
    let folder = log(["nothing here"].into_iter());
    let output = scan(folder.path(), arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains(said), "{stderr}");
}

#[test]
fn a_file_that_cannot_be_read_does_not_hide_what_another_holds() {
    let folder = log(["key=tok_FAKE_9f3A/x+Q7=="].into_iter());
    let output = scan(
        folder.path(),
        &["--secret-env", "SCAN_TEST_SECRET", "nowhere", "log"],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stdout).contains("log:1:5"));
    assert_silent(&output);
}
