//! One call of a plan.

use super::ValueExpr;
use crate::executor::Method;
use crate::path::PathTemplate;

/// A call as a script's author wrote it: nothing in it is resolved.
///
/// ```
/// use proofmark::executor::{Method, PlannedCall, ValueExpr};
/// use proofmark::path::{PathPart, PathTemplate};
/// use serde_json::json;
///
/// let path = PathTemplate::from_parts([
///     PathPart::Literal("/users/".to_owned()),
///     PathPart::Expression,
/// ])?;
/// let call = PlannedCall::new(Method::Post, path)
///     .with_expressions([ValueExpr::property(ValueExpr::variable("user"), "id")])
///     .with_body(ValueExpr::literal(json!({"active": true})));
/// assert_eq!(call.method(), Method::Post);
/// # Ok::<(), proofmark::path::TemplateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCall {
    method: Method,
    path: PathTemplate,
    expressions: Vec<ValueExpr>,
    body: Option<ValueExpr>,
}

impl PlannedCall {
    /// A call without a body, whose path has no unnamed `${…}`.
    #[must_use]
    pub fn new(method: Method, path: PathTemplate) -> Self {
        Self {
            method,
            path,
            expressions: Vec::new(),
            body: None,
        }
    }

    /// Gives the unnamed `${…}` of the path their expressions, in order of appearance.
    #[must_use]
    pub fn with_expressions(mut self, expressions: impl IntoIterator<Item = ValueExpr>) -> Self {
        self.expressions = expressions.into_iter().collect();
        self
    }

    /// Gives the call a body, whose fields also fill the path's `{key}` placeholders.
    #[must_use]
    pub fn with_body(mut self, body: ValueExpr) -> Self {
        self.body = Some(body);
        self
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// The path as it was written.
    #[must_use]
    pub fn path(&self) -> &PathTemplate {
        &self.path
    }

    /// The expressions of the unnamed `${…}`, in order.
    #[must_use]
    pub fn expressions(&self) -> &[ValueExpr] {
        &self.expressions
    }

    /// The body.
    #[must_use]
    pub fn body(&self) -> Option<&ValueExpr> {
        self.body.as_ref()
    }
}
