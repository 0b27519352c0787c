//! Executors and clients under test, and a policy that keeps what it is shown.

use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proofmark::async_trait;
use proofmark::executor::{ExecutionError, HttpExecutor};
use proofmark::http::{BearerAuth, HttpAuthProvider, HttpCodeExecutor, HttpConfig, NoAuth};
use proofmark::path::{PathTemplate, PlaceholderRules, ResolvedPath};
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::{FieldPath, OutboundRequest};
use serde_json::Value;

/// A credential that is random enough to be found only where it is.
pub const CREDENTIAL: &str = "k7w2m9x4q8z1v5t3";

/// Limits for tests: nothing is repeated and nothing waits.
pub fn config() -> HttpConfig {
    HttpConfig::default()
        .with_retries(0)
        .with_retry_backoff(Duration::ZERO)
        .with_timeout(Duration::from_secs(20))
}

pub fn bearer() -> Arc<dyn HttpAuthProvider> {
    Arc::new(BearerAuth::new(CREDENTIAL).unwrap())
}

pub fn executor(base: &str) -> HttpCodeExecutor {
    HttpCodeExecutor::with_config(base, Arc::new(NoAuth), config()).unwrap()
}

pub fn with_auth(base: &str, auth: impl HttpAuthProvider + 'static) -> HttpCodeExecutor {
    HttpCodeExecutor::with_config(base, Arc::new(auth), config()).unwrap()
}

/// Sends to a path that is checked as a whole.
pub async fn send(
    executor: &dyn HttpExecutor,
    method: &str,
    path: &str,
    body: impl Into<Option<Value>>,
) -> Result<Value, ExecutionError> {
    let path = ResolvedPath::from_checked(path).unwrap();
    executor.execute_request(method, path, body.into()).await
}

/// Sends to a path that an author wrote, doubled slashes and all.
pub async fn send_authored(
    executor: &dyn HttpExecutor,
    path: &str,
) -> Result<Value, ExecutionError> {
    let resolution = PathTemplate::static_path(path)
        .unwrap()
        .resolve("GET", |_| None, |_, _, _| PlaceholderRules::default(), None)
        .unwrap();
    executor
        .execute_request("GET", resolution.target().as_path(), None)
        .await
}

/// What a policy was shown, copied.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    pub tool: String,
    pub method: String,
    pub path: String,
    pub query: Vec<(String, String)>,
    pub body: Option<Value>,
    pub call_id: String,
    pub phase: String,
    /// Every text of it.
    pub texts: Vec<String>,
}

/// Keeps every request it is shown, and refuses what lies below `/refused`.
#[derive(Clone, Default)]
pub struct Recorder(Arc<Mutex<Vec<View>>>);

impl Recorder {
    pub fn views(&self) -> Vec<View> {
        self.0.lock().unwrap().clone()
    }

    pub fn view(&self) -> View {
        let mut views = self.views();
        assert_eq!(views.len(), 1, "{views:?}");
        views.remove(0)
    }
}

#[async_trait]
impl RequestPolicy for Recorder {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let mut texts = Vec::new();
        request.visit(&mut |_: &FieldPath, text: &str| texts.push(text.to_owned()));
        self.0.lock().unwrap().push(View {
            tool: request.tool.to_owned(),
            method: request.method.to_owned(),
            path: request.path.to_owned(),
            query: request.query.to_vec(),
            body: request.body.cloned(),
            call_id: request.call_id.to_owned(),
            phase: format!("{:?}", request.phase),
            texts,
        });
        if request.path.contains("/refused") {
            return Err(PolicyRefusal::new("not this one"));
        }
        Ok(())
    }
}

/// All that an error says: Display, Debug and every source.
pub fn said(error: &(dyn Error + 'static)) -> String {
    let mut said = format!("{error} {error:?} {error:#?}");
    let mut source = error.source();
    while let Some(error) = source {
        said.push_str(&format!(" {error} {error:?}"));
        source = error.source();
    }
    said
}
