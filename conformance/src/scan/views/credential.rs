//! What an assertion takes for the credential that must not be there.

use crate::scan::{ScanError, Scanner, Secret};

/// A credential: a string, a [`Secret`], several of them, or a [`Scanner`] built for them.
///
/// A string is called `credential` in messages. Secrets are looked for above the default floor;
/// build a scanner to set another.
pub trait CredentialSource {
    /// Calls `search` with a scanner for the credential.
    ///
    /// # Errors
    ///
    /// When there is no scanner for it.
    fn with_scanner<R>(&self, search: impl FnOnce(&Scanner) -> R) -> Result<R, ScanError>;
}

impl CredentialSource for Scanner {
    fn with_scanner<R>(&self, search: impl FnOnce(&Scanner) -> R) -> Result<R, ScanError> {
        Ok(search(self))
    }
}

impl CredentialSource for [Secret] {
    fn with_scanner<R>(&self, search: impl FnOnce(&Scanner) -> R) -> Result<R, ScanError> {
        let builder = Scanner::builder().secrets(self.iter().cloned());
        Ok(search(&builder.build()?))
    }
}

impl CredentialSource for Vec<Secret> {
    fn with_scanner<R>(&self, search: impl FnOnce(&Scanner) -> R) -> Result<R, ScanError> {
        self.as_slice().with_scanner(search)
    }
}

impl<const N: usize> CredentialSource for [Secret; N] {
    fn with_scanner<R>(&self, search: impl FnOnce(&Scanner) -> R) -> Result<R, ScanError> {
        self.as_slice().with_scanner(search)
    }
}

impl CredentialSource for Secret {
    fn with_scanner<R>(&self, search: impl FnOnce(&Scanner) -> R) -> Result<R, ScanError> {
        std::slice::from_ref(self).with_scanner(search)
    }
}

impl CredentialSource for str {
    fn with_scanner<R>(&self, search: impl FnOnce(&Scanner) -> R) -> Result<R, ScanError> {
        Secret::new("credential", self).with_scanner(search)
    }
}

impl CredentialSource for String {
    fn with_scanner<R>(&self, search: impl FnOnce(&Scanner) -> R) -> Result<R, ScanError> {
        self.as_str().with_scanner(search)
    }
}

impl<S: CredentialSource + ?Sized> CredentialSource for &S {
    fn with_scanner<R>(&self, search: impl FnOnce(&Scanner) -> R) -> Result<R, ScanError> {
        (**self).with_scanner(search)
    }
}
