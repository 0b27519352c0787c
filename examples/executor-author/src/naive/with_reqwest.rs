//! Over reqwest, with a bearer token.

use std::sync::Arc;

use proofmark::async_trait;
use proofmark::executor::{ExecutionError, HttpExecutor};
use proofmark::path::ResolvedPath;
use proofmark::policy::RequestPolicy;
use proofmark::request::OutboundRequest;
use reqwest::{Client, Method};
use serde_json::Value;

use super::{TOOL, failed};

pub struct ReqwestExecutor {
    client: Client,
    base: String,
    token: String,
    policy: Arc<dyn RequestPolicy>,
}

impl ReqwestExecutor {
    pub fn new(base: &str, token: &str, policy: Arc<dyn RequestPolicy>) -> Self {
        Self {
            client: Client::new(),
            base: base.to_owned(),
            token: token.to_owned(),
            policy,
        }
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
        let method = Method::from_bytes(method.to_uppercase().as_bytes()).map_err(failed)?;
        let url = format!("{}{}", self.base, path.as_str());
        let (pairs, body) = match method {
            Method::GET => (pairs(body.as_ref()), None),
            _ => (Vec::new(), body),
        };

        let shown = OutboundRequest::new(TOOL, method.as_str(), &url, &pairs, body.as_ref());
        self.policy.check(&shown).await?;

        let mut request = self.client.request(method.clone(), &url);
        request = request.query(&pairs).bearer_auth(&self.token);
        if let Some(body) = &body {
            request = request.json(body);
        }
        let answer = request.send().await.map_err(failed)?;
        let answer = answer.error_for_status().map_err(failed)?;
        answer.json().await.map_err(failed)
    }
}

fn pairs(body: Option<&Value>) -> Vec<(String, String)> {
    let fields = body.and_then(Value::as_object);
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    fields
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.clone(), text(value)))
        .collect()
}
