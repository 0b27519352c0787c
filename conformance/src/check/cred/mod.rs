//! CRED: the credential stays invisible; and the scanner that looks for it.

mod echoed;
mod overruled;
mod previews;
mod shown;
mod texts;
mod token_endpoint;
mod userinfo;
mod vectors;

use super::Check;
use crate::catalogue::{Family, RequirementId};

const fn cred(number: u8) -> RequirementId {
    RequirementId::new(Family::Cred, number)
}

pub(super) const CHECKS: &[Check] = &[
    Check::of_sender(cred(1), shown::first_scheme),
    Check::of_sender(cred(2), shown::further_schemes),
    Check::of_surface(cred(3), previews::judge),
    Check::of_sender(cred(4), texts::judge),
    Check::of_scanner(cred(5), vectors::planted),
    Check::of_sender(cred(7), echoed::judge),
    Check::of_scanner(cred(8), vectors::silence),
    Check::of_scanner(cred(9), vectors::near_misses),
    Check::of_sender(cred(10), userinfo::judge),
    Check::of_sender_and_surface(cred(11), overruled::judge, overruled::by_header),
    Check::of_executor(cred(12), token_endpoint::judge),
];
