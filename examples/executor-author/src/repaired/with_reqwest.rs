//! Over reqwest, with a bearer token.

use std::sync::Arc;
use std::time::Duration;

use proofmark::async_trait;
use proofmark::executor::{BackendFault, BaseUrl, ExecutionError, HttpExecutor, OutgoingRequest};
use proofmark::path::ResolvedPath;
use proofmark::policy::RequestPolicy;
use reqwest::redirect::Policy;
use reqwest::{Client, Method};
use serde_json::Value;

use super::{LONGEST_ANSWER, TOOL, Unusable, base, echo};

pub struct ReqwestExecutor {
    client: Client,
    base: BaseUrl,
    token: String,
    policy: Arc<dyn RequestPolicy>,
}

impl ReqwestExecutor {
    pub fn new(
        url: &str,
        token: &str,
        policy: Arc<dyn RequestPolicy>,
        deadline: Duration,
    ) -> Result<Self, Unusable> {
        let client = Client::builder().redirect(Policy::none()).no_proxy();
        Ok(Self {
            client: client.timeout(deadline).build()?,
            base: base(url)?,
            token: token.to_owned(),
            policy,
        })
    }
}

#[async_trait]
impl HttpExecutor for ReqwestExecutor {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let request = OutgoingRequest::new(&self.base, method, path, body)?;

        self.policy.check(&request.view(TOOL)).await?;

        let method = Method::from_bytes(request.method().as_str().as_bytes());
        let method = method.map_err(|_| BackendFault::Broken)?;
        let mut sent = self.client.request(method, request.url().clone());
        sent = sent.bearer_auth(&self.token);
        if let Some(body) = request.body() {
            sent = sent.json(body);
        }
        let mut answer = sent.send().await.map_err(|_| BackendFault::Broken)?;
        if !answer.status().is_success() {
            let status = answer.status().as_u16();
            return Err(ExecutionError::Status { status });
        }
        let mut text = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(|_| BackendFault::Broken)? {
            if text.len() + part.len() > LONGEST_ANSWER {
                return Err(BackendFault::TooLarge.into());
            }
            text.extend_from_slice(&part);
        }
        let answer = serde_json::from_slice(&text).map_err(|_| BackendFault::NotJson)?;
        if echo::holds(&answer, &self.token) {
            return Err(BackendFault::EchoedCredential.into());
        }
        Ok(answer)
    }
}
