//! One axis of authority: everything, or exactly the listed items.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::names::Names;
use super::path::Grants;

/// What one axis of authority covers.
///
/// An empty scope is not an absent one: `Only` of nothing denies everything, and nothing ever
/// reads it as "no restriction".
///
/// Serialised as `"all"` or `{"only": [item, …]}`. Cloning shares the items, so a scope of any
/// size costs one reference count.
///
/// ```
/// use proofmark::leash::Scope;
///
/// let programs = Scope::only(["git".to_owned(), "ls".to_owned()]);
/// assert!(programs.contains("git"));
/// assert!(!Scope::<String>::none().contains("git"));
/// assert_eq!(programs.meet(&Scope::All), programs);
/// ```
///
/// Source: measured behaviour of the public crate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    rename_all = "snake_case",
    bound(
        serialize = "T: Ord + Clone + Serialize",
        deserialize = "T: Ord + Clone + Deserialize<'de>"
    )
)]
pub enum Scope<T: Ord + Clone> {
    /// Every item: the axis is unrestricted.
    All,
    /// Exactly these items.
    Only(ScopeItems<T>),
}

impl<T: Ord + Clone> Scope<T> {
    /// The widest scope.
    #[must_use]
    pub fn top() -> Self {
        Self::All
    }

    /// The scope that covers nothing.
    #[must_use]
    pub fn none() -> Self {
        Self::only([])
    }

    /// The scope of exactly these items.
    pub fn only<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Only(items.into_iter().collect())
    }

    /// Is this axis restricted at all?
    #[must_use]
    pub fn is_restricted(&self) -> bool {
        matches!(self, Self::Only(_))
    }

    /// Does the scope name `item`? (A path below a named directory is a matter of
    /// [`ToolContext::check_path_read`](super::ToolContext::check_path_read), not of the lattice.)
    pub fn contains<Q>(&self, item: &Q) -> bool
    where
        T: std::borrow::Borrow<Q>,
        Q: Ord + ?Sized,
    {
        match self {
            Self::All => true,
            Self::Only(items) => items.contains(item),
        }
    }

    /// Does this scope cover no more than `other`?
    #[must_use]
    pub fn leq(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::All) => true,
            (Self::All, Self::Only(_)) => false,
            (Self::Only(mine), Self::Only(theirs)) => mine.is_within(theirs),
        }
    }

    /// What both scopes cover. Copies no item where one of them lies within the other.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, narrower) | (narrower, Self::All) => narrower.clone(),
            (Self::Only(mine), Self::Only(theirs)) => {
                if mine.is_within(theirs) {
                    self.clone()
                } else if theirs.is_within(mine) {
                    other.clone()
                } else {
                    Self::only(mine.intersection(theirs).cloned())
                }
            }
        }
    }
}

/// The items of a [`Scope`]: a set that its clones share and nobody can change.
///
/// Reads like a [`BTreeSet`]. What contexts look up again and again is worked out once and shared
/// too: see [`Caveats::unpinned`](super::Caveats::unpinned) for what that means for path grants.
pub struct ScopeItems<T: Ord + Clone>(Arc<Shared<T>>);

struct Shared<T> {
    set: BTreeSet<T>,
    names: OnceLock<Names>,
    grants: OnceLock<Grants>,
}

impl<T: Ord + Clone> ScopeItems<T> {
    fn is_within(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.is_subset(other)
    }

    /// The same items, sharing nothing with this value.
    pub(super) fn detached(&self) -> Self {
        self.0.set.clone().into()
    }
}

impl ScopeItems<String> {
    /// The items as names to compare with.
    pub(super) fn names(&self) -> &Names {
        self.0.names.get_or_init(|| Names::new(&self.0.set))
    }

    /// The items as path grants, opened at the first call.
    pub(super) fn grants(&self) -> &Grants {
        self.0.grants.get_or_init(|| Grants::open(&self.0.set))
    }
}

impl<T: Ord + Clone> From<BTreeSet<T>> for ScopeItems<T> {
    fn from(set: BTreeSet<T>) -> Self {
        Self(Arc::new(Shared {
            set,
            names: OnceLock::new(),
            grants: OnceLock::new(),
        }))
    }
}

impl<T: Ord + Clone> FromIterator<T> for ScopeItems<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        BTreeSet::from_iter(items).into()
    }
}

impl<T: Ord + Clone> Deref for ScopeItems<T> {
    type Target = BTreeSet<T>;

    fn deref(&self) -> &BTreeSet<T> {
        &self.0.set
    }
}

// Not derived: a derive would ask for `T: Default`-like bounds it does not need, and print or
// compare the caches.
impl<T: Ord + Clone> Clone for ScopeItems<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Ord + Clone> PartialEq for ScopeItems<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.set == other.0.set
    }
}

impl<T: Ord + Clone> Eq for ScopeItems<T> {}

impl<T: Ord + Clone + fmt::Debug> fmt::Debug for ScopeItems<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.set.fmt(f)
    }
}

impl<T: Ord + Clone + Serialize> Serialize for ScopeItems<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.set.serialize(serializer)
    }
}

impl<'de, T: Ord + Clone + Deserialize<'de>> Deserialize<'de> for ScopeItems<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeSet::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares<T: Ord + Clone>(a: &Scope<T>, b: &Scope<T>) -> bool {
        match (a, b) {
            (Scope::Only(a), Scope::Only(b)) => Arc::ptr_eq(&a.0, &b.0),
            _ => false,
        }
    }

    #[test]
    fn meet_copies_nothing_where_one_scope_lies_within_the_other() {
        // Given a scope, an equal one built apart, and a narrower one
        let wide = Scope::only([1, 2, 3]);
        let equal = Scope::only([1, 2, 3]);
        let narrow = Scope::only([2]);

        // Then every meet shares the items of one operand
        assert!(shares(&wide.meet(&Scope::All), &wide));
        assert!(shares(&Scope::All.meet(&wide), &wide));
        assert!(shares(&wide.meet(&equal), &wide));
        assert!(shares(&wide.meet(&narrow), &narrow));
        assert!(shares(&narrow.meet(&wide), &narrow));
    }

    #[test]
    fn a_meet_of_overlapping_scopes_is_their_intersection() {
        let met = Scope::only([1, 2, 3]).meet(&Scope::only([2, 3, 4]));
        assert_eq!(met, Scope::only([2, 3]));
    }

    #[test]
    fn detached_items_are_equal_but_not_shared() {
        let items = ScopeItems::from_iter([1, 2]);
        let detached = items.detached();
        assert_eq!(items, detached);
        assert!(!Arc::ptr_eq(&items.0, &detached.0));
    }
}
