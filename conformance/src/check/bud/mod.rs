//! BUD: what a policy that declares a budget or a rate does.

mod concurrency;
mod counted_parts;
mod identifiers;
mod other_calls;
mod previews;
mod split_text;
mod stays_refused;

use super::Check;
use crate::catalogue::{Family, RequirementId};

const fn bud(number: u8) -> RequirementId {
    RequirementId::new(Family::Bud, number)
}

pub(super) const CHECKS: &[Check] = &[
    Check::new(bud(1), previews::uncharged),
    Check::new(bud(2), previews::change_nothing),
    Check::new(bud(3), other_calls::check),
    Check::new(bud(4), split_text::check),
    Check::new(bud(5), concurrency::never_more),
    Check::new(bud(6), counted_parts::check),
    Check::new(bud(7), stays_refused::check),
    Check::new(bud(12), identifiers::check),
];
