//! `proofmark`: judges subjects, tests the suite itself, and looks requirements up.
#![forbid(unsafe_code)]

mod args;
mod command;
mod error;
mod format;
mod lookup;
mod output;
mod progress;
mod told;
mod workers;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let asked = match args::Cli::try_parse() {
        Ok(asked) => asked,
        Err(answer) => {
            // Help that nobody reads any more is no fault.
            let _ = answer.print();
            return ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(2));
        }
    };
    match command::run(&asked.command) {
        Ok(end) => end.code(),
        Err(error) => {
            output::message(&format!("error: {error}\n next: {}", error.next_step()));
            error.exit_code()
        }
    }
}
