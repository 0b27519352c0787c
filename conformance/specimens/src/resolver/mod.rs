//! Broken resolvers, each a sound one with one step changed, and conforming ones that look
//! suspicious.

mod clerk;
mod fixture;
mod look_alike;
mod operation;
mod remembering;
mod template;
mod tidying;
mod value;

use proofmark_conformance::catalogue::{Family, RequirementId};

pub(crate) use fixture::fixtures;
pub(crate) use look_alike::look_alikes;

use crate::Specimen;

const fn path(number: u8) -> RequirementId {
    RequirementId::new(Family::Path, number)
}

/// Every broken resolver.
pub(crate) fn specimens() -> Vec<Specimen> {
    let mut specimens = value::specimens();
    specimens.extend(template::specimens());
    specimens.extend(operation::specimens());
    specimens.extend(tidying::specimens());
    specimens.extend(remembering::specimens());
    specimens
}
