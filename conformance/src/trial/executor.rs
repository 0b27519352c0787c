//! What a check of an executor is handed besides: executors built from what it chooses, and calls
//! that it can wait for, or drop.

use std::error::Error;
use std::fmt::{self, Write as _};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

use proofmark::executor::{ExecutionError, HttpExecutor};
use proofmark::path::{PathTemplate, PlaceholderRules, ResolvedTarget};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::case::Trial;
use super::contained::contained;
use super::finding::Stop;
use crate::outcome::Counterexample;
use crate::profile::ExecutorProfile;
use crate::subject::{BuildError, ExecutorEnv, ExecutorSubject, MadeExecutor};

/// How much longer than its deadline a call is waited for: a busy machine is no fault.
const GRACE: Duration = Duration::from_secs(2);

/// As [`GRACE`], where nothing is concluded from a call that does not end.
const BRIEF_GRACE: Duration = Duration::from_millis(300);

/// Chains of sources longer than this may be endless.
const LONGEST_CHAIN: usize = 64;

/// What an executor is asked to send.
#[derive(Debug, Clone)]
pub struct Call {
    /// The method, as it is handed over.
    pub method: String,
    target: ResolvedTarget,
    /// What is left of the arguments once the path has taken its own.
    pub body: Option<Value>,
}

impl Call {
    /// A call without a body.
    ///
    /// # Errors
    ///
    /// [`Stop::Harness`] where no template resolves to such a target, so that no executor can be
    /// handed it.
    pub fn new(method: &str, target: &str) -> Result<Self, Stop> {
        let wrong = |cause: &dyn fmt::Display| {
            Stop::Harness(format!("`{}` is no target: {cause}", target.escape_debug()))
        };
        let template = PathTemplate::parse(target).map_err(|cause| wrong(&cause))?;
        let resolved = template
            .resolve("GET", |_| None, |_, _, _| PlaceholderRules::default(), None)
            .map_err(|cause| wrong(&cause))?;
        Ok(Self {
            method: method.to_owned(),
            target: resolved.target().clone(),
            body: None,
        })
    }

    /// The same call with a body.
    #[must_use]
    pub fn with_body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    /// The target that is handed over.
    #[must_use]
    pub fn target(&self) -> &str {
        self.target.as_str()
    }
}

/// One line for people: long parts are cut, control characters are escaped.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str| -> String {
            text.chars()
                .take(120)
                .flat_map(char::escape_debug)
                .collect()
        };
        write!(f, "{} {}", shown(&self.method), shown(self.target()))?;
        if let Some(body) = &self.body {
            write!(f, " {}", shown(&body.to_string()))?;
        }
        Ok(())
    }
}

/// All that an error shows of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// Where each text comes from, and the text.
    pub texts: Vec<(String, String)>,
}

impl Shown {
    pub(super) fn of(error: &(dyn Error + 'static)) -> Self {
        let mut shown = Self::default();
        let mut next = Some(error);
        for depth in 0..LONGEST_CHAIN {
            let Some(error) = next else { break };
            let name = match depth {
                0 => "the error".to_owned(),
                _ => format!("source {depth} of the error"),
            };
            shown.push(format!("`Display` of {name}"), format_args!("{error}"));
            shown.push(format!("`Debug` of {name}"), format_args!("{error:?}"));
            next = error.source();
        }
        shown
    }

    fn push(&mut self, place: String, printed: fmt::Arguments<'_>) {
        let mut text = String::new();
        // What was printed before printing failed is shown all the same.
        let _ = text.write_fmt(printed);
        self.texts.push((place, text));
    }

    /// Its first text, cut short.
    #[must_use]
    pub fn sentence(&self) -> String {
        let first = self.texts.first().map_or("", |(_, text)| text.as_str());
        first
            .chars()
            .take(120)
            .flat_map(char::escape_debug)
            .collect()
    }
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// With a value.
    Value(Value),
    /// With an error.
    Failed(Shown),
    /// In a panic with this message.
    Panicked(String),
    /// Not within the time that was waited.
    Unanswered,
}

impl Ending {
    /// Whether it ended with a value.
    #[must_use]
    pub fn is_value(&self) -> bool {
        matches!(self, Self::Value(_))
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => {
                let text: String = value.to_string().chars().take(120).collect();
                write!(f, "the value {text}")
            }
            Self::Failed(shown) => write!(f, "the error `{}`", shown.sentence()),
            Self::Panicked(message) => write!(f, "a panic: {message}"),
            Self::Unanswered => f.write_str("no answer"),
        }
    }
}

