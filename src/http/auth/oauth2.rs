//! A token fetched from a token endpoint with the server's own client credentials.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{AUTHORIZATION as AUTHORIZATION_HEADER, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Request};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::sync::Mutex;
use url::{Url, form_urlencoded};

use super::bearer::AUTHORIZATION;
use super::secret::{check_text, header_value};
use super::{AuthSlot, ContributedName, HttpAuthProvider};
use crate::clock::{Clock, SystemClock};
use crate::executor::{AuthFault, BackendFault, BaseUrl};
use crate::http::transport::{Failure, Transport};
use crate::http::{HttpConfig, HttpSetupError};

/// How large a token endpoint's answer may be, in bytes.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// How long before its end a token is no longer used.
const LEEWAY: Duration = Duration::from_secs(30);

/// How long a token is used if the endpoint does not say.
const UNSTATED_LIFE: Duration = Duration::from_secs(60);

/// How the client proves itself to the token endpoint.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClientAuthentication {
    /// By Basic authentication, which every endpoint must support.
    #[default]
    Basic,
    /// By `client_id` and `client_secret` in the form.
    Form,
}

/// Fetches a token by the OAuth 2 client-credentials grant, uses it until shortly before its end,
/// and sends it as `Authorization: Bearer …`.
///
/// The token endpoint is spoken to as strictly as the backend: over https or on this machine, without
/// redirects, proxies and repetitions, and no error holds anything of its answer. Concurrent requests
/// wait for one fetch. It is never spoken to for a request that the policy refused.
///
/// ```
/// use proofmark::http::OAuth2ClientCredentialsAuth;
///
/// let auth = OAuth2ClientCredentialsAuth::new("http://127.0.0.1:8080/token", "reader", "example")?
///     .with_scope("items:read");
/// assert!(!format!("{auth:?}").contains("example"));
/// # Ok::<(), proofmark::http::HttpSetupError>(())
/// ```
pub struct OAuth2ClientCredentialsAuth {
    name: [ContributedName; 1],
    transport: Transport,
    url: Url,
    client_id: String,
    client_secret: SecretString,
    authentication: ClientAuthentication,
    scope: Option<String>,
    clock: Arc<dyn Clock>,
    kept: Mutex<Option<Token>>,
}

struct Token {
    text: SecretString,
    /// On the provider's clock.
    usable_until: Duration,
}

impl OAuth2ClientCredentialsAuth {
    /// A provider with the default limits.
    ///
    /// # Errors
    ///
    /// As [`with_config`](Self::with_config).
    pub fn new(
        token_url: &str,
        client_id: impl Into<String>,
        client_secret: impl Into<SecretString>,
    ) -> Result<Self, HttpSetupError> {
        Self::with_config(token_url, client_id, client_secret, &HttpConfig::default())
    }

    /// A provider that speaks to the token endpoint within these limits.
    ///
    /// # Errors
    ///
    /// An [`HttpSetupError`] if the URL is none that a credential may be sent to, or the client's
    /// name or secret is empty or holds a control character. None of them is quoted.
    pub fn with_config(
        token_url: &str,
        client_id: impl Into<String>,
        client_secret: impl Into<SecretString>,
        config: &HttpConfig,
    ) -> Result<Self, HttpSetupError> {
        let (client_id, client_secret) = (client_id.into(), client_secret.into());
        check_text("the client's name", &client_id)?;
        check_text("the client's secret", client_secret.expose_secret())?;
        let endpoint = BaseUrl::parse(token_url).map_err(HttpSetupError::TokenUrl)?;
        if !endpoint.may_carry_credential() {
            return Err(HttpSetupError::Cleartext);
        }
        let config = config
            .clone()
            .with_max_response_bytes(MAX_ANSWER_BYTES)
            .with_retries(0);
        Ok(Self {
            name: [ContributedName::Header(AUTHORIZATION.to_owned())],
            transport: Transport::new(&endpoint, config)?,
            url: endpoint.url().clone(),
            client_id,
            client_secret,
            authentication: ClientAuthentication::default(),
            scope: None,
            clock: Arc::new(SystemClock),
            kept: Mutex::new(None),
        })
    }

