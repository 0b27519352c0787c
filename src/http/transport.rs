//! One exchange with a backend: no redirect, no proxy, bounded in time and size.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use reqwest::{Client, Method, Request, Response, StatusCode};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;

use crate::executor::{BackendFault, BaseUrl};
use crate::http::header::visible_value;
use crate::http::{HttpConfig, HttpSetupError};

/// Sends finished requests to one backend.
#[derive(Clone)]
pub(super) struct Transport {
    client: Client,
    config: HttpConfig,
}

/// Why an exchange yielded nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The backend answered with a status other than 2xx.
    Status(u16),
    /// There is no answer that can be used.
    Fault(BackendFault),
}

impl Failure {
    /// Whether the same request may do better.
    fn is_passing(self) -> bool {
        matches!(
            self,
            Self::Status(429 | 502 | 503 | 504)
                | Self::Fault(
                    BackendFault::Unreachable | BackendFault::Broken | BackendFault::TimedOut
                )
        )
    }
}

impl Transport {
    pub(super) fn new(base: &BaseUrl, config: HttpConfig) -> Result<Self, HttpSetupError> {
        if visible_value(&config.user_agent).is_none() {
            return Err(HttpSetupError::UserAgent);
        }
        // `localhost` is this machine, whatever a name server says.
        let loopback = [
            IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(Ipv6Addr::LOCALHOST),
        ]
        .map(|address| SocketAddr::new(address, 0));
        let client = Client::builder()
            .tls_backend_preconfigured(tls(base.is_https())?)
            .https_only(base.is_https())
            .http1_only()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .referer(false)
            .connect_timeout(config.connect_timeout)
            .resolve_to_addrs("localhost", &loopback)
            .user_agent(&config.user_agent)
            .build()
            .map_err(|_| HttpSetupError::Client)?;
        Ok(Self { client, config })
    }

    pub(super) fn config(&self) -> &HttpConfig {
        &self.config
    }

    /// Sends a request, and again after a passing failure if sending it twice is as good as once.
    ///
    /// The caller's deadline holds for all attempts: nothing is sent once this is dropped.
    pub(super) async fn exchange(&self, request: &Request) -> Result<Vec<u8>, Failure> {
        let idempotent = !matches!(*request.method(), Method::POST | Method::PATCH);
        let mut left = if idempotent { self.config.retries } else { 0 };
        let mut pause = self.config.retry_backoff;
        loop {
            let outcome = self.attempt(request).await;
            match outcome {
                Err(failure) if left > 0 && failure.is_passing() => {
                    left -= 1;
                    tokio::time::sleep(pause).await;
                    pause = pause.saturating_mul(2);
                }
                settled => return settled,
            }
        }
    }

    async fn attempt(&self, request: &Request) -> Result<Vec<u8>, Failure> {
        // Bodies are bytes, which can always be sent again.
        let copy = request
            .try_clone()
            .ok_or(Failure::Fault(BackendFault::Broken))?;
        let response = self
            .client
            .execute(copy)
            .await
            .map_err(|error| fault_of(&error))?;
        let status = response.status();
        if !status.is_success() {
            return Err(Failure::Status(status.as_u16()));
        }
        if status == StatusCode::NO_CONTENT || *request.method() == Method::HEAD {
            return Ok(Vec::new());
        }
        self.read(response).await
    }

    /// Reads an answer up to the limit.
    async fn read(&self, mut response: Response) -> Result<Vec<u8>, Failure> {
        let limit = self.config.max_response_bytes;
        let too_large = Failure::Fault(BackendFault::TooLarge);
        let announced = response.content_length().unwrap_or(0);
        if usize::try_from(announced).map_or(true, |announced| announced > limit) {
            return Err(too_large);
        }
        let mut answer = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| fault_of(&error))? {
            if answer.len().saturating_add(chunk.len()) > limit {
                return Err(too_large);
            }
            answer.extend_from_slice(&chunk);
        }
        Ok(answer)
    }
}

/// What went wrong, without what the client's own error says: it holds the URL.
fn fault_of(error: &reqwest::Error) -> Failure {
    Failure::Fault(if error.is_timeout() {
        BackendFault::TimedOut
    } else if error.is_connect() {
        BackendFault::Unreachable
    } else {
        BackendFault::Broken
    })
}

/// TLS with the system's certificates; without TLS none are needed, and none are looked for.
fn tls(needed: bool) -> Result<ClientConfig, HttpSetupError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| HttpSetupError::Tls)?;
    let verified = if needed {
        versions
            .with_platform_verifier()
            .map_err(|_| HttpSetupError::Tls)?
    } else {
        versions.with_root_certificates(RootCertStore::empty())
    };
    Ok(verified.with_no_client_auth())
}
