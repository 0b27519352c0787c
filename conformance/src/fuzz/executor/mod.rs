//! The body of the `executor` target: executors built before a recording backend, calls drawn for
//! them, and an oracle that compares what was recorded with what was handed over and approved.
//!
//! Assumed correct: the recorder, which keeps what was sent before anything reads it; the profile;
//! `url` where it form-decodes; `serde_json`; the scanner of credentials; and the few lines that
//! lay two targets side by side and say what fields mean as pairs, which share nothing with any
//! executor. Nothing is assumed of the subject. An error is admitted wherever a value is: that an
//! executor refuses too much is not seen. Nor are proxies, plain http to other hosts, traces, and
//! what dropped calls do later: those take a process, a machine or time of their own.

mod bench;
mod draw;
mod meaning;
mod oracle;
mod script;
mod wire;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use arbitrary::Unstructured;
use proofmark::executor::HttpExecutor;

use self::bench::{Bench, DEADLINE, Recorders, Witness, texts_of};
use self::draw::Drawing;
use self::oracle::{Fault, Oracle, Outcome, Scanners};
use self::script::{
    BACK, FRONT, INFO_PASSWORD, INFO_USER, MOST_CALLS, Script, TOKEN, USER, field_mark, path_mark,
};
use super::Violation;
use crate::profile::{AuthScheme, ExecutorProfile};
use crate::scan::{Scanner, Secret};
use crate::subject::ExecutorSubject;
use crate::trial::Ending;

/// An executor to be fuzzed, whatever it is.
///
/// ```
/// use proofmark_conformance::fuzz::ExecutorFuzzer;
/// use proofmark_conformance::profile::ExecutorProfile;
/// use proofmark_conformance::subject::ExecutorSubject;
/// use proofmark_conformance::toolkit::async_trait;
/// use proofmark_conformance::toolkit::executor::{ExecutionError, HttpExecutor};
/// use proofmark_conformance::toolkit::path::ResolvedPath;
/// use serde_json::Value;
///
/// /// Says yes to everything, and sends nothing.
/// struct Yes;
///
/// #[async_trait]
/// impl HttpExecutor for Yes {
///     async fn execute_request(&self, _: &str, _: ResolvedPath<'_>, _: Option<Value>) -> Result<Value, ExecutionError> {
///         Ok(Value::Bool(true))
///     }
/// }
///
/// let subject = ExecutorSubject::new("yes", ExecutorProfile::new().policy(), |_| Yes);
/// let found = ExecutorFuzzer::new(subject)?.hunt(40);
/// assert!(found.iter().any(|violation| violation.requirement.to_string() == "EXE-04"));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// In a target of `cargo fuzz` it is one line, over a fuzzer that is made once:
/// `fuzz_target!(|data: &[u8]| FUZZER.run(data).unwrap());`
pub struct ExecutorFuzzer {
    subject: ExecutorSubject,
    strict: bool,
    bench: Bench,
    /// For each declared scheme.
    scanners: Vec<Scanners>,
}

impl ExecutorFuzzer {
    /// Prepares to fuzz `subject` for what the rows of level MUST ask.
    ///
    /// # Errors
    ///
    /// Where no runtime can be had.
    pub fn new(subject: ExecutorSubject) -> io::Result<Self> {
        let schemes = &subject.profile().schemes;
        let with = schemes.iter().map(Some);
        let each = with.chain(schemes.is_empty().then_some(None));
        let scanners = each.map(scanners).collect::<io::Result<_>>()?;
        Ok(Self {
            bench: Bench::new()?,
            scanners,
            subject,
            strict: false,
        })
    }

    /// The same for what the rows of level SHOULD ask as well.
    #[must_use]
    pub fn strictly(mut self) -> Self {
        self.strict = true;
        self
    }

    /// The subject.
    #[must_use]
    pub fn subject(&self) -> &ExecutorSubject {
        &self.subject
    }

    /// Builds the executor that `data` says, makes the calls that it says, and compares what was
    /// sent with what was approved. Where no port can be had nothing is said.
    ///
    /// # Errors
    ///
    /// The [`Violation`], where a promise is broken.
    pub fn run(&self, data: &[u8]) -> Result<(), Violation> {
        let mut data = Unstructured::new(data);
        let mut drawing = Drawing {
            profile: self.subject.profile(),
            data: &mut data,
        };
        // Data that ends too soon asks for nothing.
        let Ok(script) = drawing.script() else {
            return Ok(());
        };
        let found = self.bench.before(|recorders| self.play(&script, recorders));
        found.flatten().map_or(Ok(()), Err)
    }

    /// Runs so many inputs without a fuzzer to drive it, and returns one violation for each
    /// requirement that is broken. The same count gives the same inputs.
    #[must_use]
    pub fn hunt(&self, inputs: u64) -> Vec<Violation> {
        let mut found = BTreeMap::new();
        for input in 0..inputs {
            if let Err(violation) = self.run(&bytes(input)) {
                found.entry(violation.requirement).or_insert(violation);
            }
        }
        found.into_values().collect()
    }

