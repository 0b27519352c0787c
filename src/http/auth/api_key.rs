//! A key in a header or a query pair.

use std::fmt;

use async_trait::async_trait;
use secrecy::{ExposeSecret, SecretString};

use super::secret::{check_header, check_text};
use super::{AuthSlot, ContributedName, HttpAuthProvider};
use crate::executor::AuthFault;
use crate::http::HttpSetupError;
use crate::http::header::free_name;

/// Sends a key under a name of the backend's choice.
///
/// ```
/// use proofmark::http::ApiKeyAuth;
///
/// let auth = ApiKeyAuth::in_header("X-Api-Key", "key_example")?;
/// assert_eq!(format!("{auth:?}"), "ApiKeyAuth([Header(\"X-Api-Key\")])");
/// assert!(ApiKeyAuth::in_header("Host", "key_example").is_err());
/// # Ok::<(), proofmark::http::HttpSetupError>(())
/// ```
#[derive(Clone)]
pub struct ApiKeyAuth {
    name: [ContributedName; 1],
    key: SecretString,
}

impl ApiKeyAuth {
    /// Sends the key in a header. `Authorization` is a name for it too.
    ///
    /// # Errors
    ///
    /// [`HttpSetupError::Name`] or [`HttpSetupError::Credential`]; the key is not quoted.
    pub fn in_header(name: &str, key: impl Into<SecretString>) -> Result<Self, HttpSetupError> {
        let key = key.into();
        let field = "the API key's header";
        if !name.eq_ignore_ascii_case("authorization") && free_name(name).is_none() {
            return Err(HttpSetupError::Name { field });
        }
        check_header("the API key", &key)?;
        Ok(Self {
            name: [ContributedName::Header(name.to_owned())],
            key,
        })
    }

    /// Sends the key in a query pair. Prefer a header where the backend takes one: URLs are logged
    /// on the way.
    ///
    /// # Errors
    ///
    /// [`HttpSetupError::Name`] or [`HttpSetupError::Credential`]; the key is not quoted.
    pub fn in_query(name: &str, key: impl Into<SecretString>) -> Result<Self, HttpSetupError> {
        let key = key.into();
        if name.trim().len() != name.len() || check_text("", name).is_err() {
            let field = "the API key's query key";
            return Err(HttpSetupError::Name { field });
        }
        check_text("the API key", key.expose_secret())?;
        Ok(Self {
            name: [ContributedName::Pair(name.to_owned())],
            key,
        })
    }
}

#[async_trait]
impl HttpAuthProvider for ApiKeyAuth {
    fn contributes(&self) -> &[ContributedName] {
        &self.name
    }

    async fn authenticate(
        &self,
        _inbound: Option<&SecretString>,
        slot: &mut AuthSlot,
    ) -> Result<(), AuthFault> {
        match &self.name[0] {
            ContributedName::Header(name) => slot.header(name, "", &self.key),
            ContributedName::Pair(key) => slot.pair(key, &self.key),
        }
    }
}

impl fmt::Debug for ApiKeyAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ApiKeyAuth").field(&self.name).finish()
    }
}
