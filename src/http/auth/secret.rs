//! Which credentials can be sent, found out where they are handed over.

use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use crate::http::HttpSetupError;
use crate::http::header::visible_value;

/// A header's value that holds a secret, marked so that it is not shown.
pub(super) fn header_value(prefix: &str, secret: &SecretString) -> Option<HeaderValue> {
    let secret = secret.expose_secret();
    if secret.is_empty() || secret.starts_with(' ') {
        return None;
    }
    let mut value = visible_value(&[prefix, secret].concat())?;
    value.set_sensitive(true);
    Some(value)
}

/// Refuses what could not be sent in a header.
pub(super) fn check_header(
    field: &'static str,
    secret: &SecretString,
) -> Result<(), HttpSetupError> {
    match header_value("", secret) {
        Some(_) => Ok(()),
        None => Err(HttpSetupError::Credential { field }),
    }
}

/// Refuses what is empty or holds a control character.
pub(super) fn check_text(field: &'static str, text: &str) -> Result<(), HttpSetupError> {
    if text.is_empty() || text.contains(char::is_control) {
        return Err(HttpSetupError::Credential { field });
    }
    Ok(())
}
