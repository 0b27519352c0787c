//! Broken policies, each a sound one with one switch, and conforming ones that look suspicious.

mod allowance;
mod bouncer;
mod budget_look_alike;
mod charge;
mod committee;
mod endpoint_count;
mod gatekeeper;
mod inspector;
mod limiter;
mod look_alike;
mod meter;
mod rememberer;
mod reserver;
mod slip;
mod strict_look_alike;
mod usher;

use proofmark_conformance::catalogue::{Family, RequirementId};

use crate::{LookAlike, Specimen};

const fn pol(number: u8) -> RequirementId {
    RequirementId::new(Family::Pol, number)
}

const fn bud(number: u8) -> RequirementId {
    RequirementId::new(Family::Bud, number)
}

/// Every broken policy.
pub(crate) fn specimens() -> Vec<Specimen> {
    let mut specimens = gatekeeper::specimens();
    specimens.extend(bouncer::specimens());
    specimens.extend(meter::specimens());
    specimens.extend(reserver::specimens());
    specimens.extend(rememberer::specimens());
    specimens.extend(inspector::specimens());
    specimens.extend(committee::specimens());
    specimens.extend(usher::specimens());
    specimens.extend(allowance::specimens());
    specimens.extend(limiter::specimens());
    specimens.extend(endpoint_count::specimens());
    specimens.extend(slip::specimens());
    specimens.extend(charge::specimens());
    specimens
}

/// Every conforming policy that looks suspicious.
pub(crate) fn look_alikes() -> Vec<LookAlike> {
    let mut look_alikes = look_alike::look_alikes();
    look_alikes.extend(budget_look_alike::look_alikes());
    look_alikes.extend(strict_look_alike::look_alikes());
    look_alikes
}
