//! Fuzzes resolvers with hostile values in queries: the toolkit's own, or the specimen that
//! `PROOFMARK_FUZZ_SUBJECT` names.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use proofmark_conformance::fuzz::ResolverFuzzer;

static FUZZERS: LazyLock<Vec<ResolverFuzzer>> = LazyLock::new(|| {
    proofmark_specimens::fuzz_resolvers()
        .expect("PROOFMARK_FUZZ_SUBJECT names a resolver that `proofmark selftest` knows")
        .into_iter()
        .map(|resolver| ResolverFuzzer::new(resolver).strictly())
        .collect()
});

fuzz_target!(|data: &[u8]| {
    let Some((choice, script)) = data.split_first() else {
        return;
    };
    let fuzzer = &FUZZERS[usize::from(*choice) % FUZZERS.len()];
    fuzzer
        .query_separator(script)
        .expect("the resolver keeps its promises");
});
