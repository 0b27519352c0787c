//! Judges a scanner by vectors: what it misses, what it makes up, and what it tells.

use std::fmt;

use serde::Serialize;

use super::{CredentialScanner, ReportedFinding, ScanReport, ScanVector, VectorKind};
use crate::catalogue::{Family, RequirementId};
use crate::scan::Scanner;

/// A vector that a scanner answers wrongly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counterexample {
    /// The vector.
    pub vector: String,
    /// The requirement it breaks.
    pub requirement: RequirementId,
    /// What the vector holds, and why its answer is right.
    pub reason: String,
    /// How the scanner was given the text: `whole`, `in pieces of 7`, `as fields`.
    pub given: String,
    /// The right answer.
    pub expected: String,
    /// The scanner's answer.
    pub seen: String,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            vector,
            requirement,
            reason,
            given,
            expected,
            seen,
        } = self;
        write!(
            f,
            "{requirement}, vector {vector} given {given}: expected {expected}, seen {seen} ({reason})"
        )
    }
}

/// The sizes of the pieces that a scanner of pieces is given.
const PIECES: [usize; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 64];

/// CRED-05: every planted secret is found, whole, in pieces and over fields.
///
/// Empty when the scanner keeps the promise.
///
/// ```
/// use proofmark_conformance::scan::judge::{ReferenceScanner, ScanVectors, judge_planted};
///
/// let vectors = ScanVectors::built_in()?.vectors;
/// assert_eq!(judge_planted(&ReferenceScanner::default(), &vectors), []);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn judge_planted(
    scanner: &(impl CredentialScanner + ?Sized),
    vectors: &[ScanVector],
) -> Vec<Counterexample> {
    judge(scanner, vectors, 5, missed)
}

/// CRED-09: near misses are not reported, one place is reported once, and a weak secret is
/// inconclusive, not clean.
///
/// Empty when the scanner keeps the promise.
pub fn judge_near_misses(
    scanner: &(impl CredentialScanner + ?Sized),
    vectors: &[ScanVector],
) -> Vec<Counterexample> {
    judge(scanner, vectors, 9, made_up)
}

/// CRED-08: nothing that the scanner prints or reports, in `Debug` and in `Serialize`, holds the
/// secret it was given, in any encoding, nor six of its characters in a row.
///
/// Empty when the scanner keeps the promise.
pub fn judge_silence(
    scanner: &(impl CredentialScanner + ?Sized),
    vectors: &[ScanVector],
) -> Vec<Counterexample> {
    judge(scanner, vectors, 8, told)
}

/// What is wrong with an answer: the right one and the one seen.
type Wrong = (String, String);

fn judge(
    scanner: &(impl CredentialScanner + ?Sized),
    vectors: &[ScanVector],
    requirement: u8,
    wrong: fn(&ScanVector, &ScanReport) -> Option<Wrong>,
) -> Vec<Counterexample> {
    let mut found = Vec::new();
    for vector in vectors {
        let wrong = answers(scanner, vector)
            .into_iter()
            .find_map(|(given, report)| Some((given, wrong(vector, &report)?)));
        if let Some((given, (expected, seen))) = wrong {
            found.push(Counterexample {
                vector: vector.id.clone(),
                requirement: RequirementId::new(Family::Cred, requirement),
                reason: vector.reason.clone(),
                given,
                expected,
                seen,
            });
        }
    }
    found
}

/// The scanner's answers to one vector, given in every way that the scanner takes.
fn answers(
    scanner: &(impl CredentialScanner + ?Sized),
    vector: &ScanVector,
) -> Vec<(String, ScanReport)> {
    let secrets = vector.secrets();
    if !vector.fields.is_empty() {
        let fields: Vec<&str> = vector.fields.iter().map(String::as_str).collect();
        let report = scanner.scan_fields(&secrets, &fields);
        return report
            .map(|report| ("as fields".to_owned(), report))
            .into_iter()
            .collect();
    }
    let text = vector.text.bytes();
    let mut answers = vec![("whole".to_owned(), scanner.scan(&secrets, text))];
    for size in PIECES {
        let pieces: Vec<&[u8]> = text.chunks(size).collect();
        if let Some(report) = scanner.scan_pieces(&secrets, &pieces) {
            answers.push((format!("in pieces of {size}"), report));
        }
    }
    answers
}

