//! What a check of a surface is handed besides: surfaces built from what it chooses, and calls of
//! their tools, one by one or at the same time.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use serde_json::Value;
use tokio::task::AbortHandle;

use super::Shown;
use super::case::Trial;
use super::contained::contained;
use super::finding::{Finding, Judged, Stop};
use crate::outcome::Counterexample;
use crate::profile::SurfaceProfile;
use crate::subject::{
    ExecutorSubject, Script, Surface, SurfaceEnv, SurfaceSubject, ToolCall, ToolFailure,
};

/// How much longer than its deadline a call is waited for: a busy machine is no fault.
const GRACE: Duration = Duration::from_secs(2);

/// How a `tools/call` ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Called {
    /// With a result.
    Value(Value),
    /// With a failure, as the surface reports it.
    Failed(ToolFailure),
    /// In a panic with this message.
    Panicked(String),
    /// Not within the time that was waited.
    Unanswered,
}

impl Called {
    /// Whether it ended with a result.
    #[must_use]
    pub fn is_value(&self) -> bool {
        matches!(self, Self::Value(_))
    }

    /// Whether it ended with a refusal.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Failed(failure) if failure.is_refusal())
    }
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => {
                let text: String = value.to_string().chars().take(120).collect();
                write!(f, "the result {text}")
            }
            Self::Failed(failure) => failure.fmt(f),
            Self::Panicked(message) => write!(f, "a panic: {message}"),
            Self::Unanswered => f.write_str("no answer"),
        }
    }
}

/// A surface under trial.
pub struct Acting<'t> {
    trial: &'t Trial<'t, SurfaceSubject>,
    surface: Arc<dyn Surface>,
    /// How long one request may take.
    deadline: Duration,
}

impl Acting<'_> {
    /// Makes a call and waits for its end.
    ///
    /// # Errors
    ///
    /// [`Stop::Panicked`] where it panics, and [`Stop::Hung`] where it does not end.
    pub fn call(&self, call: &ToolCall) -> Result<Called, Stop> {
        let ended = self.start(call).wait(self.patience());
        self.ended(call, ended)
    }

    /// Makes calls, all at once, and waits for their ends.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub fn call_all(&self, calls: &[ToolCall]) -> Result<Vec<Called>, Stop> {
        let underway: Vec<Underway> = calls.iter().map(|call| self.start(call)).collect();
        let ends = calls.iter().zip(underway);
        ends.map(|(call, underway)| self.ended(call, underway.wait(self.patience())))
            .collect()
    }

    /// Has a script looked at, and waits for the answer.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub fn validate(&self, script: &Script) -> Result<Called, Stop> {
        let call = ToolCall::of_script(script.clone());
        self.trial.announce(&call);
        let (surface, script) = (Arc::clone(&self.surface), script.clone());
        let work = async move { surface.validate(script).await.map(|()| Value::Null) };
        let ended = self.spawn(work).wait(self.patience());
        self.ended(&call, ended)
    }

    /// Makes a call, and does not wait for it.
    #[must_use]
    pub fn start(&self, call: &ToolCall) -> Underway {
        self.trial.announce(call);
        let (surface, call) = (Arc::clone(&self.surface), call.clone());
        // An `async` block: a surface may panic before it returns its future.
        self.spawn(async move { surface.call(call).await })
    }

    fn spawn(
        &self,
        work: impl Future<Output = Result<Value, ToolFailure>> + Send + 'static,
    ) -> Underway {
        let (end, ended) = mpsc::channel();
        let task = self.trial.runtime().spawn(async move {
            let mut work = pin!(work);
            let polled = poll_fn(|context| match contained(|| work.as_mut().poll(context)) {
                Ok(polled) => polled.map(|answer| match answer {
                    Ok(value) => Called::Value(value),
                    Err(failure) => Called::Failed(failure),
                }),
                Err(message) => std::task::Poll::Ready(Called::Panicked(message)),
            });
            // Nobody may be waiting any more.
            let _ = end.send(polled.await);
        });
        Underway {
            ended,
            task: task.abort_handle(),
        }
    }

    fn ended(&self, call: &ToolCall, ended: Called) -> Result<Called, Stop> {
        let found = |headline: String| {
            let found = Counterexample::new(headline)
                .step(call.to_string(), &ended)
                .expected("a result or a failure within the deadline")
                .seen(ended.to_string())
                .twin("a surface that refuses every call answers the same");
            Box::new(found)
        };
        match &ended {
            Called::Panicked(message) => {
                let headline = format!("the surface panicked: {message}");
                Err(Stop::Panicked(found(headline)))
            }
            Called::Unanswered => {
                let millis = self.patience().as_millis();
                let headline = format!("no answer within {millis} ms: {call}");
                Err(Stop::Hung(found(headline)))
            }
            Called::Value(_) | Called::Failed(_) => Ok(ended),
        }
    }

    /// How long a call is waited for: no script of a check sends more than a few requests that
    /// take long.
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.deadline + GRACE
    }
}

