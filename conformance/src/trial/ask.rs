//! Asking a policy once: its answer, or the panic it ended in.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use proofmark::policy::{PolicyRefusal, RequestPolicy};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use super::contained::contained;
use super::finding::Stop;
use super::watch::Watch;
use crate::outcome::Counterexample;
use crate::subject::RequestCase;

/// What a policy said to one request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The request may be sent.
    Allowed,
    /// The request is refused with this message.
    Refused(String),
}

impl Answer {
    /// Whether the request may be sent.
    #[must_use]
    pub fn allows(&self) -> bool {
        matches!(self, Self::Allowed)
    }

    /// The answer without its message.
    #[must_use]
    pub fn word(&self) -> &'static str {
        if self.allows() { "allowed" } else { "refused" }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl From<Result<(), PolicyRefusal>> for Answer {
    fn from(result: Result<(), PolicyRefusal>) -> Self {
        match result {
            Ok(()) => Self::Allowed,
            Err(refusal) => Self::Refused(refusal.message().to_owned()),
        }
    }
}

/// Asks on the runtime and waits for the answer.
pub(super) fn ask(
    policy: &dyn RequestPolicy,
    request: &RequestCase,
    runtime: &Runtime,
    watch: &Watch,
) -> Result<Answer, Stop> {
    let _in_flight = watch.asking(request);
    runtime.block_on(watched(policy, request, watch))
}

/// As [`ask`], but gives up after `patience`: `None` is no answer until then.
pub(super) fn ask_within(
    policy: &dyn RequestPolicy,
    request: &RequestCase,
    runtime: &Runtime,
    watch: &Watch,
    patience: Duration,
) -> Result<Option<Answer>, Stop> {
    let _in_flight = watch.asking(request);
    runtime
        .block_on(async { timeout(patience, watched(policy, request, watch)).await })
        .map_or(Ok(None), |answer| answer.map(Some))
}

/// What became of checks that were polled once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Abandoned {
    /// So many were waiting, and were dropped.
    pub waiting: u64,
    /// So many had admitted their request at once.
    pub admitted: u64,
}

/// Polls a check of each request once, keeping all of them, and then drops those that wait.
pub(super) fn abandon(
    policy: &dyn RequestPolicy,
    requests: &[RequestCase],
    runtime: &Runtime,
    watch: &Watch,
) -> Result<Abandoned, Stop> {
    let _entered = runtime.enter();
    let mut context = Context::from_waker(Waker::noop());
    let mut waiting = Vec::with_capacity(requests.len());
    let mut abandoned = Abandoned::default();
    for request in requests {
        let _in_flight = watch.asking(request);
        let mut asked = Box::pin(watched(policy, request, watch));
        match asked.as_mut().poll(&mut context) {
            Poll::Ready(answer) => abandoned.admitted += u64::from(answer?.allows()),
            Poll::Pending => waiting.push(asked),
        }
    }
    abandoned.waiting = waiting.len() as u64;
    let _in_flight = watch.lifecycle("dropping checks that wait");
    contained(|| drop(waiting)).map_err(|message| {
        Stop::Undecided(format!(
            "masked by POL-01: dropping a check panicked: {message}"
        ))
    })?;
    Ok(abandoned)
}

/// Asks on whatever runtime polls the future.
pub(super) async fn watched(
    policy: &dyn RequestPolicy,
    request: &RequestCase,
    watch: &Watch,
) -> Result<Answer, Stop> {
    let asked = Watched {
        // An `async` block: a policy may panic before it returns its future.
        check: Box::pin(async { policy.check(&request.view()).await }),
        watch,
    };
    asked
        .await
        .map(Answer::from)
        .map_err(|message| panicked(request, &message))
}

/// What stops a check whose subject panicked when it was asked this.
pub(super) fn panicked(request: &RequestCase, message: &str) -> Stop {
    Stop::Panicked(Box::new(
        Counterexample::new(format!("check panicked: {message}"))
            .step(request, "panicked")
            .expected("an answer: allowed or refused")
            .seen(format!("a panic: {message}"))
            .twin("a policy that always refuses answers the same request"),
    ))
}

type Check<'a> = Pin<Box<dyn Future<Output = Result<(), PolicyRefusal>> + Send + 'a>>;

struct Watched<'a> {
    check: Check<'a>,
    watch: &'a Watch,
}

impl Future for Watched<'_> {
    type Output = Result<Result<(), PolicyRefusal>, String>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let watch = self.watch;
        let _polling = watch.polling();
        match contained(|| self.check.as_mut().poll(context)) {
            Ok(Poll::Ready(result)) => Poll::Ready(Ok(result)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(message) => Poll::Ready(Err(message)),
        }
    }
}
