//! The verdict on one subject, and the counts behind it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Outcome, RowOutcome};
use crate::catalogue::Level;

/// What is said of a subject as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every MUST that applies is kept.
    Certified,
    /// Every MUST and SHOULD that applies is kept.
    CertifiedStrict,
    /// Every MUST that applies is kept or waived.
    CertifiedWithWaivers,
    /// A MUST is broken, or could not be decided.
    NotCertified,
    /// Only some rows were judged; those passed.
    Partial,
}

impl Verdict {
    /// The verdict on these outcomes; `filtered` says that rows were left out on purpose.
    #[must_use]
    pub fn of(outcomes: &[RowOutcome], filtered: bool) -> Self {
        let broken = |level: Level| {
            outcomes
                .iter()
                .any(|row| row.level == level && (row.outcome.convicts() || row.outcome.is_open()))
        };
        let judged = outcomes.iter().any(|row| row.outcome == Outcome::Pass);
        let should_broken = broken(Level::Should);
        if broken(Level::Must) || !judged || (filtered && should_broken) {
            Self::NotCertified
        } else if filtered {
            Self::Partial
        } else if should_broken {
            Self::Certified
        } else {
            Self::CertifiedStrict
        }
    }

    /// The worst of several verdicts, for a document of several subjects.
    #[must_use]
    pub fn worst(verdicts: impl IntoIterator<Item = Self>) -> Self {
        verdicts
            .into_iter()
            .max_by_key(|verdict| verdict.severity())
            .unwrap_or(Self::NotCertified)
    }

    fn severity(self) -> u8 {
        match self {
            Self::CertifiedStrict => 0,
            Self::Certified => 1,
            Self::CertifiedWithWaivers => 2,
            Self::Partial => 3,
            Self::NotCertified => 4,
        }
    }

    /// The word for people and documents.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Certified => "certified",
            Self::CertifiedStrict => "certified-strict",
            Self::CertifiedWithWaivers => "certified-with-waivers",
            Self::NotCertified => "not-certified",
            Self::Partial => "partial",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How many rows ended how. Timeouts and crashes that convict are among the failed, errors among
/// the inconclusive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Rows that passed.
    pub passed: usize,
    /// Rows that convict.
    pub failed: usize,
    /// Rows that could not be decided.
    pub inconclusive: usize,
    /// Rows that do not apply.
    pub not_applicable: usize,
}

impl Tally {
    /// Counts these outcomes.
    #[must_use]
    pub fn of(outcomes: &[RowOutcome]) -> Self {
        let mut tally = Self::default();
        for row in outcomes {
            match row.outcome {
                Outcome::Pass => tally.passed += 1,
                Outcome::Fail | Outcome::Timeout | Outcome::Crash => tally.failed += 1,
                Outcome::Inconclusive | Outcome::Error => tally.inconclusive += 1,
                Outcome::NotApplicable => tally.not_applicable += 1,
            }
        }
        tally
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.passed + self.failed + self.inconclusive + self.not_applicable;
        write!(
            f,
            "passed {}, failed {}, inconclusive {}, not applicable {}, of {total}",
            self.passed, self.failed, self.inconclusive, self.not_applicable
        )
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::catalogue::{Family, RequirementId};

    fn row(level: Level, outcome: Outcome) -> RowOutcome {
        RowOutcome::new(RequirementId::new(Family::Pol, 1), level, outcome)
    }

    #[rstest]
    #[case::all_kept(&[(Level::Must, Outcome::Pass), (Level::Should, Outcome::Pass)], Verdict::CertifiedStrict)]
    #[case::should_broken(&[(Level::Must, Outcome::Pass), (Level::Should, Outcome::Fail)], Verdict::Certified)]
    #[case::must_broken(&[(Level::Must, Outcome::Pass), (Level::Must, Outcome::Fail)], Verdict::NotCertified)]
    #[case::must_open(&[(Level::Must, Outcome::Pass), (Level::Must, Outcome::Inconclusive)], Verdict::NotCertified)]
    #[case::must_error(&[(Level::Must, Outcome::Pass), (Level::Must, Outcome::Error)], Verdict::NotCertified)]
    #[case::crash(&[(Level::Must, Outcome::Pass), (Level::Must, Outcome::Crash)], Verdict::NotCertified)]
    #[case::not_applicable(&[(Level::Must, Outcome::Pass), (Level::Must, Outcome::NotApplicable)], Verdict::CertifiedStrict)]
    #[case::nothing_judged(&[(Level::Must, Outcome::NotApplicable)], Verdict::NotCertified)]
    #[case::nothing_at_all(&[], Verdict::NotCertified)]
    fn the_verdict_follows_from_the_outcomes(
        #[case] rows: &[(Level, Outcome)],
        #[case] expected: Verdict,
    ) {
        let rows: Vec<_> = rows
            .iter()
            .map(|&(level, outcome)| row(level, outcome))
            .collect();
        assert_eq!(Verdict::of(&rows, false), expected);
    }

    #[rstest]
    #[case::kept(Outcome::Pass, Verdict::Partial)]
    #[case::broken(Outcome::Fail, Verdict::NotCertified)]
    fn a_filtered_run_never_certifies(#[case] outcome: Outcome, #[case] expected: Verdict) {
        let rows = [row(Level::Must, Outcome::Pass), row(Level::Should, outcome)];
        assert_eq!(Verdict::of(&rows, true), expected);
    }
}
