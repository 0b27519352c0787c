//! A lattice for tests: the toolkit's own, with one part replaced.

use std::cmp::Ordering;

use crate::check::lsh::row_of;
use crate::outcome::{Outcome, RowOutcome};
use crate::profile::LeashProfile;
use crate::subject::{
    CaveatSpec, Denial, FenceSpec, GateSpec, Leash, LeashGate, LeashSubject, Strength, ToolkitLeash,
};

/// What each part makes of the sound answer, which is the last argument.
#[derive(Clone, Copy)]
pub(super) struct Double {
    pub meet: fn(&CaveatSpec, &CaveatSpec, CaveatSpec) -> CaveatSpec,
    pub leq: fn(&CaveatSpec, &CaveatSpec, bool) -> bool,
    pub compare: fn(Strength, Strength, Ordering) -> Ordering,
    pub fence: fn(&FenceSpec, Option<Strength>) -> Option<Strength>,
    pub read: fn(&str, Result<CaveatSpec, Denial>) -> Result<CaveatSpec, Denial>,
}

impl Double {
    /// Nothing is replaced.
    pub(super) const SOUND: Self = Self {
        meet: |_, _, sound| sound,
        leq: |_, _, sound| sound,
        compare: |_, _, sound| sound,
        fence: |_, sound| sound,
        read: |_, sound| sound,
    };
}

impl Leash for Double {
    fn gate(&self, spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
        ToolkitLeash.gate(spec)
    }

    fn meet(&self, a: &CaveatSpec, b: &CaveatSpec) -> Result<CaveatSpec, Denial> {
        Ok((self.meet)(a, b, ToolkitLeash.meet(a, b)?))
    }

    fn leq(&self, a: &CaveatSpec, b: &CaveatSpec) -> Result<bool, Denial> {
        Ok((self.leq)(a, b, ToolkitLeash.leq(a, b)?))
    }

    fn compare(&self, a: Strength, b: Strength) -> Result<Ordering, Denial> {
        Ok((self.compare)(a, b, ToolkitLeash.compare(a, b)?))
    }

    fn fence_strength(&self, fence: &FenceSpec) -> Result<Option<Strength>, Denial> {
        Ok((self.fence)(fence, ToolkitLeash.fence_strength(fence)?))
    }

    fn write(&self, authority: &CaveatSpec) -> Result<String, Denial> {
        ToolkitLeash.write(authority)
    }

    fn read(&self, text: &str) -> Result<CaveatSpec, Denial> {
        (self.read)(text, ToolkitLeash.read(text))
    }
}

/// Judges one row of a double in this process.
pub(super) fn judged(row: &str, double: Double) -> RowOutcome {
    let profile = LeashProfile::new()
        .meet()
        .leq()
        .fence_strength()
        .serialised();
    row_of(row, &LeashSubject::new("double", profile, move || double))
}

/// Says that the sound double passes a row.
pub(super) fn held(row: &str) {
    let row = judged(row, Double::SOUND);
    assert_eq!(row.outcome, Outcome::Pass, "{row:?}");
}