/// What became of building an executor.
pub enum Built<'t> {
    /// There is one.
    Executor(Driven<'t>),
    /// It refused to be built, or panicked; this is what it said.
    Refused(Shown),
}

/// An executor under trial.
pub struct Driven<'t> {
    trial: &'t Trial<'t, ExecutorSubject>,
    made: MadeExecutor,
    /// How long a call may take.
    deadline: Duration,
}

impl Driven<'_> {
    /// Makes a call and waits for its end.
    ///
    /// # Errors
    ///
    /// [`Stop::Panicked`] where it panics, and [`Stop::Hung`] where it does not end.
    pub fn call(&self, call: &Call) -> Result<Ending, Stop> {
        self.ended(call, self.start(call)?.wait(self.patience()))
    }

    /// The ending, unless another row is about it.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub fn ended(&self, call: &Call, ending: Ending) -> Result<Ending, Stop> {
        let found = |headline: String| {
            let found = Counterexample::new(headline)
                .step(call.to_string(), &ending)
                .expected("an error or a value within the deadline")
                .seen(ending.to_string())
                .twin("an executor that always fails answers the same");
            Box::new(found)
        };
        match &ending {
            Ending::Panicked(message) => {
                let headline = format!("the executor panicked: {message}");
                Err(Stop::Panicked(found(headline)))
            }
            Ending::Unanswered => {
                let millis = self.patience().as_millis();
                let headline = format!("no answer within {millis} ms: {call}");
                Err(Stop::Hung(found(headline)))
            }
            Ending::Value(_) | Ending::Failed(_) => Ok(ending),
        }
    }

    /// Makes a call on a thread of its own, and does not wait for it.
    ///
    /// # Errors
    ///
    /// [`Stop::Harness`] where no thread can be had.
    pub fn start(&self, call: &Call) -> Result<Running, Stop> {
        self.trial.announce(call);
        Running::start(
            Arc::clone(&self.made.executor),
            call.clone(),
            self.trial.runtime().handle().clone(),
        )
    }

    /// What its own `Debug` prints; nothing where its factory does not tell.
    #[must_use]
    pub fn shown(&self) -> Shown {
        let debug = self.made.debug.iter();
        let name = "`Debug` of the executor";
        Shown {
            texts: debug.map(|text| (name.to_owned(), text.clone())).collect(),
        }
    }

    /// How long a call may take.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        self.deadline
    }

    /// How long a call is waited for.
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.deadline + GRACE
    }

    /// How long a call is waited for whose not ending is another row's affair.
    #[must_use]
    pub fn brief_patience(&self) -> Duration {
        self.deadline + BRIEF_GRACE
    }
}

/// A call that is being made. A thread of its own polls it, so that an executor that blocks hinders
/// no other.
pub struct Running {
    started: Instant,
    ended: Receiver<Ending>,
    drop_it: oneshot::Sender<()>,
}

impl Running {
    fn start(executor: Arc<dyn HttpExecutor>, call: Call, runtime: Handle) -> Result<Self, Stop> {
        let (drop_it, dropped) = oneshot::channel();
        let (end, ended) = mpsc::channel();
        let work = move || {
            let ending = contained(|| {
                runtime.block_on(async {
                    tokio::select! {
                        biased;
                        Ok(()) = dropped => Ending::Unanswered,
                        ending = Polled::new(&*executor, &call) => ending,
                    }
                })
            });
            let ending = ending.unwrap_or_else(Ending::Panicked);
            // Nobody may be waiting any more.
            let _ = end.send(ending);
        };
        thread::Builder::new()
            .spawn(work)
            .map_err(|cause| Stop::Harness(format!("no thread can be had: {cause}")))?;
        Ok(Self {
            started: Instant::now(),
            ended,
            drop_it,
        })
    }

