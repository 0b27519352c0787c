//! A sound executor with one switch: each flaw is a mistake that executors make.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use proofmark::async_trait;
use proofmark::executor::{
    AuthFault, BackendFault, BaseUrl, BaseUrlError, ExecutionError, HttpExecutor, Method,
    OutgoingRequest, RequestRefusal,
};
use proofmark::path::ResolvedPath;
use proofmark::policy::RequestPolicy;
use proofmark::request::RequestPhase;
use proofmark_conformance::profile::AuthScheme;
use proofmark_conformance::scan::{Scanner, Secret};
use proofmark_conformance::subject::ExecutorEnv;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::flaw::{Flaw, decoded, encoded, flattened, is_odd, odd_field, resolved};
use super::quirk::{Asked, Quirk};
use super::wire::{Answer, Request, exchange};

/// A small executor over TCP.
#[derive(Clone)]
pub(super) struct Courier {
    flaw: Flaw,
    quirk: Quirk,
    base: BaseUrl,
    /// Where the backend listens, and the path of the base URL.
    address: String,
    prefix: String,
    user_info: String,
    scheme: Option<AuthScheme>,
    user: String,
    credential: String,
    token_url: String,
    policy: Arc<dyn RequestPolicy>,
    tool: String,
    call_id: String,
    deadline: Duration,
    slot: Arc<Mutex<Value>>,
    last: Arc<Mutex<String>>,
    calls: Arc<AtomicUsize>,
}

/// Shows where it sends to, and the credential only where that is what is wrong with it.
impl fmt::Debug for Courier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Courier");
        shown.field("address", &self.address);
        if self.flaw == Flaw::PrintsTheCredential {
            shown.field("credential", &self.credential.as_bytes());
        }
        shown.finish_non_exhaustive()
    }
}

/// Why there is no courier.
#[derive(Debug)]
pub(super) enum Unbuilt {
    Base(BaseUrlError),
    Credential,
    Cleartext,
}

impl fmt::Display for Unbuilt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Base(error) => error.fmt(f),
            Self::Credential => f.write_str("the credential cannot be sent"),
            Self::Cleartext => f.write_str("a credential must not travel over plain http"),
        }
    }
}

impl std::error::Error for Unbuilt {}

