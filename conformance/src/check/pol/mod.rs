//! POL: what any request policy does.

mod allowed_neighbour;
mod declared_samples;
mod hostile_input;
mod message;
mod path_pairs;
mod phases;
mod refused_spelling;
mod renamed_calls;
mod repeatable;
mod spelling;
mod thread_blocking;

pub(crate) use spelling::endpoint_key;

use super::Check;
use crate::catalogue::{Family, RequirementId};

const fn pol(number: u8) -> RequirementId {
    RequirementId::new(Family::Pol, number)
}

pub(super) const CHECKS: &[Check] = &[
    Check::new(pol(1), hostile_input::check),
    Check::new(pol(2), repeatable::check),
    Check::new(pol(3), phases::check),
    Check::new(pol(4), path_pairs::check),
    Check::new(pol(5), message::check),
    Check::new(pol(8), renamed_calls::check),
    Check::new(pol(9), thread_blocking::check),
    Check::new(pol(11), declared_samples::check),
    Check::new(pol(12), allowed_neighbour::check),
    Check::new(pol(18), refused_spelling::check),
];