    /// Asks for a token of this scope.
    #[must_use]
    pub fn with_scope(mut self, scope: impl Into<String>) -> Self {
        self.scope = Some(scope.into());
        self
    }

    /// Sets how the client proves itself.
    #[must_use]
    pub fn with_client_authentication(mut self, authentication: ClientAuthentication) -> Self {
        self.authentication = authentication;
        self
    }

    /// Sets the clock by which tokens end.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    async fn fetch(&self) -> Result<Token, AuthFault> {
        let asked_at = self.clock.now();
        let answer = self
            .transport
            .exchange(&self.request()?)
            .await
            .map_err(|failure| match failure {
                Failure::Status(status) => AuthFault::TokenStatus(status),
                Failure::Fault(fault) => AuthFault::TokenEndpoint(fault),
            })?;
        let answer: Value = serde_json::from_slice(&answer)
            .map_err(|_| AuthFault::TokenEndpoint(BackendFault::NotJson))?;
        let is_bearer = answer["token_type"]
            .as_str()
            .is_none_or(|kind| kind.eq_ignore_ascii_case("bearer"));
        let text = answer["access_token"].as_str().filter(|_| is_bearer);
        let text = text.ok_or(AuthFault::TokenEndpoint(BackendFault::NotJson))?;
        let text = SecretString::from(text);
        header_value("Bearer ", &text).ok_or(AuthFault::Unsendable)?;
        let life = match &answer["expires_in"] {
            Value::Null => UNSTATED_LIFE,
            stated => Duration::from_secs(stated.as_u64().unwrap_or(0)),
        };
        Ok(Token {
            text,
            usable_until: asked_at.saturating_add(life.saturating_sub(LEEWAY)),
        })
    }

    fn request(&self) -> Result<Request, AuthFault> {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "client_credentials");
        if let Some(scope) = &self.scope {
            form.append_pair("scope", scope);
        }
        let mut request = Request::new(Method::POST, self.url.clone());
        let headers = request.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/x-www-form-urlencoded"),
        );
        let secret = self.client_secret.expose_secret();
        match self.authentication {
            ClientAuthentication::Form => {
                form.append_pair("client_id", &self.client_id);
                form.append_pair("client_secret", secret);
            }
            ClientAuthentication::Basic => {
                let both = [encoded(&self.client_id), encoded(secret)].join(":");
                let both = SecretString::from(STANDARD.encode(both));
                let value = header_value("Basic ", &both).ok_or(AuthFault::Unsendable)?;
                headers.insert(AUTHORIZATION_HEADER, value);
            }
        }
        *request.body_mut() = Some(form.finish().into());
        Ok(request)
    }
}

/// A text as a form has it, which is how names and secrets stand in Basic authentication here.
fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[async_trait]
impl HttpAuthProvider for OAuth2ClientCredentialsAuth {
    fn contributes(&self) -> &[ContributedName] {
        &self.name
    }

    async fn authenticate(
        &self,
        _inbound: Option<&SecretString>,
        slot: &mut AuthSlot,
    ) -> Result<(), AuthFault> {
        // Held while fetching, so that one fetch serves all who wait.
        let mut kept = self.kept.lock().await;
        let token = match kept.take() {
            Some(token) if self.clock.now() < token.usable_until => token,
            _ => self.fetch().await?,
        };
        let sent = slot.header(AUTHORIZATION, "Bearer ", &token.text);
        slot.watch_for(&self.client_secret);
        *kept = Some(token);
        sent
    }
}

impl fmt::Debug for OAuth2ClientCredentialsAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OAuth2ClientCredentialsAuth(..)")
    }
}
