//! Conforming subjects that look suspicious: convicting one is a false alarm.

use std::sync::Arc;

use proofmark_conformance::subject::Subject;

use crate::{executor, leash, policy, resolver, scanner, surface};

/// A subject that keeps its promises in a way a careless judge would hold against it.
#[derive(Debug, Clone)]
pub struct LookAlike {
    /// The subject.
    pub subject: Arc<dyn Subject>,
    /// What looks suspicious about it, and why it is not.
    pub suspicion: &'static str,
}

impl LookAlike {
    /// A conforming subject with what looks suspicious about it.
    #[must_use]
    pub fn new(suspicion: &'static str, subject: impl Subject + 'static) -> Self {
        Self {
            subject: Arc::new(subject),
            suspicion,
        }
    }
}

/// Every conforming look-alike.
#[must_use]
pub fn look_alikes() -> Vec<LookAlike> {
    let mut look_alikes = policy::look_alikes();
    look_alikes.extend(executor::look_alikes());
    look_alikes.extend(resolver::look_alikes());
    look_alikes.extend(scanner::look_alikes());
    look_alikes.extend(leash::look_alikes());
    look_alikes.extend(surface::look_alikes());
    look_alikes
}
