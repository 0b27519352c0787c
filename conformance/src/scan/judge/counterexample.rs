//! Judges a scanner by vectors: what it misses, what it makes up, and what it tells.

use std::fmt;

use serde::Serialize;

use super::{CredentialScanner, Expected, ReportedFinding, ScanReport, ScanVector, VectorKind};
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
const PIECES: [usize; 3] = [1, 7, 64];

/// CRED-05: every planted secret is found, whole, in pieces and over fields, and nothing else is.
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
    judge(scanner, vectors, &[VectorKind::Planted], wrong_answer)
}

/// CRED-09: near misses are not reported, and a weak secret is inconclusive, not clean.
///
/// Empty when the scanner keeps the promise.
pub fn judge_near_misses(
    scanner: &(impl CredentialScanner + ?Sized),
    vectors: &[ScanVector],
) -> Vec<Counterexample> {
    let kinds = [VectorKind::NearMiss, VectorKind::Weak];
    judge(scanner, vectors, &kinds, wrong_answer)
}

/// CRED-08: nothing that the scanner prints or reports, in `Debug` and in `Serialize`, holds the
/// secret it was given, in any encoding.
///
/// Empty when the scanner keeps the promise.
pub fn judge_silence(
    scanner: &(impl CredentialScanner + ?Sized),
    vectors: &[ScanVector],
) -> Vec<Counterexample> {
    let kinds = [VectorKind::Planted, VectorKind::NearMiss];
    let mut told = judge(scanner, vectors, &kinds, told);
    for counterexample in &mut told {
        counterexample.requirement = RequirementId::new(Family::Cred, 8);
    }
    told
}

/// What is wrong with an answer: the right one and the one seen.
type Wrong = (String, String);

fn judge(
    scanner: &(impl CredentialScanner + ?Sized),
    vectors: &[ScanVector],
    kinds: &[VectorKind],
    wrong: fn(&ScanVector, &ScanReport) -> Option<Wrong>,
) -> Vec<Counterexample> {
    let mut found = Vec::new();
    for vector in vectors.iter().filter(|vector| kinds.contains(&vector.kind)) {
        let wrong = answers(scanner, vector)
            .into_iter()
            .find_map(|(given, report)| Some((given, wrong(vector, &report)?)));
        if let Some((given, (expected, seen))) = wrong {
            found.push(Counterexample {
                vector: vector.id.clone(),
                requirement: vector.requirement,
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

fn wrong_answer(vector: &ScanVector, report: &ScanReport) -> Option<Wrong> {
    let known = |name: &str| vector.secrets.iter().any(|secret| secret.name == name);
    if report
        .findings
        .iter()
        .any(|finding| !known(&finding.secret))
    {
        let seen = "a finding of a secret that it was not given".to_owned();
        return Some(("findings of the given secrets only".to_owned(), seen));
    }
    let skipped = |name: &str| report.inconclusive.iter().any(|skipped| skipped == name);
    for secret in &vector.secrets {
        let name = secret.name.as_str();
        let findings: Vec<&ReportedFinding> = report
            .findings
            .iter()
            .filter(|finding| finding.secret == name)
            .collect();
        let expected = vector
            .expect
            .iter()
            .find(|expected| expected.secret == name);
        let right = match (vector.kind, expected) {
            (VectorKind::Weak, _) if skipped(name) => findings.is_empty(),
            (VectorKind::Weak, None) => false,
            (_, None) => findings.is_empty() && !skipped(name),
            (_, Some(expected)) => explains(expected, &findings, !vector.fields.is_empty()),
        };
        if !right {
            let seen = match (skipped(name), findings.as_slice()) {
                (true, []) => format!("`{name}` inconclusive"),
                (false, []) => format!("`{name}` clean"),
                (_, findings) => format!("`{name}` {findings:?}"),
            };
            return Some((answer(vector.kind, name, expected), seen));
        }
    }
    None
}

/// Whether findings are the expected ones. Split over fields, one may be found in several views.
fn explains(expected: &Expected, findings: &[&ReportedFinding], by_fields: bool) -> bool {
    let count = if by_fields {
        findings.len() >= expected.count
    } else {
        findings.len() == expected.count
    };
    let encodings = findings.iter().filter_map(|finding| finding.encoding);
    let lines = findings.iter().filter_map(|finding| finding.line);
    count
        && encodings
            .into_iter()
            .all(|encoding| expected.encodings.contains(&encoding))
        && lines.min().is_none_or(|line| line == expected.line)
}

fn answer(kind: VectorKind, name: &str, expected: Option<&Expected>) -> String {
    match (kind, expected) {
        (VectorKind::Weak, _) => format!("`{name}` inconclusive"),
        (_, None) => format!("`{name}` clean"),
        (_, Some(expected)) => {
            let chains: Vec<String> = expected.encodings.iter().map(ToString::to_string).collect();
            let (count, line) = (expected.count, expected.line);
            format!(
                "`{name}` {count} times from line {line} ({})",
                chains.join(" or ")
            )
        }
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
    for (output, text) in outputs {
        if let [finding, ..] = scanner.scan(text).findings.as_slice() {
            let (secret, encoding) = (&finding.secret, finding.encoding);
            let seen = format!("`{secret}` ({encoding}) in {output}");
            return Some(("no secret in any output".to_owned(), seen));
        }
    }
    None
}
