//! Runs the program and keeps what it said.

use std::ffi::OsStr;
use std::process::{Command, Output};

use serde_json::Value;

/// What one run of the program came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Runs the program with these arguments.
    pub(crate) fn of<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Self {
        Self::from(command().args(args).output().unwrap())
    }

    /// Runs the program with the words of `line`.
    pub(crate) fn line(line: &str) -> Self {
        Self::of(line.split_whitespace())
    }

    /// The one document on standard output.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|cause| panic!("{cause}: {self:?}"))
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// The program, without what the environment of the tests might tell it.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "PROOFMARK_OUT"] {
        command.env_remove(variable);
    }
    command
}

/// The texts of a JSON list.
pub(crate) fn texts(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap();
    list.iter().map(|text| text.as_str().unwrap()).collect()
}
