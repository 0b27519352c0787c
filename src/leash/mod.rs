//! The capability leash: authority that only narrows, a gate that mints it into contexts, and the
//! checks and sandboxes that hold a tool to it.
//!
//! A [`Tool`] acts only through the [`ToolContext`] it is handed, and a context comes only from
//! [`Gate::authorize`], with what the grant and the tool's need have in common. Before each
//! operation the tool asks the context: may it [run](ToolContext::check_exec) this program,
//! [reach](ToolContext::check_net) this host, [read](ToolContext::check_path_read) or
//! [write](ToolContext::check_path_write) this path? A file is better
//! [opened](ToolContext::open_path_read) by the context than checked and then opened by name, and
//! a program is started by a [`ConfinedCommand`], which no check in this process could follow.
//!
//! # What is promised, and by what
//!
#![doc = include_str!("promises.md")]
//!
//! Whatever is mounted inside a granted directory is part of it. On Linux a path is resolved with
//! the help of `/proc`; where that is missing nothing is covered. On other systems grants are known
//! by their place and not by a descriptor, and a mediated open is a check followed by an open by
//! name ([`RaceClosure`]); there is no sandbox. While a program is being started, a descriptor that
//! another thread opens at that very moment without close-on-exec can still reach it.

mod caveats;
mod context;
mod count;
mod enforcement;
mod error;
mod gate;
mod names;
mod path;
mod program;
mod promises;
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
pub use promises::{PROMISES, Promise};
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
