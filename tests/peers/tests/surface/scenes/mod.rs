//! What happens around a call: credentials, answers, repetitions, redirects. Each scene is played on
//! both sides, and what is heard of it is stated.

mod credentials;
mod exchanges;

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use pmcp_code_mode::HttpExecutor as _;
use pmcp_server_toolkit as peer;
use pmcp_server_toolkit::code_mode::HttpCodeExecutor as PeerExecutor;
use pmcp_server_toolkit::http::HttpConnector as _;
use pmcp_server_toolkit::http::auth::{AuthConfig, create_auth_provider};
use proofmark::executor::HttpExecutor as _;
use proofmark::http as ours;
use proofmark::http::HttpConnector as _;
use proofmark_conformance::recorder::{Recorder, Respond};
use serde_json::{Value, json};

use crate::desk;

/// The credential of every scene.
const SECRET: &str = "tok_FAKE_9f3A";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Ours,
    Peer,
}

type Heard = Pin<Box<dyn Future<Output = String> + Send>>;

/// Something that both sides go through.
struct Scene {
    name: &'static str,
    /// The requirement that it is about, and what that asks for.
    reason: &'static str,
    play: fn(Side) -> Heard,
    ours: &'static str,
    peer: &'static str,
}

#[test]
fn every_scene_goes_as_it_is_stated() {
    let scenes = credentials::scenes().into_iter();
    for scene in scenes.chain(exchanges::scenes()) {
        let ours = desk::wait_for((scene.play)(Side::Ours));
        let peer = desk::wait_for((scene.play)(Side::Peer));
        assert_eq!(ours, scene.ours, "{}: ours", scene.name);
        assert_eq!(peer, scene.peer, "{}: the peer's", scene.name);
        assert!(!scene.reason.is_empty());
    }
}

/// A credential, and where it travels.
enum Auth {
    None,
    Bearer(&'static str),
    Pair(&'static str),
    /// A token of this endpoint.
    TokenFrom(String),
}

impl Auth {
    fn ours(&self) -> Result<Arc<dyn ours::HttpAuthProvider>, ours::HttpSetupError> {
        Ok(match self {
            Self::None => Arc::new(ours::NoAuth),
            Self::Bearer(token) => Arc::new(ours::BearerAuth::new(*token)?),
            Self::Pair(key) => Arc::new(ours::ApiKeyAuth::in_query(key, SECRET)?),
            Self::TokenFrom(url) => {
                Arc::new(ours::OAuth2ClientCredentialsAuth::new(url, "id", SECRET)?)
            }
        })
    }

    fn peer(&self) -> Arc<dyn peer::http::HttpAuthProvider> {
        let config = match self {
            Self::None => AuthConfig::None,
            Self::Bearer(token) => AuthConfig::Bearer {
                token: (*token).to_owned(),
                required: true,
            },
            Self::Pair(key) => AuthConfig::ApiKey {
                query_params: HashMap::from([((*key).to_owned(), SECRET.to_owned())]),
                headers: HashMap::new(),
                required: true,
            },
            Self::TokenFrom(url) => AuthConfig::OAuth2ClientCredentials {
                token_url: url.clone(),
                client_id: "id".to_owned(),
                client_secret: SECRET.to_owned(),
                scopes: Vec::new(),
                required: true,
            },
        };
        create_auth_provider(&config).expect("a provider")
    }
}

/// The arguments of a curated call, all of them query pairs.
type Query<'q> = &'q [(&'q str, &'q str)];

/// Where a scene is played.
struct Stage {
    base: String,
    auth: Auth,
    retries: u32,
}

impl Stage {
    fn of(backend: &Recorder, auth: Auth) -> Self {
        Self {
            base: backend.base_url(),
            auth,
            retries: 0,
        }
    }

    /// A curated call with these query arguments, and what it comes to.
    async fn curated(&self, side: Side, method: &str, query: Query<'_>) -> String {
        let arguments = query.iter().map(|(k, v)| ((*k).to_owned(), json!(v)));
        let arguments = Value::Object(arguments.collect());
        match side {
            Side::Ours => self.our_curated(method, query, &arguments).await,
            Side::Peer => self.peers_curated(method, query, &arguments).await,
        }
    }

    async fn our_curated(&self, method: &str, query: Query<'_>, arguments: &Value) -> String {
        let config = ours::HttpConfig::default()
            .with_retries(self.retries)
            .with_retry_backoff(Duration::ZERO);
        let auth = self.auth.ours();
        let made = auth.and_then(|auth| ours::HttpClient::with_config(&self.base, auth, config));
        let client = match made {
            Ok(client) => client,
            Err(error) => return format!("not built: {error}"),
        };
        let parameters = query.iter().map(|(key, _)| ours::Parameter::query(*key));
        let operation = ours::Operation::new(method, "/a", parameters);
        let operation = operation.expect("an operation");
        told(client.execute_for_tool("t", &operation, arguments).await)
    }

    async fn peers_curated(&self, method: &str, query: Query<'_>, arguments: &Value) -> String {
        let config = peer::http::HttpConfig {
            retries: self.retries,
            retry_backoff_ms: 0,
            ..Default::default()
        };
        let (base, auth) = (self.base.clone(), self.auth.peer());
        let client = peer::http::HttpClient::with_config(desk::client(), base, auth, config);
        let client = client.expect("a client");
        let parameters = query.iter().map(|(key, _)| {
            peer::http::Parameter::new(*key, peer::http::ParameterLocation::Query, false)
        });
        let operation = peer::http::Operation {
            method: method.to_owned(),
            path: "/a".to_owned(),
            parameters: parameters.collect(),
            has_request_body: false,
            base_url: None,
        };
        told(client.execute_for_tool("t", &operation, arguments).await)
    }

    /// A call of a script, and what it comes to. The peer is given the client that it is given in
    /// its own documentation, or one that follows no redirects.
    async fn script(&self, side: Side, method: &str, body: Option<Value>) -> String {
        match side {
            Side::Ours => {
                let config = ours::HttpConfig::default().with_retries(0);
                let made = self
                    .auth
                    .ours()
                    .and_then(|auth| ours::HttpCodeExecutor::with_config(&self.base, auth, config));
                let executor = match made {
                    Ok(executor) => executor,
                    Err(error) => return format!("not built: {error}"),
                };
                let path = proofmark::path::ResolvedPath::from_checked("/a").expect("a path");
                told(executor.execute_request(method, path, body).await)
            }
            Side::Peer => self.peers_script(desk::client(), method, body).await,
        }
    }

    async fn peers_script(
        &self,
        client: reqwest::Client,
        method: &str,
        body: Option<Value>,
    ) -> String {
        let executor = PeerExecutor::new(client, self.base.clone(), self.auth.peer());
        let path = pmcp_code_mode::ResolvedPath::from_checked("/a").expect("a path");
        told(executor.execute_request(method, path, body).await)
    }
}

fn told<E: std::fmt::Display>(ended: Result<Value, E>) -> String {
    ended.map_or_else(|error| error.to_string(), |value| value.to_string())
}

fn started(responder: impl Respond) -> Recorder {
    Recorder::start(responder).expect("a backend")
}

/// The targets that came.
fn targets(backend: &Recorder) -> String {
    let targets = backend.requests();
    let targets = targets.iter().map(|request| {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        format!("{} {}", text(request.method()), text(request.target()))
    });
    targets.collect::<Vec<_>>().join(", ")
}
