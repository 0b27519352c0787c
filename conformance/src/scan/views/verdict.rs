//! What a search through the views of a value says, without ever saying the secret.

use std::fmt;

use super::texts::Occurrence;
use crate::scan::{EncodingChain, Scan, ScanError, Weakness};

/// Where in a value a secret stands.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialPlace {
    /// The name of the secret.
    pub secret: String,
    /// The field, or the fields that it is split over: `.items[1].name`, `query[0].value`.
    pub field: String,
    /// How the field was looked at: `as serialised`.
    pub view: &'static str,
    /// The encodings to undo to read it.
    pub encoding: EncodingChain,
    /// Line and column in the field, from 1 and in bytes, when it has several lines.
    pub position: Option<(u64, u64)>,
}

impl fmt::Display for CredentialPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            secret,
            field,
            view,
            encoding,
            position,
        } = self;
        write!(f, "`{secret}` in {field} {view} ({encoding})")?;
        match position {
            Some((line, column)) => write!(f, ", line {line}, column {column}"),
            None => Ok(()),
        }
    }
}

/// A secret was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialFound {
    places: Vec<CredentialPlace>,
}

impl CredentialFound {
    /// Every place, each view for itself; never empty.
    #[must_use]
    pub fn places(&self) -> &[CredentialPlace] {
        &self.places
    }
}

/// A message names this many places at most.
const NAMED: usize = 8;

impl fmt::Display for CredentialFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("credential found: ")?;
        for (index, place) in self.places.iter().take(NAMED).enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{place}")?;
        }
        match self.places.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl std::error::Error for CredentialFound {}

/// Nothing was found, but that proves nothing.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unproven {
    /// The value offers no view.
    #[error(
        "the value offers nothing to scan: in generic code bound its type by `Serialize` or `Debug`, or implement `TextSource` for it"
    )]
    NothingToScan,
    /// One of the views is not whole.
    #[error("the value could not be {view} to its end")]
    Incomplete {
        /// What could not be done.
        view: &'static str,
    },
    /// A secret is too weak to be looked for.
    #[error("the absence of `{secret}` proves nothing: {why}")]
    TooWeak {
        /// The name of the secret.
        secret: String,
        /// What it lacks.
        why: Weakness,
    },
}

/// A value was not shown to be free of a secret.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// A secret was found.
    #[error(transparent)]
    Found(#[from] CredentialFound),
    /// None was found, but that proves nothing.
    #[error(transparent)]
    NotProven(#[from] Unproven),
    /// There is no scanner for these secrets.
    #[error(transparent)]
    NoScanner(#[from] ScanError),
}

/// Gathers places from one view after another.
#[derive(Default)]
pub(super) struct Places(Vec<CredentialPlace>);

impl Places {
    pub(super) fn add(&mut self, view: &'static str, occurrences: Vec<Occurrence>) {
        self.0
            .extend(occurrences.into_iter().map(|occurrence| CredentialPlace {
                secret: occurrence.secret.to_string(),
                field: occurrence.field,
                view,
                encoding: occurrence.encoding,
                position: occurrence.position,
            }));
    }

    pub(super) fn add_scan(&mut self, view: &'static str, scan: Scan) {
        self.0
            .extend(scan.findings.into_iter().map(|finding| CredentialPlace {
                secret: finding.secret.to_string(),
                field: "bytes".to_owned(),
                view,
                encoding: finding.encoding,
                position: Some((finding.line, finding.column)),
            }));
    }

    pub(super) fn found(self) -> Option<CredentialFound> {
        (!self.0.is_empty()).then_some(CredentialFound { places: self.0 })
    }
}
