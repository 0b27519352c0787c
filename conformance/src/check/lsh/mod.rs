//! LSH: the leash, that is, the gate and the context a tool needs to act.

mod clones;
mod containment;
mod default_floor;
#[cfg(test)]
mod double;
mod effective;
mod empty_scope;
mod file_axes;
mod floor;
mod host;
mod hostile_text;
mod kernel;
mod linked_root;
mod missing;
mod not_covered;
mod parallel_calls;
mod program;
mod race;
mod shell;
mod spending;
mod verdict;

#[cfg(test)]
pub(super) use double::row_of;

use super::Check;
use crate::catalogue::{Family, RequirementId};
use crate::subject::LeashSubject;
use crate::trial::Trial;

type LeashTrial<'a> = Trial<'a, LeashSubject>;

const fn lsh(number: u8) -> RequirementId {
    RequirementId::new(Family::Lsh, number)
}

pub(super) const CHECKS: &[Check] = &[
    Check::of_leash(lsh(2), effective::meet),
    Check::of_leash(lsh(3), spending::kept),
    Check::of_leash(lsh(4), parallel_calls::exactly),
    Check::of_leash(lsh(5), program::matches),
    Check::of_leash(lsh(6), host::matches),
    Check::of_leash(lsh(7), containment::contained),
    Check::of_leash(lsh(8), missing::only_a_new_leaf),
    Check::of_leash(lsh(9), file_axes::separate),
    Check::of_leash(lsh(10), clones::same),
    Check::of_leash(lsh(11), floor::held),
    Check::of_leash(lsh(12), kernel::in_force),
    Check::of_leash(lsh(13), race::closed),
    Check::of_leash(lsh(14), hostile_text::denied),
    Check::of_leash(lsh(15), linked_root::allowed),
    Check::of_leash(lsh(16), not_covered::reported),
    Check::of_leash(lsh(17), empty_scope::denies),
    Check::of_leash(lsh(18), default_floor::advisory),
];
