//! Starting a program that the operating system holds to the caveats of a call.

mod descriptors;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;

use super::caveats::Caveats;
use super::context::ToolContext;
use super::enforcement::{EnforcementReport, confinement_unenforceable, enforcement_report};
use super::error::{Quoted, ToolError, ToolResult};
use super::program;
use super::sandbox::{Sandbox, SandboxKind, best_available_sandbox, effective_sandbox_kind};

/// A program to be started under the caveats of a [`ToolContext`].
///
/// It inherits nothing that is not listed here: no variable of the environment, no descriptor but
/// its three streams, and those are empty unless set.
///
/// ```no_run
/// use std::process::Stdio;
/// use proofmark::leash::{ConfinedCommand, ToolContext, ToolResult};
///
/// fn list(cx: &ToolContext) -> ToolResult<String> {
///     let started = ConfinedCommand::new("ls").arg("-1").stdout(Stdio::piped()).spawn(cx)?;
///     let output = started.child.wait_with_output()?;
///     Ok(String::from_utf8_lossy(&output.stdout).into_owned())
/// }
/// ```
#[must_use]
pub struct ConfinedCommand {
    program: String,
    args: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    directory: Option<PathBuf>,
    stdin: Stdio,
    stdout: Stdio,
    stderr: Stdio,
    own_group: bool,
    sandbox: Option<Arc<dyn Sandbox>>,
}

/// A program that has been started, and what holds it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ConfinedChild {
    /// The process. Waiting for it is the caller's business.
    pub child: Child,
    /// The sandbox in force around it.
    pub sandbox_kind: SandboxKind,
    /// How each restricted axis is enforced on it.
    pub enforcement: EnforcementReport,
}

impl ConfinedCommand {
    /// Starts the description of a program: a path, or a bare name that is looked up in the
    /// system's own directories, whatever `PATH` says.
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            environment: Vec::new(),
            directory: None,
            stdin: Stdio::null(),
            stdout: Stdio::null(),
            stderr: Stdio::null(),
            own_group: false,
            sandbox: None,
        }
    }

    /// Appends an argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Appends arguments.
    pub fn args<I>(mut self, args: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<OsStr>,
    {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
        self.args.extend(args);
        self
    }

    /// Sets a variable of the program's environment, which is empty otherwise.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        let variable = (name.as_ref().to_owned(), value.as_ref().to_owned());
        self.environment.push(variable);
        self
    }

    /// Sets the working directory; without it the program has that of this process.
    pub fn current_dir(mut self, directory: impl AsRef<Path>) -> Self {
        self.directory = Some(directory.as_ref().to_owned());
        self
    }

    /// Sets standard input; without it the program reads nothing.
    pub fn stdin(mut self, stream: impl Into<Stdio>) -> Self {
        self.stdin = stream.into();
        self
    }

    /// Sets standard output; without it what the program writes is dropped.
    pub fn stdout(mut self, stream: impl Into<Stdio>) -> Self {
        self.stdout = stream.into();
        self
    }

    /// Sets standard error; without it what the program writes is dropped.
    pub fn stderr(mut self, stream: impl Into<Stdio>) -> Self {
        self.stderr = stream.into();
        self
    }

    /// Makes the program the leader of a process group of its own (on Unix).
    pub fn new_process_group(mut self) -> Self {
        self.own_group = true;
        self
    }

    /// Uses this sandbox instead of the [best available one](best_available_sandbox).
    pub fn sandbox(mut self, sandbox: Arc<dyn Sandbox>) -> Self {
        self.sandbox = Some(sandbox);
        self
    }

    /// Starts the program under the authority of `cx`.
    ///
    /// Every descriptor of this process above standard error is made close-on-exec on the way.
    ///
    /// # Errors
    ///
    /// [`ToolError::Denied`] if the `exec` scope does not cover the program, if the sandbox cannot
    /// enforce what the caveats restrict (see [`confinement_unenforceable`]), or if it could not
    /// be set up, and then nothing is started; [`ToolError::Exec`] if there is no such program or
    /// it does not start.
    pub fn spawn(self, cx: &ToolContext) -> ToolResult<ConfinedChild> {
        cx.check_exec(&self.program)?;
        let file = program::file_of(&self.program)
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no such program"))?;
        let sandbox = self.sandbox.clone().unwrap_or_else(best_available_sandbox);
        let caveats = cx.caveats();
        let sandbox_kind = effective_sandbox_kind(sandbox.kind(), caveats);
        let floor = cx.strength_floor();
        if confinement_unenforceable(sandbox_kind, caveats, floor) {
            return Err(ToolError::denied(format!(
                "{} is not started: the sandbox in force ({sandbox_kind:?}) does not enforce every \
                 restricted axis at the required strength ({floor:?})",
                Quoted(&self.program)
            )));
        }
        let command = self.command(&file);
        let confinement = (sandbox_kind != SandboxKind::None).then_some(sandbox);
        Ok(ConfinedChild {
            child: start(command, confinement, caveats.clone(), file)?,
            sandbox_kind,
            enforcement: enforcement_report(caveats, sandbox_kind),
        })
    }

    fn command(self, file: &Path) -> Command {
        let mut command = Command::new(file);
        command
            .args(self.args)
            .env_clear()
            .envs(self.environment)
            .stdin(self.stdin)
            .stdout(self.stdout)
            .stderr(self.stderr);
        if let Some(directory) = self.directory {
            command.current_dir(directory);
        }
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            command.arg0(&self.program);
            if self.own_group {
                command.process_group(0);
            }
        }
        command
    }
}

/// Confines a thread that nothing else uses, and starts the program from it. The program inherits
/// the confinement; this thread ends, and the rest of the process stays as free as it was.
fn start(
    mut command: Command,
    confinement: Option<Arc<dyn Sandbox>>,
    caveats: Caveats,
    file: PathBuf,
) -> ToolResult<Child> {
    let confined = thread::Builder::new().name("leash-spawn".to_owned());
    let starting = confined.spawn(move || -> ToolResult<Child> {
        // First, because a confined thread may not be able to list them.
        descriptors::seal()?;
        if let Some(sandbox) = confinement {
            sandbox.apply_for(&caveats, &file)?;
        }
        Ok(command.spawn()?)
    })?;
    starting
        .join()
        .unwrap_or_else(|_| Err(ToolError::denied("the sandbox failed while it was set up")))
}
