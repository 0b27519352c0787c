//! Judging a rate by what it admits while time stands still, also where no clock can be stopped.

use std::time::{Duration, Instant};

use super::rate::Shape;
use crate::profile::Kind;
use crate::trial::{Finding, Judged, Trial};

/// A conviction has to be repeated so often before anything can have come due twice.
const RUNS: usize = 3;

/// Runs a check that takes a budget for gone once it is spent.
///
/// A rate whose factory takes no clock goes on in real time. If several runs of the check all
/// convict it within the time in which one unit comes due, then something came due in one of them
/// at most, and the others convict it.
pub(super) fn judge(trial: &Trial<'_>, check: fn(&Trial<'_>) -> Judged) -> Judged {
    if trial.profile().kind != Some(Kind::Rate) || trial.takes().clock {
        return check(trial);
    }
    let started = Instant::now();
    let mut found = check(trial)?;
    for _ in 1..RUNS {
        if !matches!(found, Finding::Broken(_)) {
            return Ok(found);
        }
        found = check(trial)?;
    }
    let unit = Shape::declared(trial.profile()).map(|shape| Duration::from_nanos(shape.unit()));
    match found {
        Finding::Broken(found) if unit.is_none_or(|unit| started.elapsed() >= unit) => {
            Ok(Finding::Undecided(format!(
                "{}, but time passed meanwhile and something may have come due: take the clock in the factory, as in `|clock| …`",
                found.headline
            )))
        }
        found => Ok(found),
    }
}
