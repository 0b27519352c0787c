//! POL-14: what is remembered about calls stays bounded, however many come by.

use std::fs;
use std::time::{Duration, Instant};

use proofmark::policy::policy_fn;

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Instance, Judged, Stop, Trial};

/// So many call ids come by, and at least so many for each that may be remembered.
const CALLS: u64 = 100_000;
const FOR_EACH: u64 = 4;

/// So many calls are alive at a time where only idle time bounds them.
const ALIVE: u64 = 1_000;

/// Growth that may be noise: an allocator keeps pages and fragments them.
const NOISE: u64 = 3 << 20;

/// A policy that keeps nothing may grow by so much before the measurement is worth nothing.
const QUIET: u64 = 1 << 20;

/// Memory that the process has but does not use is taken up in such blocks, so many at a time.
const BLOCK: usize = 240;
const BLOCKS: usize = 4_096;
const MOST_BLOCKS: usize = 64 * BLOCKS;

/// Ids are so long that keeping all of them would take this much memory, within these bounds.
const KEPT: u64 = 24 << 20;
const SHORTEST: u64 = 200;
const LONGEST: u64 = 4 << 10;

/// The subject is asked for so long at most.
const LONGEST_RUN: Duration = Duration::from_secs(10);

/// So many asks show how quick a subject is.
const TRIED: u32 = 100;

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let profile = trial.profile();
    let bound = match (profile.max_calls, profile.idle_ms, trial.takes().clock) {
        (Some(bound), _, _) => bound,
        (None, Some(_), true) => ALIVE,
        (None, _, _) => {
            return Ok(Finding::Undecided(
                "`idle_ms` is the only bound, and time cannot be steered: let the factory take the clock, or declare `max_calls`".to_owned(),
            ));
        }
    };
    if bound > CALLS {
        return Ok(Finding::NotApplicable(format!(
            "{CALLS} calls do not fill the declared bound of {bound}"
        )));
    }
    let request = trial.admitted()?;
    let run = match Run::planned(trial, &request, bound)? {
        Ok(run) => run,
        Err(reason) => return Ok(Finding::Undecided(reason)),
    };
    let ballast = ballast();
    let quiet = run.growth(&trial.control(policy_fn(|_| Ok(()))), None)?;
    if quiet.after > QUIET {
        return Ok(Finding::Undecided(format!(
            "memory cannot be measured: with a policy that keeps nothing, the process grew by {}",
            mebibytes(quiet.after)
        )));
    }
    let idle = profile.max_calls.map_or(profile.idle_ms, |_| None);
    let grown = run.growth(&trial.fresh()?, idle.map(Duration::from_millis))?;
    drop(ballast);
    if grown.after <= grown.filled.saturating_mul(2).saturating_add(NOISE) {
        return Ok(Finding::Held { cases: run.calls });
    }
    Ok(Finding::broken(
        Counterexample::new(format!(
            "{} calls hold {}, where {bound} held {}",
            run.calls,
            mebibytes(grown.after),
            mebibytes(grown.filled)
        ))
        .steps(
            run.calls,
            &request.with_call(&run.id(0)),
            "asked, each time in another call",
        )
        .expected(format!(
            "at most twice what {bound} calls hold: the profile declares that bound"
        ))
        .seen(format!("{} held", mebibytes(grown.after)))
        .twin(format!(
            "a policy that keeps nothing, asked the same, held {}",
            mebibytes(quiet.after)
        )),
    ))
}

/// How the subject is asked.
struct Run {
    request: RequestCase,
    bound: u64,
    calls: u64,
    length: usize,
}

/// By how much the process grew: when the bound was just filled, and in the end.
struct Growth {
    filled: u64,
    after: u64,
}

