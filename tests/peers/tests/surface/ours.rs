//! A call as the toolkit makes it.

use std::sync::Arc;

use proofmark::async_trait;
use proofmark::executor::HttpExecutor as _;
use proofmark::http::{
    HttpClient, HttpCodeExecutor, HttpConfig, HttpConnector as _, NoAuth, Operation, Parameter,
};
use proofmark::path::ResolvedPath;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::OutboundRequest;
use serde_json::Value;

use crate::case::{Argument, By, Case, Place, TOOL};
use crate::seen::{Notes, Request};

/// Makes the call; whatever is wrong with it, it ends here. What it comes to is not looked at: the
/// notes and the backend tell.
pub async fn call(case: &Case, base: &str, address: String, notes: Notes) {
    let policy = Arc::new(Writing { address, notes });
    let config = HttpConfig::default().with_retries(0);
    match &case.by {
        By::Curated(arguments) => {
            let Ok(operation) = operation(case, arguments) else {
                return;
            };
            let Ok(client) = HttpClient::with_config(base, Arc::new(NoAuth), config) else {
                return;
            };
            let client = client.with_request_policy(policy);
            let arguments = values(arguments);
            let _ = client.execute_for_tool(TOOL, &operation, &arguments).await;
        }
        By::Script(body) => {
            let Ok(path) = ResolvedPath::from_checked(&case.path) else {
                return;
            };
            let Ok(executor) = HttpCodeExecutor::with_config(base, Arc::new(NoAuth), config) else {
                return;
            };
            let executor = executor.with_request_policy(policy);
            let executor = executor.for_call(TOOL).expect("random bytes");
            let _ = executor
                .execute_request(case.method, path, body.clone())
                .await;
        }
    }
}

fn operation(
    case: &Case,
    arguments: &[Argument],
) -> Result<Operation, proofmark::http::OperationError> {
    let parameters = arguments.iter().filter_map(|argument| {
        let name = argument.name;
        Some(match argument.place {
            Place::Path => Parameter::path(name),
            Place::Query => Parameter::query(name),
            Place::Header => Parameter::header(name),
            Place::HeaderPastPolicy => Parameter::header(name).past_policy(),
            Place::Body => Parameter::body(name),
            Place::Nowhere => return None,
        })
    });
    Operation::new(case.method, &case.path, parameters)
}

/// The arguments as a tool is given them.
pub fn values(arguments: &[Argument]) -> Value {
    let given = arguments.iter().filter_map(|argument| {
        let value = argument.value.clone()?;
        Some((argument.name.to_owned(), value))
    });
    Value::Object(given.collect())
}

/// A policy that allows everything and writes it down.
struct Writing {
    address: String,
    notes: Notes,
}

#[async_trait]
impl RequestPolicy for Writing {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        self.notes.write(Request::shown(
            &self.address,
            (request.tool, request.call_id),
            (request.method, request.path),
            request.query,
            request.body,
        ));
        Ok(())
    }
}
