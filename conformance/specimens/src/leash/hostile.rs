//! Leashes that let hostile text through, or are thrown by it.

use std::path::Path;
use std::sync::Arc;

use proofmark_conformance::catalogue::RequirementId;
use proofmark_conformance::outcome::Outcome;
use proofmark_conformance::subject::{CaveatSpec, Subject};

use super::altered::{Access, Altered, SOUND, checks, listed, subject};
use super::lsh;
use crate::{Fixture, Specimen};

const HOSTILE: RequirementId = lsh(14);

pub(super) fn specimens() -> Vec<Specimen> {
    vec![
        Specimen::new(
            HOSTILE,
            "panics at a path that is not UTF-8",
            subject(
                "leash_panics_at_other_bytes",
                checks(),
                Altered {
                    path: |_, path, _, sound| written(path) && sound,
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            HOSTILE,
            "reads a program's name to its first NUL, as the kernel does",
            subject(
                "leash_reads_to_a_nul",
                checks(),
                Altered {
                    exec: |caveats, program, sound| {
                        let named = program.split('\0').next().unwrap_or(program);
                        let cut = named.len() < program.len();
                        sound || (cut && listed(&caveats.exec).any(|grant| grant == named))
                    },
                    ..SOUND
                },
            ),
        ),
    ]
}

#[allow(clippy::expect_used, reason = "to panic is this specimen's purpose")]
fn written(path: &Path) -> bool {
    !path.to_str().expect("paths are text").is_empty()
}

/// What becomes of a worker whose leash misbehaves.
pub(super) fn fixtures() -> Vec<Fixture> {
    let fixture = |name, outcome, exec: fn(&CaveatSpec, &str, bool) -> bool| {
        let subject = subject(name, checks(), Altered { exec, ..SOUND });
        Fixture {
            subject: Arc::new(subject) as Arc<dyn Subject>,
            row: HOSTILE,
            outcome,
        }
    };
    vec![
        fixture("fixture_leash_panics", Outcome::Fail, |_, _, _| panics()),
        fixture(
            "fixture_leash_never_answers",
            Outcome::Timeout,
            |_, _, _| {
                loop {
                    std::thread::park();
                }
            },
        ),
        fixture("fixture_leash_exits", Outcome::Crash, |_, _, _| {
            std::process::exit(0)
        }),
        Fixture {
            subject: Arc::new(subject(
                "fixture_leash_loops_on_links",
                checks(),
                Altered {
                    path: walks_links,
                    ..SOUND
                },
            )),
            row: HOSTILE,
            outcome: Outcome::Timeout,
        },
    ]
}

#[allow(clippy::panic, reason = "to panic is this fixture's purpose")]
fn panics() -> bool {
    panic!("this fixture panics")
}

/// Follows links by hand, however long that takes.
fn walks_links(_: &CaveatSpec, path: &Path, _: Access, sound: bool) -> bool {
    let mut at = path.to_owned();
    while let Ok(target) = at.read_link() {
        at = at.parent().unwrap_or(Path::new("/")).join(target);
    }
    sound
}
