//! The fuzz body on a stable compiler: the committed corpus, and faults it must find.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::fs;
use std::path::PathBuf;

use proofmark_conformance::fuzz::PolicyFuzzer;
use proofmark_conformance::subject::{PolicySubject, View};
use proofmark_specimens::{find_policy, look_alikes, reference_policies};
use rstest::rstest;

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/policy")
}

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

fn seeds() -> Vec<Vec<u8>> {
    (0..48)
        .map(|seed| bytes(seed, 24 + 5 * usize::try_from(seed).unwrap()))
        .collect()
}

#[test]
fn the_corpus_is_what_this_test_writes_and_breaks_no_reference_policy() {
    let folder = corpus();
    if std::env::var_os("PROOFMARK_BLESS").is_some() {
        fs::create_dir_all(&folder).unwrap();
        for (index, seed) in seeds().iter().enumerate() {
            fs::write(folder.join(format!("seed-{index:02}")), seed).unwrap();
        }
    }
    for subject in reference_policies() {
        let fuzzer = PolicyFuzzer::new(subject);
        for (index, seed) in seeds().iter().enumerate() {
            let committed = fs::read(folder.join(format!("seed-{index:02}"))).unwrap();
            assert!(
                committed == *seed,
                "PROOFMARK_BLESS=1 writes the corpus anew"
            );
            fuzzer.run(&committed).unwrap();
        }
    }
}

#[test]
fn no_conforming_policy_breaks_a_promise_under_fuzzing() {
    let look_alikes =
        look_alikes()
            .into_iter()
            .filter_map(|look_alike| match look_alike.subject.view() {
                View::Policy(policy) => Some(policy.clone()),
                _ => None,
            });
    let policies: Vec<PolicySubject> = reference_policies()
        .into_iter()
        .chain(look_alikes)
        .collect();
    for subject in policies {
        let name = subject.name().to_owned();
        let fuzzer = PolicyFuzzer::new(subject);
        for seed in 0..80 {
            let found = fuzzer.run(&bytes(seed, 160));
            assert!(found.is_ok(), "{name}: {found:?}");
        }
    }
}

#[rstest]
#[case("refuses_every_seventh", "POL-02")]
#[case("previews_checked_by_host", "POL-03")]
#[case("reads_query_only", "POL-04")]
#[case("matches_text_prefix", "POL-12")]
#[case("ignores_the_scheme", "POL-12")]
#[case("compares_refused_text", "POL-18")]
#[case("admits_one_more", "BUD-05")]
#[case("weighs_each_alone", "BUD-04")]
fn a_planted_fault_is_found(#[case] specimen: &str, #[case] requirement: &str) {
    let fuzzer = PolicyFuzzer::new(find_policy(specimen).unwrap());
    let found = (0..20_000).find_map(|seed| fuzzer.run(&bytes(seed, 200)).err());
    assert_eq!(found.unwrap().requirement.to_string(), requirement);
}
