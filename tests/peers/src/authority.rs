//! One authority on both leashes, and the tool that contexts are minted for.

use agent_bridle_core as peer;
use proofmark::leash as ours;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The counterpart of a value on the other side: what its text reads as.
///
/// # Errors
///
/// The sides do not read the same text.
pub fn same<T: DeserializeOwned>(value: &impl Serialize) -> Result<T, serde_json::Error> {
    serde_json::from_str(&serde_json::to_string(value)?)
}

/// A tool on both leashes, which does nothing.
#[derive(Debug, Clone)]
pub struct Idle {
    our_need: ours::Caveats,
    peer_need: peer::Caveats,
}

impl Idle {
    /// The tool with this need.
    ///
    /// # Errors
    ///
    /// As for [`same`].
    pub fn needing(need: &ours::Caveats) -> Result<Self, serde_json::Error> {
        Ok(Self {
            our_need: same(need)?,
            peer_need: same(need)?,
        })
    }
}

impl Default for Idle {
    fn default() -> Self {
        Self {
            our_need: ours::Caveats::top(),
            peer_need: peer::Caveats::top(),
        }
    }
}

#[async_trait::async_trait]
impl ours::Tool for Idle {
    fn name(&self) -> &str {
        "idle"
    }

    fn schema(&self) -> Value {
        Value::Null
    }

    fn required(&self) -> ours::Caveats {
        self.our_need.clone()
    }

    async fn invoke(&self, _args: Value, _cx: &ours::ToolContext) -> ours::ToolResult<Value> {
        Ok(Value::Null)
    }
}

#[async_trait::async_trait]
impl peer::Tool for Idle {
    fn name(&self) -> &str {
        "idle"
    }

    fn schema(&self) -> Value {
        Value::Null
    }

    fn required(&self) -> peer::Caveats {
        self.peer_need.clone()
    }

    async fn invoke(&self, _args: Value, _cx: &peer::ToolContext) -> peer::ToolResult<Value> {
        Ok(Value::Null)
    }
}
