//! The fuzz body for scanners on a stable compiler: the committed corpus, and faults it must find.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

mod corpus;

use proofmark_conformance::fuzz::credential_scan;
use proofmark_specimens::find_scanner;
use rstest::rstest;

use self::corpus::{bytes, committed};

#[test]
fn the_corpus_is_what_this_test_writes_and_the_suites_scanner_misses_nothing() {
    let scanner = find_scanner("credential_scanner").unwrap().make();
    for seed in committed("credential_scan", 48, 24, 3) {
        credential_scan(&seed, scanner.as_ref()).unwrap();
    }
    for index in 48..2_000 {
        credential_scan(&bytes(index, 120), scanner.as_ref()).unwrap();
    }
}

#[rstest]
#[case("scanner_without_hex", "CRED-05")]
#[case("scanner_of_plain_values", "CRED-05")]
#[case("scanner_that_prints_secrets", "CRED-08")]
fn a_planted_fault_is_found(#[case] specimen: &str, #[case] requirement: &str) {
    let scanner = find_scanner(specimen).unwrap().make();
    let found =
        (0..2_000).find_map(|seed| credential_scan(&bytes(seed, 80), scanner.as_ref()).err());
    assert_eq!(found.unwrap().requirement.to_string(), requirement);
}
