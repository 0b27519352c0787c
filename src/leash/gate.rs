//! The only place where a tool's context comes from.

use super::caveats::Caveats;
use super::context::ToolContext;
use super::count::CountBound;
use super::enforcement::AxisEnforcement;
use super::error::{ToolError, ToolResult};
use super::sandbox::{Sandbox, SandboxKind, effective_sandbox_kind};
use super::tool::Tool;
use crate::sync::{AtomicU64, Ordering};

/// Authorises the calls of one session, and counts them.
///
/// ```
/// use proofmark::leash::{Caveats, CountBound, Gate, ToolError};
/// # use proofmark::leash::{Tool, ToolContext, ToolResult};
/// # struct Tick;
/// # #[proofmark::async_trait]
/// # impl Tool for Tick {
/// #     fn name(&self) -> &str { "tick" }
/// #     fn schema(&self) -> serde_json::Value { serde_json::json!({}) }
/// #     async fn invoke(&self, _: serde_json::Value, _: &ToolContext)
/// #         -> ToolResult<serde_json::Value> { Ok(serde_json::Value::Null) }
/// # }
///
/// let gate = Gate::with_budget(0, CountBound::AtMost(1));
/// assert!(gate.authorize(&Tick, &Caveats::top()).is_ok());
/// assert!(matches!(gate.authorize(&Tick, &Caveats::top()), Err(ToolError::Budget)));
/// ```
///
/// Source: seed 003.
#[derive(Debug)]
pub struct Gate {
    generation: u64,
    budget: CountBound,
    spent: AtomicU64,
    sandbox_kind: SandboxKind,
    strength_floor: AxisEnforcement,
}

impl Gate {
    /// A gate in `generation` whose only bound is that of each grant.
    #[must_use]
    pub fn new(generation: u64) -> Self {
        Self::with_budget(generation, CountBound::Unlimited)
    }

    /// A gate in `generation` that authorises at most `max_calls` calls.
    #[must_use]
    pub fn with_budget(generation: u64, max_calls: CountBound) -> Self {
        Self {
            generation,
            budget: max_calls,
            spent: AtomicU64::new(0),
            sandbox_kind: SandboxKind::None,
            strength_floor: AxisEnforcement::Advisory,
        }
    }

    /// Records the sandbox that programs started under this gate run in. A context reports it only
    /// where its caveats engage it.
    #[must_use]
    pub fn with_sandbox(mut self, sandbox: &dyn Sandbox) -> Self {
        self.sandbox_kind = sandbox.kind();
        self
    }

    /// Raises the weakest enforcement that a program may be started with. A floor below the
    /// present one changes nothing.
    #[must_use]
    pub fn with_strength_floor(mut self, floor: AxisEnforcement) -> Self {
        self.strength_floor = self.strength_floor.max(floor);
        self
    }

    /// The generation this gate stands for.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The calls authorised so far.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Acquire)
    }

    /// Authorises one call of `tool` under `granted`, with what the tool needs and the grant have
    /// in common.
    ///
    /// The tighter of the gate's budget and the grant's `max_calls` bounds the calls that this
    /// gate authorises; `max_calls` in the tool's need is handed on and not counted.
    ///
    /// # Errors
    ///
    /// [`ToolError::Generation`] if the grant does not hold in this generation, which charges
    /// nothing; [`ToolError::Budget`] if the bound is reached.
    pub fn authorize(&self, tool: &dyn Tool, granted: &Caveats) -> ToolResult<ToolContext> {
        if !granted.valid_for_generation.contains(&self.generation) {
            return Err(ToolError::Generation);
        }
        let effective = granted.meet(&tool.required());
        self.charge(self.budget.meet(&granted.max_calls))?;
        let sandbox_kind = effective_sandbox_kind(self.sandbox_kind, &effective);
        Ok(ToolContext::mint(
            effective,
            sandbox_kind,
            self.strength_floor,
        ))
    }

    /// Counts one call, unless `bound` is reached. Nothing ever lowers the count, so what is spent
    /// stays spent.
    fn charge(&self, bound: CountBound) -> ToolResult<()> {
        let counted = self
            .spent
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |spent| {
                bound.admits_after(spent).then(|| spent.saturating_add(1))
            });
        counted.map(drop).map_err(|_| ToolError::Budget)
    }
}
