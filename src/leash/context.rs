//! The proof that a call has passed the leash, and the checks that hold it to what was granted.

use std::fs::File;
use std::path::Path;

use super::caveats::Caveats;
use super::enforcement::AxisEnforcement;
use super::error::{Quoted, ToolError, ToolResult};
use super::names;
use super::path::{self, Access, WriteMode};
use super::sandbox::SandboxKind;
use super::scope::Scope;

/// What a tool needs in order to act: the authority of one call, minted by
/// [`Gate::authorize`](super::Gate::authorize) and by nothing else.
///
/// There is no constructor, no public field and no setter; a clone has the same authority. The
/// table in the [module's documentation](super) says what each check promises and what it leaves
/// open.
///
/// It cannot be constructed,
/// ```compile_fail,E0451
/// use proofmark::leash::{AxisEnforcement, Caveats, SandboxKind, ToolContext};
/// let forged = ToolContext {
///     effective: Caveats::top(),
///     sandbox_kind: SandboxKind::Landlock,
///     strength_floor: AxisEnforcement::Advisory,
/// };
/// ```
/// nor minted from outside,
/// ```compile_fail,E0624
/// use proofmark::leash::{AxisEnforcement, Caveats, SandboxKind, ToolContext};
/// let forged = ToolContext::mint(
///     Caveats::top(),
///     SandboxKind::Landlock,
///     AxisEnforcement::Advisory,
/// );
/// ```
/// nor defaulted,
/// ```compile_fail,E0277
/// fn default_of<T: Default>() -> T { T::default() }
/// let forged = default_of::<proofmark::leash::ToolContext>();
/// ```
/// nor converted from caveats,
/// ```compile_fail,E0277
/// use proofmark::leash::{Caveats, ToolContext};
/// let forged: ToolContext = Caveats::top().into();
/// ```
/// nor deserialised,
/// ```compile_fail,E0277
/// let forged: proofmark::leash::ToolContext = serde_json::from_str("{}").unwrap();
/// ```
/// nor widened through what it shows.
/// ```compile_fail,E0594
/// fn widen(cx: &mut proofmark::leash::ToolContext) {
///     cx.caveats().net = proofmark::leash::Scope::All;
/// }
/// ```
///
/// Source: seed 003.
#[derive(Debug, Clone)]
pub struct ToolContext {
    effective: Caveats,
    sandbox_kind: SandboxKind,
    strength_floor: AxisEnforcement,
}

/// A grant that covers nothing, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InertGrant {
    /// The axis it stands on: `fs_read`, `fs_write`, `exec` or `net`.
    pub axis: &'static str,
    /// The grant, verbatim.
    pub grant: String,
    /// Why it covers nothing.
    pub reason: &'static str,
}

impl ToolContext {
    /// The only place where one comes into being. What the checks look up is worked out here,
    /// unless another context from the same scopes has done so: path grants are opened now, so
    /// that what they cover does not follow later renames.
    pub(super) fn mint(
        effective: Caveats,
        sandbox_kind: SandboxKind,
        strength_floor: AxisEnforcement,
    ) -> Self {
        for scope in [&effective.fs_read, &effective.fs_write] {
            if let Scope::Only(items) = scope {
                items.grants();
            }
        }
        Self {
            effective,
            sandbox_kind,
            strength_floor,
        }
    }

    /// The authority of this call: what was granted and what the tool needs have in common.
    #[must_use]
    pub fn caveats(&self) -> &Caveats {
        &self.effective
    }

    /// The sandbox that programs started in this call run in; `None` where these caveats engage
    /// none.
    #[must_use]
    pub fn sandbox_kind(&self) -> SandboxKind {
        self.sandbox_kind
    }

    /// The weakest enforcement of a restricted axis with which a program may be started.
    #[must_use]
    pub fn strength_floor(&self) -> AxisEnforcement {
        self.strength_floor
    }

    /// May this call run `program`?
    ///
    /// Yes, if the `exec` scope has `program` as it stands, or a bare name that is the last
    /// component of `program`. A bare grant `git` therefore admits *any* file called `git`; a
    /// grant with a separator admits exactly that spelling. An empty program, or one with a NUL,
    /// is admitted by no restricted scope.
    ///
    /// # Errors
    ///
    /// [`ToolError::Denied`] otherwise.
    pub fn check_exec(&self, program: &str) -> ToolResult<()> {
        match &self.effective.exec {
            Scope::All => Ok(()),
            Scope::Only(items) if items.names().admits_program(program) => Ok(()),
            Scope::Only(_) => Err(outside("running", program, "exec")),
        }
    }