/// A planted secret that is not found as often as it is there, or not where or how.
fn missed(vector: &ScanVector, report: &ScanReport) -> Option<Wrong> {
    if vector.kind != VectorKind::Planted {
        return None;
    }
    let missed = vector.expect.iter().find(|expected| {
        let right = |finding: &&ReportedFinding| {
            finding
                .encoding
                .is_none_or(|encoding| expected.encodings.contains(&encoding))
        };
        let findings: Vec<_> = report.of(&expected.secret).filter(right).collect();
        let line = findings.iter().filter_map(|finding| finding.line).min();
        findings.len() < expected.count || line.is_some_and(|line| line != expected.line)
    })?;
    let chains: Vec<String> = missed.encodings.iter().map(ToString::to_string).collect();
    let expected = format!(
        "`{}` {} times from line {} ({})",
        missed.secret,
        missed.count,
        missed.line,
        chains.join(" or ")
    );
    Some((expected, seen(&missed.secret, report)))
}

/// A finding where there is nothing to find, or a secret passed over in silence.
fn made_up(vector: &ScanVector, report: &ScanReport) -> Option<Wrong> {
    let known = |name: &str| vector.secrets.iter().any(|secret| secret.name == name);
    let mut findings = report.findings.iter();
    if findings.any(|finding| !known(&finding.secret)) {
        let seen = "a finding of a secret that it was not given".to_owned();
        return Some(("findings of the given secrets only".to_owned(), seen));
    }
    vector.secrets.iter().find_map(|secret| {
        let name = secret.name.as_str();
        let expected = expected_count(vector, name);
        let found = report.of(name).count();
        let skipped = report.skipped(name);
        let right = match vector.kind {
            // The views of a value may each show one place.
            VectorKind::Planted => found <= expected || !vector.fields.is_empty(),
            VectorKind::NearMiss => found == 0 && !skipped,
            VectorKind::Weak if skipped => found == 0,
            VectorKind::Weak => found == expected && found > 0,
        };
        let answer = match vector.kind {
            VectorKind::Planted => format!("`{name}` at most {expected} times"),
            VectorKind::NearMiss => format!("`{name}` clean"),
            VectorKind::Weak => format!("`{name}` inconclusive"),
        };
        (!right).then(|| (answer, seen(name, report)))
    })
}

fn expected_count(vector: &ScanVector, name: &str) -> usize {
    let expected = vector
        .expect
        .iter()
        .filter(|expected| expected.secret == name);
    expected.map(|expected| expected.count).sum()
}

fn seen(name: &str, report: &ScanReport) -> String {
    let findings: Vec<String> = report.of(name).map(ToString::to_string).collect();
    match (findings.as_slice(), report.skipped(name)) {
        ([], true) => format!("`{name}` inconclusive"),
        ([], false) => format!("`{name}` clean"),
        (findings, _) => format!(
            "`{name}` {} times ({})",
            findings.len(),
            findings.join(", ")
        ),
    }
}

fn told(vector: &ScanVector, report: &ScanReport) -> Option<Wrong> {
    let scanner = Scanner::builder().secrets(vector.secrets()).build().ok()?;
    let serialised = serde_json::to_vec(report).unwrap_or_default();
    let debugged = format!("{report:?}").into_bytes();
    let outputs = [
        ("what it prints", &report.printed),
        ("its report's Debug", &debugged),
        ("its serialised report", &serialised),
    ];
    let tells = outputs
        .into_iter()
        .find(|(_, text)| scanner.resembles(text));
    let (output, _) = tells?;
    let expected = "no secret, nor six characters of one, in any output".to_owned();
    Some((expected, format!("one in {output}")))
}
