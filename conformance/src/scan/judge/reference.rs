//! The scanner of this crate, behind the seam for any scanner.

use super::{CredentialScanner, ReportedFinding, ScanReport};
use crate::scan::{Floor, Scanner, Secret, TextKind, TextSource, ViewError, Views};

/// The scanner of this crate as a subject.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReferenceScanner {
    /// What a secret needs to be looked for.
    pub floor: Floor,
}

impl ReferenceScanner {
    fn with(self, secrets: &[Secret], search: impl FnOnce(&Scanner) -> ScanReport) -> ScanReport {
        let builder = Scanner::builder().secrets(secrets.iter().cloned());
        match builder.floor(self.floor).build() {
            Ok(scanner) => search(&scanner),
            // Without a scanner nothing was looked for.
            Err(error) => ScanReport {
                inconclusive: secrets
                    .iter()
                    .map(|secret| secret.name().to_owned())
                    .collect(),
                printed: error.to_string().into_bytes(),
                ..ScanReport::default()
            },
        }
    }
}

impl CredentialScanner for ReferenceScanner {
    fn scan(&self, secrets: &[Secret], text: &[u8]) -> ScanReport {
        self.with(secrets, |scanner| scanner.scan(text).into())
    }

    fn scan_pieces(&self, secrets: &[Secret], pieces: &[&[u8]]) -> Option<ScanReport> {
        Some(self.with(secrets, |scanner| {
            let mut stream = scanner.stream();
            for piece in pieces {
                stream.push(piece);
            }
            stream.finish().into()
        }))
    }

    fn scan_fields(&self, secrets: &[Secret], fields: &[&str]) -> Option<ScanReport> {
        Some(self.with(secrets, |scanner| {
            let mut views = Views::new(scanner);
            views.source(&Fields(fields));
            let inconclusive = scanner.inconclusive().iter();
            let mut report = ScanReport {
                inconclusive: inconclusive.map(|skip| skip.secret.to_string()).collect(),
                ..ScanReport::default()
            };
            if let Err(ViewError::Found(found)) = views.finish() {
                let places = found.places().iter();
                report.findings = places
                    .map(|place| ReportedFinding {
                        secret: place.secret.clone(),
                        encoding: Some(place.encoding),
                        line: None,
                    })
                    .collect();
            }
            report
        }))
    }
}

struct Fields<'f>(&'f [&'f str]);

impl TextSource for Fields<'_> {
    fn texts(&self, show: &mut dyn FnMut(&str, TextKind, &[u8])) {
        for (index, text) in self.0.iter().enumerate() {
            show(&format!("field {index}"), TextKind::String, text.as_bytes());
        }
    }
}
