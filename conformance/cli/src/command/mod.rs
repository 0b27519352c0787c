//! The commands, one a file.

mod certify;
mod explain;
mod list;
mod report;
mod scan;
mod selftest;
mod worker;

use std::process::ExitCode;

use crate::args::Command;
use crate::error::CliError;

/// How a command that came to a result ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// All is well.
    Well,
    /// A subject is not certified, or the suite does not hold.
    Not,
    /// A row could not be judged through a fault of the judge or of what builds the subject.
    Fault,
}

impl End {
    /// The exit code that says so.
    pub(crate) fn code(self) -> ExitCode {
        match self {
            Self::Well => ExitCode::SUCCESS,
            Self::Not => ExitCode::from(1),
            Self::Fault => ExitCode::from(3),
        }
    }
}

/// Does what was asked.
pub(crate) fn run(command: &Command) -> Result<End, CliError> {
    match command {
        Command::Certify(asked) => certify::run(asked),
        Command::Selftest(asked) => selftest::run(asked),
        Command::List(asked) => list::run(asked),
        Command::Explain(asked) => explain::run(asked),
        Command::Report(asked) => report::run(asked),
        Command::Scan(asked) => scan::run(asked),
        Command::Worker => worker::run(),
    }
}
