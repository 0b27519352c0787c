//! Whatever is wrong with what was asked is said, with what to do next, and ends with 2.

use std::fs;

use rstest::rstest;

use crate::program::Run;

/// The run must have failed as wrong usage, said this, and printed no document.
fn refused(run: &Run, said: &[&str]) {
    assert_eq!(run.code, Some(2), "{run:?}");
    assert_eq!(run.stdout, "", "{run:?}");
    for text in said {
        assert!(run.stderr.contains(text), "`{text}` is not in {run:?}");
    }
}

#[rstest]
#[case::no_command("", &["Usage: proofmark <COMMAND>"])]
#[case::unknown_command("certfy", &["unrecognized subcommand", "certify"])]
#[case::unknown_kind("certify oracle", &["invalid value 'oracle'", "policy"])]
#[case::unknown_option("certify --bogus", &["--bogus", "--help"])]
#[case::unknown_format("certify --format yaml", &["pretty", "json"])]
#[case::unknown_requirement("certify --only POL-99", &["no requirement `POL-99`", "did you mean", "next: "])]
#[case::one_of_many_unknown("certify --only POL-01,POL-1", &["no requirement `POL-1`", "did you mean"])]
#[case::no_requirement("certify --only=", &["no requirement ``", "next: "])]
#[case::about_another_subject("certify resolver --only POL-01", &["POL-01 is about another kind of subject, policy", "next: "])]
#[case::unknown_subject("certify --subject endpoint_alowlist", &["`endpoint_allowlist`", "next: "])]
#[case::profile_of_nobody("certify --profile p.toml", &["--subject <NAME>"])]
#[case::profile_is_not_there("certify --subject endpoint_denylist --profile /no/such.toml", &["/no/such.toml cannot be read", "next: "])]
#[case::profile_is_a_folder("certify --subject endpoint_denylist --profile .", &["the profile .", "next: "])]
#[case::seed_not_hexadecimal("certify --seed seventeen", &["`seventeen` is no seed", "0x1f2e"])]
#[case::seed_too_long("certify --seed 12345678901234567", &["is no seed"])]
#[case::no_cases("certify --cases 0", &["1..=1000000"])]
#[case::cases_no_number("certify --cases many", &["invalid value 'many'"])]
#[case::out_is_a_file("certify --subject endpoint_denylist --only POL-01 --out Cargo.toml/x", &["Cargo.toml/x cannot be written", "next: "])]
#[case::nothing_to_explain("explain", &["<ID>"])]
#[case::unknown_to_explain("explain POL12", &["`POL-12`", "next: "])]
#[case::selftest_without_nothing("selftest --without POL-99", &["no requirement `POL-99`"])]
#[case::selftest_without_the_unchecked("selftest --without SUR-06", &["SUR-06 has no check", "next: "])]
#[case::folder_is_not_there("report /no/such", &["/no/such", "next: "])]
#[case::worker_without_a_job("worker", &["no job", "next: "])]
fn wrong_usage_says_what_and_what_next(#[case] line: &str, #[case] said: &[&str]) {
    refused(&Run::line(line), said);
}

#[rstest]
#[case::not_toml("kind = ", &["line 1"])]
#[case::unknown_entry("kind = \"stateless\"\nrequest = 3\n", &["unknown field `request`", "line 2"])]
#[case::ill_typed("kind = \"budget\"\nscope = \"call\"\nrequests = \"3\"\n", &["line 3", "requests"])]
#[case::promises_nothing("", &["promises nothing", "declare"])]
#[case::contradiction("kind = \"stateless\"\nrequests = 3\n", &["`requests` contradicts `stateless`"])]
#[case::no_url("kind = \"stateless\"\nallow = [\"/v1/items\"]\n", &["`/v1/items` is no request"])]
fn a_profile_that_cannot_be_used_says_where_and_how_to_mend_it(
    #[case] text: &str,
    #[case] said: &[&str],
) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profile.toml");
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();

    let run = Run::of([
        "certify",
        "--subject",
        "endpoint_denylist",
        "--profile",
        path,
    ]);

    refused(&run, said);
    refused(&run, &[path, "next: mend"]);
}

#[test]
fn a_profile_that_is_no_text_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profile.toml");
    for bytes in [vec![0xff, 0xfe], vec![b'#'; (1 << 20) + 1]] {
        fs::write(&path, bytes).unwrap();
        let path = path.to_str().unwrap();
        let run = Run::of([
            "certify",
            "--subject",
            "endpoint_denylist",
            "--profile",
            path,
        ]);
        refused(&run, &["cannot be read", "next: "]);
    }
}

#[cfg(unix)]
#[rstest]
#[case(&["explain"])]
#[case(&["certify", "--only"])]
#[case(&["certify", "--subject"])]
#[case(&["certify", "--seed"])]
fn an_argument_that_is_no_text_is_refused(#[case] before: &[&str]) {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt;
    let mut args: Vec<OsString> = before.iter().map(OsString::from).collect();
    args.push(OsStr::from_bytes(b"\xff\x1b[31m").to_owned());
    refused(&Run::of(args), &["UTF-8"]);
}

#[test]
fn what_was_asked_cannot_steer_the_terminal() {
    let run = Run::of(["certify", "--subject", "\u{1b}[2J"]);
    refused(&run, &["no built-in subject"]);
    assert!(!run.stderr.contains('\u{1b}'), "{run:?}");
}
