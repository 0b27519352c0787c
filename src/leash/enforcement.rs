//! How strongly each restricted axis is enforced.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::caveats::Caveats;
use super::sandbox::SandboxKind;
use super::scope::Scope;

/// How strongly one axis is enforced for a program that the tool starts.
///
/// ```
/// use proofmark::leash::AxisEnforcement::{Advisory, Interceptor, Kernel};
///
/// assert!(Advisory < Interceptor && Interceptor < Kernel);
/// ```
///
/// Source: seed 003.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AxisEnforcement {
    /// The request is checked; nothing holds the program to it.
    Advisory,
    /// The tool's own operations are checked one by one, or the kernel refuses the usual ways and
    /// not all of them: a determined program can still get round it.
    Interceptor,
    /// The kernel refuses it to the program and to all that the program starts.
    Kernel,
}

impl AxisEnforcement {
    /// Not the order of declaration: a variant that is moved must not weaken a fence.
    fn strength(self) -> u8 {
        match self {
            Self::Advisory => 0,
            Self::Interceptor => 1,
            Self::Kernel => 2,
        }
    }
}

impl Ord for AxisEnforcement {
    fn cmp(&self, other: &Self) -> Ordering {
        self.strength().cmp(&other.strength())
    }
}

impl PartialOrd for AxisEnforcement {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// How each *restricted* axis is enforced; an unrestricted one is `None`, for there is nothing to
/// enforce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnforcementReport {
    /// Reading files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fs_read: Option<AxisEnforcement>,
    /// Writing files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fs_write: Option<AxisEnforcement>,
    /// Running programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exec: Option<AxisEnforcement>,
    /// Reaching hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net: Option<AxisEnforcement>,
}

impl EnforcementReport {
    /// Is no axis restricted?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.axes().next().is_none()
    }

    fn axes(&self) -> impl Iterator<Item = AxisEnforcement> {
        [self.fs_read, self.fs_write, self.exec, self.net]
            .into_iter()
            .flatten()
    }
}

/// The strength of a whole fence: that of its weakest restricted axis. `None` where nothing is
/// restricted.
///
/// Source: seed 003.
#[must_use]
pub fn fence_strength(report: &EnforcementReport) -> Option<AxisEnforcement> {
    report.axes().min()
}

/// How the sandbox `active` enforces each axis that `effective` restricts.
///
/// A sandbox that only refuses the usual ways counts as [`AxisEnforcement::Interceptor`]: the
/// Landlock sandbox refuses to run a program that is not granted, which a dynamic loader gets
/// round, and refuses TCP where no host is granted, which UDP gets round.
#[must_use]
pub fn enforcement_report(effective: &Caveats, active: SandboxKind) -> EnforcementReport {
    EnforcementReport {
        fs_read: restricted(&effective.fs_read, || files(active)),
        fs_write: restricted(&effective.fs_write, || files(active)),
        exec: restricted(&effective.exec, || programs(&effective.exec, active)),
        net: restricted(&effective.net, || hosts(&effective.net, active)),
    }
}

fn restricted(
    scope: &Scope<String>,
    enforcement: impl FnOnce() -> AxisEnforcement,
) -> Option<AxisEnforcement> {
    scope.is_restricted().then(enforcement)
}

fn files(active: SandboxKind) -> AxisEnforcement {
    match active {
        SandboxKind::None => AxisEnforcement::Interceptor,
        SandboxKind::Landlock
        | SandboxKind::Seatbelt
        | SandboxKind::AppContainer
        | SandboxKind::MinimalRootfs
        | SandboxKind::MicroVm => AxisEnforcement::Kernel,
    }
}

fn programs(scope: &Scope<String>, active: SandboxKind) -> AxisEnforcement {
    match active {
        SandboxKind::Seatbelt | SandboxKind::MinimalRootfs | SandboxKind::MicroVm => {
            AxisEnforcement::Kernel
        }
        SandboxKind::AppContainer if is_empty(scope) => AxisEnforcement::Kernel,
        SandboxKind::AppContainer | SandboxKind::Landlock | SandboxKind::None => {
            AxisEnforcement::Interceptor
        }
    }
}

fn hosts(scope: &Scope<String>, active: SandboxKind) -> AxisEnforcement {
    match active {
        SandboxKind::MicroVm => AxisEnforcement::Kernel,
        SandboxKind::Seatbelt | SandboxKind::AppContainer if is_loopback(scope) => {
            AxisEnforcement::Kernel
        }
        SandboxKind::Landlock if is_empty(scope) && super::sandbox::landlock_net_is_supported() => {
            AxisEnforcement::Interceptor
        }
        SandboxKind::Seatbelt
        | SandboxKind::AppContainer
        | SandboxKind::Landlock
        | SandboxKind::MinimalRootfs
        | SandboxKind::None => AxisEnforcement::Advisory,
    }
}

/// Is nothing granted?
pub(super) fn is_empty(scope: &Scope<String>) -> bool {
    matches!(scope, Scope::Only(items) if items.is_empty())
}

/// Is nothing granted but the machine's own loopback interface?
fn is_loopback(scope: &Scope<String>) -> bool {
    let own = ["localhost", "127.0.0.1", "::1"];
    matches!(scope, Scope::Only(hosts) if hosts.iter().all(|host| own.contains(&host.as_str())))
}

/// Must a program not be started under `caveats`, with the sandbox `active` and what the principal
/// asks for at least?
///
/// - Every restricted axis must reach `floor`.
/// - A restricted file axis must reach [`AxisEnforcement::Kernel`] whatever the floor: a check in
///   this process does not see what another program opens.
/// - A program granted by its path needs a sandbox whatever the floor: nothing else holds a
///   started program to exactly that file.
///
/// Source: seed 003.
#[must_use]
pub fn confinement_unenforceable(
    active: SandboxKind,
    caveats: &Caveats,
    floor: AxisEnforcement,
) -> bool {
    let report = enforcement_report(caveats, active);
    let unseen = [report.fs_read, report.fs_write]
        .into_iter()
        .flatten()
        .any(|strength| strength < AxisEnforcement::Kernel);
    let unpinned = active == SandboxKind::None && pins_a_program(&caveats.exec);
    unseen || unpinned || fence_strength(&report).is_some_and(|strength| strength < floor)
}

fn pins_a_program(scope: &Scope<String>) -> bool {
    matches!(scope, Scope::Only(programs)
        if programs.iter().any(|program| program.contains(std::path::is_separator)))
}
