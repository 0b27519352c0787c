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
    vec![Specimen::new(
        lsh(13),
        "checks a path, and opens it by its name when that leads elsewhere",
        subject(
            "leash_opens_by_name",
            opening(),
            Altered {
                open: checked_then_opened,
                ..SOUND
            },
        ),
    )]
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
    let opened = match access {
        Access::Read => File::open(path),
        Access::Write => {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(true).open(path)
        }
    };
    opened.map_err(Denial::new)
}
