//! What a tool is to the leash.

use async_trait::async_trait;
use serde_json::Value;

use super::caveats::Caveats;
use super::context::ToolContext;
use super::error::ToolResult;

/// A capability that a caller can invoke, on the leash.
///
/// ```
/// use async_trait::async_trait;
/// use proofmark::leash::{Caveats, Registry, Scope, Tool, ToolContext, ToolError, ToolResult};
/// use serde_json::{Value, json};
///
/// struct Head;
///
/// #[async_trait]
/// impl Tool for Head {
///     fn name(&self) -> &str {
///         "head"
///     }
///     fn schema(&self) -> Value {
///         json!({"type": "object", "properties": {"path": {"type": "string"}}})
///     }
///     async fn invoke(&self, args: Value, cx: &ToolContext) -> ToolResult<Value> {
///         let path = args["path"].as_str().unwrap_or_default();
///         let mut file = cx.open_path_read(path.as_ref())?;
///         let mut text = String::new();
///         std::io::Read::read_to_string(&mut file, &mut text)?;
///         Ok(json!(text.lines().next()))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let registry = Registry::builder().tool(std::sync::Arc::new(Head)).build();
/// let granted = Caveats { fs_read: Scope::none(), ..Caveats::top() };
/// let outcome = registry.dispatch("head", json!({"path": "/etc/passwd"}), &granted).await;
/// assert!(matches!(outcome, Err(ToolError::Denied { .. })));
/// # }
/// ```
#[async_trait]
pub trait Tool: Send + Sync {
    /// The name it is dispatched by.
    fn name(&self) -> &str;

    /// The JSON Schema of its arguments.
    fn schema(&self) -> Value;

    /// The authority that it promises to stay within. It gets what this and the grant have in
    /// common, so asking for more than is granted is no error and gains nothing.
    fn required(&self) -> Caveats {
        Caveats::top()
    }

    /// Runs the tool. The context is the proof that the leash was passed, and what the tool asks
    /// before each single operation.
    ///
    /// # Errors
    ///
    /// What a check of the context denied, or the tool's own failure.
    async fn invoke(&self, args: Value, cx: &ToolContext) -> ToolResult<Value>;
}
