//! SUR: a whole surface, driven against a recording backend under a policy that remembers.

mod agreement;
mod call_id;
mod collect;
mod concurrency;
mod get_body;
mod headers;
mod limits;
mod questions;
mod refusals;
pub(super) mod scene;
mod target;
mod tool_name;
mod two_processes;
mod validator;
pub(super) mod wanted;

pub(crate) use collect::collect_call_ids;

use super::Check;
use crate::catalogue::{Family, RequirementId};

const fn sur(number: u8) -> RequirementId {
    RequirementId::new(Family::Sur, number)
}

pub(super) const CHECKS: &[Check] = &[
    Check::of_surface(sur(1), target::judge),
    Check::of_surface(sur(2), agreement::judge),
    Check::of_surface(sur(3), tool_name::judge),
    Check::of_surface(sur(4), call_id::judge),
    Check::of_surface(sur(5), questions::judge),
    Check::of_surface(sur(7), validator::judge),
    Check::of_surface(sur(8), limits::judge),
    Check::of_surface(sur(10), concurrency::judge),
    Check::of_surface(sur(11), refusals::judge),
    Check::of_surface(sur(12), headers::judge),
    Check::of_surface(sur(13), two_processes::judge),
    Check::of_surface(sur(15), get_body::judge),
];
