//! Over hyper-util's client, with a key in a header.

use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;
use hyper::{Method, Request};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use proofmark::async_trait;
use proofmark::executor::{BackendFault, ExecutionError, HttpExecutor, RequestRefusal};
use proofmark::path::ResolvedPath;
use proofmark::policy::RequestPolicy;
use proofmark::request::OutboundRequest;
use serde_json::Value;
use url::Url;

use super::{KEY, TOOL};

pub struct HyperExecutor {
    client: Client<HttpConnector, Full<Bytes>>,
    base: Url,
    key: String,
    policy: Arc<dyn RequestPolicy>,
}

impl HyperExecutor {
    pub fn new(
        base: &str,
        key: &str,
        policy: Arc<dyn RequestPolicy>,
    ) -> Result<Self, url::ParseError> {
        Ok(Self {
            client: Client::builder(TokioExecutor::new()).build_http(),
            base: Url::parse(base)?,
            key: key.to_owned(),
            policy,
        })
    }
}

#[async_trait]
impl HttpExecutor for HyperExecutor {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| RequestRefusal::Method)?;
        let url = self.base.join(path.as_str());
        let mut url = url.map_err(|_| RequestRefusal::Target)?;
        let (pairs, body) = match method {
            Method::GET => (pairs(body.as_ref()), None),
            _ => (Vec::new(), body),
        };

        let shown =
            OutboundRequest::new(TOOL, method.as_str(), url.as_str(), &pairs, body.as_ref());
        self.policy.check(&shown).await?;

        if !pairs.is_empty() {
            url.query_pairs_mut().extend_pairs(&pairs);
        }
        let mut request = Request::builder().method(method).uri(url.as_str());
        request = request.header(KEY, &self.key);
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let request = request.body(Full::from(body));
        let request = request.map_err(|_| BackendFault::Broken)?;
        let answer = self.client.request(request).await;
        let answer = answer.map_err(|_| BackendFault::Broken)?;
        let text = answer.into_body().collect().await;
        let text = text.map_err(|_| BackendFault::Broken)?.to_bytes();
        Ok(serde_json::from_slice(&text).map_err(|_| BackendFault::NotJson)?)
    }
}

fn pairs(body: Option<&Value>) -> Vec<(String, String)> {
    let fields = body.and_then(Value::as_object);
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    fields
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some((key.clone(), text(value)?)))
        .collect()
}
