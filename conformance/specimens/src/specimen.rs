//! What a broken subject declares about itself.

use proofmark_conformance::catalogue::RequirementId;
use std::sync::Arc;

use proofmark_conformance::subject::Subject;

use crate::{executor, leash, policy, resolver, scanner, surface};

/// A further row that the fault necessarily breaks, and why the requirement's text says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Also {
    /// The row.
    pub id: RequirementId,
    /// Why the fault breaks it, too.
    pub because: &'static str,
}

/// A sound subject with one fault. The set of rows that convict it must equal what it declares,
/// which was written from the requirements' text.
#[derive(Debug, Clone)]
pub struct Specimen {
    /// The subject.
    pub subject: Arc<dyn Subject>,
    /// The row that the specimen is for.
    pub primary: RequirementId,
    /// Further rows that the fault necessarily breaks.
    pub also: Vec<Also>,
    /// What is wrong with it.
    pub fault: &'static str,
}

impl Specimen {
    /// A specimen for one row.
    #[must_use]
    pub fn new(
        primary: RequirementId,
        fault: &'static str,
        subject: impl Subject + 'static,
    ) -> Self {
        Self {
            subject: Arc::new(subject),
            primary,
            also: Vec::new(),
            fault,
        }
    }

    /// The same specimen, which necessarily breaks a further row.
    #[must_use]
    pub fn also(mut self, id: RequirementId, because: &'static str) -> Self {
        self.also.push(Also { id, because });
        self
    }

    /// Every row that must convict the specimen, in catalogue order.
    #[must_use]
    pub fn declared(&self) -> Vec<RequirementId> {
        let mut declared: Vec<RequirementId> = self.also.iter().map(|also| also.id).collect();
        declared.push(self.primary);
        declared.sort_unstable();
        declared
    }
}

/// Every broken subject.
#[must_use]
pub fn specimens() -> Vec<Specimen> {
    let mut specimens = policy::specimens();
    specimens.extend(executor::specimens());
    specimens.extend(resolver::specimens());
    specimens.extend(scanner::specimens());
    specimens.extend(leash::specimens());
    specimens.extend(surface::specimens());
    specimens
}
