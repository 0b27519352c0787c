//! A call as the public crates make it.

use std::sync::Arc;

use pmcp_code_mode::{HttpExecutor as _, ResolvedPath};
use pmcp_server_toolkit as toolkit;
use pmcp_server_toolkit::code_mode::HttpCodeExecutor;
use pmcp_server_toolkit::http::auth::NoAuth;
use pmcp_server_toolkit::http::{
    HttpClient, HttpConfig, HttpConnector as _, Operation, Parameter, ParameterLocation,
};

use crate::case::{Argument, By, Case, Place, TOOL};
use crate::desk::client;
use crate::ours::values;
use crate::seen::{Notes, Request};

/// Makes the call, as [`crate::ours::call`] does.
pub async fn call(case: &Case, base: String, address: String, notes: Notes) {
    let policy = Arc::new(Writing { address, notes });
    match &case.by {
        By::Curated(arguments) => {
            let config = HttpConfig {
                retries: 0,
                ..HttpConfig::default()
            };
            let Ok(client) = HttpClient::with_config(client(), base, Arc::new(NoAuth), config)
            else {
                return;
            };
            let client = client.with_request_policy(policy);
            let operation = operation(case, arguments);
            let arguments = values(arguments);
            let _ = client.execute_for_tool(TOOL, &operation, &arguments).await;
        }
        By::Script(body) => {
            let Ok(path) = ResolvedPath::from_checked(&case.path) else {
                return;
            };
            let executor = HttpCodeExecutor::new(client(), base, Arc::new(NoAuth))
                .with_request_policy(policy)
                .with_tool_label(TOOL)
                .with_call_id("call-1");
            let _ = executor
                .execute_request(case.method, path, body.clone())
                .await;
        }
    }
}

/// The operation as a curated tool's configuration makes it.
fn operation(case: &Case, arguments: &[Argument]) -> Operation {
    let parameters = arguments.iter().filter_map(|argument| {
        let (location, required) = match argument.place {
            Place::Path => (ParameterLocation::Path, true),
            Place::Query => (ParameterLocation::Query, false),
            Place::Header | Place::HeaderPastPolicy => (ParameterLocation::Header, false),
            Place::Body => (ParameterLocation::Body, false),
            Place::Nowhere => return None,
        };
        Some(Parameter::new(argument.name, location, required))
    });
    let sends = |argument: &Argument| argument.place == Place::Body;
    Operation {
        method: case.method.to_owned(),
        path: case.path.clone(),
        parameters: parameters.collect(),
        has_request_body: arguments.iter().any(sends),
        base_url: None,
    }
}

/// A policy that allows everything and writes it down.
struct Writing {
    address: String,
    notes: Notes,
}

#[toolkit::async_trait]
impl toolkit::RequestPolicy for Writing {
    async fn check(
        &self,
        request: &toolkit::OutboundRequest<'_>,
    ) -> Result<(), toolkit::PolicyRefusal> {
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
