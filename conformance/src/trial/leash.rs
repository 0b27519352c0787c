//! What a check of a leash is handed: fresh leashes, their gates and contexts, each asked under
//! watch.

use std::fmt;
use std::fs::File;
use std::path::PathBuf;

use super::case::Trial;
use super::contained::contained;
use super::finding::Stop;
use super::watch::Watch;
use crate::profile::Capability;
use crate::subject::{
    CaveatSpec, Denial, GateSpec, Leash, LeashContext, LeashGate, LeashSubject, ProgramSpec, Ran,
    Strength,
};
use crate::tree;

/// One thing that a context is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Act {
    /// May this program be run?
    Exec(String),
    /// May this host be reached?
    Net(String),
    /// May this path be read?
    Read(PathBuf),
    /// May this path be written?
    Write(PathBuf),
}

impl Act {
    /// What a leash has to offer for it to be asked.
    #[must_use]
    pub fn needs(&self) -> Capability {
        match self {
            Self::Exec(_) => Capability::CheckExec,
            Self::Net(_) => Capability::CheckNet,
            Self::Read(_) | Self::Write(_) => Capability::CheckPath,
        }
    }

    /// The name of the axis it is about.
    #[must_use]
    pub fn axis(&self) -> &'static str {
        match self {
            Self::Exec(_) => "exec",
            Self::Net(_) => "net",
            Self::Read(_) => "fs_read",
            Self::Write(_) => "fs_write",
        }
    }
}

/// So many characters of what is asked are shown.
const SHOWN: usize = 120;

/// One line for people: a tree's place is hidden, control characters are escaped, and long texts
/// are cut.
impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, asked) = match self {
            Self::Exec(program) => ("check_exec", format!("{program:?}")),
            Self::Net(host) => ("check_net", format!("{host:?}")),
            Self::Read(path) => ("check_path_read", format!("{path:?}")),
            Self::Write(path) => ("check_path_write", format!("{path:?}")),
        };
        let asked = tree::hidden(&asked);
        let shown: String = asked.chars().take(SHOWN).collect();
        write!(f, "{name}({shown}")?;
        match asked.chars().count().saturating_sub(SHOWN) {
            0 => f.write_str(")"),
            more => write!(f, "… {more} more characters)"),
        }
    }
}

/// The word for what was said.
#[must_use]
pub(crate) fn word(allowed: bool) -> &'static str {
    if allowed { "allowed" } else { "denied" }
}

/// A part of the subject, which may also misbehave when it is dropped.
struct Kept<'t, T: ?Sized> {
    watch: &'t Watch,
    part: Option<Box<T>>,
}

impl<T: ?Sized> Drop for Kept<'_, T> {
    fn drop(&mut self) {
        let part = self.part.take();
        let _in_flight = self.watch.lifecycle("dropping a part of the leash");
        // Rows are about what a leash answers; a panic that is raised here is nobody's verdict.
        let _ = contained(|| drop(part));
    }
}

impl<T: ?Sized> Kept<'_, T> {
    fn part(&self) -> Result<&T, Stop> {
        let gone = || Stop::Harness("a part of the leash is gone".to_owned());
        self.part.as_deref().ok_or_else(gone)
    }
}

impl<'a> Trial<'a, LeashSubject> {
    /// Whether the profile declares this.
    #[must_use]
    pub fn offers(&self, capability: Capability) -> bool {
        self.subject().capabilities().has(capability)
    }

    /// A fresh leash.
    ///
    /// # Errors
    ///
    /// [`Stop::Factory`] where the factory panics.
    pub fn leash(&self) -> Result<FreshLeash<'_>, Stop> {
        let leash = self.making(|| self.subject().make())?;
        Ok(FreshLeash {
            trial: self,
            kept: Kept {
                watch: self.watch(),
                part: Some(leash),
            },
        })
    }

    /// A gate of a fresh leash.
    ///
    /// # Errors
    ///
    /// [`Stop::Undecided`] where the leash makes no such gate, and as [`leash`](Self::leash).
    pub fn gate(&self, spec: &GateSpec) -> Result<FreshGate<'_>, Stop> {
        let gate = self.leash()?.gate(spec)?;
        gate.map_err(|denial| Stop::Undecided(format!("the leash makes no {spec}: {denial}")))
    }

    /// A context with exactly this authority, from a plain gate.
    ///
    /// # Errors
    ///
    /// [`Stop::Undecided`] where the gate denies it, and as [`gate`](Self::gate).
    pub fn context(&self, granted: &CaveatSpec) -> Result<FreshContext<'_>, Stop> {
        self.gate(&GateSpec::new())?
            .context(granted, &CaveatSpec::top())
    }
}

