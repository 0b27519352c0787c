//! What a test leaves behind for `proofmark report`: its row's outcome, as one file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::catalogue::{Catalogue, CatalogueError};
use crate::judge::{Selection, not_applicable, report};
use crate::outcome::{Certificate, RowOutcome, SubjectReport};
use crate::seed::Seed;
use crate::subject::{Identity, Subject};
use crate::trial::Settings;

/// The environment variable that names the folder for fragments; without it none are written.
pub const VARIABLE: &str = "PROOFMARK_OUT";

/// One row's outcome, with what is needed to put it into a certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fragment {
    catalogue_digest: String,
    seed: Seed,
    cases: u32,
    subject: Identity,
    row: RowOutcome,
}

/// A folder of fragments cannot be made into a certificate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FragmentError {
    /// A file or folder cannot be read or written.
    #[error("{path}: {cause}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        cause: io::Error,
    },
    /// A file is no fragment.
    #[error("{path} is no outcome of a test: {cause}; empty the folder and run the tests again")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: serde_json::Error,
    },
    /// The folder holds no fragment.
    #[error("{path} holds no outcome: run `{VARIABLE}={path} cargo test` first")]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// A fragment comes from another catalogue, or from other runs than its neighbours.
    #[error("{path} comes from another {what}: empty the folder and run the tests again")]
    Mixed {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// The catalogue is broken.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
}

impl Fragment {
    pub(super) fn new(subject: &dyn Subject, settings: Settings, row: RowOutcome) -> Self {
        let digest = Catalogue::shared().map(|catalogue| catalogue.digest().to_owned());
        Self {
            // A catalogue that cannot be read has already ended the test.
            catalogue_digest: digest.unwrap_or_default(),
            seed: settings.seed,
            cases: settings.cases,
            subject: Identity::of(subject),
            row,
        }
    }

    /// Merges the fragments in `folder` into one certificate. Rows that apply but left no
    /// fragment make a subject's verdict partial.
    ///
    /// # Errors
    ///
    /// A [`FragmentError`] that names the file and what to do.
    pub fn merge(folder: &Path) -> Result<Certificate, FragmentError> {
        let catalogue = Catalogue::shared()?;
        let fragments = read_all(folder)?;
        let Some((_, first)) = fragments.first() else {
            return Err(FragmentError::Empty {
                path: folder.to_owned(),
            });
        };
        let mut subjects: Vec<(&Fragment, Vec<RowOutcome>)> = Vec::new();
        for (path, fragment) in &fragments {
            let mixed = |what| FragmentError::Mixed {
                path: path.clone(),
                what,
            };
            if fragment.catalogue_digest != catalogue.digest() {
                return Err(mixed("catalogue"));
            }
            match subjects
                .iter_mut()
                .find(|(known, _)| known.subject.name == fragment.subject.name)
            {
                Some((known, _)) if known.subject != fragment.subject => {
                    return Err(mixed("profile"));
                }
                Some((_, rows)) => rows.push(fragment.row.clone()),
                None => subjects.push((fragment, vec![fragment.row.clone()])),
            }
        }
        let (seed, cases) = (first.seed, first.cases);
        let reports = subjects
            .into_iter()
            .map(|(fragment, rows)| fragment.report(catalogue, rows));
        Ok(Certificate::new(catalogue, seed, cases, reports.collect()))
    }

    /// Rows that do not apply are ignored tests and leave no fragment; the profile says which.
    fn report(&self, catalogue: &Catalogue, mut rows: Vec<RowOutcome>) -> SubjectReport {
        let selection = Selection::all();
        let inapplicable = selection
            .rows(catalogue, self.subject.kind)
            .into_iter()
            .filter(|requirement| !rows.iter().any(|row| row.id == requirement.id))
            .filter_map(|requirement| not_applicable(requirement, &self.subject.capabilities));
        let inapplicable: Vec<RowOutcome> = inapplicable.collect();
        rows.extend(inapplicable);
        report(catalogue, &self.subject, &selection, rows)
    }
}

/// Writes the fragment where the environment asks for it.
pub(super) fn record(fragment: &Fragment) -> Result<(), FragmentError> {
    let Some(folder) = std::env::var_os(VARIABLE).map(PathBuf::from) else {
        return Ok(());
    };
    let failed = |path: &Path, cause| FragmentError::Io {
        path: path.to_owned(),
        cause,
    };
    fs::create_dir_all(&folder).map_err(|cause| failed(&folder, cause))?;
    let path = folder.join(format!(
        "{}.{}.json",
        fragment.subject.name, fragment.row.id
    ));
    let text = serde_json::to_vec_pretty(fragment).map_err(io::Error::from);
    text.and_then(|text| fs::write(&path, text))
        .map_err(|cause| failed(&path, cause))
}

fn read_all(folder: &Path) -> Result<Vec<(PathBuf, Fragment)>, FragmentError> {
    let failed = |path: &Path, cause| FragmentError::Io {
        path: path.to_owned(),
        cause,
    };
    let entries = fs::read_dir(folder).map_err(|cause| failed(folder, cause))?;
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read(&path).map_err(|cause| failed(&path, cause))?;
            match serde_json::from_slice(&text) {
                Ok(fragment) => Ok((path, fragment)),
                Err(cause) => Err(FragmentError::Malformed { path, cause }),
            }
        })
        .collect()
}
