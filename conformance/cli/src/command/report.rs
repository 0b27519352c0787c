//! `report`: merges the outcomes that tests left behind into one certificate.

use proofmark_conformance::catalogue::Catalogue;
use proofmark_conformance::testing::Fragment;

use super::End;
use crate::args::Report;
use crate::error::CliError;
use crate::format::certificate::{CertificateView, Origin};
use crate::told;

/// Merges the folder and tells the certificate.
pub(super) fn run(asked: &Report) -> Result<End, CliError> {
    let catalogue = Catalogue::shared()?;
    let certificate = Fragment::merge(&asked.folder)?;
    told::prepare(&asked.told)?;
    let view = CertificateView {
        certificate: &certificate,
        catalogue,
        origin: Origin::Tests,
    };
    told::tell(&asked.told, &view)
}
