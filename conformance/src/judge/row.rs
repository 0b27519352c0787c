//! Judging one row in this very process.

use std::sync::Arc;
use std::time::Instant;

use tokio::runtime::{Builder, Runtime};

use super::conclude::concluded;
use crate::catalogue::Requirement;
use crate::check;
use crate::outcome::{Outcome, RowOutcome};
use crate::subject::PolicySubject;
use crate::trial::{Settings, Stop, Trial, Watch};

pub(crate) use crate::trial::ask::remember_panic as panicking_place;

/// The outcome of a row that does not apply to the subject, if it does not.
#[must_use]
pub fn not_applicable(requirement: &Requirement, subject: &PolicySubject) -> Option<RowOutcome> {
    let reason = subject.capabilities().missing(&requirement.needs)?;
    let row = RowOutcome::new(requirement.id, requirement.level, Outcome::NotApplicable);
    Some(row.because(reason))
}

/// Judges one row in this process, without isolation: a subject that never returns, or ends its
/// process, takes the caller along. Meant for debuggers; everything else goes through a worker.
///
/// `None` where the catalogue's row has no check yet.
#[must_use]
pub fn judge_row(
    requirement: &Requirement,
    subject: &PolicySubject,
    settings: Settings,
    watch: &Arc<Watch>,
) -> Option<RowOutcome> {
    let check = check::find(requirement.id)?;
    if let Some(row) = not_applicable(requirement, subject) {
        return Some(row);
    }
    let started = Instant::now();
    let judged = match runtime() {
        Ok(runtime) => {
            let watch = Arc::clone(watch);
            let judged = check.run(&Trial::new(
                requirement.id,
                subject,
                settings,
                &runtime,
                watch,
            ));
            // What the subject left running must not hold the row.
            runtime.shutdown_background();
            judged
        }
        Err(cause) => Err(Stop::Harness(format!("no runtime can be had: {cause}"))),
    };
    let mut row = concluded(requirement.id, requirement.level, judged);
    row.ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Some(row)
}

/// Two threads, so that what a policy may do on a server's runtime it may do here.
fn runtime() -> std::io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
}
