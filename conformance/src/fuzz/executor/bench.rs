//! Where an executor is fuzzed: a recording backend, a token endpoint and a tripwire, a policy that
//! remembers what it was shown, and a runtime that polls.

use std::error::Error;
use std::fmt::Write as _;
use std::future::Future;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proofmark::executor::HttpExecutor;
use proofmark::path::ResolvedPath;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::{OutboundRequest, RequestPhase};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::script::{Act, Onward, Script, Step, TOKEN, TokenAct, USER, Verdict, path_mark};
use crate::profile::AuthScheme;
use crate::recorder::{Recorded, Recorder, Reply, Tally, token};
use crate::subject::{ExecutorEnv, RequestCase};
use crate::trial::{Ending, Shown, contained};

/// What an executor is given that takes its deadline.
pub(super) const DEADLINE: Duration = Duration::from_millis(200);

/// A call is waited for so much longer: a busy machine is no fault.
const GRACE: Duration = Duration::from_secs(5);

/// Recorders keep all that they hear: they are made anew after so many inputs.
const INPUTS_A_RECORDER: u32 = 64;

/// Chains of sources longer than this may be endless.
const LONGEST_CHAIN: usize = 64;

/// A runtime, and recorders that serve one input at a time.
pub(super) struct Bench {
    runtime: Runtime,
    recorders: Mutex<Option<Recorders>>,
}

/// The listeners.
pub(super) struct Recorders {
    backend: Recorder,
    tokens: Recorder,
    tripwire: Recorder,
    left: u32,
}

impl Bench {
    pub(super) fn new() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        Ok(Self {
            runtime,
            recorders: Mutex::default(),
        })
    }

    /// Runs `work` before the listeners; `None` where none can be had.
    pub(super) fn before<T>(&self, work: impl FnOnce(&Recorders) -> T) -> Option<T> {
        let mut slot = self
            .recorders
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if slot.as_ref().is_none_or(|recorders| recorders.left == 0) {
            *slot = Some(Recorders::new().ok()?);
        }
        let recorders = slot.as_mut()?;
        recorders.left -= 1;
        // Executors may need a runtime when they are made and when they are dropped.
        let _entered = self.runtime.enter();
        Some(work(recorders))
    }

    /// Makes one call, and waits so long.
    pub(super) fn call(
        &self,
        executor: &Arc<dyn HttpExecutor>,
        step: &Step,
        deadline: Duration,
    ) -> Ending {
        let call = made(Arc::clone(executor), step.clone(), deadline);
        contained(|| self.runtime.block_on(call)).unwrap_or_else(Ending::Panicked)
    }

    /// Makes all calls at once.
    pub(super) fn calls(
        &self,
        executor: &Arc<dyn HttpExecutor>,
        steps: &[Step],
        deadline: Duration,
    ) -> Vec<Ending> {
        let calls = steps.iter().map(|step| {
            let call = made(Arc::clone(executor), step.clone(), deadline);
            self.runtime.spawn(call)
        });
        let calls: Vec<_> = calls.collect();
        let ended = |call| self.runtime.block_on(call);
        let endings = calls.into_iter().map(ended);
        endings
            .map(|ended| ended.unwrap_or_else(|cause| Ending::Panicked(cause.to_string())))
            .collect()
    }
}

/// A call that is given up some time after its deadline.
fn made(
    executor: Arc<dyn HttpExecutor>,
    step: Step,
    deadline: Duration,
) -> impl Future<Output = Ending> + Send {
    // One that waits for its policy has no more to do than to send nothing.
    let patience = match step.verdict {
        Verdict::NeverAnswers => deadline,
        Verdict::Allows | Verdict::Refuses => deadline + GRACE,
    };
    async move {
        let Ok(path) = ResolvedPath::from_checked(&step.target) else {
            return Ending::Failed(Shown::default());
        };
        let sent = executor.execute_request(&step.method, path, step.body.clone());
        match timeout(patience, sent).await {
            Err(_) => Ending::Unanswered,
            Ok(Ok(value)) => Ending::Value(value),
            Ok(Err(error)) => Ending::Failed(texts_of(&error)),
        }
    }
}

