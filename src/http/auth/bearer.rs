//! A token that the server has of its own.

use std::fmt;

use async_trait::async_trait;
use secrecy::SecretString;

use super::secret::check_header;
use super::{AuthSlot, ContributedName, HttpAuthProvider};
use crate::executor::AuthFault;
use crate::http::HttpSetupError;

/// The name of the header.
pub(super) const AUTHORIZATION: &str = "authorization";

/// Sends `Authorization: Bearer …`.
///
/// ```
/// use proofmark::http::BearerAuth;
///
/// let auth = BearerAuth::new("tok_example")?;
/// assert_eq!(format!("{auth:?}"), "BearerAuth(..)");
/// assert!(BearerAuth::new("tok_example\n").is_err());
/// # Ok::<(), proofmark::http::HttpSetupError>(())
/// ```
#[derive(Clone)]
pub struct BearerAuth {
    name: [ContributedName; 1],
    token: SecretString,
}

impl BearerAuth {
    /// Takes the token.
    ///
    /// # Errors
    ///
    /// [`HttpSetupError::Credential`] if it cannot be a header's value; it is not quoted.
    pub fn new(token: impl Into<SecretString>) -> Result<Self, HttpSetupError> {
        let token = token.into();
        check_header("the bearer token", &token)?;
        Ok(Self {
            name: [ContributedName::Header(AUTHORIZATION.to_owned())],
            token,
        })
    }
}

#[async_trait]
impl HttpAuthProvider for BearerAuth {
    fn contributes(&self) -> &[ContributedName] {
        &self.name
    }

    async fn authenticate(
        &self,
        _inbound: Option<&SecretString>,
        slot: &mut AuthSlot,
    ) -> Result<(), AuthFault> {
        slot.header(AUTHORIZATION, "Bearer ", &self.token)
    }
}

impl fmt::Debug for BearerAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerAuth(..)")
    }
}
