//! Requests over HTTP: auth providers, the curated client, and the executor of scripts.
//!
//! Whatever is sent goes one way: made ready, checked for names that only authentication may set,
//! shown to the policy, and only then given a credential and sent. Redirects are not followed, no
//! proxy is taken from the environment, and no error holds a URL, a value or a credential.
//!
//! What sends needs a Tokio runtime with its I/O and its timer.

mod arguments;
mod auth;
mod client;
mod code_executor;
mod config;
mod connector;
mod dispatch;
mod echo;
mod header;
mod operation;
mod setup_error;
mod transport;

pub use auth::{
    ApiKeyAuth, AuthSlot, BasicAuth, BearerAuth, ClientAuthentication, ContributedName,
    HttpAuthProvider, NoAuth, OAuth2ClientCredentialsAuth, OAuthPassthroughAuth,
};
pub use client::HttpClient;
pub use code_executor::HttpCodeExecutor;
pub use config::HttpConfig;
pub use connector::HttpConnector;
pub use operation::{Operation, OperationError, Parameter, ParameterLocation};
/// A text that is never shown, in which tokens and keys are handed over.
pub use secrecy::SecretString;
pub use setup_error::HttpSetupError;
