//! The checks: a folder for each family, a file for each requirement or close group.

mod bud;
mod call_names;
mod cred;
mod exe;
mod lat;
mod lsh;
mod path;
mod paused;
mod pol;
mod sur;

pub(crate) use pol::endpoint_key;
pub(crate) use sur::collect_call_ids;

use std::fmt;

use crate::catalogue::{Family, RequirementId};
use crate::subject::{
    ExecutorSubject, LeashSubject, ResolverSubject, ScannerSubject, SurfaceSubject,
};
use crate::trial::{Judged, Trial};

/// How one requirement is judged. There is exactly one check for a row that has any.
#[derive(Clone, Copy)]
pub struct Check {
    id: RequirementId,
    pub(crate) run: Run,
}

/// What a check is a function of.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    /// A trial of a policy.
    Policy(fn(&Trial<'_>) -> Judged),
    /// A trial of an executor.
    Executor(fn(&Trial<'_, ExecutorSubject>) -> Judged),
    /// A trial of a resolver.
    Resolver(fn(&Trial<'_, ResolverSubject>) -> Judged),
    /// A scanner.
    Scanner(fn(&ScannerSubject) -> Judged),
    /// A trial of a leash.
    Leash(fn(&Trial<'_, LeashSubject>) -> Judged),
    /// A trial of a surface.
    Surface(fn(&Trial<'_, SurfaceSubject>) -> Judged),
    /// A trial of an executor, or of a surface through each way in which it sends a request.
    Sender(fn(&Trial<'_, ExecutorSubject>) -> Judged),
    /// As `Sender`, and then of a surface as a whole.
    SenderAndSurface(
        fn(&Trial<'_, ExecutorSubject>) -> Judged,
        fn(&Trial<'_, SurfaceSubject>) -> Judged,
    ),
}

impl Check {
    const fn new(id: RequirementId, run: fn(&Trial<'_>) -> Judged) -> Self {
        let run = Run::Policy(run);
        Self { id, run }
    }

    const fn of_executor(
        id: RequirementId,
        run: fn(&Trial<'_, ExecutorSubject>) -> Judged,
    ) -> Self {
        let run = Run::Executor(run);
        Self { id, run }
    }

    const fn of_resolver(
        id: RequirementId,
        run: fn(&Trial<'_, ResolverSubject>) -> Judged,
    ) -> Self {
        let run = Run::Resolver(run);
        Self { id, run }
    }

    const fn of_scanner(id: RequirementId, run: fn(&ScannerSubject) -> Judged) -> Self {
        let run = Run::Scanner(run);
        Self { id, run }
    }

    const fn of_leash(id: RequirementId, run: fn(&Trial<'_, LeashSubject>) -> Judged) -> Self {
        let run = Run::Leash(run);
        Self { id, run }
    }

    const fn of_surface(id: RequirementId, run: fn(&Trial<'_, SurfaceSubject>) -> Judged) -> Self {
        let run = Run::Surface(run);
        Self { id, run }
    }

    const fn of_sender(id: RequirementId, run: fn(&Trial<'_, ExecutorSubject>) -> Judged) -> Self {
        let run = Run::Sender(run);
        Self { id, run }
    }

    const fn of_sender_and_surface(
        id: RequirementId,
        run: fn(&Trial<'_, ExecutorSubject>) -> Judged,
        further: fn(&Trial<'_, SurfaceSubject>) -> Judged,
    ) -> Self {
        let run = Run::SenderAndSurface(run, further);
        Self { id, run }
    }

    /// The requirement it judges.
    #[must_use]
    pub fn id(&self) -> RequirementId {
        self.id
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Check").field(&self.id).finish()
    }
}

/// Every check, in catalogue order.
pub fn all() -> impl Iterator<Item = &'static Check> {
    let families = [
        pol::CHECKS,
        bud::CHECKS,
        path::CHECKS,
        exe::CHECKS,
        cred::CHECKS,
        sur::CHECKS,
        lsh::CHECKS,
        lat::CHECKS,
    ];
    families.into_iter().flatten()
}

/// Requirements that are judged by compiling: this package's tests build a fixture for each that
/// must not compile, and its twins that must.
pub const COMPILED: &[RequirementId] = &[
    RequirementId::new(Family::Cred, 6),
    RequirementId::new(Family::Lsh, 1),
];

/// Requirements that are judged by counting allocations, in tests of this repository whose binaries
/// have an allocator that counts: none is imposed on users.
pub const COUNTED: &[RequirementId] = &[RequirementId::new(Family::Sur, 16)];

/// Whether the suite judges the requirement, by running a subject, by compiling a fixture or by
/// counting allocations.
#[must_use]
pub fn judges(id: RequirementId) -> bool {
    find(id).is_some() || COMPILED.contains(&id) || COUNTED.contains(&id)
}

/// The check of one requirement, if it has one.
#[must_use]
pub fn find(id: RequirementId) -> Option<&'static Check> {
    all().find(|check| check.id == id)
}
