//! What a scan reports, what redaction leaves, and what neither ever shows.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::io::{self, Read};

use proofmark_conformance::scan::{Finding, ScanError, Scanner, Secret};
use rstest::rstest;
use serde_json::json;

fn scanner(secrets: &[&str]) -> Scanner {
    let named = |(at, value): (usize, &&str)| Secret::new(format!("s{at}"), *value);
    let secrets = secrets.iter().enumerate().map(named);
    Scanner::builder().secrets(secrets).build().unwrap()
}

#[test]
fn a_finding_serialises_with_file_line_column_encoding_and_name() {
    let scanner = scanner(&["tok_FAKE_9f3A"]);
    let scan = scanner.scan(b"one\n\xc3\xa9 tok%5FFAKE_9f3A");
    let scan = scanner.in_file("tok_FAKE_9f3A.log", scan);

    assert_eq!(
        serde_json::to_value(&scan.findings).unwrap(),
        json!([{
            "file": "[masked].log", "line": 2, "column": 4, "encoding": "percent", "secret": "s0",
            "span": {"start": 7, "end": 22},
        }])
    );
}

#[test]
fn findings_come_in_the_order_of_the_text() {
    let scan = scanner(&["tok_FAKE_9f3A", "other_FAKE_1"])
        .scan(b"other_FAKE_1 dG9rX0ZBS0VfOWYzQQ== other%5FFAKE_1\ntok_FAKE_9f3A");
    let shown: Vec<String> = scan.findings.iter().map(Finding::to_string).collect();
    assert_eq!(
        shown,
        [
            "1:1: `s1` (plain)",
            "1:14: `s0` (base64)",
            "1:35: `s1` (percent)",
            "2:1: `s0` (plain)"
        ]
    );
}

#[rstest]
#[case(&["tok_FAKE", "tok_FAKE_12345"], "tok_FAKE_12345 used", "[masked] used")]
#[case(&["tok_FAKE_12345", "tok_FAKE"], "tok_FAKE_12345 used", "[masked] used")]
#[case(&["abcdefgX", "Xvery-fake-value"], "-abcdefgXvery-fake-value-", "-[masked]-")]
#[case(&["tok1tok1"], "tok1tok1tok1", "[masked]")]
#[case(&["foo\"bar_FAKE_tail"], r#"{"password":"foo\"bar_FAKE_tail"}"#, r#"{"password":"[masked]"}"#)]
#[case(&["tok_FAKE@9f3A"], "wss://u:tok_FAKE@9f3A@h/", "wss://u:[masked]@h/")]
#[case(&["tök_FAKE_é"], "é tök_FAKE_é é", "é [masked] é")]
#[case(&["tok_FAKE_9f3A"], "{\"k\":\"dG9rX0ZBS0VfOWYzQQ==\"}", "{\"k\":\"[masked]==\"}")]
#[case(&["{", "1234"], "{\"pin\":1234}", "{\"pin\":1234}")]
#[case(&["tok_FAKE_9f3A"], "nothing", "nothing")]
fn redaction_leaves_no_part_of_a_secret_and_masks_nothing_else(
    #[case] secrets: &[&str],
    #[case] text: &str,
    #[case] redacted: &str,
) {
    assert_eq!(scanner(secrets).redact(text), redacted);
    assert_eq!(scanner(secrets).redacted(text), redacted);
}

#[test]
fn a_weak_secret_is_inconclusive_beside_others_that_are_looked_for() {
    let scan = scanner(&["password", "tok_FAKE_9f3A", "1234"]).scan(b"password tok_FAKE_9f3A 1234");
    assert_eq!(scan.findings.len(), 1);
    assert_eq!(
        serde_json::to_value(&scan.inconclusive).unwrap(),
        json!([{"secret": "s0", "why": "everyday"}, {"secret": "s2", "why": "too_short"}])
    );
    assert!(!scan.is_clean());
    assert!(!scanner(&["1234"]).scan(b"").is_clean());
    assert!(scanner(&["tok_FAKE_9f3A"]).scan(b"").is_clean());
}

#[test]
fn nothing_that_a_scanner_prints_holds_the_secret() {
    let scanner = scanner(&["tok_FAKE_9f3A", "secrets"]);
    let scan = scanner.scan(b"x tok_FAKE_9f3A tok%5FFAKE_9f3A");
    let secret = Secret::new("name", "tok_FAKE_9f3A");
    let serialised = serde_json::to_string(&scan).unwrap();
    let builder = Scanner::builder().secret(secret.clone());
    let printed = format!(
        "{scanner:?} {scan:?} {serialised} {secret:?} {builder:?} {}",
        scan.findings[0]
    );

    assert_eq!(scanner.scan(printed.as_bytes()).findings, []);
    assert!(!printed.contains("FAKE"), "{printed}");
}

