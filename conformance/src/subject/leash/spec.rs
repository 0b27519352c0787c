//! What the judge asks a leash to build and to run, as plain data.

use std::fmt;
use std::path::PathBuf;

use super::authority::CountSpec;

/// How strongly an axis is enforced. The order is the judge's own, from weak to strong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// The request is checked, and nothing holds a program to it.
    Advisory,
    /// A tool's own operations are checked one by one, or the kernel refuses the usual ways.
    Interceptor,
    /// The kernel refuses it.
    Kernel,
}

impl Strength {
    /// Every strength, from weak to strong.
    pub const ALL: [Self; 3] = [Self::Advisory, Self::Interceptor, Self::Kernel];
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// How strongly each restricted axis is enforced; an unrestricted one is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FenceSpec {
    /// Reading files.
    pub fs_read: Option<Strength>,
    /// Writing files.
    pub fs_write: Option<Strength>,
    /// Running programs.
    pub exec: Option<Strength>,
    /// Reaching hosts.
    pub net: Option<Strength>,
}

impl FenceSpec {
    /// The strength of the weakest restricted axis; `None` where none is restricted.
    #[must_use]
    pub fn weakest(&self) -> Option<Strength> {
        let axes = [self.fs_read, self.fs_write, self.exec, self.net];
        axes.into_iter().flatten().min()
    }
}

impl fmt::Display for FenceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = [
            ("fs_read", self.fs_read),
            ("fs_write", self.fs_write),
            ("exec", self.exec),
            ("net", self.net),
        ];
        let axes = axes.into_iter();
        let shown = axes.filter_map(|(axis, held)| Some(format!("{axis} {}", held?)));
        let shown: Vec<String> = shown.collect();
        if shown.is_empty() {
            return f.write_str("nothing restricted");
        }
        f.write_str(&shown.join(", "))
    }
}

/// Which sandbox programs are started in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SandboxChoice {
    /// The best that the leash has on this machine.
    #[default]
    Best,
    /// None, as on a machine without one.
    Without,
}

/// The gate that the judge wants.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GateSpec {
    /// The generation it stands for.
    pub generation: u64,
    /// How many calls it authorises in all.
    pub budget: CountSpec,
    /// The floors that are set on it, one after another; none is the leash's default.
    pub floors: Vec<Strength>,
    /// The sandbox that programs are started in under its contexts.
    pub sandbox: SandboxChoice,
}

impl GateSpec {
    /// A gate in generation 0 without a budget, with the default floor and the best sandbox.
    #[must_use]
    pub fn new() -> Self {
        Self {
            generation: 0,
            budget: CountSpec::Unlimited,
            floors: Vec::new(),
            sandbox: SandboxChoice::Best,
        }
    }

    /// The same gate in another generation.
    #[must_use]
    pub fn generation(mut self, generation: u64) -> Self {
        self.generation = generation;
        self
    }

    /// The same gate, for so many calls in all.
    #[must_use]
    pub fn budget(mut self, calls: u64) -> Self {
        self.budget = CountSpec::AtMost(calls);
        self
    }

    /// The same gate, on which one more floor is set.
    #[must_use]
    pub fn floor(mut self, floor: Strength) -> Self {
        self.floors.push(floor);
        self
    }

    /// The same gate with this sandbox.
    #[must_use]
    pub fn sandbox(mut self, sandbox: SandboxChoice) -> Self {
        self.sandbox = sandbox;
        self
    }
}

impl Default for GateSpec {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for GateSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gate(generation {}", self.generation)?;
        if self.budget != CountSpec::Unlimited {
            write!(f, ", budget {}", self.budget)?;
        }
        for floor in &self.floors {
            write!(f, ", floor {floor}")?;
        }
        if self.sandbox == SandboxChoice::Without {
            f.write_str(", without a sandbox")?;
        }
        f.write_str(")")
    }
}

/// A program that the judge wants to have run under a context.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramSpec {
    /// The program: a path or a bare name.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder it runs in, if not that of the leash's own process.
    pub folder: Option<PathBuf>,
}

impl ProgramSpec {
    /// A program without arguments.
    #[must_use]
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            folder: None,
        }
    }

    /// The same program with one more argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// The same program, run in this folder.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }
}

impl fmt::Display for ProgramSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run {:?}", crate::tree::hidden(&self.program))
    }
}

/// What a leash says holds a program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SandboxSpec {
    /// Nothing but checks in the leash's own process.
    None,
    /// This mechanism of the kernel, by its name.
    Kernel(String),
}

impl fmt::Display for SandboxSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Kernel(name) => write!(f, "{name} (kernel)"),
        }
    }
}

/// A program that a leash started and that came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ran {
    /// Its exit status, where it had one.
    pub exit: Option<i32>,
    /// What the leash says held it.
    pub sandbox: SandboxSpec,
}

impl Ran {
    /// A program that ended so, held by this.
    #[must_use]
    pub fn new(exit: Option<i32>, sandbox: SandboxSpec) -> Self {
        Self { exit, sandbox }
    }
}
