//! The body of the `policy` target: a script of requests around what the profile declares, and an
//! oracle made of the declarations alone.
//!
//! Assumed correct: the profile; the `url` crate as a WHATWG parser; `Arc`, `HashMap` and the
//! counting below. Nothing is assumed of the subject, not even that it is deterministic.

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use arbitrary::{Arbitrary, Result as Drawn, Unstructured};
use proofmark::policy::RequestPolicy;
use serde_json::{Value, json};
use url::Url;

use super::Violation;
use crate::catalogue::{Family, RequirementId};
use crate::check::endpoint_key;
use crate::profile::{Kind, PolicyProfile};
use crate::subject::{PolicyEnv, PolicySubject, RequestCase};
use crate::trial::{Answer, Settings, Trial, Watch};

const fn pol(number: u8) -> RequirementId {
    RequirementId::new(Family::Pol, number)
}

const fn bud(number: u8) -> RequirementId {
    RequirementId::new(Family::Bud, number)
}

/// At most this many requests are drawn from one input.
const MOST_REQUESTS: usize = 16;

/// A policy and what is precomputed for fuzzing it.
pub struct PolicyFuzzer {
    subject: PolicySubject,
    bases: Vec<RequestCase>,
    refused: Vec<(RequestCase, (String, String))>,
}

/// What one input asks: requests in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Script(Vec<RequestCase>);

impl PolicyFuzzer {
    /// Prepares to fuzz `subject`.
    #[must_use]
    pub fn new(subject: PolicySubject) -> Self {
        let bases = declared_requests(&subject);
        let samples = subject
            .profile()
            .refuse
            .iter()
            .map(|sample| sample.request().clone());
        let refused = samples.filter_map(|request| {
            let key = endpoint_key(&request.path)?;
            Some((request, key))
        });
        let refused = refused.collect();
        Self {
            subject,
            bases,
            refused,
        }
    }

    /// The requests that `data` stands for. Short or exhausted data yields fewer.
    #[must_use]
    pub fn script(&self, data: &[u8]) -> Script {
        let mut data = Unstructured::new(data);
        let mut requests = Vec::new();
        while !data.is_empty() && requests.len() < MOST_REQUESTS {
            match self.draw(&mut data) {
                Ok(request) => requests.push(request),
                Err(_) => break,
            }
        }
        Script(requests)
    }

    /// Asks a fresh policy the script that `data` stands for, and compares its answers with what
    /// the profile promises.
    ///
    /// # Errors
    ///
    /// The [`Violation`], where a promise is broken.
    pub fn run(&self, data: &[u8]) -> Result<(), Violation> {
        let Script(requests) = self.script(data);
        RUNTIME.with(|runtime| {
            // Policies may make timers when they are asked, which needs a runtime to be at hand.
            let _entered = runtime.as_ref().ok().map(tokio::runtime::Runtime::enter);
            self.play(requests)
        })
    }

    fn play(&self, requests: Vec<RequestCase>) -> Result<(), Violation> {
        let profile = self.subject.profile();
        let policy = self.fresh();
        let mut answers = Vec::with_capacity(requests.len());
        for request in &requests {
            let answer = ask(policy.as_ref(), request);
            self.judge_alone(request, &answer)?;
            answers.push(answer);
        }
        match profile.kind {
            Some(Kind::Stateless) => self.judge_stateless(&requests, &answers),
            Some(Kind::Budget) => judge_budget(profile, &requests, &answers),
            _ => Ok(()),
        }
    }

    fn fresh(&self) -> std::sync::Arc<dyn RequestPolicy> {
        let profile = self.subject.profile();
        let limits = [profile.requests, profile.bytes, profile.distinct_endpoints];
        let limit = limits.into_iter().flatten().next().unwrap_or_default();
        self.subject.make(&PolicyEnv::new(limit))
    }

    fn draw(&self, data: &mut Unstructured<'_>) -> Drawn<RequestCase> {
        let mut request = data.choose(&self.bases)?.clone();
        request.call_id = (*data.choose(&["call-a", "call-b", "call-c", ""])?).to_owned();
        request.preview = data.ratio(1_u8, 4_u8)?;
        for _ in 0..data.int_in_range(0..=3)? {
            self.mutate(&mut request, data)?;
        }
        Ok(request)
    }