#[test]
fn a_name_that_would_tell_a_secret_is_refused() {
    for name in [
        "tok_FAKE_9f3A",
        "key tok%5FFAKE_9f3A",
        "dG9rX0ZBS0VfOWYzQQ==",
    ] {
        let secrets = [
            Secret::new("fine", "other_FAKE_1"),
            Secret::new(name, "tok_FAKE_9f3A"),
        ];
        let error = Scanner::builder().secrets(secrets).build().unwrap_err();
        assert!(matches!(error, ScanError::NameHoldsSecret { position: 2 }));
        assert!(!format!("{error} {error:?}").contains("FAKE"));
    }
}

#[test]
fn a_scanner_without_a_secret_or_with_an_endless_one_is_refused() {
    let none = Scanner::builder().build().unwrap_err();
    assert!(matches!(none, ScanError::NoSecret));
    let endless = Secret::new("s", "a1b2".repeat(5000));
    let error = Scanner::builder().secret(endless).build().unwrap_err();
    assert!(matches!(error, ScanError::SecretTooLong { position: 1 }));
}

#[test]
fn the_longest_secret_is_found_across_blocks_and_pieces() {
    let value: String = (0..4096).map(|n| format!("{n:04}")).collect();
    assert_eq!(value.len(), Scanner::LONGEST_SECRET);
    let scanner = scanner(&[&value]);
    let escaped: String = value.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let text = format!("{}{value} {escaped}", "x ".repeat(1000));

    let mut stream = scanner.stream();
    for piece in text.as_bytes().chunks(4093) {
        stream.push(piece);
    }
    assert_eq!(stream.finish().findings.len(), 2);
}

/// Yields a text and then fails.
struct Breaks(&'static [u8]);

impl Read for Breaks {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0.read(into)? {
            0 => Err(io::Error::other("gone")),
            read => Ok(read),
        }
    }
}

#[test]
fn a_text_that_cannot_be_read_to_its_end_is_an_error() {
    let read = scanner(&["tok_FAKE_9f3A"]).scan_reader(Breaks(b"harmless"));
    assert!(matches!(read, Err(ScanError::Read(_))));
}

#[test]
fn findings_can_be_taken_while_a_text_still_arrives_and_memory_stays_bounded() {
    let scanner = scanner(&["tok_FAKE_9f3A"]);
    let mut stream = scanner.stream();
    let piece = format!("{}tok_FAKE_9f3A\n", "x".repeat(65_000));
    let mut taken = Vec::new();
    for _ in 0..100 {
        stream.push(piece.as_bytes());
        taken.extend(stream.take_findings());
    }
    assert!(taken.len() > 80);
    taken.extend(stream.finish().findings);
    let lines: Vec<u64> = taken.iter().map(|finding| finding.line).collect();
    assert_eq!(lines, (1..=100).collect::<Vec<u64>>());
    assert!(taken.iter().all(|finding| finding.column == 65_001));
}

#[rstest]
#[case(
    "json in json",
    r#"{"a":"{\"b\":\"tok\\u005fFAKE\\u005f9f3A\"}"}"#,
    "json > json"
)]
#[case("percent twice in part", "tok%255fFAKE_9f3A", "percent > percent")]
#[case("base64 in percent", "dG9rX0ZBS0VfOWYzQ%51%3D%3D", "percent > base64")]
#[case(
    "utf-16 in base64",
    "dABvAGsAXwBGAEEASwBFAF8AOQBmADMAQQA=",
    "base64 > utf-16"
)]
#[case(
    "wrapped base64 in json",
    r"dG9rX0\nZBS0Vf\r\nOWYzQQ==",
    "json > base64"
)]
#[case(
    "hex in base64 in json",
    r"NzQ2ZjZiNWY0NjQxNGI0\u004eTVmMzk2NjMzNDE=",
    "json > base64 > hex"
)]
#[case("reference of a reference", "tok&amp;#95;FAKE_9f3A", "html > html")]
fn a_chain_names_what_must_be_undone(#[case] _name: &str, #[case] text: &str, #[case] chain: &str) {
    let scan = scanner(&["tok_FAKE_9f3A"]).scan(text.as_bytes());
    let chains: Vec<String> = scan
        .findings
        .iter()
        .map(|f| f.encoding.to_string())
        .collect();
    assert_eq!(chains, [chain]);
}

#[test]
fn a_run_of_backslashes_hides_no_plain_secret_and_takes_no_time() {
    let text = [
        "\\".repeat(300_000),
        "tok_FAKE_9f3A".into(),
        "\\".repeat(300_001),
    ]
    .concat();
    assert_eq!(
        scanner(&["tok_FAKE_9f3A"])
            .scan(text.as_bytes())
            .findings
            .len(),
        1
    );
}
