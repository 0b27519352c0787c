//! CRED: the credential stays invisible; and the scanner that looks for it.

mod vectors;

use super::Check;
use crate::catalogue::{Family, RequirementId};

const fn cred(number: u8) -> RequirementId {
    RequirementId::new(Family::Cred, number)
}

pub(super) const CHECKS: &[Check] = &[
    Check::of_scanner(cred(5), vectors::planted),
    Check::of_scanner(cred(8), vectors::silence),
    Check::of_scanner(cred(9), vectors::near_misses),
];
