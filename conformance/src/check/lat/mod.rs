//! LAT: the lattice of authority under the leash.

mod altered;
mod asked;
mod authority;
#[cfg(test)]
mod double;
mod greatest;
mod meet_laws;
mod order;
mod weakest_axis;
mod written;

use super::Check;
use crate::catalogue::{Family, RequirementId};
use crate::subject::LeashSubject;
use crate::trial::Trial;

type LeashTrial<'a> = Trial<'a, LeashSubject>;

const fn lat(number: u8) -> RequirementId {
    RequirementId::new(Family::Lat, number)
}

pub(super) const CHECKS: &[Check] = &[
    Check::of_leash(lat(1), meet_laws::hold),
    Check::of_leash(lat(2), greatest::lower_bound),
    Check::of_leash(lat(3), order::partial),
    Check::of_leash(lat(4), weakest_axis::counts),
    Check::of_leash(lat(5), written::reads_back),
];
