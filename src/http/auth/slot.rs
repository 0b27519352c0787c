//! Where a provider puts the credential of one request.

use std::fmt;

use reqwest::header::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use super::ContributedName;
use super::secret::header_value;
use crate::executor::AuthFault;

/// The credential of one request, on its way to the wire.
#[derive(Default)]
pub struct AuthSlot {
    headers: Vec<(HeaderName, HeaderValue)>,
    pairs: Vec<(String, SecretString)>,
    secrets: Vec<SecretString>,
}

impl AuthSlot {
    /// Sends `secret` in a header, behind `prefix`.
    ///
    /// # Errors
    ///
    /// [`AuthFault::Unsendable`], which does not hold it.
    pub fn header(
        &mut self,
        name: &str,
        prefix: &str,
        secret: &SecretString,
    ) -> Result<(), AuthFault> {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| AuthFault::Unsendable)?;
        let value = header_value(prefix, secret).ok_or(AuthFault::Unsendable)?;
        self.headers.push((name, value));
        self.watch_for(secret);
        Ok(())
    }

    /// Sends `secret` in a query pair.
    ///
    /// # Errors
    ///
    /// [`AuthFault::Unsendable`], which does not hold it.
    pub fn pair(&mut self, key: &str, secret: &SecretString) -> Result<(), AuthFault> {
        let text = secret.expose_secret();
        if text.is_empty() || text.contains(char::is_control) || key.is_empty() {
            return Err(AuthFault::Unsendable);
        }
        self.pairs.push((key.to_owned(), secret.clone()));
        self.watch_for(secret);
        Ok(())
    }

    /// Has answers that hold `secret` dropped, as those are that hold what was sent.
    pub fn watch_for(&mut self, secret: &SecretString) {
        self.secrets.push(secret.clone());
    }

    pub(in crate::http) fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.headers
    }

    pub(in crate::http) fn pairs(&self) -> &[(String, SecretString)] {
        &self.pairs
    }

    pub(in crate::http) fn secrets(&self) -> &[SecretString] {
        &self.secrets
    }

    /// Whether every name was declared, and none is set twice.
    pub(in crate::http) fn is_as_declared(&self, declared: &[ContributedName]) -> bool {
        let header = |name: &HeaderName| {
            declared.iter().any(|declared| {
                matches!(declared, ContributedName::Header(text) if text.eq_ignore_ascii_case(name.as_str()))
            })
        };
        let pair = |key: &str| {
            declared
                .iter()
                .any(|declared| matches!(declared, ContributedName::Pair(text) if text == key))
        };
        let headers = self.headers.iter().enumerate().all(|(at, (name, _))| {
            header(name)
                && !self.headers[..at]
                    .iter()
                    .any(|(earlier, _)| earlier == name)
        });
        let pairs = self.pairs.iter().enumerate().all(|(at, (key, _))| {
            pair(key) && !self.pairs[..at].iter().any(|(earlier, _)| earlier == key)
        });
        headers && pairs
    }
}

/// Counts what is in it.
impl fmt::Debug for AuthSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthSlot")
            .field("headers", &self.headers.len())
            .field("pairs", &self.pairs.len())
            .finish_non_exhaustive()
    }
}
