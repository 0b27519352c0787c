//! Opens that the leash makes itself, so that nothing can change between the check and the open.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use super::{Access, Grants, cover, platform};
use crate::leash::error::{ToolError, ToolResult};
use crate::leash::scope::Scope;

/// What becomes of the content that a file opened for writing already has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// It is dropped; a missing file is created.
    Truncate,
    /// It is kept and written behind; a missing file is created.
    Append,
    /// There must be none: an existing file is an error.
    CreateNew,
}

/// What a mediated open promises on this system about the time between its check and its open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RaceClosure {
    /// Nothing can be slipped in: the file is opened below the granted directory itself, through
    /// no link and no step out of it, whatever is renamed meanwhile.
    Closed,
    /// The path is checked and then opened by name: whoever may rename its directories can still
    /// lead the open elsewhere.
    CheckedFirst,
}

impl RaceClosure {
    /// The promise of this build.
    #[must_use]
    pub const fn here() -> Self {
        if cfg!(target_os = "linux") {
            Self::Closed
        } else {
            Self::CheckedFirst
        }
    }
}

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Read,
    Write(WriteMode),
}

impl How {
    fn access(self) -> Access {
        match self {
            Self::Read => Access::Read,
            Self::Write(_) => Access::Write,
        }
    }
}

/// Opens `path` for reading, if `scope` covers it.
pub(in crate::leash) fn open_read(scope: &Scope<String>, path: &Path) -> ToolResult<File> {
    match scope {
        Scope::All => Ok(File::open(path)?),
        Scope::Only(items) => open(items.grants(), path, How::Read),
    }
}

/// Opens `path` for writing, if `scope` covers it.
pub(in crate::leash) fn open_write(
    scope: &Scope<String>,
    path: &Path,
    mode: WriteMode,
) -> ToolResult<File> {
    match scope {
        Scope::All => {
            let mut options = OpenOptions::new();
            match mode {
                WriteMode::Truncate => options.write(true).create(true).truncate(true),
                WriteMode::Append => options.append(true).create(true),
                WriteMode::CreateNew => options.write(true).create_new(true),
            };
            Ok(options.open(path)?)
        }
        Scope::Only(items) => open(items.grants(), path, How::Write(mode)),
    }
}

fn open(grants: &Grants, path: &Path, how: How) -> ToolResult<File> {
    let covered = cover(grants, how.access(), path)?;
    let opened = covered.object.open(&covered.place, &covered.below, how);
    let file = opened.map_err(|error| refused(how, error))?;
    let found = file.metadata()?;
    vet(&found, covered.below.as_os_str().is_empty(), how)?;
    if !found.is_file() {
        platform::wait_for_peers(&file)?;
    } else if how == How::Write(WriteMode::Truncate) && found.len() > 0 {
        file.set_len(0)?;
    }
    Ok(file)
}

fn refused(how: How, error: io::Error) -> ToolError {
    if platform::led_elsewhere(&error) {
        let verb = how.access().verb();
        return ToolError::denied(format!(
            "{verb}: the path changed while it was being opened"
        ));
    }
    error.into()
}

/// Refuses what a grant of a directory does not mean: pipes, sockets and devices that happen to
/// lie in it, and for writing a file that has another name elsewhere.
fn vet(found: &Metadata, is_the_grant: bool, how: How) -> ToolResult<()> {
    let plain = found.is_file() || found.is_dir();
    if !plain && !is_the_grant {
        return Err(ToolError::denied(
            "a pipe, socket or device is opened only where it is granted itself",
        ));
    }
    if how != How::Read && found.is_file() && names(found) > 1 {
        return Err(ToolError::denied(
            "the file has a second name, which may lie outside the granted fs_write scope",
        ));
    }
    Ok(())
}

#[cfg(unix)]
fn names(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(found)
}

#[cfg(not(unix))]
fn names(_found: &Metadata) -> u64 {
    1
}
