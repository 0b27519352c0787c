//! The folder in which a worker builds its trees, removed by its parent whatever becomes of the
//! worker.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Tells a worker where to build its trees.
pub(crate) const VARIABLE: &str = "PROOFMARK_SCRATCH";

/// Where trees are built: the worker's scratch folder, or that of the system.
pub(super) fn place() -> PathBuf {
    std::env::var_os(VARIABLE).map_or_else(std::env::temp_dir, PathBuf::from)
}

/// A scratch folder, removed with all that is in it when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch(TempDir);

impl Scratch {
    /// Makes a folder.
    ///
    /// # Errors
    ///
    /// Where the system's temporary folder cannot be written.
    pub(crate) fn new() -> io::Result<Self> {
        let folder = TempDir::with_prefix("proofmark-")?;
        // A tree may have to let another user in.
        super::set_mode(folder.path(), 0o755)?;
        Ok(Self(folder))
    }

    /// Its place.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The folder itself is removed when its handle is dropped.
        unlock(self.0.path());
    }
}

/// Opens every folder below `folder` that was locked, so that it can be removed.
pub(super) fn unlock(folder: &Path) {
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        let entries = fs::read_dir(&folder).or_else(|_| {
            super::set_mode(&folder, 0o755)?;
            fs::read_dir(&folder)
        });
        for entry in entries.into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                left.push(entry.path());
            }
        }
    }
}
