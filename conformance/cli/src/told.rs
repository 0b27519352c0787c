//! How a run that ends in a certificate is told: on paper, on standard output, by the exit code.

use std::fs;
use std::io;
use std::path::Path;

use proofmark_conformance::outcome::{Certificate, Outcome, Verdict};

use crate::args::Told;
use crate::command::End;
use crate::error::CliError;
use crate::format::{self, certificate::CertificateView};
use crate::output;

/// The certificate's file in the folder for output.
const FILE: &str = "certificate.json";

/// Makes the folder for output, so that a run is not lost for want of it.
pub(crate) fn prepare(told: &Told) -> Result<(), CliError> {
    match &told.out {
        Some(folder) => fs::create_dir_all(folder).map_err(|cause| unwritable(folder, cause)),
        None => Ok(()),
    }
}

/// Writes and prints the certificate, and says how the command ends.
pub(crate) fn tell(told: &Told, view: &CertificateView<'_>) -> Result<End, CliError> {
    if let Some(folder) = &told.out {
        let path = folder.join(FILE);
        fs::write(&path, format::kept(view)?).map_err(|cause| unwritable(&path, cause))?;
        output::message(&format!("wrote {}", path.display()));
    }
    told.format.print(view)?;
    Ok(end(view.certificate))
}

fn unwritable(path: &Path, cause: io::Error) -> CliError {
    CliError::Unwritable {
        path: path.to_owned(),
        cause,
    }
}

fn end(certificate: &Certificate) -> End {
    let mut rows = certificate
        .subjects
        .iter()
        .flat_map(|subject| &subject.outcomes);
    if rows.any(|row| row.outcome == Outcome::Error) {
        End::Fault
    } else if certificate.verdict == Verdict::NotCertified {
        End::Not
    } else {
        End::Well
    }
}