    /// Waits so long for the end.
    #[must_use]
    pub fn wait(&self, patience: Duration) -> Ending {
        match self.ended.recv_timeout(patience) {
            Ok(ending) => ending,
            Err(RecvTimeoutError::Timeout) => Ending::Unanswered,
            Err(RecvTimeoutError::Disconnected) => {
                Ending::Panicked("the call's thread was ended".to_owned())
            }
        }
    }

    /// Drops the call, as a caller does who gives up; `false` where that did not come to an end.
    #[must_use]
    pub fn drop_call(self, patience: Duration) -> bool {
        let _ = self.drop_it.send(());
        self.ended.recv_timeout(patience).is_ok()
    }

    /// How long ago it was started.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

type Sent<'a> = Pin<Box<dyn Future<Output = Result<Value, ExecutionError>> + Send + 'a>>;

/// A call whose panics are its ending.
struct Polled<'a>(Sent<'a>);

impl<'a> Polled<'a> {
    fn new(executor: &'a dyn HttpExecutor, call: &'a Call) -> Self {
        // An `async` block: an executor may panic before it returns its future.
        Self(Box::pin(async move {
            let path = call.target.as_path();
            let body = call.body.clone();
            executor.execute_request(&call.method, path, body).await
        }))
    }
}

impl Future for Polled<'_> {
    type Output = Ending;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Ending> {
        match contained(|| self.0.as_mut().poll(context)) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(Ok(value))) => Poll::Ready(Ending::Value(value)),
            Ok(Poll::Ready(Err(error))) => Poll::Ready(Ending::Failed(Shown::of(&error))),
            Err(message) => Poll::Ready(Ending::Panicked(message)),
        }
    }
}

impl<'a> Trial<'a, ExecutorSubject> {
    /// The subject's profile.
    #[must_use]
    pub fn profile(&self) -> &'a ExecutorProfile {
        self.subject().profile()
    }

    /// An executor from an ordinary environment, which it has to accept.
    ///
    /// # Errors
    ///
    /// [`Stop::Factory`] where the factory panics, [`Stop::Undecided`] where the executor refuses.
    pub fn executor(&self, env: &ExecutorEnv) -> Result<Driven<'_>, Stop> {
        match self.making(|| self.subject().make(env))? {
            Ok(executor) => Ok(self.driven(executor, env)),
            Err(error) => Err(Stop::Undecided(format!(
                "the control failed: no executor could be built for `{}`: {}",
                env.base_url(),
                Shown::of(&*error).sentence()
            ))),
        }
    }

    /// An executor from an environment that it may refuse. A factory that panics there refuses,
    /// since it may have no other way to.
    ///
    /// # Errors
    ///
    /// [`Stop::Harness`] where the judge cannot go on.
    pub fn build(&self, env: &ExecutorEnv) -> Result<Built<'_>, Stop> {
        let made = match self.making(|| self.subject().make(env)) {
            Ok(made) => made,
            Err(Stop::Factory(message)) => {
                let texts = vec![("the factory's panic".to_owned(), message)];
                return Ok(Built::Refused(Shown { texts }));
            }
            Err(stop) => return Err(stop),
        };
        Ok(match made {
            Ok(executor) => Built::Executor(self.driven(executor, env)),
            Err(error) => Built::Refused(shown_of_refusal(&error)),
        })
    }

    fn driven(&self, made: MadeExecutor, env: &ExecutorEnv) -> Driven<'_> {
        let own = self.profile().deadline_ms.map(Duration::from_millis);
        let deadline = match own {
            Some(own) => own,
            // The first executor of a trial tells whether its factory takes the deadline.
            None if env.deadline_is_taken() => env.deadline(),
            None => ExecutorProfile::DEADLINE,
        };
        Driven {
            trial: self,
            made,
            deadline,
        }
    }
}

fn shown_of_refusal(error: &BuildError) -> Shown {
    Shown::of(&**error)
}
