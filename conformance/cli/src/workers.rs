//! Starts this very program again for each subject, so that none can harm the run.

use std::env;
use std::process::Command;

use proofmark_conformance::worker::Supervisor;

use crate::error::CliError;

/// A supervisor whose workers are this program's `worker` command.
pub(crate) fn supervisor() -> Result<Supervisor<'static>, CliError> {
    let program = env::current_exe().map_err(CliError::OwnProgram)?;
    Ok(Supervisor::new(move || {
        let mut command = Command::new(&program);
        // Backtraces only blur what a subject said last.
        command.arg("worker").env("RUST_BACKTRACE", "0");
        command
    }))
}
