//! Conforming leashes that a careless judge would convict.

use std::path::{Component, Path, PathBuf};

use proofmark_conformance::profile::LeashProfile;
use proofmark_conformance::subject::{CountSpec, Denial, ScopeSpec, Strength};
use serde_json::Value;

use super::altered::{Access, Altered, SOUND, checks, listed, subject};
use super::floors::{self, Minted};
use super::opening::opening;
use super::spawning::spawning;
use super::turnstile::{self, Fault};
use crate::LookAlike;

pub(super) fn look_alikes() -> Vec<LookAlike> {
    let mut look_alikes = of_names();
    look_alikes.extend(of_paths());
    look_alikes.extend(of_gates());
    look_alikes.extend(of_the_lattice());
    look_alikes
}

fn of_names() -> Vec<LookAlike> {
    let leash =
        |suspicion, name, altered| LookAlike::new(suspicion, subject(name, checks(), altered));
    vec![
        leash(
            "denies a program named by an absolute path unless that very path is granted",
            "leash_pins_absolute_programs",
            Altered {
                exec: |caveats, program, sound| {
                    sound && (!program.starts_with('/') || caveats.exec.covers(program))
                },
                ..SOUND
            },
        ),
        leash(
            "takes hosts that differ in ASCII letter case for one, as names are resolved",
            "leash_folds_hosts",
            Altered {
                net: |caveats, host, sound| {
                    sound || listed(&caveats.net).any(|grant| grant.eq_ignore_ascii_case(host))
                },
                ..SOUND
            },
        ),
        leash(
            "takes a host with the root's dot behind it for the same host",
            "leash_drops_the_root_dot",
            Altered {
                net: |caveats, host, sound| {
                    let named = host.strip_suffix('.').filter(|named| !named.ends_with('.'));
                    sound
                        || named.is_some_and(|named| {
                            !named.is_empty() && listed(&caveats.net).any(|grant| grant == named)
                        })
                },
                ..SOUND
            },
        ),
        leash(
            "denies all that is not plain ASCII, whatever is granted",
            "leash_denies_all_but_ascii",
            Altered {
                exec: |_, program, sound| sound && program.is_ascii(),
                net: |_, host, sound| sound && host.is_ascii(),
                path: |_, path, _, sound| sound && path.to_str().is_some_and(str::is_ascii),
                ..SOUND
            },
        ),
    ]
}

fn of_paths() -> Vec<LookAlike> {
    let leash = |suspicion, name, path| {
        let profile = LeashProfile::new().check_path();
        LookAlike::new(suspicion, subject(name, profile, Altered { path, ..SOUND }))
    };
    vec![
        leash(
            "denies to read what is not there, and to write where the folder is not there",
            "leash_denies_what_it_cannot_resolve",
            |caveats, path, access, sound| {
                let there = path.exists();
                let new = access == Access::Write && path.parent().is_some_and(Path::is_dir);
                sound && (*access.scope(caveats) == ScopeSpec::All || there || new)
            },
        ),
        leash(
            "resolves paths by a walk of its own, component by component and link by link",
            "leash_walks_by_itself",
            |caveats, path, access, _| {
                *access.scope(caveats) == ScopeSpec::All
                    || walked(path).is_some_and(|place| {
                        access.any(caveats, |grant| {
                            let grant = walked(Path::new(grant)).filter(|grant| grant.exists());
                            grant.is_some_and(|grant| place.starts_with(grant))
                        })
                    })
            },
        ),
        LookAlike::new(
            "opens nothing that is reached through a link, although it may be read by name",
            subject(
                "leash_opens_no_links",
                opening(),
                Altered {
                    open: |context, path, access| {
                        if path.ancestors().any(Path::is_symlink) {
                            return Err(Denial::new("a part of the path is a link"));
                        }
                        access.opened(context, path)
                    },
                    ..SOUND
                },
            ),
        ),
    ]
}

