//! Fuzzes leashes: the toolkit's own, or the specimen that `PROOFMARK_FUZZ_SUBJECT` names.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use proofmark_conformance::fuzz::leash_exec;
use proofmark_conformance::subject::LeashSubject;

static SUBJECT: LazyLock<LeashSubject> = LazyLock::new(|| {
    proofmark_specimens::fuzz_leash()
        .expect("PROOFMARK_FUZZ_SUBJECT names a leash that `proofmark selftest` knows")
});

fuzz_target!(|data: &[u8]| {
    leash_exec(data, &SUBJECT).expect("the leash keeps its promises");
});
