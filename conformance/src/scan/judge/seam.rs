//! The seam for any scanner that is to be judged: secrets and a text to findings.

use std::fmt;

use serde::Serialize;

use crate::scan::{EncodingChain, Finding, Inconclusive, Scan, Secret};

/// A scanner to be judged. Every `Fn(&[Secret], &[u8]) -> ScanReport` is one.
///
/// ```
/// use proofmark_conformance::scan::judge::{CredentialScanner, ReportedFinding, ScanReport};
/// use proofmark_conformance::scan::Secret;
///
/// // Looks for the plain value only, as many a scanner does.
/// let plain = |secrets: &[Secret], text: &[u8]| {
///     let present = |secret: &&Secret| {
///         text.windows(secret.expose().len()).any(|part| part == secret.expose())
///     };
///     let findings = secrets.iter().filter(present);
///     ScanReport {
///         findings: findings.map(|secret| ReportedFinding::new(secret.name())).collect(),
///         ..ScanReport::default()
///     }
/// };
/// let secret = Secret::new("key", "tok_FAKE_9f3A");
/// assert_eq!(plain.scan(&[secret], b"key=tok_FAKE_9f3A").findings[0].secret, "key");
/// ```
pub trait CredentialScanner {
    /// Looks for every secret in a text.
    fn scan(&self, secrets: &[Secret], text: &[u8]) -> ScanReport;

    /// Looks for every secret in a text that arrives in pieces; `None` when the scanner reads
    /// whole texts only.
    fn scan_pieces(&self, _secrets: &[Secret], _pieces: &[&[u8]]) -> Option<ScanReport> {
        None
    }

    /// Looks for every secret in the fields of one value, also where it is split over
    /// neighbours; `None` when the scanner knows no fields.
    fn scan_fields(&self, _secrets: &[Secret], _fields: &[&str]) -> Option<ScanReport> {
        None
    }
}

impl<F: Fn(&[Secret], &[u8]) -> ScanReport> CredentialScanner for F {
    fn scan(&self, secrets: &[Secret], text: &[u8]) -> ScanReport {
        self(secrets, text)
    }
}

/// What a scanner says about one text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ScanReport {
    /// Where secrets stand.
    pub findings: Vec<ReportedFinding>,
    /// The names of secrets that it did not look for, because they are too short or too plain.
    pub inconclusive: Vec<String>,
    /// All that it printed or wrote meanwhile, if that was captured.
    pub printed: Vec<u8>,
}

impl ScanReport {
    /// The findings of one secret.
    pub(super) fn of<'r>(&'r self, secret: &'r str) -> impl Iterator<Item = &'r ReportedFinding> {
        let findings = self.findings.iter();
        findings.filter(move |finding| finding.secret == secret)
    }

    /// Whether a secret was not looked for.
    pub(super) fn skipped(&self, secret: &str) -> bool {
        self.inconclusive.iter().any(|skipped| skipped == secret)
    }
}

/// One place that a scanner reports. What it leaves out is not judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportedFinding {
    /// The name of the secret.
    pub secret: String,
    /// The encodings to undo.
    pub encoding: Option<EncodingChain>,
    /// The line it starts in, from 1.
    pub line: Option<u64>,
}

impl ReportedFinding {
    /// A finding of this secret, somewhere, in some encoding.
    #[must_use]
    pub fn new(secret: impl Into<String>) -> Self {
        Self {
            secret: secret.into(),
            encoding: None,
            line: None,
        }
    }
}

/// Encoding and line; not the name, which a faulty scanner may have taken from the value.
impl fmt::Display for ReportedFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.encoding {
            Some(encoding) => write!(f, "{encoding}")?,
            None => f.write_str("no encoding named")?,
        }
        match self.line {
            Some(line) => write!(f, " in line {line}"),
            None => Ok(()),
        }
    }
}

impl From<Scan> for ScanReport {
    fn from(scan: Scan) -> Self {
        let report = |finding: &Finding| ReportedFinding {
            secret: finding.secret.to_string(),
            encoding: Some(finding.encoding),
            line: Some(finding.line),
        };
        let name = |skipped: &Inconclusive| skipped.secret.to_string();
        Self {
            findings: scan.findings.iter().map(report).collect(),
            inconclusive: scan.inconclusive.iter().map(name).collect(),
            printed: Vec::new(),
        }
    }
}
