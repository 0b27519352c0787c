//! The one way to the wire: names, policy, credential, exchange, answer.

use std::fmt;
use std::sync::Arc;

use reqwest::Request;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::time::Instant;

use super::auth::AuthSlot;
use super::echo::holds_secret;
use super::transport::{Failure, Transport};
use super::{ContributedName, HttpAuthProvider, HttpConfig, HttpSetupError};
use crate::executor::error::shown;
use crate::executor::run::deadline::{Elapsed, until};
use crate::executor::{
    Attribution, AuthFault, BackendFault, BaseUrl, ExecutionError, Method, OutgoingRequest,
    RequestRefusal, ask_policy,
};
use crate::policy::{PolicyRefusal, RequestPolicy};
use crate::request::RequestPhase;

/// Everything that one backend is spoken to with.
#[derive(Clone)]
pub(super) struct Dispatch {
    base: BaseUrl,
    transport: Transport,
    auth: Arc<dyn HttpAuthProvider>,
    policy: Option<Arc<dyn RequestPolicy>>,
}

impl Dispatch {
    pub(super) fn new(
        base_url: &str,
        auth: Arc<dyn HttpAuthProvider>,
        config: HttpConfig,
    ) -> Result<Self, HttpSetupError> {
        let base = BaseUrl::parse(base_url)?;
        if !auth.contributes().is_empty() && !base.may_carry_credential() {
            return Err(HttpSetupError::Cleartext);
        }
        Ok(Self {
            transport: Transport::new(&base, config)?,
            base,
            auth,
            policy: None,
        })
    }

    pub(super) fn set_policy(&mut self, policy: Arc<dyn RequestPolicy>) {
        self.policy = Some(policy);
    }

    pub(super) fn base(&self) -> &BaseUrl {
        &self.base
    }

    pub(super) fn policy(&self) -> Option<&dyn RequestPolicy> {
        self.policy.as_deref()
    }

    /// Refuses what only authentication may set.
    fn check_names(
        &self,
        request: &OutgoingRequest,
        headers: &[(HeaderName, HeaderValue)],
    ) -> Result<(), RequestRefusal> {
        for contributed in self.auth.contributes() {
            match contributed {
                ContributedName::Pair(key) => request.refuse_pairs_named([key.as_str()])?,
                ContributedName::Header(name) => {
                    let taken = headers
                        .iter()
                        .any(|(header, _)| header.as_str().eq_ignore_ascii_case(name));
                    if taken {
                        return Err(RequestRefusal::ReservedName { key: shown(name) });
                    }
                }
            }
        }
        Ok(())
    }

    /// Asks the policy about a request that is not sent.
    pub(super) async fn preview(
        &self,
        request: &OutgoingRequest,
        attribution: Attribution<'_>,
    ) -> Result<(), ExecutionError> {
        self.check_names(request, &[])?;
        self.body_of(request)?;
        ask_policy(self.policy(), request, attribution, RequestPhase::Validate).await
    }

    /// Asks the policy, and then has the request authenticated and sent.
    pub(super) async fn send(
        &self,
        request: &OutgoingRequest,
        headers: &[(HeaderName, HeaderValue)],
        attribution: Attribution<'_>,
        inbound: Option<&SecretString>,
    ) -> Result<Value, ExecutionError> {
        self.check_names(request, headers)?;
        let body = self.body_of(request)?;
        let timeout = self.transport.config().timeout;
        let deadline = Instant::now().checked_add(timeout);
        let asked = ask_policy(self.policy(), request, attribution, RequestPhase::Execute);
        match until(deadline, asked).await {
            Ok(answer) => answer?,
            // Not to answer is to refuse.
            Err(Elapsed) => {
                return Err(PolicyRefusal::new("the policy did not answer in time").into());
            }
        }
        let exchange = self.exchange(request, headers, body, inbound);
        until(deadline, exchange)
            .await
            .unwrap_or_else(|Elapsed| Err(BackendFault::TimedOut.into()))
    }

    async fn exchange(
        &self,
        request: &OutgoingRequest,
        headers: &[(HeaderName, HeaderValue)],
        body: Option<Vec<u8>>,
        inbound: Option<&SecretString>,
    ) -> Result<Value, ExecutionError> {
        let mut slot = AuthSlot::default();
        // By reference: the pointer is a provider too, which would box a future more.
        let auth: &dyn HttpAuthProvider = &*self.auth;
        auth.authenticate(inbound, &mut slot).await?;
        if !slot.is_as_declared(self.auth.contributes()) {
            return Err(AuthFault::Undeclared.into());
        }
        let finished = finish(request, headers, body, &slot);
        let answer = self.transport.exchange(&finished).await;
        let answer = answer.map_err(|failure| match failure {
            Failure::Status(status) => ExecutionError::Status { status },
            Failure::Fault(fault) => fault.into(),
        })?;
        read_answer(&answer, slot.secrets())
    }

    /// The body as it is sent, within the limit.
    fn body_of(&self, request: &OutgoingRequest) -> Result<Option<Vec<u8>>, RequestRefusal> {
        let limit = self.transport.config().max_request_bytes;
        let too_large = RequestRefusal::BodyTooLarge { limit };
        let Some(body) = request.body() else {
            return Ok(None);
        };
        let mut room = Bounded {
            bytes: Vec::new(),
            limit,
        };
        serde_json::to_writer(&mut room, body).map_err(|_| too_large)?;
        Ok(Some(room.bytes))
    }
}

/// Bytes up to a limit.
struct Bounded {
    bytes: Vec<u8>,
    limit: usize,
}

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len().saturating_add(bytes.len()) > self.limit {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The request with its credential.
fn finish(
    request: &OutgoingRequest,
    headers: &[(HeaderName, HeaderValue)],
    body: Option<Vec<u8>>,
    slot: &AuthSlot,
) -> Request {
    let mut url = request.url().clone();
    for (key, secret) in slot.pairs() {
        url.query_pairs_mut()
            .append_pair(key, secret.expose_secret());
    }
    let mut finished = Request::new(method_of(request.method()), url);
    let map = finished.headers_mut();
    map.insert(ACCEPT, HeaderValue::from_static("application/json"));
    if body.is_some() {
        map.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    for (name, value) in headers.iter().chain(slot.headers()) {
        map.insert(name, value.clone());
    }
    *finished.body_mut() = body.map(Into::into);
    finished
}

fn method_of(method: Method) -> reqwest::Method {
    match method {
        Method::Get => reqwest::Method::GET,
        Method::Head => reqwest::Method::HEAD,
        Method::Options => reqwest::Method::OPTIONS,
        Method::Post => reqwest::Method::POST,
        Method::Put => reqwest::Method::PUT,
        Method::Patch => reqwest::Method::PATCH,
        Method::Delete => reqwest::Method::DELETE,
    }
}

/// The answer as JSON, unless it holds the credential; nothing at all is `null`.
fn read_answer(raw: &[u8], secrets: &[SecretString]) -> Result<Value, ExecutionError> {
    if raw.iter().all(u8::is_ascii_whitespace) {
        return Ok(Value::Null);
    }
    let answer = serde_json::from_slice(raw).map_err(|_| BackendFault::NotJson)?;
    if holds_secret(secrets, raw, &answer) {
        return Err(BackendFault::EchoedCredential.into());
    }
    Ok(answer)
}

/// Shows where requests go and under which names a credential travels.
impl fmt::Debug for Dispatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatch")
            .field("base", &self.base)
            .field("auth", &self.auth.contributes())
            .field("policy", &self.policy.is_some())
            .finish_non_exhaustive()
    }
}