    fn mutate(&self, request: &mut RequestCase, data: &mut Unstructured<'_>) -> Drawn<()> {
        let profile = self.subject.profile();
        match data.int_in_range(0..=9)? {
            0 => splice(&mut request.path, data)?,
            1 => {
                let pieces = [
                    "/..",
                    "/%2e%2e",
                    "/.",
                    "%2f",
                    "\\",
                    "@evil.test",
                    ".evil.test",
                    ":8443",
                    "?",
                    "#",
                    "//",
                    ";x",
                    "x",
                    "%61",
                    "\t",
                    "/admin",
                ];
                let piece = data.choose(&pieces)?;
                let at = data.int_in_range(0..=request.path.len())?;
                if request.path.is_char_boundary(at) {
                    request.path.insert_str(at, piece);
                }
            }
            2 if !profile.refuse_pairs.is_empty() => {
                let (key, value) = data.choose(&profile.refuse_pairs)?;
                if data.arbitrary()? {
                    request.query.push((key.clone(), value.clone()));
                } else {
                    let joint = if request.path.contains('?') { '&' } else { '?' };
                    request.path.push(joint);
                    request.path.push_str(&format!("{key}={value}"));
                }
            }
            3 if !profile.refuse_methods.is_empty() => {
                request
                    .method
                    .clone_from(data.choose(&profile.refuse_methods)?);
            }
            4 => (*data.choose(&["GET", "POST", "DELETE", "HEAD", "get"])?)
                .clone_into(&mut request.method),
            5 => request.query.push((text(data)?, text(data)?)),
            6 => request.body = Some(body(data, 4)?),
            7 => request.tool = Some(text(data)?),
            8 => request.query.reverse(),
            _ => {
                request.query.pop();
            }
        }
        Ok(())
    }

    /// What one answer may be, whatever was asked before.
    fn judge_alone(&self, request: &RequestCase, answer: &Answer) -> Result<(), Violation> {
        if !answer.allows() {
            return Ok(());
        }
        let profile = self.subject.profile();
        let broken = |requirement, seen: String| Violation {
            requirement,
            steps: vec![request.to_string()],
            seen,
        };
        let verbatim = profile
            .allow
            .iter()
            .any(|sample| sample.request().path == request.path);
        let url = Url::parse(&request.path);
        if profile.declared_endpoints().next().is_some() && !verbatim {
            let inside = url.as_ref().is_ok_and(|url| {
                profile
                    .declared_endpoints()
                    .any(|endpoint| endpoint.contains(url))
            });
            // What no parser reads leads nowhere.
            if let (false, Ok(url)) = (inside, &url) {
                return Err(broken(pol(12), format!("allowed, and leads to {url}")));
            }
        }
        let key = endpoint_key(&request.path);
        // What is refused without a query may be allowed with one.
        let plain = request.query.is_empty() && !request.path.contains('?');
        let refused = self.refused.iter().find(|(sample, of)| {
            plain
                && Some(of) == key.as_ref()
                && sample.method == request.method
                && sample.query.is_empty()
                && sample.body.is_none()
                && sample.tool.is_none()
                && !sample.path.contains('?')
        });
        if let Some((sample, _)) = refused {
            return Err(broken(
                pol(18),
                format!("allowed, and is another spelling of {}", sample.path),
            ));
        }
        let written = url.iter().flat_map(Url::query_pairs);
        let written = written.map(|(key, value)| (key.into_owned(), value.into_owned()));
        let mut pairs = request.query.iter().cloned().chain(written);
        match pairs.find(|pair| profile.refuse_pairs.contains(pair)) {
            Some((key, value)) if !verbatim => Err(broken(
                pol(4),
                format!("allowed with the refused pair {key}={value}"),
            )),
            _ => Ok(()),
        }
    }

    /// The same requests backwards, in the other phase, by a fresh policy.
    fn judge_stateless(
        &self,
        requests: &[RequestCase],
        answers: &[Answer],
    ) -> Result<(), Violation> {
        let fresh = self.fresh();
        for (request, answer) in requests.iter().zip(answers).rev() {
            let mut other = request.clone();
            for requirement in [pol(2), pol(3)] {
                let again = ask(fresh.as_ref(), &other);
                if again.word() != answer.word() {
                    return Err(Violation {
                        requirement,
                        steps: requests
                            .iter()
                            .chain([&other])
                            .map(ToString::to_string)
                            .collect(),
                        seen: format!("the last was {again}, the same request was {answer} before"),
                    });
                }
                other.preview = !other.preview;
            }
        }
        Ok(())
    }
}

