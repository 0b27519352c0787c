//! LAT: the lattice of authority under the leash.

use super::Check;

pub(super) const CHECKS: &[Check] = &[];
