//! The caller's own token, forwarded.

use std::fmt;

use async_trait::async_trait;
use secrecy::SecretString;

use super::bearer::AUTHORIZATION;
use super::{AuthSlot, ContributedName, HttpAuthProvider};
use crate::executor::AuthFault;
use crate::http::HttpSetupError;
use crate::http::header::free_name;

/// Forwards the token with which the caller came. A call without one is not sent.
///
/// ```
/// use proofmark::http::{HttpAuthProvider, OAuthPassthroughAuth};
///
/// let auth = OAuthPassthroughAuth::new();
/// assert_eq!(auth.contributes().len(), 1);
/// ```
#[derive(Clone)]
pub struct OAuthPassthroughAuth {
    name: [ContributedName; 1],
    prefix: &'static str,
}

impl OAuthPassthroughAuth {
    /// Forwards it as `Authorization: Bearer …`.
    #[must_use]
    pub fn new() -> Self {
        Self {
            name: [ContributedName::Header(AUTHORIZATION.to_owned())],
            prefix: "Bearer ",
        }
    }

    /// Forwards it as it is, in another header.
    ///
    /// # Errors
    ///
    /// [`HttpSetupError::Name`].
    pub fn in_header(name: &str) -> Result<Self, HttpSetupError> {
        if free_name(name).is_none() {
            let field = "the header of the forwarded token";
            return Err(HttpSetupError::Name { field });
        }
        Ok(Self {
            name: [ContributedName::Header(name.to_owned())],
            prefix: "",
        })
    }
}

impl Default for OAuthPassthroughAuth {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl HttpAuthProvider for OAuthPassthroughAuth {
    fn contributes(&self) -> &[ContributedName] {
        &self.name
    }

    async fn authenticate(
        &self,
        inbound: Option<&SecretString>,
        slot: &mut AuthSlot,
    ) -> Result<(), AuthFault> {
        let token = inbound.ok_or(AuthFault::NoInboundToken)?;
        match &self.name[0] {
            ContributedName::Header(name) => slot.header(name, self.prefix, token),
            ContributedName::Pair(key) => slot.pair(key, token),
        }
    }
}

impl fmt::Debug for OAuthPassthroughAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OAuthPassthroughAuth")
            .field(&self.name)
            .finish()
    }
}
