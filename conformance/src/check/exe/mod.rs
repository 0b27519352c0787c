//! EXE: any HTTP executor, driven against a recording backend.

pub(super) mod acts;
pub(super) mod alignment;
mod cleartext;
mod concurrency;
mod credential_bytes;
mod dropped;
mod errors;
mod grounds;
mod hostile_backend;
mod joining;
mod leftovers;
mod marks;
mod methods;
mod pairs;
mod proxies;
mod redirects;
mod refused;
pub(super) mod retries;
mod shapes;
mod spellings;
pub(super) mod spy;
pub(super) mod stage;

use super::Check;
use crate::catalogue::{Family, RequirementId};

const fn exe(number: u8) -> RequirementId {
    RequirementId::new(Family::Exe, number)
}

pub(super) const CHECKS: &[Check] = &[
    Check::of_executor(exe(1), joining::judge),
    Check::of_executor(exe(2), marks::judge),
    Check::of_executor(exe(3), alignment::judge),
    Check::of_executor(exe(4), methods::judge),
    Check::of_executor(exe(5), pairs::one_query),
    Check::of_executor(exe(6), pairs::survive),
    Check::of_executor(exe(7), shapes::in_query),
    Check::of_executor(exe(8), spellings::judge),
    Check::of_executor(exe(9), hostile_backend::judge),
    Check::of_executor(exe(10), redirects::judge),
    Check::of_executor(exe(11), errors::judge),
    Check::of_executor(exe(12), concurrency::judge),
    Check::of_executor(exe(13), refused::neither_sent_nor_authenticated),
    Check::of_executor(exe(14), retries::judge),
    Check::of_executor(exe(15), dropped::judge),
    Check::of_executor(exe(16), proxies::judge),
    Check::of_executor(exe(17), leftovers::judge),
    Check::of_executor(exe(18), credential_bytes::judge),
    Check::of_executor(exe(19), refused::without_an_answer),
    Check::of_executor(exe(20), shapes::no_object),
    Check::of_executor(exe(21), cleartext::judge),
];
