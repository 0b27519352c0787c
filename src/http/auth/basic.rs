//! A user and a password.

use std::fmt;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret, SecretString};

use super::bearer::AUTHORIZATION;
use super::secret::check_text;
use super::{AuthSlot, ContributedName, HttpAuthProvider};
use crate::executor::AuthFault;
use crate::http::HttpSetupError;

/// Sends `Authorization: Basic …`, of UTF-8 text.
///
/// ```
/// use proofmark::http::BasicAuth;
///
/// let auth = BasicAuth::new("reader", "example")?;
/// assert_eq!(format!("{auth:?}"), "BasicAuth(..)");
/// assert!(BasicAuth::new("rea:der", "example").is_err());
/// # Ok::<(), proofmark::http::HttpSetupError>(())
/// ```
#[derive(Clone)]
pub struct BasicAuth {
    name: [ContributedName; 1],
    password: SecretString,
    encoded: SecretString,
}

impl BasicAuth {
    /// Takes user and password.
    ///
    /// # Errors
    ///
    /// [`HttpSetupError::Credential`] if one is empty or holds a control character, or the user a
    /// colon; neither is quoted.
    pub fn new(
        user: impl AsRef<str>,
        password: impl Into<SecretString>,
    ) -> Result<Self, HttpSetupError> {
        let (user, password) = (user.as_ref(), password.into());
        check_text("the user", user)?;
        check_text("the password", password.expose_secret())?;
        if user.contains(':') {
            return Err(HttpSetupError::Credential { field: "the user" });
        }
        let both = SecretString::from([user, ":", password.expose_secret()].concat());
        Ok(Self {
            name: [ContributedName::Header(AUTHORIZATION.to_owned())],
            encoded: STANDARD.encode(both.expose_secret()).into(),
            password,
        })
    }
}

#[async_trait]
impl HttpAuthProvider for BasicAuth {
    fn contributes(&self) -> &[ContributedName] {
        &self.name
    }

    async fn authenticate(
        &self,
        _inbound: Option<&SecretString>,
        slot: &mut AuthSlot,
    ) -> Result<(), AuthFault> {
        slot.watch_for(&self.password);
        slot.header(AUTHORIZATION, "Basic ", &self.encoded)
    }
}

impl fmt::Debug for BasicAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BasicAuth(..)")
    }
}
