//! The scanner seam: a factory of searchers for secrets.

use std::fmt;
use std::sync::Arc;

use super::named::named;
use crate::scan::judge::CredentialScanner;

type Factory = Arc<dyn Fn() -> Box<dyn CredentialScanner> + Send + Sync>;

/// A scanner that can be judged: its name, and a factory that makes a fresh one for each check.
///
/// ```
/// use proofmark_conformance::scan::judge::ReferenceScanner;
/// use proofmark_conformance::subject::ScannerSubject;
///
/// let subject = ScannerSubject::new("scanner", ReferenceScanner::default);
/// assert_eq!(subject.name(), "scanner");
/// ```
#[derive(Clone)]
pub struct ScannerSubject {
    name: String,
    version: String,
    factory: Factory,
}

named!(ScannerSubject);

impl ScannerSubject {
    /// A subject of this name.
    #[must_use]
    pub fn new<S, F>(name: impl Into<String>, factory: F) -> Self
    where
        S: CredentialScanner + 'static,
        F: Fn() -> S + Send + Sync + 'static,
    {
        Self {
            name: name.into(),
            version: "unversioned".to_owned(),
            factory: Arc::new(move || Box::new(factory())),
        }
    }

    /// Makes a fresh scanner.
    #[must_use]
    pub fn make(&self) -> Box<dyn CredentialScanner> {
        (self.factory)()
    }
}

impl fmt::Debug for ScannerSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScannerSubject")
            .field("name", &self.name)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
