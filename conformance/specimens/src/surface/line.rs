//! How one call of a desk sends its requests: shown to the policy, and then written to the wire.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use proofmark::async_trait;
use proofmark::executor::{BackendFault, ExecutionError, HttpExecutor, OutgoingRequest};
use proofmark::path::ResolvedPath;
use proofmark::request::{OutboundRequest, RequestPhase};
use proofmark_conformance::profile::AuthScheme;
use proofmark_conformance::scan::{Scanner, Secret};
use serde_json::{Map, Value, json};
use tokio::time::{sleep, timeout};

use super::arguments::Ready;
use super::desk::{Desk, RESPONSE_BYTES, SCRIPT_MS};
use super::flaw::Flaw;
use super::ids::minted;
use crate::executor::wire::{Answer, Request, exchange_within};

/// Answers are not read beyond this where nothing else is declared.
const LONGEST_BODY: usize = 8 << 20;

/// How long a tool's name or a call's id, where they are shared, stand before they are read.
const STANDS: Duration = Duration::from_millis(4);

/// One call under way.
pub(super) struct Line {
    pub(super) desk: Arc<Desk>,
    pub(super) tool: String,
    pub(super) call_id: String,
    /// When the call began.
    pub(super) begun: Instant,
    /// How many requests it has made.
    pub(super) requests: AtomicU32,
}

impl Line {
    /// Sends a request once the policy has allowed it.
    pub(super) async fn send(&self, ready: &Ready) -> Result<Value, ExecutionError> {
        let sent = timeout(self.desk.deadline, self.send_now(ready)).await;
        sent.unwrap_or(Err(BackendFault::TimedOut.into()))
    }

    async fn send_now(&self, ready: &Ready) -> Result<Value, ExecutionError> {
        if let Some(AuthScheme::QueryKey(name)) = self.desk.env.scheme() {
            ready.outgoing.refuse_pairs_named([name.as_str()])?;
        }
        let outgoing = &ready.outgoing;
        let flaw = self.desk.flaw;
        let late = self.begun.elapsed() > Duration::from_millis(SCRIPT_MS);
        if flaw == Flaw::LooksAtTheClockBetweenCalls && self.desk.limited && late {
            return Err(BackendFault::TimedOut.into());
        }
        let asked = match flaw {
            Flaw::AsksOnceItHasSent => Ok(()),
            _ => self.ask(outgoing, Some(ready), RequestPhase::Execute).await,
        };
        if flaw != Flaw::IgnoresThePolicy {
            asked?;
        }
        if self.desk.flaw == Flaw::AsksTwice {
            self.ask(outgoing, Some(ready), RequestPhase::Execute)
                .await?;
        }
        let mut request = self.finish(ready);
        let repeats = match self.desk.flaw {
            Flaw::AsksForEachAttempt | Flaw::RepeatsGets | Flaw::RepeatsWithoutPairs
                if request.method == "GET" =>
            {
                2
            }
            _ => 0,
        };
        for attempt in 0..=repeats {
            if attempt > 0 && self.desk.flaw == Flaw::AsksForEachAttempt {
                self.ask(outgoing, Some(ready), RequestPhase::Execute)
                    .await?;
            }
            if attempt > 0 && self.desk.flaw == Flaw::RepeatsWithoutPairs {
                let path = request.target.split('?').next().unwrap_or_default();
                request.target = path.to_owned();
            }
            let longest = match (self.desk.limited, self.desk.flaw) {
                (true, Flaw::NoResponseLimit | Flaw::CountsLetters) | (false, _) => LONGEST_BODY,
                (true, _) => usize::try_from(RESPONSE_BYTES).unwrap_or(usize::MAX),
            };
            let answer = exchange_within(&self.address(), &request, longest).await;
            let again = answer.as_ref().map_or(true, |answer| answer.status == 503);
            if again && attempt < repeats {
                sleep(Duration::from_millis(5)).await;
                continue;
            }
            if flaw == Flaw::AsksOnceItHasSent {
                self.ask(outgoing, Some(ready), RequestPhase::Execute)
                    .await?;
            }
            return self.read(answer.map_err(|_| BackendFault::Broken)?);
        }
        Err(BackendFault::Broken.into())
    }

