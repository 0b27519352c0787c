//! A request target that has been resolved and checked, as the type that executors take.

use std::fmt;

use super::{PlaceholderRefusal, validate_resolved_target};

/// A resolved and checked request target: a path, and at most one query that an author wrote.
///
/// Whoever holds one need not and must not resolve anything: every `${var}` and `{key}` has been
/// filled, and the whole has passed the rules of [`validate_resolved_target`]. The check is in the
/// only constructor, and the field is private:
///
/// ```compile_fail,E0423
/// let forged = proofmark::path::ResolvedPath("//evil.example.test");
/// ```
///
/// ```compile_fail,E0277
/// fn takes(path: proofmark::path::ResolvedPath<'_>) {}
/// takes("//evil.example.test".into());
/// ```
///
/// One that comes out of a [`PathTemplate`](super::PathTemplate) may hold a `//` or a trailing `/`
/// that the author of the template wrote.
///
/// ```
/// use proofmark::path::ResolvedPath;
///
/// let path = ResolvedPath::from_checked("/v1/items/7?full=true")?;
/// assert_eq!(path.as_str(), "/v1/items/7?full=true");
/// assert!(ResolvedPath::from_checked("@evil.example.test/x").is_err());
/// # Ok::<(), proofmark::path::PlaceholderRefusal>(())
/// ```
///
/// Source: seed 001.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ResolvedPath<'a>(&'a str);

impl<'a> ResolvedPath<'a> {
    /// Checks a composed target.
    ///
    /// # Errors
    ///
    /// The refusal of [`validate_resolved_target`]: among other things, the target must begin with
    /// a single `/`, so that it cannot leave the origin it is joined to.
    pub fn from_checked(path: &'a str) -> Result<Self, PlaceholderRefusal> {
        validate_resolved_target(path)?;
        Ok(Self(path))
    }

    /// The target as it stands.
    #[must_use]
    pub fn as_str(&self) -> &'a str {
        self.0
    }
}

impl fmt::Display for ResolvedPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// An owned [`ResolvedPath`], as a resolution yields it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResolvedTarget(String);

impl ResolvedTarget {
    /// Takes a target that the resolution has checked piece by piece.
    pub(super) fn from_resolution(target: String) -> Self {
        Self(target)
    }

    /// The target in the form that executors take.
    #[must_use]
    pub fn as_path(&self) -> ResolvedPath<'_> {
        ResolvedPath(&self.0)
    }

    /// The target as it stands.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ResolvedTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
