//! A table of accounts that knows which was used least recently, in constant time an operation.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::time::Duration;

const NONE: usize = usize::MAX;

/// At most `capacity` accounts; an idle one is forgotten only when its room is needed.
#[derive(Debug)]
pub(super) struct Table<A> {
    capacity: usize,
    idle: Duration,
    index: HashMap<Fingerprint, usize>,
    slots: Vec<Slot<A>>,
    oldest: usize,
    newest: usize,
}

#[derive(Debug)]
struct Slot<A> {
    name: Fingerprint,
    account: A,
    used: Duration,
    older: usize,
    newer: usize,
}

/// Two independently keyed hashes of a name. They keep an account's size the same however long
/// the name is; two names share one with probability 2⁻¹²⁸, and whoever does not know the keys
/// cannot raise it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Fingerprint(u64, u64);

#[derive(Debug, Default)]
pub(super) struct Fingerprints(RandomState, RandomState);

impl Fingerprints {
    /// A group's names are hashed one by one, each with its end, and never joined.
    pub(super) fn of(&self, named: impl Hash + Copy) -> Fingerprint {
        Fingerprint(self.0.hash_one(named), self.1.hash_one(named))
    }
}

impl<A> Table<A> {
    pub(super) fn new(capacity: usize, idle: Duration) -> Self {
        Self {
            capacity: capacity.max(1),
            idle,
            index: HashMap::new(),
            slots: Vec::new(),
            oldest: NONE,
            newest: NONE,
        }
    }

    /// Where an account stands, until the next one is opened.
    pub(super) fn find(&self, name: Fingerprint) -> Option<usize> {
        self.index.get(&name).copied()
    }

    /// The account, left as unused as it was.
    pub(super) fn account(&mut self, at: usize) -> Option<&mut A> {
        self.slots.get_mut(at).map(|slot| &mut slot.account)
    }

    /// The account, noted as used now.
    pub(super) fn touch(&mut self, at: usize, now: Duration) -> Option<&mut A> {
        if at != self.newest {
            self.unlink(at);
            self.link_newest(at);
        }
        let slot = self.slots.get_mut(at)?;
        slot.used = now;
        Some(&mut slot.account)
    }

    /// Whether a new account would find room now.
    pub(super) fn has_room(&self, now: Duration) -> bool {
        self.slots.len() < self.capacity
            || (self.slots.get(self.oldest))
                .is_some_and(|slot| now.saturating_sub(slot.used) > self.idle)
    }

    /// Opens an account, forgetting the one idle for longest if the table is full. Answers
    /// whether there was room.
    pub(super) fn open(&mut self, name: Fingerprint, account: A, now: Duration) -> bool {
        if !self.has_room(now) {
            return false;
        }
        let slot = Slot {
            name,
            account,
            used: now,
            older: NONE,
            newer: NONE,
        };
        let at = if self.slots.len() < self.capacity {
            self.slots.push(slot);
            self.slots.len() - 1
        } else {
            let at = self.oldest;
            self.unlink(at);
            if let Some(forgotten) = self.slots.get_mut(at) {
                self.index.remove(&forgotten.name);
                *forgotten = slot;
            }
            at
        };
        self.index.insert(name, at);
        self.link_newest(at);
        true
    }

    fn unlink(&mut self, at: usize) {
        let Some(&Slot { older, newer, .. }) = self.slots.get(at) else {
            return;
        };
        match self.slots.get_mut(older) {
            Some(slot) => slot.newer = newer,
            None => self.oldest = newer,
        }
        match self.slots.get_mut(newer) {
            Some(slot) => slot.older = older,
            None => self.newest = older,
        }
    }

    fn link_newest(&mut self, at: usize) {
        let older = self.newest;
        match self.slots.get_mut(older) {
            Some(slot) => slot.newer = at,
            None => self.oldest = at,
        }
        if let Some(slot) = self.slots.get_mut(at) {
            (slot.older, slot.newer) = (older, NONE);
        }
        self.newest = at;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;
    use crate::policy::budget::scope::Group;

    impl<A> Table<A> {
        fn get(&mut self, name: Fingerprint) -> Option<&A> {
            self.account(self.find(name)?).map(|account| &*account)
        }

        fn touch_named(&mut self, name: Fingerprint, now: Duration) -> Option<&mut A> {
            self.touch(self.find(name)?, now)
        }
    }

    fn name(call: u8) -> Fingerprint {
        Fingerprint(u64::from(call), 0)
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_full_table_forgets_the_longest_idle_account_and_no_live_one() {
        let mut table = Table::new(2, seconds(10));
        assert!(table.open(name(1), 'a', seconds(0)));
        assert!(table.open(name(2), 'b', seconds(1)));
        table.touch_named(name(1), seconds(2));

        assert!(
            !table.open(name(3), 'c', seconds(11)),
            "2 is not idle for longer than 10 s"
        );
        assert!(table.open(name(3), 'c', seconds(12)));
        assert_eq!(table.get(name(2)), None);
        assert_eq!(table.get(name(1)), Some(&'a'));
        assert_eq!(table.get(name(3)), Some(&'c'));
    }

    #[test]
    fn an_idle_account_is_kept_while_there_is_room() {
        let mut table = Table::new(2, seconds(10));
        table.open(name(1), 'a', seconds(0));

        table.open(name(2), 'b', seconds(9999));

        assert_eq!(table.get(name(1)), Some(&'a'));
    }

    #[test]
    fn names_are_not_joined() {
        let fingerprints = Fingerprints::default();
        let of = |tool, call| fingerprints.of(Group { tool, call });

        assert_eq!(of("a", "c"), of("a", "c"));
        assert_ne!(of("a:b", "c"), of("a", "b:c"));
        assert_ne!(of("ab", ""), of("a", "b"));
        assert_ne!(of("", "ab"), of("ab", ""));
    }

    proptest! {
        /// The table against a list kept in order of use.
        #[test]
        fn the_table_is_a_bounded_least_recently_used_list(
            steps in prop::collection::vec((0u8..6, 0u64..4), 0..80)
        ) {
            let mut table = Table::new(3, seconds(2));
            let mut model: VecDeque<(u8, u64)> = VecDeque::new();
            let mut now = 0;
            for (call, pause) in steps {
                now += pause;
                if let Some(at) = model.iter().position(|&(known, _)| known == call) {
                    model.remove(at);
                    model.push_back((call, now));
                    prop_assert_eq!(table.touch_named(name(call), seconds(now)).copied(), Some(call));
                    continue;
                }
                let room = model.len() < 3 || now - model[0].1 > 2;
                prop_assert_eq!(table.touch_named(name(call), seconds(now)), None);
                prop_assert_eq!(table.has_room(seconds(now)), room);
                prop_assert_eq!(table.open(name(call), call, seconds(now)), room);
                if room {
                    if model.len() == 3 {
                        model.pop_front();
                    }
                    model.push_back((call, now));
                }
                for call in 0..6 {
                    let known = model.iter().any(|&(known, _)| known == call);
                    prop_assert_eq!(table.get(name(call)).is_some(), known);
                }
            }
        }
    }
}
