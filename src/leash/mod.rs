//! The capability leash: authority that only narrows, a gate that mints it into contexts, and the
//! checks and sandboxes that hold a tool to it.

mod caveats;
mod context;
mod count;
mod enforcement;
mod error;
mod gate;
mod names;
mod path;
mod program;
mod registry;
mod sandbox;
mod scope;
mod spawn;
mod tool;

pub use caveats::Caveats;
pub use context::{InertGrant, ToolContext};
pub use count::CountBound;
pub use enforcement::{
    AxisEnforcement, EnforcementReport, confinement_unenforceable, enforcement_report,
    fence_strength,
};
pub use error::{ToolError, ToolResult};
pub use gate::Gate;
pub use path::{RaceClosure, WriteMode};
pub use registry::{Registry, RegistryBuilder};
#[cfg(all(target_os = "linux", feature = "landlock"))]
pub use sandbox::LandlockSandbox;
pub use sandbox::{
    NoopSandbox, Sandbox, SandboxKind, best_available_sandbox, effective_sandbox_kind,
    landlock_is_supported, landlock_net_is_supported,
};
pub use scope::{Scope, ScopeItems};
pub use spawn::{ConfinedChild, ConfinedCommand};
pub use tool::Tool;
