//! One document on standard output, everything else on standard error, whoever reads them.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use rstest::rstest;

use crate::program::{Run, command};

#[cfg(unix)]
#[rstest]
#[case::list("list", 0)]
#[case::list_for_programs("list --format json", 0)]
#[case::help("--help", 0)]
#[case::explain("explain POL-01", 0)]
#[case::still_not_certified("certify --subject fixture_allows_all --only POL-11", 1)]
fn a_reader_that_goes_away_ends_the_program_quietly(#[case] line: &str, #[case] code: i32) {
    let mut child = command()
        .args(line.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(code), "{said}");
    let unexpected: Vec<&str> = said
        .lines()
        .filter(|line| !line.starts_with("judged "))
        .collect();
    assert_eq!(unexpected, [""; 0]);
}

#[test]
fn a_reader_of_one_line_gets_it() {
    let mut child = command()
        .arg("list")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    drop(stdout);
    assert!(line.starts_with("id "), "{line}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_told() {
    let full = std::fs::File::create("/dev/full").unwrap();
    let output = command().arg("list").stdout(full).output().unwrap();
    let run = Run::from(output);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("standard output cannot be written"),
        "{run:?}"
    );
    assert!(run.stderr.contains("next: "), "{run:?}");
}

#[rstest]
#[case::asked_for(&[("CLICOLOR_FORCE", "1")], true)]
#[case::forbidden(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false)]
#[case::no_terminal(&[], false)]
fn colours_are_shown_where_they_are_wanted(#[case] env: &[(&str, &str)], #[case] coloured: bool) {
    let output = command()
        .args(["explain", "POL-01"])
        .envs(env.iter().copied())
        .output()
        .unwrap();
    assert_eq!(Run::from(output).stdout.contains('\u{1b}'), coloured);
}

#[test]
fn progress_is_no_part_of_the_document() {
    let run = Run::line("certify --subject endpoint_denylist --only POL-01 --format json");
    assert_eq!(run.json()["verdict"], "partial");
    assert_eq!(run.stderr, "judged 1/1 endpoint_denylist\n");
}
