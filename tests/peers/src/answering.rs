//! What stands at either end of a measured call: executors and policies that answer at once.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use pmcp_server_toolkit as peer;
use proofmark::executor as ours;
use serde_json::Value;

/// An executor that sends nothing and answers `null`.
#[derive(Debug, Clone, Copy)]
pub struct Deaf;

#[proofmark::async_trait]
impl ours::HttpExecutor for Deaf {
    async fn execute_request(
        &self,
        _method: &str,
        _path: proofmark::path::ResolvedPath<'_>,
        _body: Option<Value>,
    ) -> Result<Value, ours::ExecutionError> {
        Ok(Value::Null)
    }
}

#[async_trait::async_trait]
impl pmcp_code_mode::HttpExecutor for Deaf {
    async fn execute_request(
        &self,
        _method: &str,
        _path: pmcp_code_mode::ResolvedPath<'_>,
        _body: Option<Value>,
    ) -> Result<Value, pmcp_code_mode::ExecutionError> {
        Ok(Value::Null)
    }
}

/// A policy that gives everything the same answer.
#[derive(Debug, Clone, Copy)]
pub struct Verdict {
    /// Whether it allows.
    pub allows: bool,
}

#[proofmark::async_trait]
impl proofmark::policy::RequestPolicy for Verdict {
    async fn check(
        &self,
        _request: &proofmark::request::OutboundRequest<'_>,
    ) -> Result<(), proofmark::policy::PolicyRefusal> {
        if self.allows {
            Ok(())
        } else {
            Err(proofmark::policy::PolicyRefusal::new("no"))
        }
    }
}

#[peer::async_trait]
impl peer::RequestPolicy for Verdict {
    async fn check(&self, _request: &peer::OutboundRequest<'_>) -> Result<(), peer::PolicyRefusal> {
        if self.allows {
            Ok(())
        } else {
            Err(peer::PolicyRefusal::new("no"))
        }
    }
}

/// What a future comes to that never has to wait; `None` if it does.
pub fn at_once<T>(work: impl Future<Output = T>) -> Option<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    }
}
