//! `worker`: judges one job in this process, which the subject may take down.

use proofmark_conformance::worker::{Job, serve};

use super::End;
use crate::error::CliError;
use crate::lookup;

/// Judges the job on standard input and answers through the file it names.
pub(super) fn run() -> Result<End, CliError> {
    let job = Job::from_stdin().map_err(CliError::NoJob)?;
    let subject = lookup::subject(&job.subject)?;
    serve(&job, subject.as_ref()).map_err(CliError::Answer)?;
    Ok(End::Well)
}
