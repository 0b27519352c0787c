//! Asking a leash about its lattice.

use std::cmp::Ordering;

use crate::outcome::Counterexample;
use crate::profile::Capability;
use crate::subject::{CaveatSpec, Denial, FenceSpec, LeashSubject, Strength};
use crate::trial::{FreshLeash, Stop, Trial};

/// A leash whose lattice is asked.
pub(super) struct Lattice<'t>(FreshLeash<'t>);

/// `a ⊓ b`, as it is shown.
pub(super) fn meeting(a: &CaveatSpec, b: &CaveatSpec) -> String {
    format!("meet({a}; {b})")
}

/// `a ≤ b`, as it is shown.
pub(super) fn comparing(a: &CaveatSpec, b: &CaveatSpec) -> String {
    format!("leq({a}; {b})")
}

impl<'t> Lattice<'t> {
    /// The lattice of a fresh leash.
    pub(super) fn of(trial: &'t Trial<'t, LeashSubject>) -> Result<Self, Stop> {
        trial.leash().map(Self)
    }

    pub(super) fn meet(&self, a: &CaveatSpec, b: &CaveatSpec) -> Result<CaveatSpec, Stop> {
        let asked = meeting(a, b);
        let said = self
            .0
            .ask(Capability::Meet.word(), &asked, |leash| leash.meet(a, b))?;
        said.map_err(|denial| refused(&asked, &denial))
    }

    pub(super) fn leq(&self, a: &CaveatSpec, b: &CaveatSpec) -> Result<bool, Stop> {
        let asked = comparing(a, b);
        let said = self
            .0
            .ask(Capability::Leq.word(), &asked, |leash| leash.leq(a, b))?;
        said.map_err(|denial| refused(&asked, &denial))
    }

    pub(super) fn compare(&self, a: Strength, b: Strength) -> Result<Ordering, Stop> {
        let asked = format!("compare({a}; {b})");
        let word = Capability::FenceStrength.word();
        let said = self.0.ask(word, &asked, |leash| leash.compare(a, b))?;
        said.map_err(|denial| refused(&asked, &denial))
    }

    pub(super) fn fence_strength(&self, fence: &FenceSpec) -> Result<Option<Strength>, Stop> {
        let asked = format!("fence_strength({fence})");
        let word = Capability::FenceStrength.word();
        let said = self
            .0
            .ask(word, &asked, |leash| leash.fence_strength(fence))?;
        said.map_err(|denial| refused(&asked, &denial))
    }

    pub(super) fn write(&self, authority: &CaveatSpec) -> Result<String, Stop> {
        let asked = format!("write({authority})");
        let word = Capability::Serialised.word();
        let said = self.0.ask(word, &asked, |leash| leash.write(authority))?;
        said.map_err(|denial| refused(&asked, &denial))
    }

    pub(super) fn read(&self, text: &str) -> Result<Result<CaveatSpec, Denial>, Stop> {
        let asked = format!("read({text:?})");
        self.0.ask(Capability::Serialised.word(), &asked, |leash| {
            leash.read(text)
        })
    }
}

/// A lattice answers whatever it is asked about.
fn refused(asked: &str, denial: &Denial) -> Stop {
    Stop::Undecided(format!("the leash does not answer {asked}: {denial}"))
}

/// A broken law, with what it was broken by.
pub(super) fn law(
    name: &str,
    expected: impl Into<String>,
    seen: impl Into<String>,
) -> Counterexample {
    Counterexample::new(format!("the law is broken: {name}"))
        .expected(expected)
        .seen(seen)
}
