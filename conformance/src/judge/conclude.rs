//! What the end of a check means for its row: faults convict only the rows that are about them.

use std::time::Duration;

use crate::catalogue::{Family, Level, RequirementId};
use crate::outcome::{Counterexample, Masked, Outcome, RowOutcome};
use crate::trial::{Finding, Hands, Judged, Stop, Stuck};

/// The row that is about panics and crashes of a policy.
const POLICY_PANICS: RequirementId = RequirementId::new(Family::Pol, 1);

/// The row that is about a policy that holds its thread or never answers.
const POLICY_HANGS: RequirementId = RequirementId::new(Family::Pol, 9);

/// The row that is about an executor that panics, crashes or never answers.
const EXECUTOR_FAULTS: RequirementId = RequirementId::new(Family::Exe, 9);

/// The row that is about a leash that panics, crashes or never answers.
const LEASH_FAULTS: RequirementId = RequirementId::new(Family::Lsh, 14);

/// A fault of a subject that can come up while any row is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It panics, or ends its process.
    Panics,
    /// It holds its thread, or never answers.
    Hangs,
}

impl Fault {
    /// The row that is about this fault of the subjects that `id` is about. Where there is none,
    /// the fault only leaves a row open.
    pub(crate) fn row(self, id: RequirementId) -> Option<RequirementId> {
        match (id.family(), self) {
            (Family::Pol | Family::Bud, Self::Panics) => Some(POLICY_PANICS),
            (Family::Pol | Family::Bud, Self::Hangs) => Some(POLICY_HANGS),
            (Family::Lsh | Family::Lat, _) => Some(LEASH_FAULTS),
            (Family::Exe, _) => Some(EXECUTOR_FAULTS),
            (Family::Cred, _) if !is_about_scanners(id) => Some(EXECUTOR_FAULTS),
            _ => None,
        }
    }
}

/// Whether the row belongs to the part of its family that is about searchers for secrets.
fn is_about_scanners(id: RequirementId) -> bool {
    [5, 8, 9]
        .map(|number| RequirementId::new(Family::Cred, number))
        .contains(&id)
}

/// Whether the row is about a fault that leaves other rows open, so that it is judged first.
pub(super) fn is_about_faults(id: RequirementId) -> bool {
    [Fault::Panics, Fault::Hangs]
        .iter()
        .any(|fault| fault.row(id) == Some(id))
}

/// The outcome of a check that came to its end.
pub(super) fn concluded(id: RequirementId, level: Level, judged: Judged) -> RowOutcome {
    let row = |outcome| RowOutcome::new(id, level, outcome);
    match judged {
        Ok(Finding::Held { cases }) => RowOutcome {
            cases,
            ..row(Outcome::Pass)
        },
        Ok(Finding::Noted { cases, note }) => RowOutcome {
            cases,
            ..row(Outcome::Pass).because(format!("reported: {note}"))
        },
        // A MAY is observed and reported; it never convicts.
        Ok(Finding::Broken(found)) if level == Level::May => {
            row(Outcome::Pass).because(format!("reported: {}", found.headline))
        }
        Ok(Finding::Broken(found)) => RowOutcome {
            reason: Some(found.headline.clone()),
            counterexample: Some(*found),
            ..row(Outcome::Fail)
        },
        Ok(Finding::Undecided(reason)) | Err(Stop::Undecided(reason)) => {
            row(Outcome::Inconclusive).because(reason)
        }
        Ok(Finding::NotApplicable(reason)) => row(Outcome::NotApplicable).because(reason),
        Err(Stop::Panicked(found)) => about(id, level, Fault::Panics, Outcome::Fail, *found),
        Err(Stop::Hung(found)) => about(id, level, Fault::Hangs, Outcome::Timeout, *found),
        Err(Stop::Factory(reason) | Stop::Harness(reason)) => row(Outcome::Error).because(reason),
    }
}

/// The outcome of a row whose subject kept something in its hands for longer than `deadline`.
pub(crate) fn timed_out(
    id: RequirementId,
    level: Level,
    stuck: &Stuck,
    deadline: Duration,
) -> RowOutcome {
    let (what, millis) = (&stuck.what, deadline.as_millis());
    let how = match stuck.hands {
        Hands::Lifecycle => {
            return RowOutcome::new(id, level, Outcome::Error)
                .because(format!("{what} did not end within {millis} ms"));
        }
        Hands::Polling => "holds its thread",
        Hands::Waiting => "neither answers nor holds a thread",
    };
    let found = Counterexample::new(format!("no answer within {millis} ms: {what}"))
        .expected("an answer")
        .seen(format!(
            "asked for `{what}`, the subject {how} after {millis} ms"
        ))
        .twin("a subject that always refuses answers at once");
    let mut row = about(id, level, Fault::Hangs, Outcome::Timeout, found);
    if stuck.hands == Hands::Waiting {
        // Waiting too long is also what a slow machine looks like: it hides, but never convicts.
        row.masked = None;
    }
    row
}