    fn scanners(&self, script: &Script) -> &Scanners {
        let schemes = &self.subject.profile().schemes;
        let index = schemes
            .iter()
            .position(|scheme| Some(scheme) == script.scheme.as_ref());
        &self.scanners[index.unwrap_or_default()]
    }

    fn play(&self, script: &Script, recorders: &Recorders) -> Option<Violation> {
        let witness = Witness::new();
        let info = match script.has_user_info {
            true => format!("{INFO_USER}:{INFO_PASSWORD}@"),
            false => String::new(),
        };
        let env = recorders.env(script, &info);
        let policy = Arc::clone(&witness);
        let env = env.with_policy(policy);
        let oracle = Oracle {
            profile: self.subject.profile(),
            scanners: self.scanners(script),
            strict: self.strict,
            script,
        };
        let built = match self.subject.make(&env) {
            Ok(executor) => executor,
            Err(refusal) => {
                let fault = oracle.texts(&texts_of(&*refusal))?;
                return Some(self.violation(script, &[], fault));
            }
        };
        if let Some(fault) = oracle.printed(built.debug.as_deref()) {
            return Some(self.violation(script, &[], fault));
        }
        let own = self
            .subject
            .profile()
            .deadline_ms
            .map(Duration::from_millis);
        let deadline = match own {
            Some(own) => own,
            None if env.deadline_is_taken() => DEADLINE,
            None => ExecutorProfile::DEADLINE,
        };
        let stage = Stage {
            executor: built.executor,
            witness,
            recorders,
            deadline,
        };
        if script.at_once {
            return self.at_once(&stage, &oracle);
        }
        self.one_by_one(&stage, &oracle)
    }

    fn at_once(&self, stage: &Stage<'_>, oracle: &Oracle<'_>) -> Option<Violation> {
        let script = oracle.script;
        stage.recorders.set_backend(script, &script.steps);
        let endings = self
            .bench
            .calls(&stage.executor, &script.steps, stage.deadline);
        let fault = oracle.judge_at_once(&script.steps, &endings)?;
        Some(self.violation(script, &endings, fault))
    }

    fn one_by_one(&self, stage: &Stage<'_>, oracle: &Oracle<'_>) -> Option<Violation> {
        let script = oracle.script;
        let mut endings = Vec::new();
        for step in &script.steps {
            stage
                .recorders
                .set_backend(script, std::slice::from_ref(step));
            stage.witness.turn(step.verdict);
            let mark = stage.recorders.mark();
            let ending = self.bench.call(&stage.executor, step, stage.deadline);
            let heard = stage.recorders.since(&mark, script, step);
            let outcome = Outcome {
                step,
                ending: &ending,
                heard: &heard,
                views: &stage.witness.seen(),
            };
            let fault = oracle.judge(&outcome);
            let goes_on = ending != Ending::Unanswered;
            endings.push(ending);
            if let Some(fault) = fault {
                return Some(self.violation(script, &endings, fault));
            }
            // What comes after a call that did not end may be that call's.
            if !goes_on {
                return None;
            }
        }
        None
    }

    fn violation(&self, script: &Script, endings: &[Ending], fault: Fault) -> Violation {
        let scanners = self.scanners(script);
        let redact = |text: &str| {
            let text = scanners.credential.redact(text);
            scanners.user_info.redact(&text)
        };
        let calls = script.steps.iter().zip(endings);
        let calls = calls.map(|(step, ending)| redact(&format!("{step} -> {ending}")));
        Violation {
            requirement: fault.row,
            steps: std::iter::once(script.to_string()).chain(calls).collect(),
            seen: redact(&fault.seen),
        }
    }
}

/// An executor, and what is around it.
struct Stage<'r> {
    executor: Arc<dyn HttpExecutor>,
    witness: Arc<Witness>,
    recorders: &'r Recorders,
    deadline: Duration,
}

fn scanners(scheme: Option<&AuthScheme>) -> io::Result<Scanners> {
    let mut credential = vec![
        Secret::new("the front half of the credential", FRONT),
        Secret::new("the back half of the credential", BACK),
        Secret::new("the credential", format!("{FRONT}{BACK}")),
        Secret::new("the fetched token", TOKEN),
    ];
    if scheme == Some(&AuthScheme::Basic) {
        let both = format!("{USER}:{FRONT}{BACK}");
        credential.push(Secret::new("the user", USER));
        credential.push(Secret::new("user and password", both));
    }
    let user_info = vec![
        Secret::new("the base URL's user", INFO_USER),
        Secret::new("the base URL's password", INFO_PASSWORD),
    ];
    let values = (0..MOST_CALLS).flat_map(|number| {
        [
            Secret::new("a value of the path", path_mark(number)),
            Secret::new("a value of a field", field_mark(number)),
        ]
    });
    let build = |secrets: Vec<Secret>| {
        let built = Scanner::builder().secrets(secrets).build();
        built.map_err(io::Error::other)
    };
    Ok(Scanners {
        credential: build(credential)?,
        user_info: build(user_info)?,
        values: build(values.collect())?,
    })
}

/// A small generator, so that what is hunted with depends on nothing that may change.
fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let next = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    });
    // The first of neighbouring seeds are alike.
    next.skip(1).take(160).collect()
}
