//! A rate whose time cannot be moved, watched in real time for a few short windows.

use std::thread;
use std::time::{Duration, Instant};

use super::shape::{MILLI, Shape};
use super::{NO_CLOCK, named};
use crate::outcome::Counterexample;
use crate::trial::{Finding, Judged, Stop, Trial};

/// The longest window that is watched: a second.
pub(super) const LONGEST: u64 = 1_000 * MILLI;

/// So many windows are watched, and the subject is asked so often in each.
const WINDOWS: u32 = 3;
const LOOKS: u32 = 8;

/// No verdict depends on how fast the machine is: a surplus is measured by the longest time that
/// can have passed, and what is due by the shortest.
pub(super) fn judge(trial: &Trial<'_>, shape: &Shape) -> Judged {
    if let Some(found) = surplus(trial, shape)? {
        return Ok(Finding::broken(found));
    }
    let rest = shape.run_out(shape.at_once());
    if rest > 3 * LONGEST {
        return Ok(Finding::Undecided(format!(
            "{NO_CLOCK}; in real time the rate takes too long to come back"
        )));
    }
    let request = trial.base();
    let instance = trial.fresh()?;
    let first = instance.admits_until_refused(shape.at_once(), &request)?;
    if first < shape.at_once() {
        return Ok(Finding::broken(withheld(trial, shape, first, 0)));
    }
    thread::sleep(Duration::from_nanos(rest));
    if !instance.ask(&request)?.allows() {
        return Ok(Finding::broken(withheld(trial, shape, first, rest)));
    }
    Ok(Finding::Held {
        cases: u64::from(WINDOWS * LOOKS),
    })
}

fn withheld(trial: &Trial<'_>, shape: &Shape, first: u64, rest: u64) -> Counterexample {
    let (request, name) = (trial.base(), named(shape));
    let waited = Duration::from_nanos(rest);
    Counterexample::new("what is due is refused")
        .steps(first, &request, "allowed")
        .step(&request, format!("refused after {waited:?}"))
        .expected(format!(
            "allowed: nothing that `{name}` counts stands against it"
        ))
        .seen(format!("refused after {waited:?} of real time"))
        .twin("a fresh subject admits its first request")
}

/// When an ask began and ended, for each that was admitted.
type Admitted = Vec<(Duration, Duration)>;

fn surplus(trial: &Trial<'_>, shape: &Shape) -> Result<Option<Counterexample>, Stop> {
    let request = trial.base();
    let instance = trial.fresh()?;
    let started = Instant::now();
    let mut admitted: Admitted = Vec::new();
    let mut asked = 0_u64;
    for _ in 0..WINDOWS * LOOKS {
        for _ in 0..shape.at_once().saturating_add(2) {
            let before = started.elapsed();
            asked += 1;
            if !instance.ask(&request)?.allows() {
                break;
            }
            admitted.push((before, started.elapsed()));
        }
        thread::sleep(Duration::from_nanos(shape.period()) / LOOKS);
    }
    let Some((count, span)) = too_many(&admitted, shape) else {
        return Ok(None);
    };
    let name = named(shape);
    Ok(Some(
        Counterexample::new(format!(
            "the rate admits too many: {count} within {span:?} of real time"
        ))
        .steps(asked, &request, format!("{} allowed", admitted.len()))
        .expected(format!("no more than `{name}` allows"))
        .seen(format!("{count} admitted within {span:?} at most"))
        .twin(format!(
            "a counter of the judge's own with this shape admits {} in that time",
            shape.most_in(nanos(span))
        )),
    ))
}

/// The admissions that are too many for the longest time they can have been apart.
fn too_many(admitted: &Admitted, shape: &Shape) -> Option<(u64, Duration)> {
    admitted.iter().enumerate().find_map(|(last, &(_, after))| {
        admitted[..=last]
            .iter()
            .rev()
            .zip(1_u64..)
            .map(|(&(before, _), count)| (count, after - before))
            .find(|(count, span)| *count > shape.most_in(nanos(*span)))
    })
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::PolicyProfile;

    fn sliding() -> Shape {
        let profile = PolicyProfile::new().rate().requests(2).window_ms(100);
        Shape::declared(&profile.sliding()).unwrap()
    }

    fn asked(times: &[(u64, u64)]) -> Admitted {
        let millis = Duration::from_millis;
        let asked = times.iter();
        asked
            .map(|&(from, to)| (millis(from), millis(to)))
            .collect()
    }

    #[test]
    fn three_within_a_window_are_too_many_however_slow_the_asks() {
        let found = too_many(&asked(&[(0, 1), (40, 41), (60, 99)]), &sliding());
        assert_eq!(found, Some((3, Duration::from_millis(99))));
    }

    #[test]
    fn three_that_may_lie_further_apart_than_a_window_are_not() {
        let found = too_many(&asked(&[(0, 1), (40, 41), (60, 100)]), &sliding());
        assert_eq!(found, None);
    }
}
