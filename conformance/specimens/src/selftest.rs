//! The suite judged by its specimens: the kill matrix.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use proofmark_conformance::catalogue::{Catalogue, Level, Requirement, RequirementId};
use proofmark_conformance::check;
use proofmark_conformance::judge::{Selection, report};
use proofmark_conformance::outcome::SubjectReport;
use proofmark_conformance::subject::{Identity, Subject};
use proofmark_conformance::trial::Settings;
use proofmark_conformance::worker::{Supervisor, WorkerError};
use serde::Serialize;

use crate::{LookAlike, Specimen};

/// A specimen that was convicted of other rows than it declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Inexact {
    /// The specimen's name.
    pub specimen: String,
    /// The rows it declares.
    pub declared: Vec<RequirementId>,
    /// The rows that convicted it.
    pub failed: Vec<RequirementId>,
}

/// What came of judging every specimen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SelfTest {
    schema: u32,
    /// How many broken subjects were judged.
    pub specimens: usize,
    /// How many of them were convicted by their primary row.
    pub convicted: usize,
    /// Those whose primary row did not convict them.
    pub missed: Vec<String>,
    /// Those that were convicted of other rows than declared.
    pub inexact: Vec<Inexact>,
    /// How many conforming look-alikes were judged.
    pub conforming: usize,
    /// Look-alikes that were convicted, and of what.
    pub false_alarms: Vec<String>,
    /// Look-alikes that a row could not be decided for, and which row: nobody would certify them.
    pub undecided: Vec<String>,
    /// Rows that have a check but no specimen of their own.
    pub uncovered: Vec<RequirementId>,
    /// How many specimens are compiled rather than run.
    pub compile_specimens: usize,
}

impl SelfTest {
    /// Counts up what `reports` say of these specimens and look-alikes. `judged` are the rows that
    /// have a check.
    #[must_use]
    pub fn of(
        specimens: &[Specimen],
        look_alikes: &[LookAlike],
        reports: &[SubjectReport],
        judged: &[&Requirement],
    ) -> Self {
        let by_name = reports.iter().map(|report| (report.name.as_str(), report));
        let by_name: HashMap<&str, &SubjectReport> = by_name.collect();
        let failed_of = |subject: &dyn Subject| -> Vec<RequirementId> {
            let report = by_name.get(subject.name());
            report.map(|report| report.failed()).unwrap_or_default()
        };
        let mut missed = Vec::new();
        let mut inexact = Vec::new();
        for specimen in specimens {
            let failed = failed_of(specimen.subject.as_ref());
            let declared = specimen.declared();
            let name = specimen.subject.name().to_owned();
            if !failed.contains(&specimen.primary) {
                missed.push(name.clone());
            }
            if failed != declared || specimen.also.iter().any(|also| also.because.is_empty()) {
                inexact.push(Inexact {
                    specimen: name,
                    declared,
                    failed,
                });
            }
        }
        let false_alarms = look_alikes.iter().filter_map(|look_alike| {
            let failed = failed_of(look_alike.subject.as_ref());
            let rows: Vec<String> = failed.iter().map(ToString::to_string).collect();
            (!rows.is_empty())
                .then(|| format!("{}: {}", look_alike.subject.name(), rows.join(", ")))
        });
        let undecided = look_alikes.iter().filter_map(|look_alike| {
            let name = look_alike.subject.name();
            let report = by_name.get(name)?;
            let open = report.outcomes.iter().filter(|row| row.outcome.is_open());
            let rows: Vec<String> = open.map(|row| row.id.to_string()).collect();
            (!rows.is_empty()).then(|| format!("{name}: {}", rows.join(", ")))
        });
        let uncovered = judged
            .iter()
            .filter(|row| row.level != Level::May)
            .map(|row| row.id);
        let uncovered = uncovered.filter(|id| specimens.iter().all(|s| s.primary != *id));
        Self {
            schema: 1,
            specimens: specimens.len(),
            convicted: specimens.len() - missed.len(),
            missed,
            inexact,
            conforming: look_alikes.len(),
            false_alarms: false_alarms.collect(),
            undecided: undecided.collect(),
            uncovered: uncovered.collect(),
            compile_specimens: check::COMPILED.len(),
        }
    }

    /// Whether every specimen was convicted exactly, no look-alike was, and no row is uncovered.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.missed.is_empty()
            && self.inexact.is_empty()
            && self.false_alarms.is_empty()
            && self.uncovered.is_empty()
            && self.specimens > 0
    }
}

/// A subject, and the rows to judge it by.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The subject.
    pub subject: Arc<dyn Subject>,
    /// The rows.
    pub selection: Selection,
}

/// Judges every subject by its rows, a few at a time, and reports in the given order.
///
/// # Errors
///
/// A [`WorkerError`] where a worker could not do its job.
pub fn judge_all(
    catalogue: &Catalogue,
    supervisor: &Supervisor<'_>,
    candidates: &[Candidate],
    settings: Settings,
    judged: &(dyn Fn(&SubjectReport) + Sync),
) -> Result<Vec<SubjectReport>, WorkerError> {
    let next = Mutex::new(0..candidates.len());
    let done = Mutex::new(Vec::with_capacity(candidates.len()));
    let work = || -> Result<(), WorkerError> {
        loop {
            let index = next.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((index, candidate)) =
                index.and_then(|index| Some((index, candidates.get(index)?)))
            else {
                return Ok(());
            };
            let Candidate { subject, selection } = candidate;
            let rows = selection.rows(catalogue, subject.view().kind());
            let outcomes = supervisor.judge(subject.name(), &rows, settings)?;
            let report = report(
                catalogue,
                &Identity::of(subject.as_ref()),
                selection,
                outcomes,
            );
            judged(&report);
            done.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((index, report));
        }
    };
    // Some subjects wait rather than work: one lane more than there are cores keeps these busy.
    let workers = thread::available_parallelism()
        .map_or(2, usize::from)
        .min(4)
        + 1;
    thread::scope(|scope| {
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        running.into_iter().try_for_each(|thread| {
            // A thread only panics where the judge itself does; its panic is passed on.
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    Ok(done.into_iter().map(|(_, report)| report).collect())
}
