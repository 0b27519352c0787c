//! Writes the vectors of the credential scanner, and judges the scanner of this crate by them.
//!
//! After a change to the plan, `PROOFMARK_BLESS=1 cargo test -p proofmark-conformance --test
//! credential_vectors` writes the file anew.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod credential_plan;
mod spellings;

use std::collections::BTreeSet;
use std::path::Path;

use proofmark_conformance::scan::judge::{
    CREDENTIAL_SCAN, Counterexample, CredentialScanner, ReferenceScanner, ReportedFinding,
    ScanReport, ScanVectors, VectorKind, judge_near_misses, judge_planted, judge_silence,
};
use proofmark_conformance::scan::{Floor, Secret};

fn vectors() -> ScanVectors {
    ScanVectors::built_in().unwrap()
}

fn show(counterexamples: &[Counterexample]) -> Vec<String> {
    counterexamples.iter().map(ToString::to_string).collect()
}

/// One vector a line, so that a change shows as what it is.
fn written(vectors: &ScanVectors) -> String {
    let lines = vectors.vectors.iter().map(serde_json::to_string);
    let lines: Vec<String> = lines.collect::<Result<_, _>>().unwrap();
    let schema = vectors.schema;
    format!(
        "{{\"schema\":{schema},\"vectors\":[\n{}\n]}}\n",
        lines.join(",\n")
    )
}

#[test]
fn the_file_is_what_the_plan_says() {
    let planned = written(&credential_plan::all());
    if std::env::var_os("PROOFMARK_BLESS").is_some() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/credential_scan.json");
        std::fs::write(file, &planned).unwrap();
        return;
    }
    assert!(
        planned == CREDENTIAL_SCAN,
        "vectors/credential_scan.json is not what the plan says: run this test with PROOFMARK_BLESS=1"
    );
}

#[test]
fn there_are_vectors_enough_and_each_has_an_id_of_its_own() {
    let vectors = vectors().vectors;
    let count = |kind| vectors.iter().filter(|vector| vector.kind == kind).count();
    assert!(
        count(VectorKind::Planted) >= 300,
        "{}",
        count(VectorKind::Planted)
    );
    assert!(
        count(VectorKind::NearMiss) >= 100,
        "{}",
        count(VectorKind::NearMiss)
    );
    let ids: BTreeSet<&str> = vectors.iter().map(|vector| vector.id.as_str()).collect();
    assert_eq!(ids.len(), vectors.len());
    let rows: BTreeSet<&str> = vectors
        .iter()
        .filter_map(|vector| vector.field.as_deref())
        .collect();
    let expected = [
        "B97", "B99", "B100", "B102", "B103", "B105", "B106", "B108", "B109", "B111", "B112",
        "B114", "B115",
    ];
    assert_eq!(rows, BTreeSet::from(expected));
}

#[test]
fn the_reference_scanner_answers_every_vector_rightly() {
    let vectors = vectors().vectors;
    // With the lowest floor the weak secrets of the field rows are found instead.
    for floor in [Floor::default(), Floor::new(4, 2)] {
        let scanner = ReferenceScanner { floor };
        assert_eq!(show(&judge_planted(&scanner, &vectors)), [""; 0]);
        assert_eq!(show(&judge_near_misses(&scanner, &vectors)), [""; 0]);
        assert_eq!(show(&judge_silence(&scanner, &vectors)), [""; 0]);
    }
}

/// What a scanner with one fault gets wrong.
fn faults(scanner: impl CredentialScanner) -> [usize; 3] {
    let vectors = vectors().vectors;
    [
        judge_planted(&scanner, &vectors).len(),
        judge_near_misses(&scanner, &vectors).len(),
        judge_silence(&scanner, &vectors).len(),
    ]
}

#[test]
fn a_scanner_that_sees_nothing_is_convicted_of_missing_and_of_silence_about_weak_secrets() {
    let [missed, false_alarms, told] = faults(|_: &[Secret], _: &[u8]| ScanReport::default());
    assert!(missed >= 300 && false_alarms > 0 && told == 0);
}

#[test]
fn a_scanner_that_calls_everything_inconclusive_is_convicted() {
    let lazy = |secrets: &[Secret], _: &[u8]| ScanReport {
        inconclusive: secrets
            .iter()
            .map(|secret| secret.name().to_owned())
            .collect(),
        ..ScanReport::default()
    };
    let [missed, false_alarms, _] = faults(lazy);
    assert!(missed >= 300 && false_alarms >= 100);
}

#[test]
fn a_scanner_that_reports_everything_is_convicted_of_false_alarms() {
    let eager = |secrets: &[Secret], _: &[u8]| ScanReport {
        findings: secrets
            .iter()
            .map(|secret| ReportedFinding::new(secret.name()))
            .collect(),
        ..ScanReport::default()
    };
    let [missed, false_alarms, _] = faults(eager);
    // Only the vectors that ask for several findings of one secret see that it looks at nothing.
    assert!(missed < 20 && false_alarms >= 100);
}

#[test]
fn a_scanner_that_reports_each_place_twice_is_convicted_of_false_alarms_alone() {
    let double = |secrets: &[Secret], text: &[u8]| {
        let mut report = ReferenceScanner::default().scan(secrets, text);
        report.findings.extend(report.findings.clone());
        report
    };
    let [missed, false_alarms, told] = faults(double);
    assert!(missed == 0 && false_alarms >= 300 && told == 0);
}

#[test]
fn a_scanner_that_shows_a_piece_of_the_secret_is_convicted_of_telling_alone() {
    let masks_badly = |secrets: &[Secret], text: &[u8]| {
        let tail = &secrets[0].expose()[secrets[0].expose().len().saturating_sub(6)..];
        ScanReport {
            printed: [b"found ****", tail].concat(),
            ..ReferenceScanner::default().scan(secrets, text)
        }
    };
    let [missed, false_alarms, told] = faults(masks_badly);
    assert!(missed == 0 && false_alarms == 0 && told >= 300);
}

#[test]
fn a_scanner_that_prints_what_it_looks_for_is_convicted_of_telling() {
    let loud = |secrets: &[Secret], text: &[u8]| ScanReport {
        printed: [b"looking for ", secrets[0].expose()].concat(),
        ..ReferenceScanner::default().scan(secrets, text)
    };
    let [missed, false_alarms, told] = faults(loud);
    assert!(missed == 0 && false_alarms == 0 && told >= 300, "{told}");
}

#[test]
fn a_scanner_that_is_blind_to_one_encoding_is_convicted_of_missing_and_of_nothing_else() {
    let blind = |name: &'static str| {
        move |secrets: &[Secret], text: &[u8]| {
            let mut report = ReferenceScanner::default().scan(secrets, text);
            report.findings.retain(|finding| {
                finding
                    .encoding
                    .is_none_or(|chain| !chain.to_string().contains(name))
            });
            report
        }
    };
    for encoding in [
        "plain", "percent", "json", "html", "base64", "hex", "decimal", "utf-16", "reversed",
    ] {
        let vectors = vectors().vectors;
        let missed = judge_planted(&blind(encoding), &vectors);
        assert!(!missed.is_empty(), "{encoding}");
        assert_eq!(
            show(&judge_near_misses(&blind(encoding), &vectors)),
            [""; 0]
        );
    }
}
