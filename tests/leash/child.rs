//! This test program started again, to do one thing as another process.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::Command;

use crate::operation::{NO_ERRNO, perform};

/// The variable that brings a child its task.
pub const TASK: &str = "LEASH_CHILD";

/// The arguments of a child: run the one test below, which nothing else runs.
pub const ARGS: [&str; 4] = ["--exact", "child::entry", "--ignored", "--nocapture"];

/// A task as the value of its variable.
pub fn task(words: &[&str]) -> String {
    words.join("\u{1f}")
}

/// The program that is running now.
pub fn this_program() -> PathBuf {
    env::current_exe().unwrap()
}

/// A child that nothing confines.
pub fn command(words: &[&str]) -> Command {
    let mut command = Command::new(this_program());
    command.args(ARGS).env(TASK, task(words));
    command
}

/// Says, past the capture of test output, why a test has shown nothing here.
pub fn inconclusive(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Nothing to be done where standard error is closed.
    let _ = writeln!(io::stderr(), "inconclusive: {test}: {why}");
}

#[test]
#[ignore = "runs in children of other tests only"]
fn entry() {
    let Ok(task) = env::var(TASK) else {
        return;
    };
    let words: Vec<&str> = task.split('\u{1f}').collect();
    let code = match perform(&words) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{words:?}: {error}");
            error.raw_os_error().unwrap_or(NO_ERRNO)
        }
    };
    std::process::exit(code);
}