/// The outcome of a row whose subject ended the worker's process.
pub(crate) fn crashed(
    id: RequirementId,
    level: Level,
    how: &str,
    asked: Option<&str>,
    last_words: &str,
) -> RowOutcome {
    let asked = asked.map_or_else(String::new, |asked| format!(", last asked for `{asked}`"));
    let said = if last_words.is_empty() {
        String::new()
    } else {
        format!("; it said: {last_words}")
    };
    let found = Counterexample::new(format!("the subject ended its process: {how}"))
        .expected("an answer: allowed or refused")
        .seen(format!("{how}{asked}{said}"))
        .twin("a subject that always refuses leaves the process alone");
    about(id, level, Fault::Panics, Outcome::Crash, found)
}

/// The outcome of a row that was not run because worker after worker ended, or was held, by a fault
/// of the subject's or from outside.
pub(crate) fn hidden(id: RequirementId, level: Level, fault: Option<Fault>) -> RowOutcome {
    let by = fault.and_then(|fault| fault.row(id));
    let by = by.map_or_else(String::new, |by| format!("masked by {by}: "));
    let what = match fault {
        Some(_) => "the subject kept ending or holding its worker",
        None => "worker after worker was ended from outside",
    };
    RowOutcome::new(id, level, Outcome::Inconclusive)
        .because(format!("{by}{what}, so this row was not run"))
}

/// A conviction where the row is about the fault, else a row that the fault hides.
fn about(
    id: RequirementId,
    level: Level,
    fault: Fault,
    outcome: Outcome,
    found: Counterexample,
) -> RowOutcome {
    let Some(owner) = fault.row(id) else {
        return RowOutcome::new(id, level, Outcome::Inconclusive).because(found.headline);
    };
    if id == owner {
        return RowOutcome {
            reason: Some(found.headline.clone()),
            counterexample: Some(found),
            ..RowOutcome::new(id, level, outcome)
        };
    }
    RowOutcome {
        reason: Some(format!("masked by {owner}: {}", found.headline)),
        counterexample: Some(found),
        masked: Some(Masked {
            by: owner,
            as_outcome: outcome,
        }),
        ..RowOutcome::new(id, level, Outcome::Inconclusive)
    }
}

/// A fault seen while another row was judged convicts the row that is about it, even where that
/// row's own cases did not provoke it.
pub(super) fn promote(rows: &mut [RowOutcome]) {
    for owner in [POLICY_PANICS, POLICY_HANGS, EXECUTOR_FAULTS, LEASH_FAULTS] {
        let witness = rows.iter().find_map(|row| {
            let masked = row.masked.filter(|masked| masked.by == owner)?;
            // The inputs of POL-01 are so large that a slow answer to them proves nothing.
            let counts = owner != POLICY_HANGS || row.id != POLICY_PANICS;
            let found = row.counterexample.clone().filter(|_| counts)?;
            Some((row.id, masked.as_outcome, found))
        });
        let Some((seen_in, outcome, found)) = witness else {
            continue;
        };
        let owner_row = rows.iter_mut().find(|row| row.id == owner);
        if let Some(row) = owner_row.filter(|row| row.outcome == Outcome::Pass) {
            row.outcome = outcome;
            row.reason = Some(format!("{} (seen while judging {seen_in})", found.headline));
            row.counterexample = Some(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHER: RequirementId = RequirementId::new(Family::Bud, 2);

    fn pass(id: RequirementId) -> RowOutcome {
        RowOutcome::new(id, Level::Must, Outcome::Pass)
    }

    fn panicked(id: RequirementId) -> RowOutcome {
        let found = Counterexample::new("check panicked: `boom`");
        concluded(id, Level::Must, Err(Stop::Panicked(Box::new(found))))
    }

    #[test]
    fn a_panic_convicts_the_row_about_panics_and_masks_any_other() {
        assert_eq!(panicked(POLICY_PANICS).outcome, Outcome::Fail);
        let other = panicked(OTHER);
        assert_eq!(other.outcome, Outcome::Inconclusive);
        assert!(other.reason.unwrap().starts_with("masked by POL-01: "));
    }

    #[test]
    fn a_panic_seen_in_another_row_still_convicts_its_own() {
        let mut rows = [pass(POLICY_PANICS), pass(POLICY_HANGS), panicked(OTHER)];
        promote(&mut rows);
        assert_eq!(rows[0].outcome, Outcome::Fail);
        assert!(
            rows[0]
                .reason
                .as_ref()
                .unwrap()
                .ends_with("(seen while judging BUD-02)")
        );
        assert_eq!(rows[1].outcome, Outcome::Pass);
    }

    #[test]
    fn holding_a_thread_convicts_and_mere_waiting_does_not() {
        let deadline = Duration::from_secs(5);
        for (hands, expected) in [
            (Hands::Polling, Outcome::Timeout),
            (Hands::Waiting, Outcome::Pass),
        ] {
            let what = "GET /".to_owned();
            let stuck = timed_out(OTHER, Level::Must, &Stuck { what, hands }, deadline);
            assert_eq!(stuck.outcome, Outcome::Inconclusive);
            let mut rows = [pass(POLICY_PANICS), pass(POLICY_HANGS), stuck];
            promote(&mut rows);
            assert_eq!(rows[1].outcome, expected);
        }
    }

    #[test]
    fn a_may_is_reported_and_never_convicts() {
        let found = Finding::broken(Counterexample::new("seen"));
        let row = concluded(OTHER, Level::May, Ok(found));
        assert_eq!(
            (row.outcome, row.reason.as_deref()),
            (Outcome::Pass, Some("reported: seen"))
        );
    }
}
