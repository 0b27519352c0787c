//! Every difference between the leash and the public crate: the smallest input, what each side
//! says of it, and why. A difference that is not stated here is a fault.

mod authority;
mod later;
mod names;
mod paths;

use std::sync::LazyLock;

use crate::case::Case;
use crate::tree::shared;

/// One way in which the sides differ on purpose.
pub struct StatedDifference {
    name: &'static str,
    /// The requirement it follows from, and in what way.
    reason: &'static str,
    smallest: Case,
    ours: &'static str,
    peer: &'static str,
    /// Whether it is the reason for what was seen of a case, on which the sides differ.
    explains: fn(&Case, &str, &str) -> bool,
}

/// The stated difference that a difference is an instance of.
pub fn explanation(case: &Case, ours: &str, peer: &str) -> Option<&'static str> {
    STATED
        .iter()
        .find(|stated| (stated.explains)(case, ours, peer))
        .map(|stated| stated.name)
}

#[test]
fn every_stated_difference_is_there_and_is_explained_by_itself() {
    let _tree = shared();
    for stated in STATED.iter() {
        let (ours, peer) = (stated.smallest.ours(), stated.smallest.peer());
        assert_eq!(ours, stated.ours, "{}", stated.name);
        assert_eq!(peer, stated.peer, "{}", stated.name);
        assert_ne!(ours, peer, "{}", stated.name);
        let explained = explanation(&stated.smallest, &ours, &peer);
        assert_eq!(explained, Some(stated.name));
        assert!(!stated.reason.is_empty());
    }
}

#[test]
fn no_stated_input_can_be_made_smaller() {
    let _tree = shared();
    for stated in STATED.iter() {
        for smaller in stated.smallest.smaller() {
            let (ours, peer) = (smaller.ours(), smaller.peer());
            let still = ours != peer && explanation(&smaller, &ours, &peer) == Some(stated.name);
            assert!(!still, "{}: {smaller:?} suffices", stated.name);
        }
    }
}

static STATED: LazyLock<Vec<StatedDifference>> = LazyLock::new(|| {
    let mut stated = names::stated();
    stated.extend(paths::hostile());
    stated.extend(paths::leading_nowhere());
    stated.extend(paths::spelt_otherwise());
    stated.extend(later::stated());
    stated.extend(authority::stated());
    stated
});
