//! Over ureq on a blocking thread, with a key in the query.

use std::sync::Arc;
use std::time::Duration;

use proofmark::async_trait;
use proofmark::executor::{
    BackendFault, BaseUrl, ExecutionError, HttpExecutor, Method, OutgoingRequest,
};
use proofmark::path::ResolvedPath;
use proofmark::policy::RequestPolicy;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use ureq::Agent;

use super::{KEY, TOOL, Unusable, base, echo};

pub struct UreqExecutor {
    agent: Agent,
    base: BaseUrl,
    key: String,
    policy: Arc<dyn RequestPolicy>,
}

impl UreqExecutor {
    pub fn new(
        url: &str,
        key: &str,
        policy: Arc<dyn RequestPolicy>,
        deadline: Duration,
    ) -> Result<Self, Unusable> {
        let config = Agent::config_builder().max_redirects(0).proxy(None);
        let config = config.timeout_global(Some(deadline));
        Ok(Self {
            agent: config.build().into(),
            base: base(url)?,
            key: key.to_owned(),
            policy,
        })
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
        let request = OutgoingRequest::new(&self.base, method, path, body)?;
        request.refuse_pairs_named([KEY])?;

        self.policy.check(&request.view(TOOL)).await?;

        let mut url = request.url().clone();
        url.query_pairs_mut().append_pair(KEY, &self.key);
        let (agent, method, body) = (
            self.agent.clone(),
            request.method(),
            request.body().cloned(),
        );
        let answer = spawn_blocking(move || send(&agent, method, url.as_str(), body))
            .await
            .map_err(|_| BackendFault::Broken)??;
        if echo::holds(&answer, &self.key) {
            return Err(BackendFault::EchoedCredential.into());
        }
        Ok(answer)
    }
}

fn send(
    agent: &Agent,
    method: Method,
    url: &str,
    body: Option<Value>,
) -> Result<Value, ExecutionError> {
    let body = body.unwrap_or_else(|| json!({}));
    let answer = match method {
        Method::Post => agent.post(url).send_json(body),
        Method::Put => agent.put(url).send_json(body),
        Method::Patch => agent.patch(url).send_json(body),
        Method::Delete => agent.delete(url).force_send_body().send_json(body),
        Method::Head => agent.head(url).call(),
        Method::Options => agent.options(url).call(),
        Method::Get => agent.get(url).call(),
    };
    let mut answer = answer.map_err(|error| match error {
        ureq::Error::StatusCode(status) => ExecutionError::Status { status },
        _ => BackendFault::Broken.into(),
    })?;
    let answer = answer.body_mut().read_json();
    answer.map_err(|_| BackendFault::NotJson.into())
}