    fn address(&self) -> String {
        let rest = self.desk.env.base_url().split_once("://");
        let rest = rest.map_or("", |(_, rest)| rest);
        rest.split('/').next().unwrap_or_default().to_owned()
    }

    /// Asks the policy about a request, as this desk shows it.
    pub(super) async fn ask(
        &self,
        outgoing: &OutgoingRequest,
        ready: Option<&Ready>,
        phase: RequestPhase,
    ) -> Result<(), ExecutionError> {
        if self.desk.flaw == Flaw::HasNoHook {
            return Ok(());
        }
        let Some(policy) = self.desk.env.policy() else {
            if self.desk.flaw == Flaw::BuildsForNobody {
                let view = outgoing.view(&self.tool);
                std::hint::black_box((view.path.to_owned(), view.query.to_vec()));
            }
            return Ok(());
        };
        let (tool, call_id) = self.named().await?;
        let view = outgoing.view(&tool);
        let mut path = view.path.to_owned();
        let mut pairs = view.query.to_vec();
        let mut body = view.body.cloned();
        body = body.or_else(|| ready?.body_of_get.clone());
        let template = ready.map(|ready| ready.template.as_str());
        if self.desk.flaw == Flaw::RemembersAnswers
            && !self.desk.shared().allowed.insert(path.clone())
        {
            return Ok(());
        }
        let base = self.desk.env.base_url().trim_end_matches('/').to_owned();
        match (self.desk.flaw, template) {
            (Flaw::ShowsTemplate, Some(template)) => path = format!("{base}{template}"),
            (Flaw::ShowsTemplatesOfPosts, Some(template)) if view.method == "POST" => {
                path = format!("{base}{template}");
            }
            (Flaw::HidesTheAuthorsQuery, _) => {
                path = path.split('?').next().unwrap_or_default().to_owned();
            }
            (Flaw::ShowsBareTarget, _) => path = path.replacen(&base, "", 1),
            (Flaw::ShowsBodyOfGets, _) if outgoing.method().is_get_like() && !pairs.is_empty() => {
                let fields = pairs.drain(..).map(|(key, value)| (key, json!(value)));
                body = Some(Value::Object(fields.collect::<Map<_, _>>()));
            }
            (Flaw::ShowsEmptyBodyOfGets, _)
                if outgoing.method().is_get_like() && !pairs.is_empty() =>
            {
                body = Some(json!({}));
            }
            (Flaw::ShowsTheKeyInPreviews, _) if phase == RequestPhase::Validate => {
                if let Some(AuthScheme::QueryKey(name)) = self.desk.env.scheme() {
                    pairs.push((name.clone(), self.desk.env.credential().to_owned()));
                }
            }
            _ => {}
        }
        let shown = OutboundRequest::new(&tool, view.method, &path, &pairs, body.as_ref())
            .with_call_id(&call_id)
            .with_phase(phase);
        policy.check(&shown).await?;
        Ok(())
    }

    /// The tool and the id under which a request is shown.
    async fn named(&self) -> Result<(String, String), ExecutionError> {
        let (mut tool, mut call_id) = (self.tool.clone(), self.call_id.clone());
        let earlier = self.requests.fetch_add(1, Ordering::Relaxed);
        match self.desk.flaw {
            Flaw::NamesFirstRequestsOnly if earlier > 0 => tool = "http".to_owned(),
            Flaw::MintsForEachRequest => {
                call_id = minted().map_err(|_| ExecutionError::NoCallId)?;
            }
            Flaw::SharesTheToolsName => {
                sleep(STANDS).await;
                tool = self.desk.shared().tool.clone();
            }
            Flaw::SharesTheId => {
                sleep(STANDS).await;
                call_id = self.desk.shared().call_id.clone();
            }
            _ => {}
        }
        Ok((tool, call_id))
    }

