//! How often an authority may be used.

use serde::{Deserialize, Serialize};

/// An upper bound on calls.
///
/// Serialised as `"unlimited"` or `{"at_most": n}`.
///
/// ```
/// use proofmark::leash::CountBound;
///
/// let tight = CountBound::AtMost(3);
/// assert_eq!(tight.meet(&CountBound::Unlimited), tight);
/// assert!(tight.leq(&CountBound::AtMost(5)));
/// ```
///
/// Source: measured behaviour of the public crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountBound {
    /// No bound.
    Unlimited,
    /// At most this many calls; `AtMost(0)` is none at all.
    AtMost(u64),
}

impl CountBound {
    /// The widest bound.
    #[must_use]
    pub fn top() -> Self {
        Self::Unlimited
    }

    /// Does this bound permit no more than `other`?
    #[must_use]
    pub fn leq(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::Unlimited) => true,
            (Self::Unlimited, Self::AtMost(_)) => false,
            (Self::AtMost(mine), Self::AtMost(theirs)) => mine <= theirs,
        }
    }

    /// The tighter of both bounds.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        if self.leq(other) { *self } else { *other }
    }

    /// May one more call follow after `spent` calls?
    pub(super) fn admits_after(&self, spent: u64) -> bool {
        match self {
            Self::Unlimited => true,
            Self::AtMost(limit) => spent < *limit,
        }
    }
}
