//! Why a command could not do what was asked, what to do next, and the exit code that says so.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use proofmark_conformance::catalogue::{CatalogueError, RequirementId};
use proofmark_conformance::judge::UnknownRow;
use proofmark_conformance::profile::ProfileError;
use proofmark_conformance::scan::{Inconclusive, ScanError};
use proofmark_conformance::testing::FragmentError;
use proofmark_conformance::worker::WorkerError;

use crate::lookup::Nearest;

/// A command that came to no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CliError {
    /// The text names no requirement.
    #[error("there is no requirement `{text}`{nearest}")]
    UnknownRequirement { text: String, nearest: Nearest },
    /// The id is no row of the catalogue.
    #[error(transparent)]
    UnknownRow(#[from] UnknownRow),
    /// The requirement is about other subjects.
    #[error("{id} is about another kind of subject, {about}, so it cannot be judged here")]
    OtherSubject { id: RequirementId, about: String },
    /// The requirement cannot be judged.
    #[error("{id} has no check yet, so selecting it would say nothing")]
    NoCheck { id: RequirementId },
    /// The name belongs to no subject.
    #[error("there is no built-in subject `{name}`{nearest}")]
    UnknownSubject { name: String, nearest: Nearest },
    /// No subject promises what the selected requirements are about.
    #[error("none of the selected requirements applies to any reference subject")]
    NothingApplies,
    /// A secret is not in the environment.
    #[error("the environment variable `{name}` is unset or empty")]
    UnsetSecret { name: String },
    /// A file to look through, or one that holds a secret, cannot be read.
    #[error("{path} cannot be read: {cause}")]
    UnreadableText { path: PathBuf, cause: io::Error },
    /// A secret is too weak to be looked for.
    #[error(transparent)]
    WeakSecret(Inconclusive),
    /// The secrets cannot be looked for.
    #[error(transparent)]
    Scanner(ScanError),
    /// Such a subject has no profile.
    #[error("`{name}` is of a kind that has no profile, so there is nothing to hold it to")]
    NoProfile { name: String },
    /// A file cannot be read.
    #[error("the profile {path} cannot be read: {cause}")]
    Unreadable { path: PathBuf, cause: io::Error },
    /// A profile cannot be judged.
    #[error("the profile {path} cannot be used: {cause}")]
    Profile { path: PathBuf, cause: ProfileError },
    /// A file or folder cannot be written.
    #[error("{path} cannot be written: {cause}")]
    Unwritable { path: PathBuf, cause: io::Error },
    /// Standard output takes nothing.
    #[error("standard output cannot be written: {0}")]
    Output(#[source] io::Error),
    /// A worker was started without a job.
    #[error("standard input holds no job: {0}")]
    NoJob(#[source] io::Error),
    /// The outcomes of tests cannot be merged.
    #[error(transparent)]
    Fragment(#[from] FragmentError),
    /// The catalogue is broken.
    #[error("the built-in catalogue cannot be read: {0}")]
    Catalogue(#[from] CatalogueError),
    /// A worker could not do its job.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// This program cannot be started again.
    #[error("this program cannot find its own file, which it starts for each subject: {0}")]
    OwnProgram(#[source] io::Error),
    /// A worker cannot answer.
    #[error("the worker cannot answer: {0}")]
    Answer(#[source] io::Error),
    /// A document has no JSON form.
    #[error("the document cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl CliError {
    /// What to do about it, as the end of a sentence that begins with "next".
    pub(crate) fn next_step(&self) -> String {
        let step = match self {
            Self::UnknownRequirement { .. } | Self::UnknownRow(_) => {
                "`proofmark list` shows every requirement"
            }
            Self::OtherSubject { .. } | Self::NoCheck { .. } => {
                "leave it out of the selection; `proofmark list` shows what each requirement is about and which have a check"
            }
            Self::UnknownSubject { .. } => {
                "`proofmark certify` without `--subject` judges the reference subjects, each by name"
            }
            Self::NothingApplies => {
                "select other requirements, or name a subject and the promises to hold it to: `--subject NAME --profile FILE`"
            }
            Self::UnsetSecret { .. } => "set it to the secret to look for, or use `--secret-file`",
            Self::UnreadableText { .. } => "name files that can be read, or `-` for standard input",
            Self::WeakSecret(_) => {
                "look for a longer part of the secret: anything this short or plain would be found everywhere"
            }
            Self::Scanner(_) => "mend the secrets and run the same command again",
            Self::NoProfile { .. } => "leave `--profile` out, or name a policy",
            Self::Unreadable { .. } => {
                "name a TOML file that can be read, of at most 1 MiB of UTF-8 text"
            }
            Self::Profile { path, .. } => {
                return format!("mend {} and run the same command again", path.display());
            }
            Self::Unwritable { .. } => "name a folder that can be made and written to",
            Self::Output(_) => "send standard output to a place that has room, or use `--out DIR`",
            Self::NoJob(_) => {
                "use `proofmark certify`; this command is only started by the program itself"
            }
            Self::Fragment(_) => {
                "`PROOFMARK_OUT=DIR cargo test` fills DIR with outcomes, and `proofmark report DIR` merges them"
            }
            Self::Catalogue(_) | Self::OwnProgram(_) | Self::Json(_) => {
                "install the program anew; if that does not help, report this message as a fault of proofmark"
            }
            Self::Worker(_) | Self::Answer(_) => {
                "run the same command again; if it ends the same way, report this message as a fault of proofmark"
            }
        };
        step.to_owned()
    }

    /// 2 where the user can mend it, 3 where the suite is at fault.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Catalogue(_)
            | Self::Worker(_)
            | Self::OwnProgram(_)
            | Self::Answer(_)
            | Self::Json(_)
            | Self::Fragment(FragmentError::Catalogue(_)) => ExitCode::from(3),
            _ => ExitCode::from(2),
        }
    }
}