impl Courier {
    pub(super) fn new(env: &ExecutorEnv, flaw: Flaw) -> Result<Self, Unbuilt> {
        let (text, user_info) = match (flaw, env.base_url().split_once('@')) {
            (Flaw::KeepsUserInfo, Some((before, after))) => {
                let info = before.trim_start_matches("http://");
                (format!("http://{after}"), format!("{info}@"))
            }
            _ => (env.base_url().to_owned(), String::new()),
        };
        let base = BaseUrl::parse(&text).map_err(Unbuilt::Base)?;
        let sendable = !env.credential().contains(char::is_control) || flaw == Flaw::CutsHeaders;
        if !sendable {
            return Err(Unbuilt::Credential);
        }
        let may_travel = env.scheme().is_none() || base.may_carry_credential();
        if !may_travel && flaw != Flaw::CleartextAnywhere {
            return Err(Unbuilt::Cleartext);
        }
        let rest = text.split_once("://").map_or("", |(_, rest)| rest);
        let (address, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        Ok(Self {
            flaw,
            base,
            address: address.to_owned(),
            prefix: format!("/{prefix}").trim_end_matches('/').to_owned(),
            user_info,
            scheme: env.scheme().cloned(),
            user: env.user().to_owned(),
            credential: env.credential().to_owned(),
            token_url: env.token_url().to_owned(),
            policy: env.policy(),
            tool: env.tool().to_owned(),
            call_id: env.call_id().to_owned(),
            deadline: env.deadline(),
            slot: Arc::default(),
            last: Arc::default(),
            calls: Arc::default(),
            quirk: Quirk::NONE,
        })
    }

    pub(super) fn with(self, quirk: Quirk) -> Self {
        Self { quirk, ..self }
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        mut body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let mut asked = Asked::new(self.calls.fetch_add(1, Ordering::Relaxed), method, path);
        asked.has_body = body.is_some();
        let mut path = path.to_owned();
        (self.quirk.takes)(&asked, &mut path, &mut body);
        let outgoing = self.prepare(method, &path, body.clone())?;
        self.refuse_own_name(&outgoing)?;
        let mut early = None;
        if self.flaw == Flaw::AuthenticatesFirst {
            early = Some(self.credential_to_send().await?);
        }
        if self.flaw == Flaw::AsksTooLate {
            let answer = self.deliver(&outgoing, &asked, body, early).await;
            self.ask(&outgoing).await?;
            return answer;
        }
        if self.flaw == Flaw::SendsWithoutAnAnswer {
            let patience = self.deadline / 3;
            if let Ok(said) = timeout(patience, self.ask(&outgoing)).await {
                said?;
            }
        } else if (self.quirk.asks)(&asked) {
            self.ask(&outgoing).await?;
        }
        self.deliver(&outgoing, &asked, body, early).await
    }

    /// The request as it would be sent without a credential.
    fn prepare(
        &self,
        method: &str,
        path: &str,
        mut body: Option<Value>,
    ) -> Result<OutgoingRequest, ExecutionError> {
        let mut path = path.to_owned();
        let mut method = method.to_owned();
        match self.flaw {
            Flaw::ResolvesColons => path = resolved(&path, body.as_ref()),
            Flaw::FoldsUnicodeMethods => method = method.to_uppercase(),
            Flaw::FlattensObjects => body = body.map(flattened),
            Flaw::DropsOtherBodies => body = body.filter(Value::is_object),
            Flaw::RefusesOddities if is_odd(&path) => return Err(RequestRefusal::Target.into()),
            Flaw::RefusesOddities if method.eq_ignore_ascii_case("get") => {
                if let Some(key) = odd_field(body.as_ref()) {
                    return Err(RequestRefusal::NotScalar { key }.into());
                }
            }
            _ => {}
        }
        let path = ResolvedPath::from_checked(&path).map_err(|_| RequestRefusal::Target)?;
        Ok(OutgoingRequest::new(&self.base, &method, path, body)?)
    }

    fn refuse_own_name(&self, outgoing: &OutgoingRequest) -> Result<(), ExecutionError> {
        if let (Some(AuthScheme::QueryKey(name)), false) =
            (&self.scheme, self.flaw == Flaw::AddsASecondKey)
        {
            outgoing.refuse_pairs_named([name.as_str()])?;
        }
        Ok(())
    }

    async fn ask(&self, outgoing: &OutgoingRequest) -> Result<(), ExecutionError> {
        let mut call_id = self.call_id.clone();
        if self.flaw == Flaw::ShowsTheCredential {
            call_id.push_str(&self.credential);
        }
        let shown = outgoing.view(&self.tool);
        let mut pairs = shown.query.to_vec();
        if let (Flaw::ShowsTheKeyPair, Some(AuthScheme::QueryKey(name))) = (self.flaw, &self.scheme)
        {
            pairs.push((name.clone(), self.credential.clone()));
        }
        let target = shown
            .path
            .replacen("http://", &format!("http://{}", self.user_info), 1);
        let shown = proofmark::request::OutboundRequest::new(
            &self.tool,
            shown.method,
            &target,
            &pairs,
            shown.body,
        )
        .with_call_id(&call_id)
        .with_phase(RequestPhase::Execute);
        self.policy.check(&(self.quirk.shows)(shown)).await?;
        Ok(())
    }

    async fn deliver(
        &self,
        outgoing: &OutgoingRequest,
        asked: &Asked,
        body: Option<Value>,
        early: Option<String>,
    ) -> Result<Value, ExecutionError> {
        let credential = match early {
            Some(credential) => credential,
            None => self.credential_to_send().await?,
        };
        let mut request = self.finish(outgoing, &asked.method, body, &credential);
        (self.quirk.sends)(asked, &mut request);
        let answer = self.transmit(outgoing.method(), &request, asked).await?;
        if let Some(ended) = (self.quirk.ends)(asked, &request, &answer) {
            return ended;
        }
        let value = self.read(&request, answer, &credential)?;
        if self.flaw != Flaw::SharesItsAnswer {
            return Ok(value);
        }
        *self.slot.lock().unwrap_or_else(PoisonError::into_inner) = value;
        // Long enough for the answers to other calls to come.
        sleep(Duration::from_millis(10)).await;
        Ok(self
            .slot
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone())
    }

    async fn credential_to_send(&self) -> Result<String, ExecutionError> {
        if self.scheme != Some(AuthScheme::TokenEndpoint) {
            return Ok(self.credential.clone());
        }
        let form = format!(
            "grant_type=client_credentials&client_id={}&client_secret={}",
            self.user, self.credential
        );
        let mut url = self.token_url.clone();
        for _ in 0..2 {
            let rest = url.trim_start_matches("http://").to_owned();
            let (address, path) = rest.split_once('/').unwrap_or((&rest, ""));
            let request = Request {
                method: "POST".to_owned(),
                target: format!("/{path}"),
                headers: vec![(
                    "content-type".to_owned(),
                    "application/x-www-form-urlencoded".to_owned(),
                )],
                body: Some(form.clone().into_bytes()),
            };
            let answer = exchange(address, &request).await;
            let answer = answer.map_err(|_| AuthFault::TokenEndpoint(BackendFault::Broken))?;
            match answer.location {
                Some(location) if self.flaw == Flaw::FollowsTokenRedirects => url = location,
                _ if answer.status != 200 => {
                    return Err(AuthFault::TokenStatus(answer.status).into());
                }
                _ => {
                    let token: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
                    let token = token.get("access_token").and_then(Value::as_str);
                    let token = token.filter(|token| !token.contains(char::is_control));
                    return Ok(token.ok_or(AuthFault::Unsendable)?.to_owned());
                }
            }
        }
        Err(AuthFault::TokenEndpoint(BackendFault::Broken).into())
    }

    fn finish(
        &self,
        outgoing: &OutgoingRequest,
        method: &str,
        body: Option<Value>,
        credential: &str,
    ) -> Request {
        let mut target = self.target(outgoing);
        let mut headers = vec![("accept".to_owned(), "application/json".to_owned())];
        match &self.scheme {
            None => {}
            Some(AuthScheme::QueryKey(name)) => {
                let mark = if target.contains('?') { '&' } else { '?' };
                target = format!("{target}{mark}{name}={credential}");
            }
            Some(AuthScheme::HeaderKey(name)) => {
                headers.push((name.clone(), credential.to_owned()))
            }
            Some(_) => headers.push(("authorization".to_owned(), format!("Bearer {credential}"))),
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if self.flaw == Flaw::TellsTheLastTarget && !last.is_empty() {
            headers.push(("referer".to_owned(), last.clone()));
        }
        last.clone_from(&target);
        let get_like = outgoing.method().is_get_like();
        let own = if self.flaw == Flaw::BodyOnGet && get_like {
            body
        } else {
            outgoing.body().cloned()
        };
        if own.is_some() {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        let method = match self.flaw {
            Flaw::MethodAsGiven => method.to_owned(),
            _ => outgoing.method().to_string(),
        };
        Request {
            method,
            target,
            headers,
            body: own.map(|body| body.to_string().into_bytes()),
        }
    }

    /// Path and query as they are sent.
    fn target(&self, outgoing: &OutgoingRequest) -> String {
        let url = outgoing.url();
        let path = url.path().to_owned();
        let query = url.query().map(str::to_owned);
        let own = outgoing
            .view("")
            .path
            .split_once('?')
            .map(|(_, query)| query.to_owned());
        let pairs = |joint: char, text: fn(&str) -> String| {
            let mut sent = outgoing.pairs().to_vec();
            if self.flaw == Flaw::OrdersKeysAnew {
                sent.sort_by(|(one, _), (other, _)| other.cmp(one));
            }
            let pairs = sent.iter().map(|(k, v)| format!("{}={}", text(k), text(v)));
            let pairs = pairs.collect::<Vec<_>>().join("&");
            match (&own, pairs.is_empty()) {
                (Some(own), true) => format!("?{own}"),
                (Some(own), false) => format!("?{own}{joint}{pairs}"),
                (None, true) => String::new(),
                (None, false) => format!("?{pairs}"),
            }
        };
        let whole = |path: &str| match &query {
            Some(query) => format!("{path}?{query}"),
            None => path.to_owned(),
        };
        match self.flaw {
            Flaw::LosesPrefix => whole(path.strip_prefix(&self.prefix).unwrap_or(&path)),
            Flaw::DecodesTarget => whole(&decoded(&path)),
            Flaw::SecondMark => format!("{path}{}", pairs('?', encoded)),
            Flaw::RawPairs => format!("{path}{}", pairs('&', str::to_owned)),
            Flaw::RepeatsGets | Flaw::OrdersKeysAnew => format!("{path}{}", pairs('&', encoded)),
            _ => whole(&path),
        }
    }

    async fn transmit(
        &self,
        method: Method,
        request: &Request,
        asked: &Asked,
    ) -> Result<Answer, ExecutionError> {
        let mut address = self.address.clone();
        let mut request = request.clone();
        if self.flaw == Flaw::TrustsTheEnvironment
            && let Ok(proxy) = std::env::var("HTTP_PROXY")
        {
            request.target = format!("http://{address}{}", request.target);
            address = proxy.trim_start_matches("http://").to_owned();
        }
        if self.base.is_https() {
            return Err(BackendFault::Unreachable.into());
        }
        let repeats = match self.flaw {
            Flaw::RepeatsEverything => 2,
            Flaw::RepeatsGets if method == Method::Get => 2,
            _ => (self.quirk.repeats)(asked),
        };
        for attempt in 0..=repeats {
            if attempt > 0 {
                (self.quirk.sends_again)(asked, attempt, &mut request);
            }
            let answer = exchange(&address, &request).await;
            let again = match &answer {
                Ok(answer) => (self.quirk.invites)(asked, answer.status),
                Err(_) => true,
            };
            if again && attempt < repeats {
                sleep(Duration::from_millis(10)).await;
                continue;
            }
            let answer = answer.map_err(|_| self.fault(&request, BackendFault::Broken))?;
            let follows = self.flaw == Flaw::FollowsRedirects || (self.quirk.follows)(asked);
            let onward = (300..400).contains(&answer.status) && follows;
            let Some(location) = answer.location.as_ref().filter(|_| onward) else {
                return Ok(answer);
            };
            let rest = location.trim_start_matches("http://");
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            let host = if host.is_empty() { &address } else { host };
            request.target = format!("/{path}");
            let answer = exchange(host, &request).await;
            return answer.map_err(|_| BackendFault::Broken.into());
        }
        Err(BackendFault::Broken.into())
    }

    fn fault(&self, request: &Request, fault: BackendFault) -> ExecutionError {
        if self.flaw == Flaw::QuotesTarget {
            let message = format!("{fault}: {}", request.target);
            return ExecutionError::RefusedArguments { message };
        }
        fault.into()
    }

    fn read(
        &self,
        request: &Request,
        answer: Answer,
        credential: &str,
    ) -> Result<Value, ExecutionError> {
        let Answer { status, body, .. } = answer;
        if self.flaw == Flaw::TracesTheCredential {
            tracing::debug!(authorization = credential, "answered");
        }
        if !(200..300).contains(&status) && self.flaw != Flaw::TakesErrorsForValues {
            return Err(ExecutionError::Status { status });
        }
        if self.flaw == Flaw::PanicsOnBytes {
            misbehave(&body);
        }
        if body.is_empty() {
            return Ok(json!(null));
        }
        let fault = || self.fault(request, BackendFault::NotJson);
        let value: Value = serde_json::from_slice(&body).map_err(|_| fault())?;
        if self.flaw != Flaw::PassesEchoesOn && holds(&value, credential) {
            return Err(BackendFault::EchoedCredential.into());
        }
        Ok(value)
    }
}

#[allow(clippy::panic, reason = "to panic is this flaw's purpose")]
fn misbehave(body: &[u8]) {
    if std::str::from_utf8(body).is_err() {
        panic!("the answer is no text");
    }
}

fn holds(value: &Value, credential: &str) -> bool {
    let secret = Secret::new("the credential", credential);
    let scanner = Scanner::builder().secret(secret).build();
    scanner.is_ok_and(|scanner| {
        !scanner
            .scan(value.to_string().as_bytes())
            .findings
            .is_empty()
    })
}

#[async_trait]
impl HttpExecutor for Courier {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let (method, path) = (method.to_owned(), path.as_str().to_owned());
        if self.flaw == Flaw::SpawnsItsCalls {
            let own = self.clone();
            let task =
                tokio::spawn(
                    async move { timeout(own.deadline, own.send(&method, &path, body)).await },
                );
            let ended = task.await.map_err(|_| BackendFault::Broken)?;
            return ended.unwrap_or(Err(BackendFault::TimedOut.into()));
        }
        if self.flaw == Flaw::NoDeadline {
            return self.send(&method, &path, body).await;
        }
        let sent = self.send(&method, &path, body);
        let ended = timeout(self.deadline, sent).await;
        let ended = ended.unwrap_or(Err(BackendFault::TimedOut.into()));
        ended.map_err(|error| match error {
            ExecutionError::Unsendable(RequestRefusal::NotScalar { .. }) => error,
            _ if self.flaw == Flaw::SaysOneSentence => ExecutionError::RefusedArguments {
                message: "the request could not be made".to_owned(),
            },
            _ => error,
        })
    }
}
