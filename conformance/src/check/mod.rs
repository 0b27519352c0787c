//! The checks: a folder for each family, a file for each requirement or close group.

mod bud;
mod pol;

pub(crate) use pol::endpoint_key;

use std::fmt;

use crate::catalogue::RequirementId;
use crate::trial::{Judged, Trial};

/// How one requirement is judged. There is exactly one check for a row that has any.
#[derive(Clone, Copy)]
pub struct Check {
    id: RequirementId,
    run: fn(&Trial<'_>) -> Judged,
}

impl Check {
    const fn new(id: RequirementId, run: fn(&Trial<'_>) -> Judged) -> Self {
        Self { id, run }
    }

    /// The requirement it judges.
    #[must_use]
    pub fn id(&self) -> RequirementId {
        self.id
    }

    pub(crate) fn run(&self, trial: &Trial<'_>) -> Judged {
        (self.run)(trial)
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Check").field(&self.id).finish()
    }
}

/// Every check, in catalogue order.
pub fn all() -> impl Iterator<Item = &'static Check> {
    pol::CHECKS.iter().chain(bud::CHECKS)
}

/// The check of one requirement, if it has one.
#[must_use]
pub fn find(id: RequirementId) -> Option<&'static Check> {
    all().find(|check| check.id == id)
}
