//! Landlock: rules of the Linux kernel on a thread and on all it starts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope as Beyond,
    make_bitflags,
};

use super::{Sandbox, SandboxKind, effective_sandbox_kind, landlock_net_is_supported};
use crate::leash::caveats::Caveats;
use crate::leash::enforcement::is_empty;
use crate::leash::error::{ToolError, ToolResult};
use crate::leash::path::{Pinned, hold};
use crate::leash::program;
use crate::leash::scope::Scope;

/// The rules of Linux 6.2: the first that can keep a file outside the grant from being truncated.
const RULES: ABI = ABI::V3;

const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | ReadDir});
const RUN: BitFlags<AccessFs> = make_bitflags!(AccessFs::{Execute | ReadFile});
const SINK: BitFlags<AccessFs> = make_bitflags!(AccessFs::{WriteFile | Truncate});

/// What a program reads to start at all: programs, libraries, and devices that hold nothing.
const READABLE: [&str; 23] = [
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libx32",
    "/usr/libexec",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/local/lib",
    "/usr/local/libexec",
    "/etc/ld.so.cache",
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// Where the loaders of dynamic programs are.
const LOADER_DIRECTORIES: [&str; 4] = ["/lib", "/lib32", "/lib64", "/libx32"];

/// The Landlock sandbox.
///
/// Files are held to the objects that the context pinned, so a grant that is renamed later means
/// the same object still. Beyond the grants a confined program may
///
/// - read the system's programs and libraries (`/bin`, `/lib`, `/usr/bin`, `/usr/lib` and the
///   like, `/etc/ld.so.cache`), harmless devices, and what [`also_reading`](Self::also_reading)
///   adds, where reading is restricted at all;
/// - write `/dev/null`;
/// - run the loader of dynamic programs, where running is restricted: without it no dynamic
///   program starts, and with it any readable program can be started. That axis is therefore
///   reported as [`Interceptor`](crate::leash::AxisEnforcement::Interceptor).
///
/// Where no host is granted, TCP is refused (Linux 6.7); UDP is not. Where hosts are restricted at
/// all, abstract sockets of other programs are refused too, and always signals to them (6.12).
///
/// ```
/// use proofmark::leash::{LandlockSandbox, Sandbox, SandboxKind, landlock_is_supported};
///
/// let kind = LandlockSandbox::new().kind();
/// assert_eq!(kind == SandboxKind::Landlock, landlock_is_supported());
/// ```
#[derive(Debug, Clone, Default)]
pub struct LandlockSandbox {
    readable: Vec<PathBuf>,
}

impl LandlockSandbox {
    /// The sandbox with nothing readable beyond what it lists.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets every confined program read `path`, and all below it, in addition to its grant.
    #[must_use]
    pub fn also_reading(mut self, path: impl Into<PathBuf>) -> Self {
        self.readable.push(path.into());
        self
    }

    fn confine(&self, effective: &Caveats, program: Option<&Path>) -> ToolResult<()> {
        if effective_sandbox_kind(SandboxKind::Landlock, effective) == SandboxKind::None {
            return Ok(());
        }
        let rules = Rules::of(effective).map_err(unconfined)?;
        let rules = self.reading(rules, effective, program)?;
        let rules = writing(rules, effective)?;
        rules.enforce()
    }

    fn reading(
        &self,
        mut rules: Rules,
        effective: &Caveats,
        program: Option<&Path>,
    ) -> ToolResult<Rules> {
        if let Scope::Only(items) = &effective.fs_read {
            for object in items.grants().objects() {
                rules.allow(object, READ)?;
            }
            let ours = self.readable.iter().map(PathBuf::as_path);
            for path in READABLE.iter().map(Path::new).chain(ours) {
                rules.allow_at(path, READ)?;
            }
        }
        if let Some(program) = program {
            rules.allow_at(program, RUN)?;
        }
        if let Scope::Only(items) = &effective.exec {
            for file in items.iter().flat_map(|program| program::files_of(program)) {
                rules.allow_at(&file, RUN)?;
            }
            for loader in loaders() {
                rules.allow_at(&loader, RUN)?;
            }
        }
        Ok(rules)
    }
}

impl Sandbox for LandlockSandbox {
    fn kind(&self) -> SandboxKind {
        if confines_files() {
            SandboxKind::Landlock
        } else {
            SandboxKind::None
        }
    }

    fn apply(&self, effective: &Caveats) -> ToolResult<()> {
        self.confine(effective, None)
    }

    fn apply_for(&self, effective: &Caveats, program: &Path) -> ToolResult<()> {
        self.confine(effective, Some(program))
    }
}

fn writing(mut rules: Rules, effective: &Caveats) -> ToolResult<Rules> {
    match &effective.fs_write {
        Scope::Only(items) => {
            for object in items.grants().objects() {
                rules.allow(object, writes())?;
            }
            rules.allow_at(Path::new("/dev/null"), SINK)?;
        }
        // Once any rule is in force, the kernel refuses to move files between directories unless
        // a rule permits it.
        Scope::All => rules.allow_at(Path::new("/"), AccessFs::Refer.into())?,
    }
    Ok(rules)
}

/// Every way to change a file, its device included where the kernel can tell.
fn writes() -> BitFlags<AccessFs> {
    AccessFs::from_write(RULES) | AccessFs::IoctlDev
}

/// A ruleset, and what it handles: what it handles is refused unless allowed.
struct Rules {
    handled: BitFlags<AccessFs>,
    created: RulesetCreated,
}

impl Rules {
    fn of(effective: &Caveats) -> Result<Self, RulesetError> {
        let mut handled = BitFlags::from(AccessFs::Refer);
        if effective.fs_read.is_restricted() {
            handled |= READ;
        }
        if effective.fs_write.is_restricted() {
            handled |= AccessFs::from_write(RULES);
        }
        if effective.exec.is_restricted() {
            handled |= AccessFs::Execute;
        }
        let mut ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(handled)?;
        if is_empty(&effective.net) && landlock_net_is_supported() {
            ruleset = ruleset.handle_access(AccessNet::from_all(ABI::V4))?;
        }
        ruleset = ruleset
            .set_compatibility(CompatLevel::BestEffort)
            .scope(Beyond::Signal)?;
        if effective.net.is_restricted() {
            ruleset = ruleset.scope(Beyond::AbstractUnixSocket)?;
        }
        if effective.fs_write.is_restricted() {
            handled |= AccessFs::IoctlDev;
            ruleset = ruleset.handle_access(AccessFs::IoctlDev)?;
        }
        let created = ruleset.create()?;
        Ok(Self { handled, created })
    }

    fn allow(&mut self, object: &Pinned, access: BitFlags<AccessFs>) -> ToolResult<()> {
        let mut access = access & self.handled;
        if !object.is_directory() {
            access &= AccessFs::from_file(ABI::V5);
        }
        if !access.is_empty() {
            let rule = PathBeneath::new(object, access);
            (&mut self.created).add_rule(rule).map_err(unconfined)?;
        }
        Ok(())
    }

    /// Allows `access` at `path`, if there is such a thing: what is not there needs no permission.
    fn allow_at(&mut self, path: &Path, access: BitFlags<AccessFs>) -> ToolResult<()> {
        match hold(path) {
            Some(object) => self.allow(&object, access),
            None => Ok(()),
        }
    }

    fn enforce(self) -> ToolResult<()> {
        let status = self.created.restrict_self().map_err(unconfined)?;
        if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
            return Err(ToolError::denied("this kernel does not enforce Landlock"));
        }
        Ok(())
    }
}

fn unconfined(error: RulesetError) -> ToolError {
    ToolError::denied(format!("the Landlock sandbox cannot be set up: {error}"))
}

/// The files that the kernel runs first when a dynamic program starts.
fn loaders() -> impl Iterator<Item = PathBuf> {
    let entries = LOADER_DIRECTORIES
        .iter()
        .filter_map(|directory| fs::read_dir(directory).ok())
        .flat_map(|entries| entries.flatten());
    entries
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            ["ld-linux", "ld-musl", "ld64.so", "ld.so"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
        })
        .map(|entry| entry.path())
}

/// Can files be confined on this kernel?
pub(super) fn confines_files() -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    *KNOWN.get_or_init(|| creates(|rules| rules.handle_access(AccessFs::from_all(RULES))))
}

/// Can TCP be refused on this kernel?
pub(super) fn refuses_tcp() -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    *KNOWN.get_or_init(|| creates(|rules| rules.handle_access(AccessNet::from_all(ABI::V4))))
}

/// Does the kernel accept such a ruleset? Nothing is confined by asking.
fn creates(rules: impl FnOnce(Ruleset) -> Result<Ruleset, RulesetError>) -> bool {
    let strict = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    rules(strict).and_then(Ruleset::create).is_ok()
}
