//! The toolkit's leash with switches: each part of it can be replaced, and all others stay sound.

use std::cmp::Ordering;
use std::fs::File;
use std::path::Path;

use proofmark_conformance::profile::LeashProfile;
use proofmark_conformance::subject::{
    CaveatSpec, Denial, FenceSpec, GateSpec, Leash, LeashContext, LeashGate, LeashSubject,
    ProgramSpec, Ran, SandboxSpec, ScopeSpec, Strength, ToolkitLeash, Verdict,
};

/// What a path is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

impl Access {
    /// What is granted for it.
    pub(super) fn scope(self, caveats: &CaveatSpec) -> &ScopeSpec<String> {
        match self {
            Self::Read => &caveats.fs_read,
            Self::Write => &caveats.fs_write,
        }
    }

    /// Whether one of the listed grants is such; an unrestricted axis lists none.
    pub(super) fn any(self, caveats: &CaveatSpec, fits: impl Fn(&str) -> bool) -> bool {
        listed(self.scope(caveats)).any(fits)
    }

    /// Asks the context itself.
    pub(super) fn asked(self, context: &dyn LeashContext, path: &Path) -> Verdict {
        match self {
            Self::Read => context.check_path_read(path),
            Self::Write => context.check_path_write(path),
        }
    }

    /// Has the context open the path.
    pub(super) fn opened(self, context: &dyn LeashContext, path: &Path) -> Result<File, Denial> {
        match self {
            Self::Read => context.open_path_read(path),
            Self::Write => context.open_path_write(path),
        }
    }
}

/// The items that a scope lists; an unrestricted one lists none.
pub(super) fn listed(scope: &ScopeSpec<String>) -> impl Iterator<Item = &str> {
    let items = match scope {
        ScopeSpec::All => None,
        ScopeSpec::Only(items) => Some(items),
    };
    items.into_iter().flatten().map(String::as_str)
}

/// What each part makes of its question. A part that is asked for an answer gets the sound one
/// last; the others get the sound part itself.
#[derive(Clone, Copy)]
pub(super) struct Altered {
    pub exec: fn(&CaveatSpec, &str, bool) -> bool,
    pub net: fn(&CaveatSpec, &str, bool) -> bool,
    pub path: fn(&CaveatSpec, &Path, Access, bool) -> bool,
    pub open: fn(&dyn LeashContext, &Path, Access) -> Result<File, Denial>,
    pub run: fn(&dyn LeashContext, &ProgramSpec) -> Result<Ran, Denial>,
    pub told: fn(CaveatSpec) -> CaveatSpec,
    pub clone: fn(&Self) -> Self,
    /// The gate that is made when one is asked for.
    pub gate: fn(&GateSpec) -> GateSpec,
    /// The grant and the need that the sound gate is handed.
    pub authority: fn(&CaveatSpec, &CaveatSpec) -> (CaveatSpec, CaveatSpec),
    pub meet: fn(&CaveatSpec, &CaveatSpec, CaveatSpec) -> CaveatSpec,
    pub leq: fn(&CaveatSpec, &CaveatSpec, bool) -> bool,
    pub compare: fn(Strength, Strength, Ordering) -> Ordering,
    pub fence: fn(&FenceSpec, Option<Strength>) -> Option<Strength>,
    pub write: fn(&CaveatSpec, String) -> String,
    pub read: fn(&str) -> Result<CaveatSpec, Denial>,
}

/// Nothing is replaced.
pub(super) const SOUND: Altered = Altered {
    exec: |_, _, sound| sound,
    net: |_, _, sound| sound,
    path: |_, _, _, sound| sound,
    open: |context, path, access| access.opened(context, path),
    run: |context, program| context.run(program),
    told: |sound| sound,
    clone: |sound| *sound,
    gate: GateSpec::clone,
    authority: |granted, needed| (granted.clone(), needed.clone()),
    meet: |_, _, sound| sound,
    leq: |_, _, sound| sound,
    compare: |_, _, sound| sound,
    fence: |_, sound| sound,
    write: |_, sound| sound,
    read: |text| ToolkitLeash.read(text),
};

/// A subject that answers with these switches.
pub(super) fn subject(name: &str, profile: LeashProfile, altered: Altered) -> LeashSubject {
    LeashSubject::new(name, profile, move || altered)
}

/// A leash that answers checks.
pub(super) fn checks() -> LeashProfile {
    LeashProfile::new().check_exec().check_net().check_path()
}

impl Leash for Altered {
    fn gate(&self, spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
        let sound = ToolkitLeash.gate(&(self.gate)(spec))?;
        Ok(Box::new(AlteredGate(*self, sound)))
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
        Ok((self.write)(authority, ToolkitLeash.write(authority)?))
    }

    fn read(&self, text: &str) -> Result<CaveatSpec, Denial> {
        (self.read)(text)
    }
}

struct AlteredGate(Altered, Box<dyn LeashGate>);

impl LeashGate for AlteredGate {
    fn authorize(
        &self,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
    ) -> Result<Box<dyn LeashContext>, Denial> {
        let (granted, needed) = (self.0.authority)(granted, needed);
        let sound = self.1.authorize(&granted, &needed)?;
        Ok(Box::new(AlteredContext(self.0, sound)))
    }
}

struct AlteredContext(Altered, Box<dyn LeashContext>);

impl AlteredContext {
    fn answer(&self, allowed: impl FnOnce(&CaveatSpec) -> bool) -> Verdict {
        verdict(allowed(&self.1.caveats()))
    }

    fn path(&self, path: &Path, access: Access) -> Verdict {
        let sound = access.asked(self.1.as_ref(), path).is_ok();
        self.answer(|caveats| (self.0.path)(caveats, path, access, sound))
    }
}

/// The verdict of a check.
pub(super) fn verdict(allowed: bool) -> Verdict {
    allowed
        .then_some(())
        .ok_or_else(|| Denial::new("not granted"))
}

impl LeashContext for AlteredContext {
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
        self.path(path, Access::Read)
    }

    fn check_path_write(&self, path: &Path) -> Verdict {
        self.path(path, Access::Write)
    }

    fn open_path_read(&self, path: &Path) -> Result<File, Denial> {
        (self.0.open)(self.1.as_ref(), path, Access::Read)
    }

    fn open_path_write(&self, path: &Path) -> Result<File, Denial> {
        (self.0.open)(self.1.as_ref(), path, Access::Write)
    }

    fn strength_floor(&self) -> Option<Strength> {
        self.1.strength_floor()
    }

    fn sandbox_kind(&self) -> Option<SandboxSpec> {
        self.1.sandbox_kind()
    }

    fn enforcement(&self) -> Option<FenceSpec> {
        self.1.enforcement()
    }

    fn run(&self, program: &ProgramSpec) -> Result<Ran, Denial> {
        (self.0.run)(self.1.as_ref(), program)
    }
}
