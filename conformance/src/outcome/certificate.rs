//! The document that a run ends with.

use serde::{Deserialize, Serialize};

use super::{RowOutcome, Tally, Verdict};
use crate::catalogue::{Catalogue, RequirementId};
use crate::seed::Seed;

/// The version of the suite.
pub(crate) const SUITE: &str = env!("CARGO_PKG_VERSION");

/// A row about this kind of subject that nothing was said about, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotJudged {
    /// The row.
    pub id: RequirementId,
    /// Why it was not judged.
    pub reason: String,
}

/// What was found about one subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SubjectReport {
    /// The subject's name.
    pub name: String,
    /// The kind of subject.
    pub kind: String,
    /// The subject's version.
    pub version: String,
    /// SHA-256 of the profile it was held to.
    pub profile_digest: String,
    /// What is said of it as a whole.
    pub verdict: Verdict,
    /// The outcome of each row that was judged, in catalogue order.
    pub outcomes: Vec<RowOutcome>,
    /// Rows that were not judged: those that do not apply are among the outcomes too.
    pub not_judged: Vec<NotJudged>,
}

impl SubjectReport {
    /// How many rows ended how.
    #[must_use]
    pub fn tally(&self) -> Tally {
        Tally::of(&self.outcomes)
    }

    /// The rows that convict.
    #[must_use]
    pub fn failed(&self) -> Vec<RequirementId> {
        let convicting = self.outcomes.iter().filter(|row| row.outcome.convicts());
        convicting.map(|row| row.id).collect()
    }
}

/// A whole run: what judged, by which catalogue and seed, and what it found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Certificate {
    /// The version of this document's shape.
    pub schema: u32,
    /// The suite's version.
    pub suite: String,
    /// The catalogue's version.
    pub catalogue: String,
    /// SHA-256 of the catalogue.
    pub catalogue_digest: String,
    /// The seed of the run.
    pub seed: Seed,
    /// Cases asked for in each generated check.
    pub cases: u32,
    /// The worst of the subjects' verdicts.
    pub verdict: Verdict,
    /// The subjects.
    pub subjects: Vec<SubjectReport>,
}

impl Certificate {
    /// The certificate of these reports.
    #[must_use]
    pub fn new(
        catalogue: &Catalogue,
        seed: Seed,
        cases: u32,
        subjects: Vec<SubjectReport>,
    ) -> Self {
        Self {
            schema: 1,
            suite: SUITE.to_owned(),
            catalogue: catalogue.version().to_owned(),
            catalogue_digest: catalogue.digest().to_owned(),
            seed,
            cases,
            verdict: Verdict::worst(subjects.iter().map(|subject| subject.verdict)),
            subjects,
        }
    }
}
