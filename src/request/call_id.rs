//! The name of one `tools/call`, made here and from nothing that a client sends.

use std::fmt::{self, Write as _};

/// How many random bytes an id has.
const RANDOM_BYTES: usize = 16;

/// A fresh name for one `tools/call`: 128 random bits from the system, in lower-case hexadecimal.
///
/// It goes to the policy and nowhere else; it is not a secret, and not for the wire.
///
/// ```
/// use proofmark::request::CallId;
///
/// let (one, other) = (CallId::mint()?, CallId::mint()?);
/// assert_ne!(one, other);
/// assert_eq!(one.as_str().len(), 32);
/// # Ok::<(), proofmark::request::NoRandomBytes>(())
/// ```
///
/// Source: seed 000.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CallId(String);

/// The system gave no random bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system gave no random bytes")]
pub struct NoRandomBytes;

impl CallId {
    /// Makes an id.
    ///
    /// # Errors
    ///
    /// [`NoRandomBytes`]; a call must then not be made, for a policy could not attribute it.
    pub fn mint() -> Result<Self, NoRandomBytes> {
        let mut bytes = [0; RANDOM_BYTES];
        getrandom::fill(&mut bytes).map_err(|_| NoRandomBytes)?;
        let mut id = String::with_capacity(2 * RANDOM_BYTES);
        for byte in bytes {
            // Writing to a string never fails.
            let _ = write!(id, "{byte:02x}");
        }
        Ok(Self(id))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_distinct_and_every_bit_of_them_varies() {
        let ids: HashSet<_> = (0..10_000).map(|_| CallId::mint().unwrap()).collect();
        assert_eq!(ids.len(), 10_000);
        let numbers = ids
            .iter()
            .map(|id| u128::from_str_radix(id.as_str(), 16).unwrap());
        let (ones, zeros) = numbers.fold((0, 0), |(ones, zeros), id| (ones | id, zeros | !id));
        assert_eq!((ones, zeros), (u128::MAX, u128::MAX));
    }
}
