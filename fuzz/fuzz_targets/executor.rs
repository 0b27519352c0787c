//! Fuzzes HTTP executors: the toolkit's own, or the specimen that `PROOFMARK_FUZZ_SUBJECT` names.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use proofmark_conformance::fuzz::ExecutorFuzzer;

static FUZZERS: LazyLock<Vec<ExecutorFuzzer>> = LazyLock::new(|| {
    proofmark_specimens::fuzz_executors()
        .expect("PROOFMARK_FUZZ_SUBJECT names an executor that `proofmark selftest` knows")
        .into_iter()
        .map(|executor| ExecutorFuzzer::new(executor).expect("a runtime can be had"))
        .map(ExecutorFuzzer::strictly)
        .collect()
});

fuzz_target!(|data: &[u8]| {
    let Some((choice, script)) = data.split_first() else {
        return;
    };
    let fuzzer = &FUZZERS[usize::from(*choice) % FUZZERS.len()];
    fuzzer.run(script).expect("the executor keeps its promises");
});
