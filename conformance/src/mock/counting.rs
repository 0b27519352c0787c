//! An executor that counts what goes through it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use proofmark::executor::{ExecutionError, HttpExecutor};
use proofmark::path::{PlaceholderRules, ResolvedPath};
use serde_json::Value;

/// Hands calls on to another executor and counts them, by method and path without query, when they
/// begin.
///
/// ```
/// use proofmark_conformance::mock::{CannedExecutor, CountingExecutor};
/// use proofmark_conformance::toolkit::executor::HttpExecutor;
/// use proofmark_conformance::toolkit::path::ResolvedPath;
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let counting = CountingExecutor::new(CannedExecutor::new().on("* /**", json!(null))?);
/// for path in ["/a", "/a?x=1", "/b"] {
///     counting.execute_request("GET", ResolvedPath::from_checked(path)?, None).await?;
/// }
/// assert_eq!((counting.total(), counting.of("GET", "/a")), (3, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CountingExecutor<E> {
    inner: E,
    counts: Mutex<BTreeMap<(String, String), usize>>,
}

impl<E> CountingExecutor<E> {
    /// Counts what goes to `inner`.
    pub fn new(inner: E) -> Self {
        Self {
            inner,
            counts: Mutex::default(),
        }
    }

    /// How many calls there have been.
    #[must_use]
    pub fn total(&self) -> usize {
        self.counts(|counts| counts.values().sum())
    }

    /// How many calls there have been of this method to this path, whatever their query.
    #[must_use]
    pub fn of(&self, method: &str, path: &str) -> usize {
        let key = (method.to_ascii_uppercase(), path.to_owned());
        self.counts(|counts| counts.get(&key).copied().unwrap_or(0))
    }

    /// How many different endpoints have been called.
    #[must_use]
    pub fn endpoints(&self) -> usize {
        self.counts(|counts| counts.len())
    }

    /// The executor behind this one.
    pub fn inner(&self) -> &E {
        &self.inner
    }

    fn counts<T>(&self, ask: impl FnOnce(&mut BTreeMap<(String, String), usize>) -> T) -> T {
        ask(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl<E: HttpExecutor> HttpExecutor for CountingExecutor<E> {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let endpoint = path.as_str().split('?').next().unwrap_or_default();
        let key = (method.to_ascii_uppercase(), endpoint.to_owned());
        self.counts(|counts| *counts.entry(key).or_default() += 1);
        self.inner.execute_request(method, path, body).await
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

impl<E> fmt::Debug for CountingExecutor<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountingExecutor").finish_non_exhaustive()
    }
}