    /// The request as it is written to the wire.
    fn finish(&self, ready: &Ready) -> Request {
        let outgoing = &ready.outgoing;
        let flaw = self.desk.flaw;
        let mut pairs = outgoing.pairs().to_vec();
        let mut body = outgoing
            .body()
            .cloned()
            .or_else(|| ready.body_of_get.clone());
        match (flaw, &mut body) {
            (Flaw::AddsAPair, Some(_)) => pairs.push(("lang".to_owned(), "en".to_owned())),
            (Flaw::RebuildsTheBody, Some(Value::Object(members))) => {
                members.insert("client".to_owned(), json!("desk"));
            }
            (Flaw::SortsPairs, _) => pairs.sort(),
            _ => {}
        }
        let mut headers = vec![("accept".to_owned(), "application/json".to_owned())];
        match (self.desk.env.scheme(), self.desk.env.credential()) {
            (None, _) => {}
            (Some(AuthScheme::QueryKey(name)), key) => pairs.push((name.clone(), key.to_owned())),
            (Some(AuthScheme::HeaderKey(name)), key) => {
                headers.push((name.clone(), key.to_owned()))
            }
            (Some(_), token) => {
                headers.push(("authorization".to_owned(), format!("Bearer {token}")))
            }
        }
        let sends_id =
            flaw == Flaw::SendsTheId || flaw == Flaw::SendsTheIdOfPosts && body.is_some();
        if sends_id {
            headers.push(("x-call-id".to_owned(), self.call_id.clone()));
        }
        headers.extend(ready.headers.iter().cloned());
        if body.is_some() {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        Request {
            method: outgoing.method().to_string(),
            target: self.target(outgoing, &pairs),
            headers,
            body: body.map(|body| body.to_string().into_bytes()),
        }
    }

    /// Path and query as they are sent: the author's own query first, the pairs behind it.
    fn target(&self, outgoing: &OutgoingRequest, pairs: &[(String, String)]) -> String {
        let mut path = outgoing.url().path();
        if self.desk.flaw == Flaw::TrimsTargets {
            path = path.trim_end_matches("%20");
        }
        let own = outgoing.view("").path.split_once('?').map(|(_, own)| own);
        let encoded = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs)
            .finish();
        let encoded = match self.desk.flaw {
            Flaw::RepeatsGets => encoded.replace('+', "%20"),
            _ => encoded,
        };
        let parts: Vec<&str> = [own.unwrap_or_default(), &encoded]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        match parts.is_empty() {
            true => path.to_owned(),
            false => format!("{path}?{}", parts.join("&")),
        }
    }

    fn read(&self, answer: Answer) -> Result<Value, ExecutionError> {
        let credential = self.desk.env.credential();
        if self.desk.flaw == Flaw::TracesTheCredential {
            tracing::debug!(authorization = credential, "answered");
        }
        if !(200..300).contains(&answer.status) {
            return Err(ExecutionError::Status {
                status: answer.status,
            });
        }
        let letters = String::from_utf8_lossy(&answer.body).chars().count();
        let most = usize::try_from(RESPONSE_BYTES).unwrap_or(usize::MAX);
        if self.desk.flaw == Flaw::CountsLetters && self.desk.limited && letters > most {
            return Err(BackendFault::Broken.into());
        }
        if answer.body.is_empty() {
            return Ok(Value::Null);
        }
        let value: Value =
            serde_json::from_slice(&answer.body).map_err(|_| BackendFault::NotJson)?;
        if holds(&value, credential) {
            return Err(BackendFault::EchoedCredential.into());
        }
        Ok(value)
    }
}

fn holds(value: &Value, credential: &str) -> bool {
    if credential.is_empty() {
        return false;
    }
    let secret = Secret::new("the credential", credential);
    let scanner = Scanner::builder().secret(secret).build();
    scanner.is_ok_and(|scanner| {
        let scan = scanner.scan(value.to_string().as_bytes());
        !scan.findings.is_empty()
    })
}

#[async_trait]
impl HttpExecutor for Line {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let ready = Ready {
            outgoing: OutgoingRequest::new(&self.desk.base, method, path, body)?,
            headers: Vec::new(),
            // A script's own template is not known here.
            template: path.as_str().to_owned(),
            body_of_get: None,
        };
        self.send(&ready).await
    }
}
