//! A leash whose living gates can be given a floor, its contexts keeping theirs or not; and floors
//! that are another than promised.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use proofmark_conformance::profile::LeashProfile;
use proofmark_conformance::subject::{
    CaveatSpec, Denial, GateSpec, Leash, LeashContext, LeashGate, LeashSubject, Strength,
    ToolkitLeash, Verdict,
};

use super::altered::{Altered, SOUND, checks, subject};
use super::lsh;
use crate::Specimen;

pub(super) fn specimens() -> Vec<Specimen> {
    vec![
        Specimen::new(
            lsh(18),
            "has the floor `Kernel` where none was set",
            subject(
                "leash_starts_at_kernel",
                checks(),
                Altered {
                    gate: |spec| {
                        if spec.floors.is_empty() {
                            spec.clone().floor(Strength::Kernel)
                        } else {
                            spec.clone()
                        }
                    },
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            lsh(18),
            "reads a context's floor from the gate, on which it may have been set meanwhile",
            living("leash_moves_minted_floors", Minted::Follows),
        ),
    ]
}

/// What a context does when its gate's floor is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Minted {
    /// Keeps the floor that it was minted with.
    Keeps,
    /// Takes the new one.
    Follows,
}

/// A subject whose living gates can be given a higher floor.
pub(super) fn living(name: &str, minted: Minted) -> LeashSubject {
    LeashSubject::new(
        name,
        LeashProfile::new().check_exec().check_path(),
        move || Living(minted),
    )
}

struct Living(Minted);

impl Leash for Living {
    fn gate(&self, spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
        let highest = spec.floors.iter().copied().max();
        let floor = Floor::new(highest.unwrap_or(Strength::Advisory));
        let sound = ToolkitLeash.gate(spec)?;
        let minted = self.0;
        Ok(Box::new(LivingGate {
            minted,
            sound,
            floor,
        }))
    }
}

/// A floor that is only ever raised, and that its clones share.
#[derive(Clone)]
struct Floor(Arc<Mutex<Strength>>);

impl Floor {
    fn new(floor: Strength) -> Self {
        Self(Arc::new(Mutex::new(floor)))
    }

    fn now(&self) -> Strength {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn raise(&self, floor: Strength) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = floor.max(*now);
    }
}

struct LivingGate {
    minted: Minted,
    sound: Box<dyn LeashGate>,
    floor: Floor,
}

impl LeashGate for LivingGate {
    fn authorize(
        &self,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
    ) -> Result<Box<dyn LeashContext>, Denial> {
        let floor = match self.minted {
            Minted::Keeps => Floor::new(self.floor.now()),
            Minted::Follows => self.floor.clone(),
        };
        let sound = self.sound.authorize(granted, needed)?;
        Ok(Box::new(LivingContext { floor, sound }))
    }

    fn set_floor(&self, floor: Strength) -> Result<(), Denial> {
        self.floor.raise(floor);
        Ok(())
    }
}

struct LivingContext {
    floor: Floor,
    sound: Box<dyn LeashContext>,
}

impl LeashContext for LivingContext {
    fn caveats(&self) -> CaveatSpec {
        self.sound.caveats()
    }

    fn duplicate(&self) -> Box<dyn LeashContext> {
        Box::new(Self {
            floor: self.floor.clone(),
            sound: self.sound.duplicate(),
        })
    }

    fn check_exec(&self, program: &str) -> Verdict {
        self.sound.check_exec(program)
    }

    fn check_path_read(&self, path: &Path) -> Verdict {
        self.sound.check_path_read(path)
    }

    fn check_path_write(&self, path: &Path) -> Verdict {
        self.sound.check_path_write(path)
    }

    fn strength_floor(&self) -> Option<Strength> {
        Some(self.floor.now())
    }
}