/// A call that is being made.
pub struct Underway {
    ended: Receiver<Called>,
    task: AbortHandle,
}

impl Underway {
    /// Waits so long for the end, and drops a call that has not come to it.
    #[must_use]
    pub fn wait(self, patience: Duration) -> Called {
        match self.ended.recv_timeout(patience) {
            Ok(ended) => ended,
            Err(RecvTimeoutError::Timeout) => {
                self.task.abort();
                Called::Unanswered
            }
            Err(RecvTimeoutError::Disconnected) => {
                Called::Panicked("the call's task was ended".to_owned())
            }
        }
    }
}

impl<'a> Trial<'a, SurfaceSubject> {
    /// The subject's profile.
    #[must_use]
    pub fn profile(&self) -> &'a SurfaceProfile {
        self.subject().profile()
    }

    /// A surface from an ordinary environment, which it has to accept.
    ///
    /// # Errors
    ///
    /// [`Stop::Factory`] where the factory panics, [`Stop::Undecided`] where the surface refuses.
    pub fn surface(&self, env: &SurfaceEnv) -> Result<Acting<'_>, Stop> {
        match self.making(|| self.subject().make(env))? {
            Ok(made) => Ok(self.acting(made.surface, env)),
            Err(error) => Err(Stop::Undecided(format!(
                "the control failed: no surface could be built for `{}`: {}",
                env.base_url(),
                Shown::of(&*error).sentence()
            ))),
        }
    }

    /// A surface from an environment that it may refuse: `None` where it does. A factory that
    /// panics there refuses, since it may have no other way to.
    ///
    /// # Errors
    ///
    /// [`Stop::Harness`] where the judge cannot go on.
    pub fn surface_unless_refused(&self, env: &SurfaceEnv) -> Result<Option<Acting<'_>>, Stop> {
        match self.making(|| self.subject().make(env)) {
            Ok(Ok(made)) => Ok(Some(self.acting(made.surface, env))),
            Ok(Err(_)) | Err(Stop::Factory(_)) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    fn acting(&self, surface: Arc<dyn Surface>, env: &SurfaceEnv) -> Acting<'_> {
        let own = self.profile().deadline_ms.map(Duration::from_millis);
        let deadline = match own {
            Some(own) => own,
            None if env.deadline_is_taken() => env.deadline(),
            None => SurfaceProfile::DEADLINE,
        };
        Acting {
            trial: self,
            surface,
            deadline,
        }
    }

    /// Judges the surface as what sends requests, through each way in which it can be called.
    ///
    /// # Errors
    ///
    /// As `judge`.
    pub(crate) fn as_sender(&self, judge: fn(&Trial<'_, ExecutorSubject>) -> Judged) -> Judged {
        let mut tried = 0;
        for executor in self.subject().as_executors() {
            let watch = Arc::clone(self.watch_shared());
            let trial = Trial::new(self.id(), &executor, self.settings(), self.runtime(), watch);
            match judge(&trial)? {
                Finding::Held { cases } => tried += cases,
                other => return Ok(other),
            }
        }
        Ok(Finding::Held { cases: tried })
    }
}
