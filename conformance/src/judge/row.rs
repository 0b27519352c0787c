//! Judging one row in this very process.

use std::sync::Arc;
use std::time::Instant;

use tokio::runtime::{Builder, Runtime};

use super::conclude::concluded;
use crate::catalogue::Requirement;
use crate::check::{self, Run};
use crate::outcome::{Outcome, RowOutcome};
use crate::profile::Capabilities;
use crate::subject::{ExecutorSubject, Subject, SurfaceSubject, View};
use crate::trial::{Finding, Judged, Settings, Stop, Trial, Watch};

pub(crate) use crate::trial::remember_panic as panicking_place;

/// The outcome of a row that does not apply to a subject that offers these, if it does not.
#[must_use]
pub fn not_applicable(
    requirement: &Requirement,
    capabilities: &Capabilities,
) -> Option<RowOutcome> {
    let reason = capabilities.missing(&requirement.needs)?;
    let row = RowOutcome::new(requirement.id, requirement.level, Outcome::NotApplicable);
    Some(row.because(reason))
}

/// Judges one row in this process, without isolation: a subject that never returns, or ends its
/// process, takes the caller along. Meant for debuggers; everything else goes through a worker.
///
/// `None` where the catalogue's row has no check yet, or none for such a subject.
#[must_use]
pub fn judge_row(
    requirement: &Requirement,
    subject: &dyn Subject,
    settings: Settings,
    watch: &Arc<Watch>,
) -> Option<RowOutcome> {
    let check = check::find(requirement.id)?;
    if let Some(row) = not_applicable(requirement, &subject.view().capabilities()) {
        return Some(row);
    }
    let started = Instant::now();
    let judged = match (check.run, subject.view()) {
        (Run::Policy(run), View::Policy(policy)) => {
            tried(requirement, policy, settings, watch, run)
        }
        (Run::Resolver(run), View::Resolver(resolver)) => {
            tried(requirement, resolver, settings, watch, run)
        }
        (Run::Executor(run), View::Executor(executor)) => {
            tried(requirement, executor, settings, watch, run)
        }
        (Run::Sender(run) | Run::SenderAndSurface(run, _), View::Executor(executor)) => {
            tried(requirement, executor, settings, watch, run)
        }
        (Run::Sender(run), View::Surface(surface)) => {
            as_sender(requirement, surface, settings, watch, run)
        }
        (Run::SenderAndSurface(run, further), View::Surface(surface)) => {
            match as_sender(requirement, surface, settings, watch, run) {
                Ok(Finding::Held { .. }) => tried(requirement, surface, settings, watch, further),
                other => other,
            }
        }
        (Run::Surface(run), View::Surface(surface)) => {
            tried(requirement, surface, settings, watch, run)
        }
        (Run::Scanner(run), View::Scanner(scanner)) => run(scanner),
        (Run::Leash(run), View::Leash(leash)) => tried(requirement, leash, settings, watch, run),
        (
            Run::Policy(_)
            | Run::Executor(_)
            | Run::Resolver(_)
            | Run::Scanner(_)
            | Run::Leash(_)
            | Run::Surface(_)
            | Run::Sender(_)
            | Run::SenderAndSurface(..),
            _,
        ) => return None,
    };
    let mut row = concluded(requirement.id, requirement.level, judged);
    if matches!(subject.view(), View::Surface(_)) {
        row = unmasked(row);
    }
    row.ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Some(row)
}

/// A row of a surface. Those about the faults of an executor are none of its rows, and hide nothing.
fn unmasked(mut row: RowOutcome) -> RowOutcome {
    if let Some(masked) = row.masked.take()
        && let Some(reason) = &mut row.reason
    {
        *reason = reason.replacen(&format!("masked by {}: ", masked.by), "", 1);
    }
    row
}

/// Runs a check of executors on a surface.
fn as_sender(
    requirement: &Requirement,
    surface: &SurfaceSubject,
    settings: Settings,
    watch: &Arc<Watch>,
    run: fn(&Trial<'_, ExecutorSubject>) -> Judged,
) -> Judged {
    on_runtime(|runtime| {
        let watch = Arc::clone(watch);
        Trial::new(requirement.id, surface, settings, runtime, watch).as_sender(run)
    })
}

/// Runs a check in a trial of its own.
fn tried<S>(
    requirement: &Requirement,
    subject: &S,
    settings: Settings,
    watch: &Arc<Watch>,
    run: fn(&Trial<'_, S>) -> Judged,
) -> Judged {
    on_runtime(|runtime| {
        let watch = Arc::clone(watch);
        run(&Trial::new(
            requirement.id,
            subject,
            settings,
            runtime,
            watch,
        ))
    })
}

fn on_runtime(work: impl FnOnce(&Runtime) -> Judged) -> Judged {
    match runtime() {
        Ok(runtime) => {
            let judged = work(&runtime);
            // What the subject left running must not hold the row.
            runtime.shutdown_background();
            judged
        }
        Err(cause) => Err(Stop::Harness(format!("no runtime can be had: {cause}"))),
    }
}

/// Two threads, so that what a policy may do on a server's runtime it may do here.
fn runtime() -> std::io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
}