    /// May this call reach `host`?
    ///
    /// Yes, if the `net` scope has exactly this text: no suffix, wildcard, port or other case is
    /// understood.
    ///
    /// # Errors
    ///
    /// [`ToolError::Denied`] otherwise.
    pub fn check_net(&self, host: &str) -> ToolResult<()> {
        match &self.effective.net {
            Scope::All => Ok(()),
            Scope::Only(items) if items.names().admits(host) => Ok(()),
            Scope::Only(_) => Err(outside("reaching", host, "net")),
        }
    }

    /// May this call read `path`?
    ///
    /// The path is resolved first, through every link and `..`; what it leads to must be a granted
    /// file, or lie in a granted directory. A path that cannot be resolved is denied, except that
    /// its last components may be missing: their place counts then. What is open between this
    /// check and an open by name, [`open_path_read`](Self::open_path_read) closes.
    ///
    /// # Errors
    ///
    /// [`ToolError::Denied`] otherwise.
    pub fn check_path_read(&self, path: &Path) -> ToolResult<()> {
        path::check(&self.effective.fs_read, Access::Read, path)
    }

    /// May this call write `path`, or create it?
    ///
    /// As [`check_path_read`](Self::check_path_read), of the `fs_write` scope.
    ///
    /// # Errors
    ///
    /// [`ToolError::Denied`] otherwise.
    pub fn check_path_write(&self, path: &Path) -> ToolResult<()> {
        path::check(&self.effective.fs_write, Access::Write, path)
    }

    /// Opens `path` for reading, if this call may read it; a directory opens too.
    ///
    /// Where [`RaceClosure::here`](super::RaceClosure::here) says so, the file is opened below the
    /// granted directory itself and not by its name, so that renaming a part of the path meanwhile
    /// leads nowhere else. Never waits for a peer; a pipe, socket or device is opened only where
    /// it is granted itself.
    ///
    /// # Errors
    ///
    /// [`ToolError::Denied`] as for [`check_path_read`](Self::check_path_read), and when the path
    /// changed meanwhile; [`ToolError::Exec`] for an error of the operating system.
    pub fn open_path_read(&self, path: &Path) -> ToolResult<File> {
        path::open_read(&self.effective.fs_read, path)
    }

    /// Opens `path` for writing, if this call may write it.
    ///
    /// As [`open_path_read`](Self::open_path_read), of the `fs_write` scope; the directory must
    /// exist. A file that has more than one name is refused before it is touched: another name may
    /// lie outside the scope.
    ///
    /// # Errors
    ///
    /// As for [`open_path_read`](Self::open_path_read).
    pub fn open_path_write(&self, path: &Path, mode: WriteMode) -> ToolResult<File> {
        path::open_write(&self.effective.fs_write, path, mode)
    }

    /// The grants of this call that cover nothing now: paths that could not be opened when the
    /// context was minted, or whose object has been replaced since, and names that nothing has.
    #[must_use]
    pub fn inert_grants(&self) -> Vec<InertGrant> {
        let Caveats {
            fs_read,
            fs_write,
            exec,
            net,
            ..
        } = &self.effective;
        let mut inert = Vec::new();
        for (axis, scope) in [("fs_read", fs_read), ("fs_write", fs_write)] {
            if let Scope::Only(items) = scope {
                let found = items.grants().inert().into_iter();
                inert.extend(found.map(|(grant, reason)| InertGrant {
                    axis,
                    grant,
                    reason,
                }));
            }
        }
        for (axis, scope) in [("exec", exec), ("net", net)] {
            if let Scope::Only(items) = scope {
                let found = items.iter().filter(|name| !names::is_usable(name));
                inert.extend(found.map(|grant| InertGrant {
                    axis,
                    grant: grant.clone(),
                    reason: "it is empty or has a NUL",
                }));
            }
        }
        inert
    }
}

fn outside(doing: &str, what: &str, axis: &str) -> ToolError {
    let what = Quoted(what);
    ToolError::denied(format!(
        "{doing} {what} is not within the granted {axis} scope"
    ))
}
