//! Surfaces whose allocations are counted: what one without a policy makes, beside its twin that has
//! no hook at all.

use proofmark_conformance::subject::SurfaceSubject;

use super::flaw::Flaw;
use super::specimens::{both, desk};

/// A surface, the same surface with the hook left out, and whether it makes something for a policy
/// that is not there.
#[derive(Debug, Clone)]
pub struct CountedSurface {
    /// The surface.
    pub subject: SurfaceSubject,
    /// The same without the hook.
    pub without_hook: SurfaceSubject,
    /// Whether SUR-16 has to convict it.
    pub is_broken: bool,
}

/// The surfaces that SUR-16 is tried on: one that keeps it, and one that does not.
#[must_use]
pub fn counted_surfaces() -> Vec<CountedSurface> {
    let counted = |name: &str, flaw, is_broken| CountedSurface {
        subject: desk(name, both(), flaw),
        without_hook: desk("surface_without_hook", both(), Flaw::HasNoHook),
        is_broken,
    };
    vec![
        counted("surface_that_is_idle", Flaw::None, false),
        counted(
            "surface_that_builds_for_nobody",
            Flaw::BuildsForNobody,
            true,
        ),
    ]
}