fn of_gates() -> Vec<LookAlike> {
    vec![
        LookAlike::new(
            "counts calls under a mutex, one after another",
            turnstile::turnstile("leash_counts_under_a_lock", Fault::None),
        ),
        LookAlike::new(
            "denies a call to a tool that needs none, which is only reported",
            subject(
                "leash_denies_a_need_of_no_calls",
                checks().generation().call_budget(),
                Altered {
                    authority: |granted, needed| {
                        let mut granted = granted.clone();
                        if needed.max_calls == CountSpec::AtMost(0) {
                            granted.max_calls = CountSpec::AtMost(0);
                        }
                        (granted, needed.clone())
                    },
                    ..SOUND
                },
            ),
        ),
        LookAlike::new(
            "lets the floor of a living gate be raised, for the contexts minted from then on",
            floors::living("leash_raises_living_floors", Minted::Keeps),
        ),
        LookAlike::new(
            "starts nothing while hosts are restricted, since nothing holds a program to them",
            subject(
                "leash_spawns_only_with_open_hosts",
                spawning(),
                Altered {
                    run: |context, program| {
                        if context.caveats().net.is_restricted() {
                            return Err(Denial::new("nothing holds a program to its hosts"));
                        }
                        context.run(program)
                    },
                    ..SOUND
                },
            ),
        ),
    ]
}

fn of_the_lattice() -> Vec<LookAlike> {
    let lattice = || {
        let profile = LeashProfile::new().meet().leq();
        profile.fence_strength().serialised()
    };
    vec![
        LookAlike::new(
            "takes a fence without a restricted side for as strong as any",
            subject(
                "leash_calls_no_fence_strong",
                lattice(),
                Altered {
                    fence: |_, sound| sound.or(Some(Strength::Kernel)),
                    ..SOUND
                },
            ),
        ),
        LookAlike::new(
            "writes its axes in another order, with spaces, and reads them in any",
            subject(
                "leash_writes_axes_sorted",
                lattice(),
                Altered {
                    write: |_, sound| {
                        // A map of the parser's keeps its keys sorted.
                        let axes = serde_json::from_str::<Value>(&sound);
                        axes.and_then(|axes| serde_json::to_string_pretty(&axes))
                            .unwrap_or(sound)
                    },
                    ..SOUND
                },
            ),
        ),
    ]
}

/// A chain of more links than this is taken for a loop.
const MOST_LINKS: usize = 40;

/// No file has a longer name, in bytes.
const LONGEST_NAME: usize = 255;

/// Where the path leads, its last component possibly missing. `None` where that is nowhere.
fn walked(path: &Path) -> Option<PathBuf> {
    let text = path.to_str().filter(|text| !text.is_empty())?;
    if text.contains('\0') || text.len() >= 4_096 {
        return None;
    }
    let mut place = std::env::current_dir().ok()?;
    let mut left: Vec<PathBuf> = parts(path);
    let mut links = 0;
    while let Some(part) = left.pop() {
        match Path::new(&part).components().next()? {
            Component::RootDir => place = PathBuf::from("/"),
            Component::ParentDir => {
                place.pop();
            }
            Component::Normal(name) if name.len() > LONGEST_NAME => return None,
            Component::Normal(name) => {
                let next = place.join(name);
                if let Ok(target) = next.read_link() {
                    links += 1;
                    if links > MOST_LINKS {
                        return None;
                    }
                    left.extend(parts(&target));
                } else if next.is_dir() || left.is_empty() {
                    place = next;
                } else {
                    return None;
                }
            }
            Component::CurDir | Component::Prefix(_) => {}
        }
    }
    // A missing last component lies in a folder, and its folder may be looked into.
    let folder = place.parent().unwrap_or(&place);
    (place.symlink_metadata().is_ok() || folder.read_dir().is_ok()).then_some(place)
}

/// The components, last one first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let parts = path.components().rev();
    parts.map(|part| PathBuf::from(part.as_os_str())).collect()
}
