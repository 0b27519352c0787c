//! The authority of one call: six axes that only ever narrow.

use serde::{Deserialize, Serialize};

use super::count::CountBound;
use super::scope::Scope;

/// What somebody is allowed to do, axis by axis.
///
/// Caveats form a lattice: [`meet`](Self::meet) is the most that two authorities have in common,
/// and no operation widens one. Reading them from JSON takes every axis exactly once and refuses
/// any other field: a misspelt axis must not read as an unrestricted one.
///
/// ```
/// use proofmark::leash::{Caveats, Scope};
///
/// let granted = Caveats {
///     fs_write: Scope::only(["/srv/work".to_owned()]),
///     ..Caveats::top()
/// };
/// let needed = Caveats { net: Scope::none(), ..Caveats::top() };
/// let effective = granted.meet(&needed);
/// assert!(effective.leq(&granted) && effective.leq(&needed));
///
/// let misspelt = r#"{"fs_read":"all","fs_write":"all","exec":"all","net":"all",
///     "max_calls":"unlimited","valid_for_generation":"all","Exec":{"only":[]}}"#;
/// assert!(serde_json::from_str::<Caveats>(misspelt).is_err());
/// ```
///
/// Source: measured behaviour of the public crate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Caveats {
    /// Files that may be read, and directories below which everything may.
    pub fs_read: Scope<String>,
    /// Files that may be written, and directories below which everything may.
    pub fs_write: Scope<String>,
    /// Programs that may be run: bare names, or paths that pin exactly.
    pub exec: Scope<String>,
    /// Hosts that may be reached.
    pub net: Scope<String>,
    /// How many calls this authority is good for.
    pub max_calls: CountBound,
    /// The generations in which this authority holds.
    pub valid_for_generation: Scope<u64>,
}

impl Caveats {
    /// Unrestricted authority.
    #[must_use]
    pub fn top() -> Self {
        Self {
            fs_read: Scope::All,
            fs_write: Scope::All,
            exec: Scope::All,
            net: Scope::All,
            max_calls: CountBound::Unlimited,
            valid_for_generation: Scope::All,
        }
    }

    /// Does this authority permit no more than `other`, on every axis?
    #[must_use]
    pub fn leq(&self, other: &Self) -> bool {
        self.fs_read.leq(&other.fs_read)
            && self.fs_write.leq(&other.fs_write)
            && self.exec.leq(&other.exec)
            && self.net.leq(&other.net)
            && self.max_calls.leq(&other.max_calls)
            && self.valid_for_generation.leq(&other.valid_for_generation)
    }

    /// What both authorities permit.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        Self {
            fs_read: self.fs_read.meet(&other.fs_read),
            fs_write: self.fs_write.meet(&other.fs_write),
            exec: self.exec.meet(&other.exec),
            net: self.net.meet(&other.net),
            max_calls: self.max_calls.meet(&other.max_calls),
            valid_for_generation: self.valid_for_generation.meet(&other.valid_for_generation),
        }
    }

    /// The same authority, whose path grants are opened afresh by the next context.
    ///
    /// A path grant is opened when the first context is minted from its scope, and stays pinned
    /// to that very file or directory for every context minted from the scope or a clone of it.
    /// When a granted directory is deleted and made again on purpose, the old pin covers nothing:
    /// take `unpinned` caveats from there on.
    #[must_use]
    pub fn unpinned(&self) -> Self {
        let mut fresh = self.clone();
        for scope in [&mut fresh.fs_read, &mut fresh.fs_write] {
            if let Scope::Only(items) = scope {
                *items = items.detached();
            }
        }
        fresh
    }
}

impl Default for Caveats {
    /// No caveat is no restriction: [`Caveats::top`].
    fn default() -> Self {
        Self::top()
    }
}
