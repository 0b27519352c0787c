//! The seam of curated tools: one operation, its arguments, one request.

use async_trait::async_trait;
use serde_json::Value;

use super::Operation;
use crate::executor::ExecutionError;

/// Executes declared operations, each as one request.
///
/// Source: seed 000.
#[async_trait]
pub trait HttpConnector: Send + Sync {
    /// Executes an operation for nobody in particular: the policy sees an unattributed request.
    ///
    /// # Errors
    ///
    /// An [`ExecutionError`].
    async fn execute(&self, operation: &Operation, args: &Value) -> Result<Value, ExecutionError>;

    /// Executes an operation for one `tools/call` of the tool of this name.
    ///
    /// # Errors
    ///
    /// An [`ExecutionError`].
    async fn execute_for_tool(
        &self,
        tool: &str,
        operation: &Operation,
        args: &Value,
    ) -> Result<Value, ExecutionError>;
}
