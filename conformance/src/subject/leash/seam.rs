//! The traits a leash is reached through.

use std::cmp::Ordering;
use std::fmt;
use std::fs::File;
use std::path::Path;

use super::authority::CaveatSpec;
use super::spec::{FenceSpec, GateSpec, ProgramSpec, Ran, SandboxSpec, Strength};

/// Why a leash did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Denial {
    /// It denies it, with this text.
    Denied(String),
    /// It has no such part. A profile must not declare what is answered so.
    NotOffered,
}

impl Denial {
    /// A denial with this text; any error's own text will do.
    pub fn new(reason: impl fmt::Display) -> Self {
        Self::Denied(reason.to_string())
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied(reason) => f.write_str(reason),
            Self::NotOffered => f.write_str("not offered"),
        }
    }
}

impl std::error::Error for Denial {}

/// A leash's answer: allowed, or denied.
pub type Verdict = Result<(), Denial>;

/// A kind of leash: it makes gates, and may offer the lattice of its authority.
pub trait Leash: Send + Sync {
    /// Makes a gate.
    ///
    /// # Errors
    ///
    /// [`Denial::NotOffered`] where the leash cannot make such a gate: one without its sandbox,
    /// say, or with a floor. A gate that is refused for what it asks is [`Denial::Denied`].
    fn gate(&self, spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial>;

    /// What two authorities both permit. Profile word `meet`.
    ///
    /// # Errors
    ///
    /// [`Denial::NotOffered`], unless the leash has it.
    fn meet(&self, a: &CaveatSpec, b: &CaveatSpec) -> Result<CaveatSpec, Denial> {
        let _ = (a, b);
        Err(Denial::NotOffered)
    }

    /// Whether `a` permits no more than `b`. Profile word `leq`.
    ///
    /// # Errors
    ///
    /// [`Denial::NotOffered`], unless the leash has it.
    fn leq(&self, a: &CaveatSpec, b: &CaveatSpec) -> Result<bool, Denial> {
        let _ = (a, b);
        Err(Denial::NotOffered)
    }

    /// How two strengths compare. Profile word `fence_strength`.
    ///
    /// # Errors
    ///
    /// [`Denial::NotOffered`], unless the leash has it.
    fn compare(&self, a: Strength, b: Strength) -> Result<Ordering, Denial> {
        let _ = (a, b);
        Err(Denial::NotOffered)
    }

    /// How strong a fence with these axes is; `None` where the leash gives none for it. Profile
    /// word `fence_strength`.
    ///
    /// # Errors
    ///
    /// [`Denial::NotOffered`], unless the leash has it.
    fn fence_strength(&self, fence: &FenceSpec) -> Result<Option<Strength>, Denial> {
        let _ = fence;
        Err(Denial::NotOffered)
    }

    /// Authority as text, JSON if its changed forms are to be judged. Profile word `serialised`.
    ///
    /// # Errors
    ///
    /// [`Denial::NotOffered`], unless the leash has it.
    fn write(&self, authority: &CaveatSpec) -> Result<String, Denial> {
        let _ = authority;
        Err(Denial::NotOffered)
    }

    /// Authority from text. Profile word `serialised`.
    ///
    /// # Errors
    ///
    /// [`Denial::Denied`] for what is no authority, and [`Denial::NotOffered`], unless the leash
    /// has it.
    fn read(&self, text: &str) -> Result<CaveatSpec, Denial> {
        let _ = text;
        Err(Denial::NotOffered)
    }
}

/// A gate: authorises calls one by one, from any thread.
pub trait LeashGate: Send + Sync {
    /// Authorises one call of a tool that declares to need `needed`, for a principal who was
    /// granted `granted`.
    ///
    /// # Errors
    ///
    /// The denial.
    fn authorize(
        &self,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
    ) -> Result<Box<dyn LeashContext>, Denial>;

    /// Sets the floor of this living gate.
    ///
    /// # Errors
    ///
    /// [`Denial::NotOffered`] where a gate's floor is set only when it is made.
    fn set_floor(&self, floor: Strength) -> Result<(), Denial> {
        let _ = floor;
        Err(Denial::NotOffered)
    }
}

/// What a tool is handed: the proof of its authority, and the checks that hold it to that.
pub trait LeashContext: Send + Sync {
    /// The authority of this call, as the context itself reports it.
    fn caveats(&self) -> CaveatSpec;

    /// A clone of the context.
    fn duplicate(&self) -> Box<dyn LeashContext>;

    /// May this call run `program`? Profile word `check_exec`.
    ///
    /// # Errors
    ///
    /// The denial.
    fn check_exec(&self, program: &str) -> Verdict {
        let _ = program;
        Err(Denial::NotOffered)
    }

    /// May this call reach `host`? Profile word `check_net`.
    ///
    /// # Errors
    ///
    /// The denial.
    fn check_net(&self, host: &str) -> Verdict {
        let _ = host;
        Err(Denial::NotOffered)
    }

    /// May this call read `path`, which may hold any bytes? Profile word `check_path`.
    ///
    /// # Errors
    ///
    /// The denial.
    fn check_path_read(&self, path: &Path) -> Verdict {
        let _ = path;
        Err(Denial::NotOffered)
    }

    /// May this call write `path`, or create it? Profile word `check_path`.
    ///
    /// # Errors
    ///
    /// The denial.
    fn check_path_write(&self, path: &Path) -> Verdict {
        let _ = path;
        Err(Denial::NotOffered)
    }

    /// Opens `path` for reading, if this call may read it. Profile word `mediated_opens`.
    ///
    /// # Errors
    ///
    /// The denial, or the operating system's error as one.
    fn open_path_read(&self, path: &Path) -> Result<File, Denial> {
        let _ = path;
        Err(Denial::NotOffered)
    }

    /// Opens `path` for writing, creating it or dropping its content, if this call may write it.
    /// Profile word `mediated_opens`.
    ///
    /// # Errors
    ///
    /// The denial, or the operating system's error as one.
    fn open_path_write(&self, path: &Path) -> Result<File, Denial> {
        let _ = path;
        Err(Denial::NotOffered)
    }

    /// The weakest enforcement with which this call may start a program; `None` where the leash
    /// knows no floor.
    fn strength_floor(&self) -> Option<Strength> {
        None
    }

    /// What the context says would hold a program that this call starts; `None` where it says
    /// nothing.
    fn sandbox_kind(&self) -> Option<SandboxSpec> {
        None
    }

    /// How strongly the leash says that each restricted axis would be enforced on such a program;
    /// `None` where it says nothing.
    fn enforcement(&self) -> Option<FenceSpec> {
        None
    }

    /// Runs a program under this context, to its end and with an empty standard input. Profile
    /// word `spawn`.
    ///
    /// # Errors
    ///
    /// The refusal to start it, or the operating system's error as one.
    fn run(&self, program: &ProgramSpec) -> Result<Ran, Denial> {
        let _ = program;
        Err(Denial::NotOffered)
    }
}
