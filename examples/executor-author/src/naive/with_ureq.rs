//! Over ureq on a blocking thread, with a key in the query.

use std::sync::Arc;

use proofmark::async_trait;
use proofmark::executor::{ExecutionError, HttpExecutor, RequestRefusal};
use proofmark::path::ResolvedPath;
use proofmark::policy::RequestPolicy;
use proofmark::request::OutboundRequest;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use ureq::Agent;

use super::{KEY, TOOL, failed};

pub struct UreqExecutor {
    agent: Agent,
    base: String,
    key: String,
    policy: Arc<dyn RequestPolicy>,
}

impl UreqExecutor {
    pub fn new(base: &str, key: &str, policy: Arc<dyn RequestPolicy>) -> Self {
        Self {
            agent: Agent::new_with_defaults(),
            base: base.to_owned(),
            key: key.to_owned(),
            policy,
        }
    }
}

#[async_trait]
impl HttpExecutor for UreqExecutor {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let method = method.to_ascii_uppercase();
        let (mut pairs, body) = match method.as_str() {
            "GET" | "HEAD" | "OPTIONS" => (pairs(body.as_ref()), None),
            "POST" | "PUT" | "PATCH" | "DELETE" => (Vec::new(), body),
            _ => return Err(RequestRefusal::Method.into()),
        };
        pairs.push(format!("{KEY}={}", self.key));
        let url = format!("{}{}?{}", self.base, path.as_str(), pairs.join("&"));

        let shown = OutboundRequest::new(TOOL, &method, &url, &[], body.as_ref());
        self.policy.check(&shown).await?;

        let agent = self.agent.clone();
        spawn_blocking(move || {
            send(&agent, &method, &url, body).map_err(|error| failed(format!("{url}: {error}")))
        })
        .await
        .map_err(failed)?
    }
}

fn send(agent: &Agent, method: &str, url: &str, body: Option<Value>) -> Result<Value, ureq::Error> {
    let body = body.unwrap_or_else(|| json!({}));
    let mut answer = match method {
        "POST" => agent.post(url).send_json(body),
        "PUT" => agent.put(url).send_json(body),
        "PATCH" => agent.patch(url).send_json(body),
        "DELETE" => agent.delete(url).call(),
        "HEAD" => agent.head(url).call(),
        "OPTIONS" => agent.options(url).call(),
        _ => agent.get(url).call(),
    }?;
    answer.body_mut().read_json()
}

fn pairs(body: Option<&Value>) -> Vec<String> {
    let fields = body.and_then(Value::as_object);
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    fields
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("{key}={}", text(value)))
        .collect()
}
