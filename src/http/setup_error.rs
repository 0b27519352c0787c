//! Why an HTTP executor or client could not be built.

use crate::executor::BaseUrlError;

/// Why an HTTP executor, client or auth provider could not be built. No message quotes what it was
/// given.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpSetupError {
    /// The base URL cannot be used.
    #[error(transparent)]
    BaseUrl(#[from] BaseUrlError),
    /// The token endpoint's URL cannot be used.
    #[error("of the token endpoint: {0}")]
    TokenUrl(BaseUrlError),
    /// A credential is empty, or holds a character that cannot be sent.
    #[error(
        "{field} must not be empty, nor hold a line break or another character that cannot be sent"
    )]
    Credential {
        /// Which one.
        field: &'static str,
    },
    /// The name under which the credential would travel cannot be one.
    #[error("{field} is not a name that can be sent, or one that must not be set")]
    Name {
        /// Which one.
        field: &'static str,
    },
    /// A credential would travel unencrypted to another machine.
    #[error("a credential must not travel over plain http to another machine: use https")]
    Cleartext,
    /// The client's name cannot be sent.
    #[error("the user agent must be visible ASCII text")]
    UserAgent,
    /// The system's certificates cannot be used.
    #[error("TLS cannot be set up with the system's certificates")]
    Tls,
    /// The client cannot be built.
    #[error("the HTTP client cannot be built")]
    Client,
}
