//! The forms in which a document is printed.

pub(crate) mod certificate;
mod json;
pub(crate) mod kill_matrix;
pub(crate) mod pretty;

use clap::ValueEnum;
use serde::Serialize;

use self::certificate::CertificateView;
use self::pretty::Page;
use crate::error::CliError;
use crate::output;

/// A document that a command ends with: its JSON form is its serde form.
pub(crate) trait Document: Serialize {
    /// The document for people, with colours; they are taken out where they cannot be shown.
    fn pretty(&self, page: Page) -> String;
}

/// The forms that every document has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Pretty,
    /// For programs
    Json,
}

impl Format {
    /// Prints the document.
    pub(crate) fn print(self, document: &impl Document) -> Result<(), CliError> {
        let text = match self {
            Self::Pretty => document.pretty(Page::of_stdout()),
            Self::Json => json::text(document)?,
        };
        output::document(&text)
    }
}

/// The forms of a certificate. They are a list of their own because only outcomes fit into the
/// forms that other tools read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CertificateFormat {
    /// For people
    #[default]
    Pretty,
    /// The certificate itself
    Json,
}

impl CertificateFormat {
    /// Prints the certificate.
    pub(crate) fn print(self, view: &CertificateView<'_>) -> Result<(), CliError> {
        match self {
            Self::Pretty => Format::Pretty.print(view),
            Self::Json => Format::Json.print(view),
        }
    }
}

/// The certificate as it is kept in a file.
pub(crate) fn kept(view: &CertificateView<'_>) -> Result<String, CliError> {
    json::text(view)
}
