//! Fuzzes request policies: the toolkit's own, or the specimen that `PROOFMARK_FUZZ_SUBJECT` names.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use proofmark_conformance::fuzz::PolicyFuzzer;

static FUZZERS: LazyLock<Vec<PolicyFuzzer>> = LazyLock::new(|| {
    proofmark_specimens::fuzz_policies()
        .expect("PROOFMARK_FUZZ_SUBJECT names a subject that `proofmark selftest` knows")
        .into_iter()
        .map(PolicyFuzzer::new)
        .collect()
});

fuzz_target!(|data: &[u8]| {
    let Some((choice, script)) = data.split_first() else {
        return;
    };
    let fuzzer = &FUZZERS[usize::from(*choice) % FUZZERS.len()];
    fuzzer.run(script).expect("the policy keeps its promises");
});
