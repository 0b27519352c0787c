//! Broken scanners, each the suite's own with one switch, and one that only looks suspicious.

use std::sync::Arc;

use proofmark_conformance::catalogue::{Family, RequirementId};
use proofmark_conformance::scan::Secret;
use proofmark_conformance::scan::judge::{
    CredentialScanner, ReferenceScanner, ReportedFinding, ScanReport,
};
use proofmark_conformance::subject::{ScannerSubject, Subject};

use crate::{LookAlike, Specimen};

const fn cred(number: u8) -> RequirementId {
    RequirementId::new(Family::Cred, number)
}

/// The suite's own scanner.
pub(crate) fn references() -> Vec<Arc<dyn Subject>> {
    let scanner = ScannerSubject::new("credential_scanner", ReferenceScanner::default);
    vec![Arc::new(scanner.version_is(env!("CARGO_PKG_VERSION")))]
}

/// Every broken scanner.
pub(crate) fn specimens() -> Vec<Specimen> {
    vec![
        Specimen::new(
            cred(5),
            "knows no hexadecimal",
            changed("scanner_without_hex", |_, _, mut report| {
                report
                    .findings
                    .retain(|finding| !encoding(finding).contains("hex"));
                report
            }),
        ),
        Specimen::new(
            cred(5),
            "looks for the plain value only",
            changed("scanner_of_plain_values", |_, _, mut report| {
                report.findings.retain(|finding| encoding(finding) == "raw");
                report
            }),
        ),
        Specimen::new(
            cred(8),
            "prints what it looks for",
            changed("scanner_that_prints_secrets", |secrets, _, mut report| {
                for secret in secrets {
                    report.printed.extend_from_slice(secret.expose());
                }
                report
            }),
        ),
        Specimen::new(
            cred(9),
            "does not mind upper and lower case",
            changed("scanner_without_case", |secrets, text, mut report| {
                let text = text.to_ascii_lowercase();
                for secret in secrets {
                    let value = secret.expose().to_ascii_lowercase();
                    let stands = text.windows(value.len().max(1)).any(|part| part == value);
                    if stands && report.findings.is_empty() && report.inconclusive.is_empty() {
                        report.findings.push(ReportedFinding::new(secret.name()));
                    }
                }
                report
            }),
        ),
        Specimen::new(
            cred(9),
            "calls a text clean although the secret is too weak to look for",
            changed("scanner_sure_of_weak_secrets", |_, _, mut report| {
                report.inconclusive.clear();
                report
            }),
        ),
    ]
}

/// A scanner that only looks suspicious.
pub(crate) fn look_alikes() -> Vec<LookAlike> {
    vec![LookAlike::new(
        "names neither encoding nor line; what a scanner leaves out is not judged",
        changed("scanner_of_few_words", |_, _, mut report| {
            for finding in &mut report.findings {
                finding.encoding = None;
                finding.line = None;
            }
            report
        }),
    )]
}

fn encoding(finding: &ReportedFinding) -> String {
    finding
        .encoding
        .map(|chain| chain.to_string())
        .unwrap_or_default()
}

/// Changes what the sound scanner says about a text.
type Change = fn(&[Secret], &[u8], ScanReport) -> ScanReport;

fn changed(name: &str, change: Change) -> ScannerSubject {
    ScannerSubject::new(name, move || Changed {
        sound: ReferenceScanner::default(),
        change,
    })
}

struct Changed {
    sound: ReferenceScanner,
    change: Change,
}

impl CredentialScanner for Changed {
    fn scan(&self, secrets: &[Secret], text: &[u8]) -> ScanReport {
        (self.change)(secrets, text, self.sound.scan(secrets, text))
    }

    fn scan_pieces(&self, secrets: &[Secret], pieces: &[&[u8]]) -> Option<ScanReport> {
        let report = self.sound.scan_pieces(secrets, pieces)?;
        Some((self.change)(secrets, &pieces.concat(), report))
    }

    fn scan_fields(&self, secrets: &[Secret], fields: &[&str]) -> Option<ScanReport> {
        let report = self.sound.scan_fields(secrets, fields)?;
        Some((self.change)(secrets, fields.concat().as_bytes(), report))
    }
}
