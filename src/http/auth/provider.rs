//! The seam of authentication, and the provider that adds nothing.

use std::sync::Arc;

use async_trait::async_trait;
use secrecy::SecretString;

use super::AuthSlot;
use crate::executor::AuthFault;

/// A place where a credential travels.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ContributedName {
    /// A header of this name.
    Header(String),
    /// A query pair of this key.
    Pair(String),
}

/// Makes the credential of a request that the policy has allowed.
///
/// It is asked once for each logical request, after the policy and before the first attempt. What it
/// contributes is in no `OutboundRequest`, no error and no log.
///
/// ```
/// use proofmark::async_trait;
/// use proofmark::executor::AuthFault;
/// use proofmark::http::{AuthSlot, ContributedName, HttpAuthProvider, SecretString};
///
/// struct Vault { name: [ContributedName; 1], key: SecretString }
///
/// #[async_trait]
/// impl HttpAuthProvider for Vault {
///     fn contributes(&self) -> &[ContributedName] {
///         &self.name
///     }
///
///     async fn authenticate(
///         &self,
///         _inbound: Option<&SecretString>,
///         slot: &mut AuthSlot,
///     ) -> Result<(), AuthFault> {
///         slot.header("x-vault-key", "", &self.key)
///     }
/// }
/// ```
///
/// Source: seed 000.
#[async_trait]
pub trait HttpAuthProvider: Send + Sync {
    /// Under which names a credential travels: nothing else may set them, and nothing else is set.
    ///
    /// With a name, plain `http` is refused but for this machine.
    fn contributes(&self) -> &[ContributedName];

    /// Puts the credential into the slot. `inbound` is the token with which the caller came.
    ///
    /// # Errors
    ///
    /// An [`AuthFault`]: the request is then not sent.
    async fn authenticate(
        &self,
        inbound: Option<&SecretString>,
        slot: &mut AuthSlot,
    ) -> Result<(), AuthFault>;
}

#[async_trait]
impl<P: HttpAuthProvider + ?Sized> HttpAuthProvider for Arc<P> {
    fn contributes(&self) -> &[ContributedName] {
        (**self).contributes()
    }

    async fn authenticate(
        &self,
        inbound: Option<&SecretString>,
        slot: &mut AuthSlot,
    ) -> Result<(), AuthFault> {
        (**self).authenticate(inbound, slot).await
    }
}

/// Adds nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAuth;

#[async_trait]
impl HttpAuthProvider for NoAuth {
    fn contributes(&self) -> &[ContributedName] {
        &[]
    }

    async fn authenticate(
        &self,
        _inbound: Option<&SecretString>,
        _slot: &mut AuthSlot,
    ) -> Result<(), AuthFault> {
        Ok(())
    }
}