/// All that an error shows of itself and of its sources.
pub(super) fn texts_of(error: &(dyn Error + 'static)) -> Shown {
    let mut shown = Shown::default();
    let mut next = Some(error);
    for depth in 0..LONGEST_CHAIN {
        let Some(error) = next else { break };
        let (mut display, mut debug) = (String::new(), String::new());
        // What was printed before printing failed is shown all the same.
        let _ = write!(display, "{error}");
        let _ = write!(debug, "{error:?}");
        shown.texts.push((format!("`Display` at {depth}"), display));
        shown.texts.push((format!("`Debug` at {depth}"), debug));
        next = error.source();
    }
    shown
}

/// How much each listener had heard before a call.
pub(super) struct Mark {
    backend: Tally,
    tokens: Tally,
    tripwire: Tally,
}

/// What the listeners heard meanwhile.
pub(super) struct Heard {
    pub(super) requests: Vec<Recorded>,
    /// Whether the backend heard not a byte.
    pub(super) silent: bool,
    /// Whether the token endpoint heard anything.
    pub(super) fetched: bool,
    /// Whether the tripwire heard anything.
    pub(super) tripped: bool,
}

impl Recorders {
    fn new() -> io::Result<Self> {
        Ok(Self {
            backend: Recorder::start(Reply::new(200))?,
            tokens: Recorder::start(token(TOKEN))?,
            tripwire: Recorder::tripwire()?,
            left: INPUTS_A_RECORDER,
        })
    }

    /// What the script's executor is built from, but for its policy.
    pub(super) fn env(&self, script: &Script, user_info: &str) -> ExecutorEnv {
        let base = format!(
            "http://{user_info}{}{}",
            self.backend.address(),
            script.suffix
        );
        let env = ExecutorEnv::new(base)
            .with_credential(script.scheme.clone(), USER, script.credential())
            .with_deadline(DEADLINE);
        if script.scheme != Some(AuthScheme::TokenEndpoint) {
            return env;
        }
        self.set_tokens(script);
        env.with_token_url(format!("{}/token", self.tokens.base_url()))
    }

    fn set_tokens(&self, script: &Script) {
        let onward = format!("{}/taken", self.tripwire.base_url());
        match script.token {
            TokenAct::Sound => self.tokens.answer_with(token(TOKEN)),
            TokenAct::Redirects(status) => self
                .tokens
                .answer_with(Reply::new(status).header("location", onward)),
            TokenAct::RepeatsTheSecret => {
                let error = json!({"error": script.credential()});
                self.tokens.answer_with(Reply::json(400, &error));
            }
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            backend: self.backend.tally(),
            tokens: self.tokens.tally(),
            tripwire: self.tripwire.tally(),
        }
    }

    /// What was heard since then. All that was sent before is taken into account.
    pub(super) fn since(&self, mark: &Mark, script: &Script, step: &Step) -> Heard {
        let (silent, requests) = self.backend.since(mark.backend);
        let fetches = script.scheme == Some(AuthScheme::TokenEndpoint);
        let redirects = matches!(step.act, Act::Redirects(..));
        let astray = matches!(script.token, TokenAct::Redirects(_));
        Heard {
            requests,
            silent,
            fetched: fetches && !self.tokens.since(mark.tokens).0,
            tripped: (redirects || astray) && !self.tripwire.since(mark.tripwire).0,
        }
    }

    /// Has the backend do what these steps say.
    pub(super) fn set_backend(&self, script: &Script, steps: &[Step]) {
        let known: Vec<String> = steps.iter().map(|step| path_mark(step.number)).collect();
        let act = steps.first().map_or(Act::Sound, |step| step.act);
        let onward = match act {
            Act::Redirects(_, Onward::Tripwire) => format!("{}/taken", self.tripwire.base_url()),
            _ => "/taken".to_owned(),
        };
        let credential = match script.scheme {
            Some(AuthScheme::TokenEndpoint) => TOKEN.to_owned(),
            _ => script.credential(),
        };
        let failed = AtomicBool::new(false);
        self.backend.answer_with(move |request: &Recorded| {
            let own = known.iter().find(|mark| request.contains(mark.as_bytes()));
            let sound = Reply::json(200, &json!({"echo": own}));
            match act {
                Act::FailsOnce(status) if !failed.swap(true, Ordering::SeqCst) => {
                    Reply::new(status).into()
                }
                Act::Redirects(status, _) => Reply::new(status)
                    .header("location", onward.as_str())
                    .into(),
                act => answer(act, request, sound, &credential),
            }
        });
    }
}

fn answer(act: Act, request: &Recorded, sound: Reply, credential: &str) -> crate::recorder::Script {
    use crate::recorder::Script as Answer;
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"a\":";
    match act {
        Act::Status(status) => Reply::json(status, &json!({"ok": true})).into(),
        Act::NoJson => Reply::text(200, &String::from_utf8_lossy(request.bytes())).into(),
        Act::NoText => Reply::new(200)
            .body(b"{\"a\": \"\xff\xfe\"}".to_vec())
            .into(),
        Act::Cut => Answer::new().raw(cut).close(),
        Act::Resets => Answer::new().reset(),
        Act::Closes => Answer::new().close(),
        Act::Nonsense => Answer::new().raw("nonsense\r\n\r\n").close(),
        Act::EchoesTheCredential => Reply::json(200, &echo(credential)).into(),
        Act::Silent => Answer::new(),
        Act::Drips => Answer::new().drip("HTTP/1.1 200 OK\r\nx: y".repeat(8), DEADLINE / 2),
        Act::Sound | Act::FailsOnce(_) | Act::Redirects(..) => sound.into(),
    }
}

fn echo(credential: &str) -> Value {
    json!({
        "authorization": format!("Bearer {credential}"),
        "encoded": STANDARD.encode(credential),
    })
}

/// A policy that decides as it is told, and remembers what it was shown.
pub(super) struct Witness {
    verdict: Mutex<Verdict>,
    seen: Mutex<Vec<RequestCase>>,
}

impl Witness {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            verdict: Mutex::new(Verdict::Allows),
            seen: Mutex::default(),
        })
    }

    /// Decides so from now on, and forgets what it saw.
    pub(super) fn turn(&self, verdict: Verdict) {
        *locked(&self.verdict) = verdict;
        locked(&self.seen).clear();
    }

    pub(super) fn seen(&self) -> Vec<RequestCase> {
        locked(&self.seen).clone()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[proofmark::async_trait]
impl RequestPolicy for Witness {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        locked(&self.seen).push(RequestCase {
            tool: Some(request.tool.to_owned()),
            method: request.method.to_owned(),
            path: request.path.to_owned(),
            query: request.query.to_vec(),
            body: request.body.cloned(),
            call_id: request.call_id.to_owned(),
            preview: request.phase == RequestPhase::Validate,
        });
        let verdict = *locked(&self.verdict);
        match verdict {
            Verdict::Allows => Ok(()),
            Verdict::Refuses => Err(PolicyRefusal::new("the fuzzer's policy refuses")),
            Verdict::NeverAnswers => std::future::pending().await,
        }
    }
}
