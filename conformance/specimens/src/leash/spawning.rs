//! Leashes that start programs where they must not, or say of what holds them what is not so.

use std::path::Path;
use std::process::{Command, Stdio};

use proofmark_conformance::profile::LeashProfile;
use proofmark_conformance::subject::{
    CaveatSpec, Denial, FenceSpec, GateSpec, Leash, LeashContext, LeashGate, LeashSubject,
    ProgramSpec, Ran, SandboxChoice, SandboxSpec, Strength, ToolkitLeash, Verdict,
};

use super::altered::{Altered, SOUND, subject};
use super::lsh;
use crate::Specimen;

pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = too_lenient();
    specimens.extend(too_strict_or_boasting());
    specimens
}

fn too_lenient() -> Vec<Specimen> {
    let subject = |name, altered| subject(name, spawning(), altered);
    vec![
        Specimen::new(
            lsh(5),
            "starts whatever it is told to, although a check would deny it",
            subject(
                "leash_starts_any_program",
                Altered {
                    run: |context, program| match context.run(program) {
                        Err(_) if ungranted_alone(context, program) => unfenced(program),
                        answered => answered,
                    },
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            lsh(11),
            "starts a program without a sandbox where the floor is not met",
            subject(
                "leash_spawns_below_the_floor",
                Altered {
                    run: |context, program| match context.run(program) {
                        Err(_) if granted(context, program) => unfenced(program),
                        answered => answered,
                    },
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            lsh(11),
            "lets the floor that is set last stand, though it is the lower one",
            subject(
                "leash_lowers_its_floor",
                Altered {
                    gate: |spec| {
                        let mut spec = spec.clone();
                        spec.floors = spec.floors.pop().into_iter().collect();
                        spec
                    },
                    ..SOUND
                },
            ),
        ),
    ]
}

fn too_strict_or_boasting() -> Vec<Specimen> {
    let subject = |name, altered| subject(name, spawning(), altered);
    vec![
        Specimen::new(
            lsh(11),
            "starts nothing where the weakest axis is enforced at the floor and not above it",
            subject(
                "leash_refuses_at_the_floor",
                Altered {
                    run: |context, program| {
                        let weakest = context.enforcement().and_then(|fence| fence.weakest());
                        let floor = context.strength_floor();
                        match (weakest, floor) {
                            (Some(weakest), Some(floor))
                                if weakest <= floor && floor > Strength::Advisory =>
                            {
                                Err(Denial::new("the floor is not exceeded"))
                            }
                            _ => context.run(program),
                        }
                    },
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            lsh(12),
            "says that the kernel holds a program that nothing holds",
            LeashSubject::new("leash_claims_the_kernel", spawning(), || Boasting),
        ),
    ]
}

/// A leash that runs programs.
pub(super) fn spawning() -> LeashProfile {
    LeashProfile::new().check_exec().check_path().spawn()
}

/// Whether the program itself may be run, whatever holds it then.
fn granted(context: &dyn LeashContext, program: &ProgramSpec) -> bool {
    context.check_exec(&program.program).is_ok()
}

/// Whether all that speaks against the program is that nothing grants it.
fn ungranted_alone(context: &dyn LeashContext, program: &ProgramSpec) -> bool {
    let caveats = context.caveats();
    let others = [&caveats.fs_read, &caveats.fs_write, &caveats.net];
    !granted(context, program) && others.iter().all(|scope| !scope.is_restricted())
}

/// Runs the program with nothing around it.
fn unfenced(program: &ProgramSpec) -> Result<Ran, Denial> {
    let mut command = Command::new(&program.program);
    command
        .args(&program.args)
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(folder) = &program.folder {
        command.current_dir(folder);
    }
    let ended = command.status().map_err(Denial::new)?;
    Ok(Ran::new(ended.code(), SandboxSpec::None))
}

/// A leash that has no sandbox and says that it has the best.
struct Boasting;

impl Leash for Boasting {
    fn gate(&self, spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
        let gate = ToolkitLeash.gate(spec)?;
        Ok(match spec.sandbox {
            SandboxChoice::Best => Box::new(BoastingGate(gate)),
            SandboxChoice::Without => gate,
        })
    }
}

struct BoastingGate(Box<dyn LeashGate>);

impl LeashGate for BoastingGate {
    fn authorize(
        &self,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
    ) -> Result<Box<dyn LeashContext>, Denial> {
        Ok(Box::new(BoastingContext(
            self.0.authorize(granted, needed)?,
        )))
    }
}

struct BoastingContext(Box<dyn LeashContext>);

impl LeashContext for BoastingContext {
    fn caveats(&self) -> CaveatSpec {
        self.0.caveats()
    }

    fn duplicate(&self) -> Box<dyn LeashContext> {
        Box::new(Self(self.0.duplicate()))
    }

    fn check_exec(&self, program: &str) -> Verdict {
        self.0.check_exec(program)
    }

    fn check_path_read(&self, path: &Path) -> Verdict {
        self.0.check_path_read(path)
    }

    fn check_path_write(&self, path: &Path) -> Verdict {
        self.0.check_path_write(path)
    }

    fn strength_floor(&self) -> Option<Strength> {
        self.0.strength_floor()
    }

    fn sandbox_kind(&self) -> Option<SandboxSpec> {
        Some(kernel())
    }

    fn enforcement(&self) -> Option<FenceSpec> {
        let held = |restricted: bool| restricted.then_some(Strength::Kernel);
        let caveats = self.0.caveats();
        Some(FenceSpec {
            fs_read: held(caveats.fs_read.is_restricted()),
            fs_write: held(caveats.fs_write.is_restricted()),
            exec: held(caveats.exec.is_restricted()),
            net: held(caveats.net.is_restricted()),
        })
    }

    fn run(&self, program: &ProgramSpec) -> Result<Ran, Denial> {
        self.0.check_exec(&program.program)?;
        Ok(Ran::new(unfenced(program)?.exit, kernel()))
    }
}

fn kernel() -> SandboxSpec {
    SandboxSpec::Kernel("Landlock".to_owned())
}
