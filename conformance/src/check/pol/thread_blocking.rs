//! POL-09: `check` does not block the thread it is polled on.

use std::borrow::Borrow;
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use proofmark::policy::{PolicyRefusal, RequestPolicy, policy_fn};
use tokio::runtime::Builder;

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Instance, Judged, Stop, Trial, contained};

/// A conviction needs the bound to be exceeded in every round.
const ROUNDS: usize = 5;

/// In each round the best of so many asks counts.
const ASKS: usize = 2;

/// So large are requests that are not the usual, and so many parts they have: what takes a time that
/// grows faster than they do shows here.
const MANY: usize = 2_000;
const LONG: usize = 4 << 10;

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let bound = trial.profile().block_bound();
    let mut cases = 0;
    for request in trial.declared_requests().into_iter().chain(large(trial)) {
        for request in [request.clone(), request.previewed()] {
            cases += 1;
            let round = || best_of(trial, &request);
            if let Some(finding) = judge(&request, bound, &round)? {
                return Ok(finding);
            }
        }
    }
    match spent(trial, bound)? {
        Some(finding) => Ok(finding),
        None => Ok(Finding::held(cases)),
    }
}

/// Large requests, each in one way.
fn large(trial: &Trial<'_>) -> Vec<RequestCase> {
    let base = trial.base();
    let pairs = (0..MANY).map(|number| (format!("key{number}"), "v".to_owned()));
    let mut listed = base.clone();
    listed.query.extend(pairs.clone());
    let query = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish();
    let joint = if base.path.contains('?') { '&' } else { '?' };
    let members: serde_json::Map<_, _> = (0..MANY)
        .map(|number| (format!("key{number}"), "v".into()))
        .collect();
    let posted = base.clone().with_method("POST");
    vec![
        listed,
        base.clone()
            .with_path(&format!("{}{joint}{query}", base.path)),
        base.clone()
            .with_path(&format!("{}/{}", base.path, "a".repeat(LONG))),
        base.clone()
            .with_path(&format!("{}{}", base.path, "/a".repeat(MANY))),
        base.clone().with_pair("q", &"a".repeat(LONG)),
        posted.clone().with_body(serde_json::Value::Object(members)),
        posted.with_body(serde_json::json!({"text": "a".repeat(LONG)})),
    ]
}

/// A budget that is used up is a state of its own: one that makes whoever insists wait, or that waits
/// for ever itself.
fn spent(trial: &Trial<'_>, bound: Duration) -> Result<Option<Finding>, Stop> {
    let Some(load) = trial.load() else {
        return Ok(None);
    };
    let instance = trial.fresh()?;
    load.spend(&instance, |request| request)?;
    let refused = load.request(load.most_steps());
    for request in [refused.clone(), refused.previewed()] {
        let round = || best_poll(trial, &request, || Ok(&instance));
        if let Some(finding) = judge(&request, bound, &round)? {
            return Ok(Some(finding));
        }
    }
    Ok(None)
}

fn judge(
    request: &RequestCase,
    bound: Duration,
    round: &dyn Fn() -> Result<Duration, Stop>,
) -> Result<Option<Finding>, Stop> {
    let idle = policy_fn(|_| Err(PolicyRefusal::new("a policy that does nothing")));
    let mut best = Duration::MAX;
    let mut worst_idle = Duration::ZERO;
    for _ in 0..ROUNDS {
        let round = round()?;
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

/// The best of some asks of fresh subjects.
fn best_of(trial: &Trial<'_>, request: &RequestCase) -> Result<Duration, Stop> {
    best_poll(trial, request, || trial.fresh())
}

fn best_poll<'t, I: Borrow<Instance<'t>>>(
    trial: &Trial<'_>,
    request: &RequestCase,
    instance: impl Fn() -> Result<I, Stop>,
) -> Result<Duration, Stop> {
    let mut best = Duration::MAX;
    for _ in 0..ASKS {
        let instance = instance()?;
        let _in_flight = trial.watched(request);
        let policy = instance.borrow().policy();
        best = best.min(longest_poll(policy.as_ref(), request)?);
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