fn declared_requests(subject: &PolicySubject) -> Vec<RequestCase> {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().build() else {
        return vec![RequestCase::get("https://api.example.test/v1/items/7")];
    };
    let settings = Settings::with_seed(crate::seed::Seed::new(0));
    Trial::new(
        pol(1),
        subject,
        settings,
        &runtime,
        std::sync::Arc::new(Watch::default()),
    )
    .declared_requests()
}

/// Requests and the bytes of their texts are counted by what shares their budget.
fn judge_budget(
    profile: &PolicyProfile,
    requests: &[RequestCase],
    answers: &[Answer],
) -> Result<(), Violation> {
    let Some(scope) = profile.scope_in_force() else {
        return Ok(());
    };
    let mut spent: HashMap<(&str, &str), (u64, u64)> = HashMap::new();
    for (index, (request, answer)) in requests.iter().zip(answers).enumerate() {
        if request.preview || !answer.allows() {
            continue;
        }
        let broken = |requirement, seen: String| Violation {
            requirement,
            steps: requests[..=index].iter().map(ToString::to_string).collect(),
            seen,
        };
        let text = text_bytes(request);
        if let Some(limit) = profile.bytes.filter(|limit| text > *limit) {
            return Err(broken(
                bud(6),
                format!("the last was allowed with {text} bytes of text in a budget of {limit}"),
            ));
        }
        if scope.by_call() && request.call_id.is_empty() {
            continue;
        }
        let tool = if scope.by_tool() {
            request.tool.as_deref().unwrap_or_default()
        } else {
            ""
        };
        let call = if scope.by_call() {
            request.call_id.as_str()
        } else {
            ""
        };
        let (count, bytes) = spent.entry((tool, call)).or_default();
        *count += 1;
        *bytes += text;
        if let Some(limit) = profile.requests.filter(|limit| *count > *limit) {
            return Err(broken(
                bud(5),
                format!("the last is number {count} of a budget of {limit}"),
            ));
        }
        if let Some(limit) = profile.bytes.filter(|limit| *bytes > *limit) {
            return Err(broken(
                bud(4),
                format!("together {bytes} bytes of text passed a budget of {limit}"),
            ));
        }
    }
    Ok(())
}

/// The bytes of query and body texts: what every formula counts.
fn text_bytes(request: &RequestCase) -> u64 {
    let mut bytes = 0;
    request
        .view()
        .visit(&mut |field: &proofmark::request::FieldPath, text: &str| {
            if field.as_str().starts_with("query") || field.as_str().starts_with("body") {
                bytes += text.len();
            }
        });
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

fn splice(path: &mut String, data: &mut Unstructured<'_>) -> Drawn<()> {
    let at = data.int_in_range(0..=path.len())?;
    let text = text(data)?;
    if path.is_char_boundary(at) {
        path.insert_str(at, &text);
    }
    Ok(())
}

fn text(data: &mut Unstructured<'_>) -> Drawn<String> {
    let text = String::arbitrary(data)?;
    Ok(text.chars().take(64).collect())
}

fn body(data: &mut Unstructured<'_>, depth: usize) -> Drawn<Value> {
    Ok(match data.int_in_range(0..=5)? {
        0 => Value::Null,
        1 => json!(i64::arbitrary(data)?),
        2 if depth > 0 => json!([body(data, depth - 1)?, body(data, depth - 1)?]),
        3 if depth > 0 => json!({text(data)?: body(data, depth - 1)?}),
        4 => json!(text(data)?.repeat(data.int_in_range(1..=200)?)),
        _ => json!(text(data)?),
    })
}

/// Most policies answer at the first poll; a runtime is made only for one that waits.
fn ask(policy: &dyn RequestPolicy, request: &RequestCase) -> Answer {
    let view = request.view();
    let mut asked = pin!(policy.check(&view));
    match asked.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result.into(),
        Poll::Pending => RUNTIME.with(|runtime| match runtime {
            Ok(runtime) => runtime.block_on(asked).into(),
            // Without a runtime a waiting policy cannot be driven: nothing is said about it.
            Err(_) => Answer::Refused("no runtime".to_owned()),
        }),
    }
}

thread_local! {
    static RUNTIME: std::io::Result<tokio::runtime::Runtime> =
        tokio::runtime::Builder::new_current_thread().enable_all().build();
}
