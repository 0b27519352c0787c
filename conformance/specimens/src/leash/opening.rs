//! Leashes that open files themselves, and leave a gap all the same.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use proofmark_conformance::profile::LeashProfile;
use proofmark_conformance::subject::{Denial, LeashContext};

use super::altered::{Access, Altered, SOUND, subject};
use super::lsh;
use crate::Specimen;

pub(super) fn specimens() -> Vec<Specimen> {
    let subject = |name, open| subject(name, opening(), Altered { open, ..SOUND });
    vec![
        Specimen::new(
            lsh(13),
            "checks a path, and opens it by its name when that leads elsewhere",
            subject("leash_opens_by_name", checked_then_opened),
        ),
        Specimen::new(
            lsh(13),
            "opens the last component by its name once its folder is known",
            subject("leash_opens_leaves_by_name", leaf_by_name),
        ),
        Specimen::new(
            lsh(9),
            "opens for reading and writing, whichever was asked for",
            subject("leash_opens_for_both", opened_for_both),
        ),
    ]
}

/// Opened by its name, without a check.
pub(super) fn by_name(
    _context: &dyn LeashContext,
    path: &Path,
    access: Access,
) -> Result<File, Denial> {
    let opened = match access {
        Access::Read => File::open(path),
        Access::Write => {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(true).open(path)
        }
    };
    opened.map_err(Denial::new)
}

/// Only a name in the race's own folder is left to itself, and everything deeper opened soundly.
fn leaf_by_name(context: &dyn LeashContext, path: &Path, access: Access) -> Result<File, Denial> {
    if path.ends_with("ws/leaf") {
        return checked_then_opened(context, path, access);
    }
    access.opened(context, path)
}

fn opened_for_both(
    context: &dyn LeashContext,
    path: &Path,
    access: Access,
) -> Result<File, Denial> {
    let sound = access.opened(context, path)?;
    let place = path.canonicalize().map_err(Denial::new)?;
    // Where names are exchanged meanwhile, to open by name would be another fault.
    let standing = place.ends_with("ws/f");
    if access == Access::Write || !standing {
        return Ok(sound);
    }
    let both = OpenOptions::new().read(true).write(true).open(place);
    Ok(both.unwrap_or(sound))
}

/// A leash that checks paths and opens them.
pub(super) fn opening() -> LeashProfile {
    LeashProfile::new().check_path().mediated_opens()
}

/// So long an open waits for its path to be changed, so that the gap is met.
const PATIENCE: Duration = Duration::from_millis(1);

fn checked_then_opened(
    context: &dyn LeashContext,
    path: &Path,
    access: Access,
) -> Result<File, Denial> {
    access.asked(context, path)?;
    let (before, waiting) = (path.canonicalize().ok(), Instant::now());
    while path.canonicalize().ok() == before && waiting.elapsed() < PATIENCE {
        thread::yield_now();
    }
    by_name(context, path, access)
}
