//! Sandboxes: what the operating system holds a started program to.

#[cfg(all(target_os = "linux", feature = "landlock"))]
mod landlock;

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::caveats::Caveats;
use super::enforcement::enforcement_report;
use super::error::ToolResult;

#[cfg(all(target_os = "linux", feature = "landlock"))]
pub use self::landlock::LandlockSandbox;

/// Which sandbox holds the programs that a call starts.
///
/// This toolkit has [`Landlock`](Self::Landlock) and nothing; the other kinds are there for
/// sandboxes of other makers.
///
/// Source: seed 003.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxKind {
    /// Landlock rules on the starting thread (Linux).
    Landlock,
    /// A Seatbelt profile (macOS).
    Seatbelt,
    /// An AppContainer token (Windows).
    AppContainer,
    /// A mount namespace that holds the granted files only.
    MinimalRootfs,
    /// A virtual machine without a network device.
    MicroVm,
    /// None: only this process's own checks.
    #[default]
    None,
}

/// A way to have the operating system hold a program to some caveats.
pub trait Sandbox: Send + Sync {
    /// What it is, where it works; [`SandboxKind::None`] where it does not.
    fn kind(&self) -> SandboxKind;

    /// Confines the calling thread, and all it starts from then on, for good.
    ///
    /// # Errors
    ///
    /// Any failure to confine *everything* that [`kind`](Self::kind) promises. The thread must
    /// then not be used.
    fn apply(&self, effective: &Caveats) -> ToolResult<()>;

    /// As [`apply`](Self::apply), for a thread that is about to start `program`: the one file
    /// beyond the caveats which that needs.
    ///
    /// # Errors
    ///
    /// As for [`apply`](Self::apply).
    fn apply_for(&self, effective: &Caveats, program: &Path) -> ToolResult<()> {
        let _ = program;
        self.apply(effective)
    }
}

/// No sandbox: confines nothing, and says so.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoopSandbox;

impl Sandbox for NoopSandbox {
    fn kind(&self) -> SandboxKind {
        SandboxKind::None
    }

    fn apply(&self, _effective: &Caveats) -> ToolResult<()> {
        Ok(())
    }
}

/// The strongest sandbox of this build that works on this machine.
#[must_use]
pub fn best_available_sandbox() -> Arc<dyn Sandbox> {
    #[cfg(all(target_os = "linux", feature = "landlock"))]
    if landlock_is_supported() {
        return Arc::new(LandlockSandbox::new());
    }
    Arc::new(NoopSandbox)
}

/// Can this build confine files with Landlock on this kernel? (From 6.2 on: before that, a file
/// outside the grant could still be truncated.)
#[must_use]
pub fn landlock_is_supported() -> bool {
    #[cfg(all(target_os = "linux", feature = "landlock"))]
    return landlock::confines_files();
    #[cfg(not(all(target_os = "linux", feature = "landlock")))]
    return false;
}

/// Can this build refuse TCP with Landlock on this kernel? (From 6.7 on.)
#[must_use]
pub fn landlock_net_is_supported() -> bool {
    #[cfg(all(target_os = "linux", feature = "landlock"))]
    return landlock::refuses_tcp();
    #[cfg(not(all(target_os = "linux", feature = "landlock")))]
    return false;
}

/// The sandbox that is really in force under `caveats` where `available` is to be had: the same
/// if it holds at least one restricted axis better than nothing would, else none.
#[must_use]
pub fn effective_sandbox_kind(available: SandboxKind, caveats: &Caveats) -> SandboxKind {
    if available == SandboxKind::None {
        return SandboxKind::None;
    }
    let holds = enforcement_report(caveats, available)
        != enforcement_report(caveats, SandboxKind::None)
        // Here the kernel refuses the usual way, which is no more than an interceptor does, but
        // does so inside the started program as well.
        || (available == SandboxKind::Landlock && caveats.exec.is_restricted());
    if holds { available } else { SandboxKind::None }
}
