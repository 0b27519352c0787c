//! One fresh policy under trial.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use proofmark::clock::SteeredClock;
use proofmark::policy::{PolicyRefusal, RequestPolicy, policy_fn};

use super::ask::{Abandoned, Answer, abandon, ask, ask_within, panicked, watched};
use super::case::Trial;
use super::contained::contained;
use super::finding::Stop;
use crate::subject::RequestCase;

/// A fresh policy and the clock it was built with.
pub struct Instance<'t> {
    trial: &'t Trial<'t>,
    policy: Arc<dyn RequestPolicy>,
    clock: SteeredClock,
}

/// A policy may hang or panic when it is torn down, too.
impl Drop for Instance<'_> {
    fn drop(&mut self) {
        let _in_flight = self.trial.watch().lifecycle("dropping a subject");
        let nothing = policy_fn(|_| Err(PolicyRefusal::new("gone")));
        let policy = std::mem::replace(&mut self.policy, Arc::new(nothing));
        // Rows are about `check`; a panic that is raised here is nobody's verdict.
        let _ = contained(|| drop(policy));
    }
}

impl<'t> Instance<'t> {
    pub(super) fn new(
        trial: &'t Trial<'t>,
        policy: Arc<dyn RequestPolicy>,
        clock: SteeredClock,
    ) -> Self {
        Self {
            trial,
            policy,
            clock,
        }
    }

    /// The clock the policy was built with.
    #[must_use]
    pub fn clock(&self) -> &SteeredClock {
        &self.clock
    }

    /// The policy itself, for checks that poll it by hand.
    #[must_use]
    pub fn policy(&self) -> &Arc<dyn RequestPolicy> {
        &self.policy
    }

    /// Asks once and waits for the answer.
    ///
    /// # Errors
    ///
    /// [`Stop::Panicked`] where `check` panics.
    pub fn ask(&self, request: &RequestCase) -> Result<Answer, Stop> {
        ask(
            self.policy.as_ref(),
            request,
            self.trial.runtime(),
            self.trial.watch(),
        )
    }

    /// Asks once and waits for the answer for so long at most; `None` is no answer until then.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub fn ask_within(
        &self,
        request: &RequestCase,
        patience: Duration,
    ) -> Result<Option<Answer>, Stop> {
        ask_within(
            self.policy.as_ref(),
            request,
            self.trial.runtime(),
            self.trial.watch(),
            patience,
        )
    }

    /// Begins a check of each request, polls it once, and drops together all that wait.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask), and [`Stop::Undecided`] where dropping a check panics.
    pub fn abandon(&self, requests: &[RequestCase]) -> Result<Abandoned, Stop> {
        abandon(
            self.policy.as_ref(),
            requests,
            self.trial.runtime(),
            self.trial.watch(),
        )
    }

    /// Asks from a thread with a stack of `stack` bytes.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask), and [`Stop::Harness`] where no thread can be had.
    pub fn ask_on_thread(&self, request: &RequestCase, stack: usize) -> Result<Answer, Stop> {
        thread::scope(|scope| {
            let asked = thread::Builder::new()
                .stack_size(stack)
                .spawn_scoped(scope, || self.ask(request))
                .map_err(|cause| Stop::Harness(format!("no thread can be started: {cause}")))?;
            asked
                .join()
                .unwrap_or_else(|_| Err(Stop::Harness("an asking thread panicked".to_owned())))
        })
    }

    /// Asks the same `times` times, and says how many were admitted.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub fn admits(&self, times: u64, request: &RequestCase) -> Result<u64, Stop> {
        let mut admitted = 0;
        for _ in 0..times {
            admitted += u64::from(self.ask(request)?.allows());
        }
        Ok(admitted)
    }

    /// Asks until a refusal, at most `most` times, and says how many were admitted before it.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub fn admits_until_refused(&self, most: u64, request: &RequestCase) -> Result<u64, Stop> {
        let mut admitted = 0;
        while admitted < most && self.ask(request)?.allows() {
            admitted += 1;
        }
        Ok(admitted)
    }

    /// Asks all of `requests` one after another with as little of the judge between them as can be,
    /// and says how many were admitted. Threads that do this at once meet inside the policy, not
    /// at the judge's own locks.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub fn ask_in_haste(&self, requests: &[RequestCase]) -> Result<u64, Stop> {
        let Some(first) = requests.first() else {
            return Ok(0);
        };
        let _in_flight = self.trial.watch().asking(first);
        let _polling = self.trial.watch().polling();
        let runtime = self.trial.runtime();
        let _entered = runtime.enter();
        let views: Vec<_> = requests.iter().map(RequestCase::view).collect();
        let haste = contained(|| {
            views
                .iter()
                .filter(|view| {
                    let mut asked = self.policy.check(view);
                    let polled = asked.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                    match polled {
                        Poll::Ready(answer) => answer.is_ok(),
                        Poll::Pending => runtime.block_on(asked).is_ok(),
                    }
                })
                .count()
        });
        match haste {
            Ok(admitted) => Ok(u64::try_from(admitted).unwrap_or(u64::MAX)),
            Err(message) => Err(panicked(first, &message)),
        }
    }

    /// Asks all of `requests` at once, spread over the runtime's threads and released together.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask), and [`Stop::Harness`] where a task is lost.
    pub fn ask_together(&self, requests: Vec<RequestCase>) -> Result<Vec<Answer>, Stop> {
        let runtime = self.trial.runtime();
        let gate = Arc::new(tokio::sync::Barrier::new(requests.len()));
        runtime.block_on(async {
            let tasks: Vec<_> = requests
                .into_iter()
                .map(|request| {
                    let policy = Arc::clone(&self.policy);
                    let watch = Arc::clone(self.trial.watch_shared());
                    let gate = Arc::clone(&gate);
                    tokio::spawn(async move {
                        gate.wait().await;
                        let _in_flight = watch.asking(&request);
                        watched(policy.as_ref(), &request, &watch).await
                    })
                })
                .collect();
            let mut answers = Vec::with_capacity(tasks.len());
            for task in tasks {
                let answer = task
                    .await
                    .map_err(|cause| Stop::Harness(format!("an asking task was lost: {cause}")))?;
                answers.push(answer?);
            }
            Ok(answers)
        })
    }
}