/// A fresh leash.
pub struct FreshLeash<'t> {
    trial: &'t Trial<'t, LeashSubject>,
    kept: Kept<'t, dyn Leash>,
}

impl<'t> FreshLeash<'t> {
    /// Makes a gate.
    ///
    /// # Errors
    ///
    /// [`Stop::Panicked`] where the leash panics.
    pub fn gate(&self, spec: &GateSpec) -> Result<Result<FreshGate<'t>, Denial>, Stop> {
        let leash = self.kept.part()?;
        let gate = self.trial.during(spec, || leash.gate(spec))?;
        Ok(gate.map(|gate| FreshGate {
            trial: self.trial,
            spec: spec.clone(),
            kept: Kept {
                watch: self.trial.watch(),
                part: Some(gate),
            },
        }))
    }

    /// Asks the leash for something that the profile says it offers, as `word`.
    ///
    /// # Errors
    ///
    /// [`Stop::Undecided`] where the leash does not offer it, and [`Stop::Panicked`] where it
    /// panics.
    pub fn ask<T>(
        &self,
        word: &str,
        asked: &dyn fmt::Display,
        work: impl FnOnce(&dyn Leash) -> Result<T, Denial>,
    ) -> Result<Result<T, Denial>, Stop> {
        let leash = self.kept.part()?;
        offered(word, self.trial.during(asked, || work(leash))?)
    }
}

/// What a part said, unless it says that there is no such part although the profile declares it.
fn offered<T>(word: &str, said: Result<T, Denial>) -> Result<Result<T, Denial>, Stop> {
    match said {
        Err(Denial::NotOffered) => Err(Stop::Undecided(format!(
            "the profile declares `{word}`, but the leash does not offer it: remove the word"
        ))),
        said => Ok(said),
    }
}

/// A fresh gate.
pub struct FreshGate<'t> {
    trial: &'t Trial<'t, LeashSubject>,
    spec: GateSpec,
    kept: Kept<'t, dyn LeashGate>,
}

impl<'t> FreshGate<'t> {
    /// What the gate was made from.
    #[must_use]
    pub fn spec(&self) -> &GateSpec {
        &self.spec
    }

    /// The gate itself, for checks that drive it by hand.
    ///
    /// # Errors
    ///
    /// None that a check has to expect.
    pub fn raw(&self) -> Result<&dyn LeashGate, Stop> {
        self.kept.part()
    }

    /// Authorises a call.
    ///
    /// # Errors
    ///
    /// [`Stop::Panicked`] where the gate panics.
    pub fn authorize(
        &self,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
    ) -> Result<Result<FreshContext<'t>, Denial>, Stop> {
        let gate = self.kept.part()?;
        let asked = authorizing(granted, needed);
        let said = self
            .trial
            .during(&asked, || gate.authorize(granted, needed))?;
        Ok(said.map(|context| FreshContext {
            trial: self.trial,
            granted: granted.clone(),
            kept: Kept {
                watch: self.trial.watch(),
                part: Some(context),
            },
        }))
    }

    /// Authorises a call that nothing speaks against.
    ///
    /// # Errors
    ///
    /// [`Stop::Undecided`] where the gate denies it, and as [`authorize`](Self::authorize).
    pub fn context(
        &self,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
    ) -> Result<FreshContext<'t>, Stop> {
        self.authorize(granted, needed)?.map_err(|denial| {
            Stop::Undecided(format!(
                "the control failed: the gate denies {}: {}",
                authorizing(granted, needed),
                tree::hidden(&denial.to_string())
            ))
        })
    }

    /// Sets the floor of the living gate; `false` where that cannot be done.
    ///
    /// # Errors
    ///
    /// [`Stop::Panicked`] where the gate panics.
    pub fn set_floor(&self, floor: Strength) -> Result<bool, Stop> {
        let gate = self.kept.part()?;
        let asked = format!("set the floor {floor}");
        Ok(self.trial.during(&asked, || gate.set_floor(floor))?.is_ok())
    }
}

