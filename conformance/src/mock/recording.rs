//! An executor that writes down what goes through it.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use proofmark::executor::{ExecutionError, HttpExecutor};
use proofmark::path::{PlaceholderRules, ResolvedPath};
use serde_json::Value;

use super::{Call, Cassette, Entry, Outcome};

/// Hands calls on to another executor and records what came of them, in the order of their ends.
///
/// ```
/// use proofmark_conformance::mock::{CannedExecutor, RecordingExecutor};
/// use proofmark_conformance::toolkit::executor::HttpExecutor;
/// use proofmark_conformance::toolkit::path::ResolvedPath;
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let recording = RecordingExecutor::new(CannedExecutor::new().on("GET /items/*", json!(7))?);
/// recording.execute_request("GET", ResolvedPath::from_checked("/items/7")?, None).await?;
/// assert_eq!(recording.cassette().entries[0].call.path, "/items/7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RecordingExecutor<E> {
    inner: E,
    entries: Mutex<Vec<Entry>>,
}

impl<E> RecordingExecutor<E> {
    /// Records what goes to `inner`.
    pub fn new(inner: E) -> Self {
        Self {
            inner,
            entries: Mutex::default(),
        }
    }

    /// What has been recorded so far.
    #[must_use]
    pub fn cassette(&self) -> Cassette {
        Cassette {
            entries: self
                .entries
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
        }
    }

    /// The executor behind this one.
    pub fn inner(&self) -> &E {
        &self.inner
    }
}

#[async_trait]
impl<E: HttpExecutor> HttpExecutor for RecordingExecutor<E> {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let call = Call::new(method, path, body.as_ref());
        let result = self.inner.execute_request(method, path, body).await;
        let outcome = Outcome::of(&result);
        self.entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Entry { call, outcome });
        result
    }

    fn placeholder_rules(
        &self,
        method: &str,
        path_template: &str,
        param: &str,
    ) -> PlaceholderRules<'_> {
        self.inner.placeholder_rules(method, path_template, param)
    }
}

impl<E> fmt::Debug for RecordingExecutor<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordingExecutor").finish_non_exhaustive()
    }
}
