//! The tools of a server, each dispatched through a gate.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::caveats::Caveats;
use super::enforcement::AxisEnforcement;
use super::error::{ToolError, ToolResult};
use super::gate::Gate;
use super::tool::Tool;

/// A catalogue of tools. It has no authority of its own: all of it comes with each call.
///
/// ```
/// use proofmark::leash::Registry;
///
/// let registry = Registry::builder().generation(3).build();
/// assert!(!registry.contains("shell"));
/// ```
#[derive(Default)]
pub struct Registry {
    tools: BTreeMap<String, Arc<dyn Tool>>,
    generation: u64,
}

impl Registry {
    /// Starts a catalogue.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// The entries of a `tools/list` answer, by name.
    #[must_use]
    pub fn tool_definitions(&self) -> Vec<Value> {
        self.tools
            .iter()
            .map(|(name, tool)| json!({"name": name, "inputSchema": tool.schema()}))
            .collect()
    }

    /// The names of all tools, sorted.
    #[must_use]
    pub fn tool_names(&self) -> Vec<&str> {
        self.tools.keys().map(String::as_str).collect()
    }

    /// Is there a tool of this name?
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.tools.contains_key(name)
    }

    /// Runs one tool under `granted`, through a gate made for this one call.
    ///
    /// `max_calls` bounds the calls of a session, which one dispatch is not: use
    /// [`dispatch_through`](Self::dispatch_through) with the session's gate to have them counted.
    ///
    /// # Errors
    ///
    /// [`ToolError::NotFound`] for an unknown name, whatever the gate denies, and whatever the
    /// tool returns.
    pub async fn dispatch(&self, name: &str, args: Value, granted: &Caveats) -> ToolResult<Value> {
        self.dispatch_with_strength_floor(name, args, granted, AxisEnforcement::Advisory)
            .await
    }

    /// Runs one tool as [`dispatch`](Self::dispatch) does, with a floor for what it may start.
    ///
    /// # Errors
    ///
    /// As for [`dispatch`](Self::dispatch).
    pub async fn dispatch_with_strength_floor(
        &self,
        name: &str,
        args: Value,
        granted: &Caveats,
        strength_floor: AxisEnforcement,
    ) -> ToolResult<Value> {
        let gate = Gate::new(self.generation).with_strength_floor(strength_floor);
        self.dispatch_through(&gate, name, args, granted).await
    }

    /// Runs one tool through `gate`, which counts the call only if there is such a tool and the
    /// grant admits it.
    ///
    /// # Errors
    ///
    /// As for [`dispatch`](Self::dispatch).
    pub async fn dispatch_through(
        &self,
        gate: &Gate,
        name: &str,
        args: Value,
        granted: &Caveats,
    ) -> ToolResult<Value> {
        let tool = self
            .tools
            .get(name)
            .ok_or_else(|| ToolError::not_found(name))?;
        let context = gate.authorize(tool.as_ref(), granted)?;
        tool.invoke(args, &context).await
    }
}

/// Collects the tools of a [`Registry`].
#[derive(Default)]
#[must_use]
pub struct RegistryBuilder {
    registry: Registry,
}

impl RegistryBuilder {
    /// Adds a tool; a later one of the same name replaces it.
    pub fn tool(mut self, tool: Arc<dyn Tool>) -> Self {
        self.registry.tools.insert(tool.name().to_owned(), tool);
        self
    }

    /// The generation of the gates that [`Registry::dispatch`] makes; 0 unless told otherwise.
    pub fn generation(mut self, generation: u64) -> Self {
        self.registry.generation = generation;
        self
    }

    /// The finished catalogue.
    #[must_use]
    pub fn build(self) -> Registry {
        self.registry
    }
}
