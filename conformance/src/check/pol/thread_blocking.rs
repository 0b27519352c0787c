//! POL-09: `check` does not block the thread it is polled on.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use proofmark::policy::{PolicyRefusal, RequestPolicy, policy_fn};
use tokio::runtime::Builder;

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Stop, Trial, contained};

/// A conviction needs the bound to be exceeded in every round.
const ROUNDS: usize = 5;

/// In each round the best of so many asks counts.
const ASKS: usize = 2;

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let bound = trial.profile().block_bound();
    let mut cases = 0;
    for request in trial.declared_requests() {
        for request in [request.clone(), request.previewed()] {
            cases += 1;
            if let Some(finding) = judge(trial, &request, bound)? {
                return Ok(finding);
            }
        }
    }
    spend_out(trial)?;
    Ok(Finding::held(cases))
}

/// A budget that is used up is a state of its own: one that waits for ever in it is found by the
/// watch over this row.
fn spend_out(trial: &Trial<'_>) -> Result<(), Stop> {
    if let Some(load) = trial.load() {
        let instance = trial.fresh()?;
        load.spend(&instance, |request| request)?;
        instance.ask(&load.request(load.most_steps()).previewed())?;
    }
    Ok(())
}

fn judge(
    trial: &Trial<'_>,
    request: &RequestCase,
    bound: Duration,
) -> Result<Option<Finding>, Stop> {
    let idle = policy_fn(|_| Err(PolicyRefusal::new("a policy that does nothing")));
    let mut best = Duration::MAX;
    let mut worst_idle = Duration::ZERO;
    for _ in 0..ROUNDS {
        let round = best_of(trial, request)?;
        if round <= bound {
            return Ok(None);
        }
        best = best.min(round);
        worst_idle = worst_idle.max(longest_poll(&idle, request)?);
    }
    if worst_idle * 5 > bound {
        return Ok(Some(Finding::Undecided(format!(
            "the machine is too busy to tell: a policy that does nothing took {worst_idle:?}"
        ))));
    }
    let seen = format!(
        "at least {} ms in one poll, in {ROUNDS} of {ROUNDS} rounds",
        best.as_millis()
    );
    Ok(Some(Finding::broken(
        Counterexample::new(format!(
            "check blocks its thread for {} ms",
            best.as_millis()
        ))
        .step(request, "answered")
        .expected(format!(
            "at most {} ms in one poll; wait with `.await` instead",
            bound.as_millis()
        ))
        .seen(seen)
        .twin(format!(
            "a policy that does nothing took {} ms at most",
            worst_idle.as_millis()
        )),
    )))
}

fn best_of(trial: &Trial<'_>, request: &RequestCase) -> Result<Duration, Stop> {
    let mut best = Duration::MAX;
    for _ in 0..ASKS {
        let instance = trial.fresh()?;
        let _in_flight = trial.watched(request);
        best = best.min(longest_poll(instance.policy().as_ref(), request)?);
    }
    Ok(best)
}

/// The longest single poll of one ask, on a runtime of one thread as servers have for each core.
fn longest_poll(policy: &dyn RequestPolicy, request: &RequestCase) -> Result<Duration, Stop> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|cause| Stop::Harness(format!("no runtime: {cause}")))?;
    let view = request.view();
    let mut timed = pin!(Timed {
        inner: policy.check(&view),
        longest: Duration::ZERO,
    });
    let mut last = String::new();
    let polled = contained(|| runtime.block_on(timed.as_mut())).map_err(|message| {
        last.clone_from(&message);
        Stop::Undecided(format!("masked by POL-01: check panicked: {message}"))
    });
    match polled {
        Err(_) if last.contains("can call blocking only when running on the multi-threaded runtime") => {
            Err(Stop::Undecided(
                "the policy uses `block_in_place`, which works on a multi-threaded runtime only, so its blocking cannot be measured".to_owned(),
            ))
        }
        polled => polled.map(|()| timed.longest),
    }
}

struct Timed<F> {
    inner: F,
    longest: Duration,
}

impl<F: Future + Unpin> Future for Timed<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let started = Instant::now();
        let polled = Pin::new(&mut self.inner).poll(context);
        self.longest = self.longest.max(started.elapsed());
        polled.map(drop)
    }
}
