//! Fuzzes `fill` with hostile values.
#![no_main]

#[path = "../subject.rs"]
mod subject;

use std::sync::LazyLock;

use proofmark_conformance::fuzz::ResolverFuzzer;

static FUZZER: LazyLock<ResolverFuzzer> = LazyLock::new(subject::fuzzer);

libfuzzer_sys::fuzz_target!(|data: &[u8]| FUZZER.placeholder(data).unwrap());
