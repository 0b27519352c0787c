//! BUD: what a policy that declares a budget or a rate does.

mod clock;
mod concurrency;
mod counted_parts;
mod endpoints;
mod extreme_limits;
mod flood;
mod identifiers;
mod key_parts;
mod other_calls;
mod previews;
mod rate;
mod refused_uncharged;
mod repeats;
mod split_text;
mod standstill;
mod stays_refused;

use super::Check;
use crate::catalogue::{Family, RequirementId};

const fn bud(number: u8) -> RequirementId {
    RequirementId::new(Family::Bud, number)
}

pub(super) const CHECKS: &[Check] = &[
    Check::new(bud(1), |trial| {
        standstill::judge(trial, previews::uncharged)
    }),
    Check::new(bud(2), previews::change_nothing),
    Check::new(bud(3), |trial| standstill::judge(trial, other_calls::check)),
    Check::new(bud(4), split_text::check),
    Check::new(bud(5), |trial| {
        standstill::judge(trial, concurrency::never_more)
    }),
    Check::new(bud(6), counted_parts::check),
    Check::new(bud(7), stays_refused::check),
    Check::new(bud(8), rate::check),
    Check::new(bud(9), repeats::check),
    Check::new(bud(10), |trial| {
        standstill::judge(trial, extreme_limits::check)
    }),
    Check::new(bud(11), clock::check),
    Check::new(bud(12), |trial| {
        standstill::judge(trial, identifiers::check)
    }),
    Check::new(bud(13), |trial| standstill::judge(trial, key_parts::check)),
    Check::new(bud(14), refused_uncharged::check),
    Check::new(bud(15), |trial| standstill::judge(trial, flood::check)),
    Check::new(bud(16), concurrency::none_lost),
    Check::new(bud(17), endpoints::check),
];
