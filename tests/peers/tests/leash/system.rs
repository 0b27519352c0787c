//! What the operating system itself says of a path: the reason for a difference is looked up here
//! and not in the code of either side.

use std::fs;
use std::path::{Component, Path};

use rustix::io::Errno;

use crate::tree::as_ordinary_user;

/// Why a path leads to nothing; `None` where it leads to something.
pub fn failure(path: &Path) -> Option<Errno> {
    as_ordinary_user();
    let error = fs::metadata(path).err()?;
    Some(Errno::from_io_error(&error).unwrap_or(Errno::INVAL))
}

/// Is one of the steps of a path a link to something missing?
pub fn passes_a_dangling_link(path: &Path) -> bool {
    path.ancestors().any(|step| {
        fs::symlink_metadata(step).is_ok_and(|found| found.is_symlink())
            && failure(step) == Some(Errno::NOENT)
    })
}

/// How many of the last components of a path are missing.
pub fn missing(path: &Path) -> usize {
    let steps = path.ancestors();
    let missing = steps.take_while(|step| failure(step) == Some(Errno::NOENT));
    missing
        .filter(|step| matches!(step.components().next_back(), Some(Component::Normal(_))))
        .count()
}

/// The path without the slashes and single dots at its end.
pub fn without_tail(path: &str) -> &str {
    let mut rest = path;
    while let Some(shorter) = rest.strip_suffix('/').or_else(|| rest.strip_suffix("/.")) {
        rest = shorter;
    }
    rest
}
