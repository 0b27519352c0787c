//! The fuzz body for scanners on a stable compiler: the committed corpus, and faults it must find.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::fs;
use std::path::PathBuf;

use proofmark_conformance::fuzz::credential_scan;
use proofmark_specimens::find_scanner;
use rstest::rstest;

/// A small generator, so that the corpus depends on nothing that may change.
fn bytes(mut state: u64, count: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(count);
    for _ in 0..count {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        bytes.push(state.to_be_bytes()[0]);
    }
    bytes
}

#[test]
fn the_corpus_is_what_this_test_writes_and_the_suites_scanner_misses_nothing() {
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/credential_scan");
    let scanner = find_scanner("credential_scanner").unwrap().make();
    for index in 0..48_u64 {
        let seed = bytes(index, 24 + 3 * usize::try_from(index).unwrap());
        let path = folder.join(format!("seed-{index:02}"));
        if std::env::var_os("PROOFMARK_BLESS").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, &seed).unwrap();
        }
        let committed = fs::read(path).unwrap();
        assert!(
            committed == seed,
            "PROOFMARK_BLESS=1 writes the corpus anew"
        );
        credential_scan(&committed, scanner.as_ref()).unwrap();
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
