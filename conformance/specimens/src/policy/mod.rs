//! Broken policies, each a sound one with one switch, and conforming ones that look suspicious.

use crate::{LookAlike, Specimen};

/// Every broken policy.
pub(crate) fn specimens() -> Vec<Specimen> {
    Vec::new()
}

/// Every conforming policy that looks suspicious.
pub(crate) fn look_alikes() -> Vec<LookAlike> {
    Vec::new()
}
