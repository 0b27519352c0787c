//! Over hyper-util's client, with a key in a header.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::Request;
use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use proofmark::async_trait;
use proofmark::executor::{BackendFault, BaseUrl, ExecutionError, HttpExecutor, OutgoingRequest};
use proofmark::path::ResolvedPath;
use proofmark::policy::RequestPolicy;
use serde_json::Value;
use tokio::time::timeout;

use super::{KEY, LONGEST_ANSWER, TOOL, Unusable, base, echo};

pub struct HyperExecutor {
    client: Client<HttpConnector, Full<Bytes>>,
    base: BaseUrl,
    key: String,
    policy: Arc<dyn RequestPolicy>,
    deadline: Duration,
}

impl HyperExecutor {
    pub fn new(
        url: &str,
        key: &str,
        policy: Arc<dyn RequestPolicy>,
        deadline: Duration,
    ) -> Result<Self, Unusable> {
        Ok(Self {
            client: Client::builder(TokioExecutor::new()).build_http(),
            base: base(url)?,
            key: key.to_owned(),
            policy,
            deadline,
        })
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Bytes, ExecutionError> {
        let answer = self.client.request(request).await;
        let answer = answer.map_err(|_| BackendFault::Broken)?;
        if !answer.status().is_success() {
            let status = answer.status().as_u16();
            return Err(ExecutionError::Status { status });
        }
        let text = Limited::new(answer.into_body(), LONGEST_ANSWER).collect();
        Ok(text.await.map_err(|_| BackendFault::Broken)?.to_bytes())
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
        let outgoing = OutgoingRequest::new(&self.base, method, path, body)?;

        self.policy.check(&outgoing.view(TOOL)).await?;

        let method = outgoing.method().as_str();
        let mut request = Request::builder()
            .method(method)
            .uri(outgoing.url().as_str());
        request = request.header(KEY, &self.key);
        if outgoing.body().is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let body = outgoing.body().map(Value::to_string).unwrap_or_default();
        let request = request.body(Full::from(body));
        let request = request.map_err(|_| BackendFault::Broken)?;
        let text = timeout(self.deadline, self.exchange(request)).await;
        let text = text.map_err(|_| BackendFault::TimedOut)??;
        let answer = serde_json::from_slice(&text).map_err(|_| BackendFault::NotJson)?;
        if echo::holds(&answer, &self.key) {
            return Err(BackendFault::EchoedCredential.into());
        }
        Ok(answer)
    }
}
