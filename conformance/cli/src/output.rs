//! The one document on standard output, and messages on standard error.

use std::io::{self, Write};

use crate::error::CliError;

/// Prints the document that a command ends with. A reader that has gone away has seen enough.
pub(crate) fn document(text: &str) -> Result<(), CliError> {
    let mut stdout = anstream::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    match written {
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Output(cause)),
        _ => Ok(()),
    }
}

/// Prints a message for people.
pub(crate) fn message(text: &str) {
    // There is no other place to say that it could not be said.
    let _ = writeln!(anstream::stderr(), "{text}");
}
