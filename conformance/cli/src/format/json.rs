//! Documents as JSON.

use serde::Serialize;

use crate::error::CliError;

/// The document's JSON, indented, with a line break at its end.
pub(super) fn text(document: &impl Serialize) -> Result<String, CliError> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    Ok(text)
}
