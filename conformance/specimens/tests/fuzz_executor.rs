//! The fuzz body for executors on a stable compiler: the committed corpus, and faults it must find.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

mod corpus;

use std::thread;

use proofmark_conformance::fuzz::ExecutorFuzzer;
use proofmark_conformance::subject::{ExecutorSubject, View};
use proofmark_specimens::{find_executor, look_alikes, reference_executors};

use self::corpus::{bytes, committed};

fn strict(subject: ExecutorSubject) -> ExecutorFuzzer {
    ExecutorFuzzer::new(subject).unwrap().strictly()
}

/// Most of an execution is spent waiting for the backend, so that no executor waits for another.
/// The thread bears the name of the executor, which is how a panic names it.
fn each_at_once(
    executors: impl IntoIterator<Item = ExecutorSubject>,
    work: impl Fn(&str, ExecutorFuzzer) + Sync,
) {
    thread::scope(|scope| {
        for subject in executors {
            let name = subject.name().to_owned();
            let named = thread::Builder::new().name(name.clone());
            let work = &work;
            let run = move || work(&name, strict(subject));
            named.spawn_scoped(scope, run).unwrap();
        }
    });
}

#[test]
fn the_corpus_is_what_this_test_writes_and_breaks_no_reference_executor() {
    let corpus = &committed("executor", 48, 24, 4);
    each_at_once(reference_executors(), |_, fuzzer| {
        for seed in corpus {
            fuzzer.run(seed).unwrap();
        }
    });
}

#[test]
fn no_conforming_executor_breaks_a_promise_under_fuzzing() {
    let look_alikes = look_alikes().into_iter();
    let look_alikes = look_alikes.filter_map(|look_alike| match look_alike.subject.view() {
        View::Executor(executor) => Some(executor.clone()),
        _ => None,
    });
    let executors = reference_executors().into_iter().chain(look_alikes);
    each_at_once(executors, |_, fuzzer| {
        for seed in 0..100 {
            let found = fuzzer.run(&bytes(seed, 160));
            assert!(found.is_ok(), "seed {seed}: {found:?}");
        }
    });
}

/// Specimens, and the rows one of which must convict them.
const PLANTED: [(&str, &str); 29] = [
    ("executor_without_prefix", "EXE-01"),
    ("executor_that_fills_colons", "EXE-02"),
    ("executor_that_decodes", "EXE-03"),
    ("executor_with_a_body_on_get", "EXE-04"),
    ("executor_with_two_marks", "EXE-05"),
    ("executor_with_raw_pairs", "EXE-06"),
    ("executor_that_flattens", "EXE-07"),
    ("executor_of_any_case", "EXE-08"),
    ("executor_with_unicode_methods", "EXE-08"),
    ("executor_without_deadline", "EXE-09"),
    ("executor_without_status", "EXE-09"),
    ("executor_that_panics", "EXE-09"),
    ("executor_that_follows", "EXE-10"),
    ("executor_that_quotes", "EXE-11"),
    ("executor_with_one_slot", "EXE-12"),
    ("executor_that_asks_too_late", "EXE-13"),
    ("executor_that_authenticates_first", "EXE-13"),
    ("executor_that_repeats_posts", "EXE-14"),
    ("executor_with_referer", "EXE-17"),
    ("executor_with_cut_headers", "EXE-18"),
    ("executor_without_patience", "EXE-19"),
    ("executor_that_drops_lists", "EXE-04 or EXE-20"),
    ("executor_that_shows_its_token", "CRED-01"),
    ("executor_that_shows_its_key", "CRED-02"),
    ("executor_that_prints_its_token", "CRED-04"),
    ("executor_with_echoes", "CRED-07"),
    ("executor_with_user_info", "CRED-10"),
    ("executor_with_two_keys", "CRED-11"),
    ("executor_that_follows_for_tokens", "CRED-12"),
];

#[test]
fn each_planted_fault_is_found() {
    let subjects = PLANTED.map(|(specimen, _)| find_executor(specimen).unwrap());
    each_at_once(subjects, |name, fuzzer| {
        let found = (0..4_000).find_map(|seed| fuzzer.run(&bytes(seed, 200)).err());
        let found = found.unwrap();
        let (_, rows) = PLANTED
            .iter()
            .find(|(planted, _)| *planted == name)
            .unwrap();
        assert!(rows.contains(&found.requirement.to_string()), "{found}");
    });
}
