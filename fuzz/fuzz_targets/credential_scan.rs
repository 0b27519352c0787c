//! Fuzzes credential scanners: the suite's own, or the specimen that `PROOFMARK_FUZZ_SUBJECT` names.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use proofmark_conformance::fuzz::credential_scan;
use proofmark_conformance::subject::ScannerSubject;

static SUBJECT: LazyLock<ScannerSubject> = LazyLock::new(|| {
    proofmark_specimens::fuzz_scanner()
        .expect("PROOFMARK_FUZZ_SUBJECT names a scanner that `proofmark selftest` knows")
});

fuzz_target!(|data: &[u8]| {
    credential_scan(data, SUBJECT.make().as_ref()).expect("the scanner keeps its promises");
});