/// One line that says what is authorised.
#[must_use]
pub(crate) fn authorizing(granted: &CaveatSpec, needed: &CaveatSpec) -> String {
    if *needed == CaveatSpec::top() {
        format!("authorize(granted {granted})")
    } else {
        format!("authorize(granted {granted}; needed {needed})")
    }
}

/// A fresh context.
pub struct FreshContext<'t> {
    trial: &'t Trial<'t, LeashSubject>,
    granted: CaveatSpec,
    kept: Kept<'t, dyn LeashContext>,
}

impl<'t> FreshContext<'t> {
    /// What was granted.
    #[must_use]
    pub fn granted(&self) -> &CaveatSpec {
        &self.granted
    }

    /// The context itself, for checks that drive it by hand.
    ///
    /// # Errors
    ///
    /// None that a check has to expect.
    pub fn raw(&self) -> Result<&dyn LeashContext, Stop> {
        self.kept.part()
    }

    /// Whether the context allows it.
    ///
    /// # Errors
    ///
    /// [`Stop::Panicked`] where the context panics, and [`Stop::Undecided`] where it does not
    /// answer what the profile says it does.
    pub fn allows(&self, act: &Act) -> Result<bool, Stop> {
        let context = self.kept.part()?;
        let said = self.trial.during(act, || match act {
            Act::Exec(program) => context.check_exec(program),
            Act::Net(host) => context.check_net(host),
            Act::Read(path) => context.check_path_read(path),
            Act::Write(path) => context.check_path_write(path),
        })?;
        Ok(offered(act.needs().word(), said)?.is_ok())
    }

    /// Whether the context allows it; `None` where the profile does not say that it is answered.
    ///
    /// # Errors
    ///
    /// As [`allows`](Self::allows).
    pub fn allows_if_offered(&self, act: &Act) -> Result<Option<bool>, Stop> {
        if self.trial.offers(act.needs()) {
            self.allows(act).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Opens the path of a read or write.
    ///
    /// # Errors
    ///
    /// [`Stop::Panicked`] where the context panics, and [`Stop::Undecided`] where it opens no
    /// files although the profile says it does.
    pub fn open(&self, act: &Act) -> Result<Result<File, Denial>, Stop> {
        let context = self.kept.part()?;
        let asked = format!("a mediated open, as {act}");
        let said = self.trial.during(&asked, || match act {
            Act::Read(path) => context.open_path_read(path),
            Act::Write(path) => context.open_path_write(path),
            Act::Exec(_) | Act::Net(_) => Err(Denial::new("only files are opened")),
        })?;
        offered(Capability::MediatedOpens.word(), said)
    }

    /// Runs a program.
    ///
    /// # Errors
    ///
    /// [`Stop::Panicked`] where the context panics, and [`Stop::Undecided`] where it runs no
    /// programs although the profile says it does.
    pub fn run(&self, program: &ProgramSpec) -> Result<Result<Ran, Denial>, Stop> {
        let context = self.kept.part()?;
        let said = self.trial.awaiting(program, || context.run(program))?;
        offered(Capability::Spawn.word(), said)
    }

    /// Has the context say something about itself.
    ///
    /// # Errors
    ///
    /// [`Stop::Panicked`] where it panics.
    pub fn tell<T>(
        &self,
        what: &str,
        work: impl FnOnce(&dyn LeashContext) -> T,
    ) -> Result<T, Stop> {
        let context = self.kept.part()?;
        self.trial.during(&what, || work(context))
    }

    /// The authority that the context reports.
    ///
    /// # Errors
    ///
    /// As [`tell`](Self::tell).
    pub fn caveats(&self) -> Result<CaveatSpec, Stop> {
        self.tell("its caveats", |context| context.caveats())
    }

    /// A clone.
    ///
    /// # Errors
    ///
    /// As [`tell`](Self::tell).
    pub fn duplicate(&self) -> Result<Self, Stop> {
        let clone = self.tell("to be cloned", |context| context.duplicate())?;
        Ok(Self {
            trial: self.trial,
            granted: self.granted.clone(),
            kept: Kept {
                watch: self.trial.watch(),
                part: Some(clone),
            },
        })
    }
}
