//! One row as one test.

use std::env;
use std::process::Command;

use super::fragment::{self, Fragment};
use crate::catalogue::{Catalogue, Level, Requirement, RequirementId};
use crate::judge::not_applicable;
use crate::outcome::{Failure, Outcome, RowOutcome};
use crate::seed::Seed;
use crate::subject::Subject;
use crate::trial::Settings;
use crate::worker::{self, Job, Supervisor};

/// Judges one row of one subject in a worker, which is this very test started again.
///
/// # Errors
///
/// The report, where the row does not pass.
pub fn row<S: Subject>(
    id: &str,
    module: &str,
    test: &str,
    subject: fn() -> S,
) -> Result<(), Failure> {
    let subject = subject();
    let problem = |text: String| Failure::of_problem(subject.name(), text);
    if worker::is_worker() {
        let job = Job::from_stdin().map_err(|cause| problem(cause.to_string()))?;
        return worker::serve(&job, &subject).map_err(|cause| problem(cause.to_string()));
    }
    if let Some(profile) = subject.view().profile() {
        profile
            .validate()
            .map_err(|error| problem(error.to_string()))?;
    }
    let settings = settings().map_err(problem)?;
    let requirement = requirement(id).map_err(problem)?;
    let row = match not_applicable(requirement, &subject.view().capabilities()) {
        Some(row) => row,
        None => {
            judge(requirement, &subject, &test_name(module, test), settings).map_err(problem)?
        }
    };
    let fragment = Fragment::new(&subject, settings, row.clone());
    fragment::record(&fragment).map_err(|error| problem(error.to_string()))?;
    let lenient = env::var("PROOFMARK_LEVEL").is_ok_and(|level| level == "must");
    match row.outcome {
        Outcome::Pass | Outcome::NotApplicable => Ok(()),
        _ if lenient && row.level == Level::Should => {
            eprintln!("{} (should): {}", row.id, row.reason.unwrap_or_default());
            Ok(())
        }
        _ => {
            let rerun = format!(
                "{}={} cargo test {}",
                Seed::VARIABLE,
                settings.seed,
                test_name(module, test)
            );
            Err(Failure::of_row(
                requirement,
                subject.name(),
                row,
                settings.seed,
                rerun,
            ))
        }
    }
}

fn requirement(id: &str) -> Result<&'static Requirement, String> {
    let id: RequirementId = id.parse().map_err(|error| format!("{error}"))?;
    let catalogue = Catalogue::shared().map_err(|error| error.to_string())?;
    catalogue
        .get(id)
        .ok_or_else(|| format!("there is no requirement {id}"))
}

fn judge(
    requirement: &Requirement,
    subject: &dyn Subject,
    test: &str,
    settings: Settings,
) -> Result<RowOutcome, String> {
    let program = env::current_exe()
        .map_err(|cause| format!("the test's own program cannot be found: {cause}"))?;
    let supervisor = Supervisor::new(|| {
        let mut command = Command::new(&program);
        command.args([
            test,
            "--exact",
            "--nocapture",
            "--include-ignored",
            "--test-threads=1",
        ]);
        command.env("RUST_BACKTRACE", "0");
        command
    });
    let rows = supervisor
        .judge(subject.name(), &[requirement], settings)
        .map_err(|error| error.to_string())?;
    let row = rows.into_iter().next();
    row.ok_or_else(|| "the worker judged nothing".to_owned())
}

/// The test's name as the harness lists it: its path within the crate.
fn test_name(module: &str, test: &str) -> String {
    match module.split_once("::") {
        Some((_, within)) => format!("{within}::{test}"),
        None => test.to_owned(),
    }
}

fn settings() -> Result<Settings, String> {
    let seed = match env::var(Seed::VARIABLE) {
        Ok(text) => text
            .parse()
            .map_err(|error| format!("{}: {error}", Seed::VARIABLE))?,
        Err(_) => Seed::fresh(),
    };
    let mut settings = Settings::with_seed(seed);
    if let Ok(text) = env::var("PROOFMARK_CASES") {
        settings.cases = text
            .parse()
            .ok()
            .filter(|cases| (1..=1_000_000).contains(cases))
            .ok_or_else(|| format!("PROOFMARK_CASES: `{text}` is no number from 1 to 1000000"))?;
    }
    Ok(settings)
}
