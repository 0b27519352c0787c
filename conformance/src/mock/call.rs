//! One call as an executor is handed it.

use proofmark::path::ResolvedPath;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What an executor was asked to send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The method as it was handed over.
    pub method: String,
    /// The resolved path, with its query.
    pub path: String,
    /// The body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

impl Call {
    pub(super) fn new(method: &str, path: ResolvedPath<'_>, body: Option<&Value>) -> Self {
        Self {
            method: method.to_owned(),
            path: path.as_str().to_owned(),
            body: body.cloned(),
        }
    }
}
