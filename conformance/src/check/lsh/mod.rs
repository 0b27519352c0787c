//! LSH: the leash, that is, the gate and the context a tool needs to act.

mod clones;
mod containment;
#[cfg(test)]
mod double;
mod empty_scope;
mod file_axes;
mod host;
mod missing;
mod program;
mod verdict;

use super::Check;
use crate::catalogue::{Family, RequirementId};
use crate::subject::LeashSubject;
use crate::trial::Trial;

type LeashTrial<'a> = Trial<'a, LeashSubject>;

const fn lsh(number: u8) -> RequirementId {
    RequirementId::new(Family::Lsh, number)
}

pub(super) const CHECKS: &[Check] = &[
    Check::of_leash(lsh(5), program::matches),
    Check::of_leash(lsh(6), host::matches),
    Check::of_leash(lsh(7), containment::contained),
    Check::of_leash(lsh(8), missing::only_a_new_leaf),
    Check::of_leash(lsh(9), file_axes::separate),
    Check::of_leash(lsh(10), clones::same),
    Check::of_leash(lsh(17), empty_scope::denies),
];
