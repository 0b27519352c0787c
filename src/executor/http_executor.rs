//! The executor seam: one method that sends a finished request, and the rules of its placeholders.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use super::ExecutionError;
use crate::path::{PlaceholderRules, ResolvedPath};

/// Sends requests whose target is already resolved and checked.
///
/// The path is a [`ResolvedPath`] and not text, so an implementor that still resolves placeholders
/// itself does not compile:
///
/// ```compile_fail,E0053
/// use proofmark::async_trait;
/// use proofmark::executor::{ExecutionError, HttpExecutor};
/// use serde_json::Value;
///
/// struct Stale;
///
/// #[async_trait]
/// impl HttpExecutor for Stale {
///     async fn execute_request(&self, _: &str, _path: &str, _: Option<Value>) -> Result<Value, ExecutionError> {
///         Ok(Value::Null)
///     }
/// }
/// ```
///
/// It is dyn compatible, and one instance serves all concurrent requests.
///
/// ```
/// use proofmark::async_trait;
/// use proofmark::executor::{ExecutionError, HttpExecutor};
/// use proofmark::path::ResolvedPath;
/// use serde_json::{Value, json};
///
/// struct Echo;
///
/// #[async_trait]
/// impl HttpExecutor for Echo {
///     async fn execute_request(
///         &self,
///         method: &str,
///         path: ResolvedPath<'_>,
///         body: Option<Value>,
///     ) -> Result<Value, ExecutionError> {
///         Ok(json!({"method": method, "path": path.as_str(), "body": body}))
///     }
/// }
/// let _: &dyn HttpExecutor = &Echo;
/// ```
///
/// Source: seed 001.
#[async_trait]
pub trait HttpExecutor: Send + Sync {
    /// Sends one request and returns the backend's JSON answer.
    ///
    /// `path` is final: nothing in it is to be substituted, decoded or encoded again. `body` no
    /// longer holds the fields that the path consumed; GET-like methods send it as query pairs.
    ///
    /// # Errors
    ///
    /// An [`ExecutionError`]. One that [is a refusal](ExecutionError::is_refusal) promises that
    /// nothing was sent.
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError>;

    /// The narrowing declared for `param` of the operation that `method` and `path_template` name.
    ///
    /// `path_template` is the one after `${var}` and before `{key}`: for a literal path, the text
    /// that an OpenAPI document has. The default declares nothing, which leaves the floor and the
    /// cap in force.
    fn placeholder_rules(
        &self,
        method: &str,
        path_template: &str,
        param: &str,
    ) -> PlaceholderRules<'_> {
        let _ = (method, path_template, param);
        PlaceholderRules::default()
    }
}

/// Forwards to what a pointer points at.
macro_rules! forward {
    ($($pointer:ty),+) => {$(
        #[async_trait]
        impl<E: HttpExecutor + ?Sized> HttpExecutor for $pointer {
            async fn execute_request(
                &self,
                method: &str,
                path: ResolvedPath<'_>,
                body: Option<Value>,
            ) -> Result<Value, ExecutionError> {
                (**self).execute_request(method, path, body).await
            }

            fn placeholder_rules(
                &self,
                method: &str,
                path_template: &str,
                param: &str,
            ) -> PlaceholderRules<'_> {
                (**self).placeholder_rules(method, path_template, param)
            }
        }
    )+};
}

forward!(&E, Arc<E>, Box<E>);
