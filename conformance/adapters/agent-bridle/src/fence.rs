//! Fences, their strength and their sandboxes in the judge's words and in the crate's.

use agent_bridle_core::{AxisEnforcement, EnforcementReport, SandboxKind};
use proofmark_conformance::subject::{FenceSpec, SandboxSpec, Strength};

pub(crate) fn enforcement(strength: Strength) -> AxisEnforcement {
    match strength {
        Strength::Advisory => AxisEnforcement::Advisory,
        Strength::Interceptor => AxisEnforcement::Interceptor,
        Strength::Kernel => AxisEnforcement::Kernel,
    }
}

pub(crate) fn strength(enforcement: AxisEnforcement) -> Strength {
    match enforcement {
        AxisEnforcement::Advisory => Strength::Advisory,
        AxisEnforcement::Interceptor => Strength::Interceptor,
        AxisEnforcement::Kernel => Strength::Kernel,
    }
}

pub(crate) fn report(fence: &FenceSpec) -> EnforcementReport {
    EnforcementReport {
        fs_read: fence.fs_read.map(enforcement),
        fs_write: fence.fs_write.map(enforcement),
        exec: fence.exec.map(enforcement),
        net: fence.net.map(enforcement),
    }
}

pub(crate) fn fence_spec(report: &EnforcementReport) -> FenceSpec {
    FenceSpec {
        fs_read: report.fs_read.map(strength),
        fs_write: report.fs_write.map(strength),
        exec: report.exec.map(strength),
        net: report.net.map(strength),
    }
}

pub(crate) fn sandbox_spec(kind: SandboxKind) -> SandboxSpec {
    match kind {
        SandboxKind::None => SandboxSpec::None,
        kernel => SandboxSpec::Kernel(format!("{kernel:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strengths_and_fences_come_back_as_they_went() {
        for weak in Strength::ALL {
            assert_eq!(strength(enforcement(weak)), weak);
            let fence = FenceSpec {
                fs_read: Some(weak),
                net: Some(Strength::Kernel),
                ..FenceSpec::default()
            };
            assert_eq!(fence_spec(&report(&fence)), fence);
        }
    }

    #[test]
    fn only_no_sandbox_is_none() {
        assert_eq!(sandbox_spec(SandboxKind::None), SandboxSpec::None);
        let landlock = SandboxSpec::Kernel("Landlock".to_owned());
        assert_eq!(sandbox_spec(SandboxKind::Landlock), landlock);
    }
}
