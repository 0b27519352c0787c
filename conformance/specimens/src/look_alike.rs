//! Conforming subjects that look suspicious: convicting one is a false alarm.

use proofmark_conformance::subject::PolicySubject;

use crate::policy;

/// A subject that keeps its promises in a way a careless judge would hold against it.
#[derive(Debug, Clone)]
pub struct LookAlike {
    /// The subject.
    pub subject: PolicySubject,
    /// What looks suspicious about it, and why it is not.
    pub suspicion: &'static str,
}

impl LookAlike {
    /// A conforming subject with what looks suspicious about it.
    #[must_use]
    pub fn new(suspicion: &'static str, subject: PolicySubject) -> Self {
        Self { subject, suspicion }
    }
}

/// Every conforming look-alike.
#[must_use]
pub fn look_alikes() -> Vec<LookAlike> {
    policy::look_alikes()
}
