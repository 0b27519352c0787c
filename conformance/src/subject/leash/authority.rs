//! Authority as plain data that any leash can be built from, with the judge's own lattice over it.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt;

/// What one axis of authority covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopeSpec<T: Ord> {
    /// Everything: the axis is unrestricted.
    All,
    /// Exactly these items; an empty set covers nothing.
    Only(BTreeSet<T>),
}

impl<T: Ord + Clone> ScopeSpec<T> {
    /// The scope of exactly these items.
    pub fn only<I: Into<T>>(items: impl IntoIterator<Item = I>) -> Self {
        Self::Only(items.into_iter().map(Into::into).collect())
    }

    /// The scope that covers nothing.
    #[must_use]
    pub fn none() -> Self {
        Self::Only(BTreeSet::new())
    }

    /// Whether the axis is restricted at all.
    #[must_use]
    pub fn is_restricted(&self) -> bool {
        matches!(self, Self::Only(_))
    }

    /// Whether exactly `item` is covered; what a leash makes of a granted folder or a bare program
    /// name is not looked at.
    #[must_use]
    pub fn covers<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        match self {
            Self::All => true,
            Self::Only(items) => items.contains(item),
        }
    }

    /// What both scopes cover.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, narrower) | (narrower, Self::All) => narrower.clone(),
            (Self::Only(mine), Self::Only(theirs)) => {
                Self::Only(mine.intersection(theirs).cloned().collect())
            }
        }
    }

    /// Whether this scope covers no more than `other`.
    #[must_use]
    pub fn leq(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::All) => true,
            (Self::All, Self::Only(_)) => false,
            (Self::Only(mine), Self::Only(theirs)) => mine.is_subset(theirs),
        }
    }
}

impl<T: Ord + fmt::Debug> fmt::Display for ScopeSpec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Only(items) => f.debug_list().entries(items).finish(),
        }
    }
}

/// How many calls are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountSpec {
    /// Any number.
    Unlimited,
    /// At most so many; `AtMost(0)` is none.
    AtMost(u64),
}

impl CountSpec {
    /// The tighter of both.
    #[must_use]
    pub fn meet(self, other: Self) -> Self {
        if self.leq(other) { self } else { other }
    }

    /// Whether this bound permits no more than `other`.
    #[must_use]
    pub fn leq(self, other: Self) -> bool {
        match (self, other) {
            (_, Self::Unlimited) => true,
            (Self::Unlimited, Self::AtMost(_)) => false,
            (Self::AtMost(mine), Self::AtMost(theirs)) => mine <= theirs,
        }
    }
}

impl fmt::Display for CountSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlimited => f.write_str("unlimited"),
            Self::AtMost(count) => write!(f, "{count}"),
        }
    }
}

/// What somebody may do, axis by axis: the plain form in which the judge hands authority to a
/// leash and gets it back.
///
/// A leash with other axes maps those it has. Its own further axes stay unrestricted; what is
/// restricted here and unknown there must be denied.
///
/// ```
/// use proofmark_conformance::subject::{CaveatSpec, ScopeSpec};
///
/// let granted = CaveatSpec::top().net(["api.example.test"]);
/// let needed = CaveatSpec::top().net(["api.example.test", "other.example.test"]);
/// assert_eq!(granted.meet(&needed), granted);
/// assert!(granted.leq(&needed));
/// assert_eq!(granted.exec, ScopeSpec::All);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaveatSpec {
    /// Files that may be read, and folders below which everything may.
    pub fs_read: ScopeSpec<String>,
    /// Files that may be written, and folders below which everything may.
    pub fs_write: ScopeSpec<String>,
    /// Programs that may be run: bare names, or paths that pin exactly.
    pub exec: ScopeSpec<String>,
    /// Hosts that may be reached.
    pub net: ScopeSpec<String>,
    /// How many calls are good.
    pub max_calls: CountSpec,
    /// The generations in which it holds.
    pub generations: ScopeSpec<u64>,
}

impl CaveatSpec {
    /// Unrestricted authority.
    #[must_use]
    pub fn top() -> Self {
        Self {
            fs_read: ScopeSpec::All,
            fs_write: ScopeSpec::All,
            exec: ScopeSpec::All,
            net: ScopeSpec::All,
            max_calls: CountSpec::Unlimited,
            generations: ScopeSpec::All,
        }
    }

    /// The same, with reading restricted to these files and folders.
    #[must_use]
    pub fn fs_read<I: Into<String>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.fs_read = ScopeSpec::only(items);
        self
    }

    /// The same, with writing restricted to these files and folders.
    #[must_use]
    pub fn fs_write<I: Into<String>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.fs_write = ScopeSpec::only(items);
        self
    }

    /// The same, with running restricted to these programs.
    #[must_use]
    pub fn exec<I: Into<String>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.exec = ScopeSpec::only(items);
        self
    }

    /// The same, with reaching restricted to these hosts.
    #[must_use]
    pub fn net<I: Into<String>>(mut self, items: impl IntoIterator<Item = I>) -> Self {
        self.net = ScopeSpec::only(items);
        self
    }

    /// The same, for so many calls at most.
    #[must_use]
    pub fn max_calls(mut self, count: u64) -> Self {
        self.max_calls = CountSpec::AtMost(count);
        self
    }

    /// The same, in these generations only.
    #[must_use]
    pub fn generations(mut self, generations: impl IntoIterator<Item = u64>) -> Self {
        self.generations = ScopeSpec::only(generations);
        self
    }

    /// What both permit.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        Self {
            fs_read: self.fs_read.meet(&other.fs_read),
            fs_write: self.fs_write.meet(&other.fs_write),
            exec: self.exec.meet(&other.exec),
            net: self.net.meet(&other.net),
            max_calls: self.max_calls.meet(other.max_calls),
            generations: self.generations.meet(&other.generations),
        }
    }

    /// Whether this permits no more than `other`, on every axis.
    #[must_use]
    pub fn leq(&self, other: &Self) -> bool {
        self.fs_read.leq(&other.fs_read)
            && self.fs_write.leq(&other.fs_write)
            && self.exec.leq(&other.exec)
            && self.net.leq(&other.net)
            && self.max_calls.leq(other.max_calls)
            && self.generations.leq(&other.generations)
    }

    /// The first axis on which the two differ.
    #[must_use]
    pub fn differing_axis(&self, other: &Self) -> Option<&'static str> {
        let axes = [
            ("fs_read", self.fs_read == other.fs_read),
            ("fs_write", self.fs_write == other.fs_write),
            ("exec", self.exec == other.exec),
            ("net", self.net == other.net),
            ("max_calls", self.max_calls == other.max_calls),
            ("generations", self.generations == other.generations),
        ];
        let differing = axes.into_iter().find(|(_, equal)| !equal);
        differing.map(|(axis, _)| axis)
    }
}

/// One line that names the restricted axes only.
impl fmt::Display for CaveatSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut restricted = Vec::new();
        let scopes = [
            ("fs_read", &self.fs_read),
            ("fs_write", &self.fs_write),
            ("exec", &self.exec),
            ("net", &self.net),
        ];
        for (axis, scope) in scopes {
            if scope.is_restricted() {
                restricted.push(format!("{axis} {scope}"));
            }
        }
        if self.max_calls != CountSpec::Unlimited {
            restricted.push(format!("max_calls {}", self.max_calls));
        }
        if self.generations.is_restricted() {
            restricted.push(format!("generations {}", self.generations));
        }
        if restricted.is_empty() {
            return f.write_str("everything");
        }
        f.write_str(&crate::tree::hidden(&restricted.join(", ")))
    }
}
