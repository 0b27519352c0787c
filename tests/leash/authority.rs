//! Contexts for tests, minted the only way there is.

use proofmark::leash::{Caveats, Gate, Scope, Tool, ToolContext, ToolResult};
use serde_json::{Value, json};

/// A tool that needs what it is told to and does nothing.
pub struct Idle {
    pub needs: Caveats,
}

#[proofmark::async_trait]
impl Tool for Idle {
    fn name(&self) -> &str {
        "idle"
    }

    fn schema(&self) -> Value {
        json!({"type": "object"})
    }

    fn required(&self) -> Caveats {
        self.needs.clone()
    }

    async fn invoke(&self, _args: Value, _cx: &ToolContext) -> ToolResult<Value> {
        Ok(Value::Null)
    }
}

/// A tool that leaves everything to the grant.
pub fn idle() -> Idle {
    Idle {
        needs: Caveats::top(),
    }
}

/// A context with exactly this authority.
pub fn context(granted: &Caveats) -> ToolContext {
    Gate::new(0).authorize(&idle(), granted).unwrap()
}

/// A scope of these items.
pub fn only<S: Into<String>>(items: impl IntoIterator<Item = S>) -> Scope<String> {
    Scope::only(items.into_iter().map(Into::into))
}

/// Caveats that restrict both file axes to the same grants.
pub fn files<S: Into<String>>(grants: impl IntoIterator<Item = S>) -> Caveats {
    let scope = only(grants);
    Caveats {
        fs_read: scope.clone(),
        fs_write: scope,
        ..Caveats::top()
    }
}
