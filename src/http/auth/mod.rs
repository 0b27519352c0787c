//! Auth providers: what makes the credential, after the policy has been asked and never before.

mod api_key;
mod basic;
mod bearer;
mod oauth2;
mod passthrough;
mod provider;
mod secret;
mod slot;

pub use api_key::ApiKeyAuth;
pub use basic::BasicAuth;
pub use bearer::BearerAuth;
pub use oauth2::{ClientAuthentication, OAuth2ClientCredentialsAuth};
pub use passthrough::OAuthPassthroughAuth;
pub use provider::{ContributedName, HttpAuthProvider, NoAuth};
pub use slot::AuthSlot;
