//! An executor that answers from a cassette.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use proofmark::executor::{ExecutionError, HttpExecutor};
use proofmark::path::ResolvedPath;
use serde_json::Value;

use super::{Call, Cassette, Entry};

/// Answers each call with the first entry of the cassette that was recorded for an equal call and is
/// not used yet. A call that has none is answered with status 404 and kept as unexpected.
///
/// ```
/// use proofmark_conformance::mock::{Cassette, ReplayingExecutor};
/// use proofmark_conformance::toolkit::executor::HttpExecutor;
/// use proofmark_conformance::toolkit::path::ResolvedPath;
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let cassette = Cassette::from_json(
///     r#"{"schema": 1, "entries": [{"call": {"method": "GET", "path": "/a"}, "outcome": {"answer": 7}}]}"#,
/// )?;
/// let replaying = ReplayingExecutor::new(cassette);
/// let path = ResolvedPath::from_checked("/a")?;
/// assert_eq!(replaying.execute_request("GET", path, None).await, Ok(json!(7)));
/// assert!(replaying.execute_request("GET", path, None).await.is_err());
/// assert_eq!((replaying.unexpected().len(), replaying.unused().len()), (1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ReplayingExecutor(Mutex<State>);

#[derive(Debug)]
struct State {
    left: Vec<Entry>,
    unexpected: Vec<Call>,
}

impl ReplayingExecutor {
    /// Replays a cassette.
    #[must_use]
    pub fn new(cassette: Cassette) -> Self {
        Self(Mutex::new(State {
            left: cassette.entries,
            unexpected: Vec::new(),
        }))
    }

    /// The calls that the cassette does not hold, or not so often.
    #[must_use]
    pub fn unexpected(&self) -> Vec<Call> {
        self.state(|state| state.unexpected.clone())
    }

    /// The calls of the cassette that have not been made.
    #[must_use]
    pub fn unused(&self) -> Vec<Call> {
        self.state(|state| state.left.iter().map(|entry| entry.call.clone()).collect())
    }

    fn state<T>(&self, ask: impl FnOnce(&mut State) -> T) -> T {
        ask(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl HttpExecutor for ReplayingExecutor {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let call = Call::new(method, path, body.as_ref());
        let found = self.state(|state| {
            let at = state.left.iter().position(|entry| entry.call == call);
            if at.is_none() {
                state.unexpected.push(call);
            }
            at.map(|at| state.left.remove(at).outcome)
        });
        match found {
            Some(outcome) => outcome.into_result(),
            None => Err(ExecutionError::Status { status: 404 }),
        }
    }
}
