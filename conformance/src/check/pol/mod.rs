//! POL: what any request policy does.

mod allowed_neighbour;
mod canary;
mod combined_members;
mod declared_samples;
mod dropped_checks;
mod folded_spelling;
mod headline;
mod hostile_input;
mod memory;
mod message;
mod method_case;
mod other_calls;
mod padding;
mod pair_order;
mod path_pairs;
mod phases;
mod prefix_elsewhere;
mod refused_spelling;
mod renamed_calls;
mod repeatable;
mod spelling;
mod thread_blocking;
mod unattributed;
mod unattributed_call;

pub(in crate::check) use canary::{canary, leak};
pub(in crate::check) use headline::line;
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
    Check::new(pol(5), message::of_request),
    Check::new(pol(6), unattributed::check),
    Check::new(pol(7), unattributed_call::check),
    Check::new(pol(8), renamed_calls::check),
    Check::new(pol(9), thread_blocking::check),
    Check::new(pol(10), dropped_checks::check),
    Check::new(pol(11), declared_samples::check),
    Check::new(pol(12), allowed_neighbour::check),
    Check::new(pol(13), pair_order::check),
    Check::new(pol(14), memory::check),
    Check::new(pol(15), other_calls::check),
    Check::new(pol(16), padding::check),
    Check::new(pol(17), combined_members::check),
    Check::new(pol(18), refused_spelling::check),
    Check::new(pol(19), folded_spelling::check),
    Check::new(pol(20), method_case::check),
    Check::new(pol(21), message::of_asker),
    Check::new(pol(22), prefix_elsewhere::check),
];
