//! Broken leashes, each a sound one with one switch, conforming ones that look suspicious, and some
//! that misbehave.

mod altered;
mod authority;
mod floors;
mod hostile;
mod lattice;
mod look_alike;
mod names;
mod opening;
mod paths;
mod spawning;
mod turnstile;

use proofmark_conformance::catalogue::{Family, RequirementId};

use crate::{Fixture, LookAlike, Specimen};

const fn lsh(number: u8) -> RequirementId {
    RequirementId::new(Family::Lsh, number)
}

const fn lat(number: u8) -> RequirementId {
    RequirementId::new(Family::Lat, number)
}

/// Every broken leash.
pub(crate) fn specimens() -> Vec<Specimen> {
    let mut specimens = authority::specimens();
    specimens.extend(turnstile::specimens());
    specimens.extend(names::specimens());
    specimens.extend(paths::specimens());
    specimens.extend(floors::specimens());
    specimens.extend(spawning::specimens());
    specimens.extend(opening::specimens());
    specimens.extend(hostile::specimens());
    specimens.extend(lattice::specimens());
    specimens
}

/// Every conforming leash that looks suspicious.
pub(crate) fn look_alikes() -> Vec<LookAlike> {
    look_alike::look_alikes()
}

/// Leashes that misbehave.
pub(crate) fn fixtures() -> Vec<Fixture> {
    hostile::fixtures()
}