impl Run {
    /// Fewer calls where the subject is slow or few cases are asked for, with longer ids instead;
    /// or why there is no telling.
    fn planned(
        trial: &Trial<'_>,
        request: &RequestCase,
        bound: u64,
    ) -> Result<Result<Self, String>, Stop> {
        if resident().is_none() {
            return Ok(Err(
                "this system does not tell how much memory a process has resident".to_owned(),
            ));
        }
        let least = bound * FOR_EACH;
        let instance = trial.fresh()?;
        let started = Instant::now();
        for _ in 0..TRIED {
            instance.ask(request)?;
        }
        let each = started.elapsed().max(Duration::from_micros(1)) * 2 / TRIED;
        let fitting = LONGEST_RUN.as_nanos() / each.as_nanos().max(1);
        let fitting = u64::try_from(fitting).unwrap_or(u64::MAX);
        let calls = trial.share_of(CALLS).max(least).min(fitting);
        let length = (KEPT / calls.max(1)).clamp(SHORTEST, LONGEST);
        if calls < least || calls * length < 2 * NOISE {
            return Ok(Err(format!(
                "the subject answers too slowly to be asked in {least} calls"
            )));
        }
        Ok(Ok(Self {
            request: request.clone(),
            bound,
            calls,
            length: usize::try_from(length).unwrap_or(usize::MAX),
        }))
    }

    fn id(&self, number: u64) -> String {
        format!("call-{number:06}-{}", "x".repeat(self.length))
    }

    /// Asks in one call after another; each is previewed and sent once. Calls become idle, where
    /// that is the bound, whenever it is filled.
    fn growth(&self, instance: &Instance<'_>, idle: Option<Duration>) -> Result<Growth, Stop> {
        let before = resident().unwrap_or_default();
        let since = || resident().unwrap_or_default().saturating_sub(before);
        let mut filled = 0;
        for number in 0..self.calls {
            if number == self.bound {
                filled = since();
            }
            if let Some(idle) = idle.filter(|_| number > 0 && number % self.bound == 0) {
                instance.clock().advance(idle + Duration::from_millis(1));
            }
            let request = self.request.clone().with_call(&self.id(number));
            instance.ask(&request.clone().previewed())?;
            instance.ask(&request)?;
        }
        Ok(Growth {
            filled,
            after: since(),
        })
    }
}

/// Takes up what memory earlier checks left behind, which would hide as much growth.
fn ballast() -> Vec<Vec<u8>> {
    let mut held = Vec::with_capacity(MOST_BLOCKS);
    while held.len() < MOST_BLOCKS {
        let before = resident().unwrap_or_default();
        held.extend((0..BLOCKS).map(|_| vec![1; BLOCK]));
        let grown = resident().unwrap_or_default().saturating_sub(before);
        if grown >= (BLOCK * BLOCKS / 2) as u64 {
            break;
        }
    }
    held
}

/// How many bytes of this process are in memory, where the system tells.
fn resident() -> Option<u64> {
    // The rolled-up count is exact; the other may lag behind by some pages for each processor.
    let read = |file, field| resident_in(&fs::read_to_string(file).ok()?, field);
    read("/proc/self/smaps_rollup", "Rss:").or_else(|| read("/proc/self/status", "VmRSS:"))
}

fn resident_in(text: &str, field: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

fn mebibytes(bytes: u64) -> String {
    format!("{}.{} MiB", bytes >> 20, ((bytes & 0xf_ffff) * 10) >> 20)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("Rss:                1212 kB\nPss: 3 kB\n", "Rss:", Some(1212 << 10))]
    #[case("Name:\tx\nVmRSS:\t    12 kB\n", "VmRSS:", Some(12 << 10))]
    #[case("Name:\tx\n", "VmRSS:", None)]
    fn the_resident_size_is_read_where_it_is_told(
        #[case] text: &str,
        #[case] field: &str,
        #[case] expected: Option<u64>,
    ) {
        assert_eq!(resident_in(text, field), expected);
    }

    #[test]
    fn bytes_are_shown_in_tenths_of_a_mebibyte() {
        assert_eq!(mebibytes(3 << 19), "1.5 MiB");
        assert_eq!(mebibytes(1 << 10), "0.0 MiB");
    }
}
