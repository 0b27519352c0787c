//! The fuzz body on a stable compiler: the committed corpus, and faults it must find.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

mod corpus;

use std::thread;

use proofmark_conformance::fuzz::PolicyFuzzer;
use proofmark_conformance::subject::{PolicySubject, View};
use proofmark_specimens::{find_policy, look_alikes, reference_policies};
use rstest::rstest;

use self::corpus::{bytes, committed};

/// So many threads share the executions.
const SHARES: u64 = 8;

#[test]
fn the_corpus_is_what_this_test_writes_and_breaks_no_reference_policy() {
    let corpus = committed("policy", 48, 24, 5);
    for subject in reference_policies() {
        let fuzzer = PolicyFuzzer::new(subject);
        for seed in &corpus {
            fuzzer.run(seed).unwrap();
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
    // One of them waits before each answer.
    thread::scope(|scope| {
        for share in 0..SHARES {
            let policies = &policies;
            scope.spawn(move || {
                for subject in policies {
                    let fuzzer = PolicyFuzzer::new(subject.clone());
                    for seed in (share..80).step_by(SHARES as usize) {
                        let found = fuzzer.run(&bytes(seed, 160));
                        assert!(found.is_ok(), "{}: {found:?}", subject.name());
                    }
                }
            });
        }
    });
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
