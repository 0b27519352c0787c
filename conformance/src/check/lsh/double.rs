//! A leash for tests: the toolkit's own, with one part replaced.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::catalogue::Catalogue;
use crate::judge::judge_row;
use crate::outcome::{Outcome, RowOutcome};
use crate::profile::LeashProfile;
use crate::seed::Seed;
use crate::subject::{
    CaveatSpec, Denial, FenceSpec, GateSpec, Leash, LeashContext, LeashGate, LeashSubject,
    ProgramSpec, Ran, SandboxSpec, Strength, ToolkitLeash, Verdict,
};
use crate::trial::{Settings, Watch};

/// What a mediated open makes of the sound one.
type Open = fn(&CaveatSpec, &Path, bool, Result<File, Denial>) -> Result<File, Denial>;

/// What each part makes of the sound answer, which is the last argument.
#[derive(Clone, Copy)]
pub(in crate::check) struct Double {
    pub exec: fn(&CaveatSpec, &str, bool) -> bool,
    pub net: fn(&CaveatSpec, &str, bool) -> bool,
    /// The flag before the last says whether it is asked for writing.
    pub path: fn(&CaveatSpec, &Path, bool, bool) -> bool,
    pub open: Open,
    pub spec: fn(&GateSpec) -> GateSpec,
    pub grant: fn(&CaveatSpec) -> CaveatSpec,
    pub need: fn(&CaveatSpec) -> CaveatSpec,
    pub told: fn(CaveatSpec) -> CaveatSpec,
    pub floor: fn(Option<Strength>) -> Option<Strength>,
    pub ran: fn(Result<Ran, Denial>) -> Result<Ran, Denial>,
    pub clone: fn(&Self) -> Self,
}

impl Double {
    /// Nothing is replaced.
    pub(in crate::check) const SOUND: Self = Self {
        exec: |_, _, sound| sound,
        net: |_, _, sound| sound,
        path: |_, _, _, sound| sound,
        open: |_, _, _, sound| sound,
        spec: GateSpec::clone,
        grant: CaveatSpec::clone,
        need: CaveatSpec::clone,
        told: |sound| sound,
        floor: |sound| sound,
        ran: |sound| sound,
        clone: |sound| *sound,
    };
}

impl Leash for Double {
    fn gate(&self, spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
        let sound = ToolkitLeash.gate(&(self.spec)(spec))?;
        Ok(Box::new(Gate(*self, sound)))
    }
}

struct Gate(Double, Box<dyn LeashGate>);

impl LeashGate for Gate {
    fn authorize(
        &self,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
    ) -> Result<Box<dyn LeashContext>, Denial> {
        let (granted, needed) = ((self.0.grant)(granted), (self.0.need)(needed));
        let sound = self.1.authorize(&granted, &needed)?;
        Ok(Box::new(Context(self.0, sound)))
    }
}

struct Context(Double, Box<dyn LeashContext>);

impl Context {
    fn answer(&self, allowed: impl FnOnce(&CaveatSpec) -> bool) -> Verdict {
        if allowed(&self.1.caveats()) {
            Ok(())
        } else {
            Err(Denial::new("not granted"))
        }
    }
}

impl LeashContext for Context {
    fn caveats(&self) -> CaveatSpec {
        (self.0.told)(self.1.caveats())
    }

    fn duplicate(&self) -> Box<dyn LeashContext> {
        Box::new(Self((self.0.clone)(&self.0), self.1.duplicate()))
    }

    fn check_exec(&self, program: &str) -> Verdict {
        let sound = self.1.check_exec(program).is_ok();
        self.answer(|caveats| (self.0.exec)(caveats, program, sound))
    }

    fn check_net(&self, host: &str) -> Verdict {
        let sound = self.1.check_net(host).is_ok();
        self.answer(|caveats| (self.0.net)(caveats, host, sound))
    }

    fn check_path_read(&self, path: &Path) -> Verdict {
        let sound = self.1.check_path_read(path).is_ok();
        self.answer(|caveats| (self.0.path)(caveats, path, false, sound))
    }

    fn check_path_write(&self, path: &Path) -> Verdict {
        let sound = self.1.check_path_write(path).is_ok();
        self.answer(|caveats| (self.0.path)(caveats, path, true, sound))
    }

    fn open_path_read(&self, path: &Path) -> Result<File, Denial> {
        let sound = self.1.open_path_read(path);
        (self.0.open)(&self.1.caveats(), path, false, sound)
    }

    fn open_path_write(&self, path: &Path) -> Result<File, Denial> {
        let sound = self.1.open_path_write(path);
        (self.0.open)(&self.1.caveats(), path, true, sound)
    }

    fn strength_floor(&self) -> Option<Strength> {
        (self.0.floor)(self.1.strength_floor())
    }

    fn sandbox_kind(&self) -> Option<SandboxSpec> {
        self.1.sandbox_kind()
    }

    fn enforcement(&self) -> Option<FenceSpec> {
        self.1.enforcement()
    }

    fn run(&self, program: &ProgramSpec) -> Result<Ran, Denial> {
        (self.0.ran)(self.1.run(program))
    }
}

/// What the double offers: all but the lattice.
fn profile() -> LeashProfile {
    let checks = LeashProfile::new().check_exec().check_net().check_path();
    let checks = checks.mediated_opens().spawn();
    checks.generation().call_budget()
}

/// Judges one row of a double in this process.
pub(in crate::check) fn judged(row: &str, double: Double) -> RowOutcome {
    row_of(row, &LeashSubject::new("double", profile(), move || double))
}

/// Judges one row of any leash in this process.
pub(in crate::check) fn row_of(row: &str, subject: &LeashSubject) -> RowOutcome {
    let requirement = Catalogue::shared().unwrap().get(row.parse().unwrap());
    let settings = Settings {
        cases: 64,
        ..Settings::with_seed(Seed::fresh())
    };
    let watch = Arc::new(Watch::default());
    judge_row(requirement.unwrap(), subject, settings, &watch).unwrap()
}

/// Says that the sound double passes a row.
pub(in crate::check) fn held(row: &str) {
    let row = judged(row, Double::SOUND);
    assert_eq!(row.outcome, Outcome::Pass, "{row:?}");
}
