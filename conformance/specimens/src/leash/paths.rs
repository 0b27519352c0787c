//! Leashes that contain paths otherwise than they promise.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use proofmark_conformance::profile::LeashProfile;
use proofmark_conformance::subject::{CaveatSpec, LeashSubject, ScopeSpec};

use super::altered::{Access, Altered, SOUND, subject};
use super::lsh;
use crate::Specimen;

pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = escapes();
    specimens.extend(odd_names());
    specimens.extend(missing());
    specimens.extend(axes());
    specimens.extend(false_denials());
    specimens
}

fn leash(name: &str, path: fn(&CaveatSpec, &Path, Access, bool) -> bool) -> LeashSubject {
    let profile = LeashProfile::new().check_path();
    subject(name, profile, Altered { path, ..SOUND })
}

/// Whether there is nothing at the path, and a `..` follows the first component that is missing.
fn climbs_out_of_nothing(path: &Path) -> bool {
    let missing = |path: &Path| {
        path.metadata()
            .is_err_and(|cause| cause.kind() == ErrorKind::NotFound)
    };
    let mut walked = PathBuf::new();
    let mut parts = path.components();
    let mut first_missing = || {
        parts.any(|part| {
            walked.push(part);
            missing(&walked)
        })
    };
    missing(path) && first_missing() && parts.any(|part| part == Component::ParentDir)
}

fn escapes() -> Vec<Specimen> {
    vec![
        Specimen::new(
            lsh(7),
            "resolves the folder of an existing file, and takes the file's own name as it stands",
            leash(
                "leash_trusts_the_last_component",
                |caveats, path, access, sound| {
                    sound || (path.exists() && held(caveats, access, &beside(path)))
                },
            ),
        ),
        Specimen::new(
            lsh(7),
            "compares resolved paths as texts, so that `/ws-secret` lies in `/ws`",
            leash("leash_contains_by_text", |caveats, path, access, sound| {
                sound
                    || place_of(path).is_some_and(|place| {
                        let place = place.to_string_lossy();
                        access.any(caveats, |grant| {
                            resolved(grant).is_some_and(|grant| {
                                place.starts_with(grant.to_string_lossy().as_ref())
                            })
                        })
                    })
            }),
        ),
        Specimen::new(
            lsh(7),
            "resolves the folder that is written to, and looks for it among the folders of grants",
            leash(
                "leash_lets_a_file_cover_its_folder",
                |caveats, path, access, sound| {
                    let of_file = |grant: &str| {
                        let grant = Path::new(grant);
                        grant.is_file() && beside(path).parent() == grant.parent()
                    };
                    let plain = !path.is_symlink() && !path.is_dir();
                    sound || (access == Access::Write && plain && access.any(caveats, of_file))
                },
            ),
        ),
    ]
}

fn odd_names() -> Vec<Specimen> {
    vec![
        Specimen::new(
            lsh(7),
            "compares names without regard to letter case where the file system does not",
            leash("leash_folds_folders", |caveats, path, access, sound| {
                let folded = |path: &Path| path.to_string_lossy().to_lowercase();
                sound
                    || place_of(path).is_some_and(|place| {
                        access.any(caveats, |grant| {
                            resolved(grant).is_some_and(|grant| {
                                Path::new(&folded(&place)).starts_with(folded(&grant))
                            })
                        })
                    })
            }),
        ),
        Specimen::new(
            lsh(7),
            "takes what ends in a slash for a folder that is what it is called",
            leash(
                "leash_trusts_a_trailing_slash",
                |caveats, path, access, sound| {
                    let text = path.to_string_lossy();
                    let named = text.trim_end_matches('/');
                    sound
                        || (named.len() < text.len()
                            && Path::new(named).is_file()
                            && held(caveats, access, &beside(Path::new(named))))
                },
            ),
        ),
    ]
}

fn missing() -> Vec<Specimen> {
    vec![
        Specimen::new(
            lsh(8),
            "takes a link to what is not there for a file that is not there",
            leash(
                "leash_takes_a_dangling_link_for_new",
                |caveats, path, access, sound| {
                    let dangling = |cause: std::io::Error| cause.kind() == ErrorKind::NotFound;
                    let dangles = path.is_symlink() && path.metadata().is_err_and(dangling);
                    sound || (dangles && held(caveats, access, &beside(path)))
                },
            ),
        ),
        Specimen::new(
            lsh(8),
            "takes a `..` behind a component that does not exist for a step back",
            leash(
                "leash_climbs_out_of_nothing",
                |caveats, path, access, sound| {
                    sound
                        || (climbs_out_of_nothing(path)
                            && held(caveats, access, &beside(&lexical(path))))
                },
            ),
        ),
        Specimen::new(
            lsh(8),
            "takes the empty grant for one of everything, since every path begins with it",
            leash(
                "leash_takes_nothing_for_the_root",
                |caveats, path, access, sound| {
                    sound || (path.exists() && access.any(caveats, str::is_empty))
                },
            ),
        ),
        Specimen::new(
            lsh(8),
            "takes a grant that cannot be resolved as it is written",
            leash("leash_keeps_dead_grants", |caveats, path, access, sound| {
                sound
                    || access.any(caveats, |grant| {
                        resolved(grant).is_none() && path.starts_with(grant)
                    })
            }),
        ),
    ]
}

fn axes() -> Vec<Specimen> {
    vec![
        Specimen::new(
            lsh(9),
            "lets what may be written be read",
            leash(
                "leash_reads_what_it_may_write",
                |caveats, path, access, sound| {
                    sound || (access == Access::Read && listed_for(caveats, Access::Write, path))
                },
            ),
        )
        .also(
            lsh(2),
            "a folder for writing that the meet leaves out of reading is read all the same",
        ),
        Specimen::new(
            lsh(9),
            "lets what may be read be written",
            leash(
                "leash_writes_what_it_may_read",
                |caveats, path, access, sound| {
                    sound || (access == Access::Write && listed_for(caveats, Access::Read, path))
                },
            ),
        )
        .also(
            lsh(2),
            "a folder for reading that the meet leaves out of writing is written all the same",
        ),
    ]
}

fn false_denials() -> Vec<Specimen> {
    vec![
        Specimen::new(
            lsh(15),
            "resolves the path and compares it with the grant as that is written",
            leash(
                "leash_leaves_grants_unresolved",
                |caveats, path, access, sound| {
                    let folder = beside(path);
                    let place = path.canonicalize().unwrap_or(folder);
                    let unrestricted = *access.scope(caveats) == ScopeSpec::All;
                    sound && (unrestricted || access.any(caveats, |grant| place.starts_with(grant)))
                },
            ),
        ),
        Specimen::new(
            lsh(15),
            "denies every path that leads through a link",
            leash("leash_denies_every_link", |caveats, path, access, sound| {
                let unrestricted = *access.scope(caveats) == ScopeSpec::All;
                let inside = |link: &Path| {
                    let place = link.parent().and_then(|folder| folder.canonicalize().ok());
                    place.is_some_and(|place| held(caveats, access, &place))
                };
                let through = |link: &Path| link.is_symlink() && inside(link);
                sound && (unrestricted || !path.ancestors().any(through))
            }),
        ),
    ]
}

/// Where an existing path leads. The kernel is asked first: it opens no path that is too long.
fn place_of(path: &Path) -> Option<PathBuf> {
    path.exists().then(|| path.canonicalize().ok()).flatten()
}

fn resolved(path: &str) -> Option<PathBuf> {
    Path::new(path).canonicalize().ok()
}

/// Where the path's last component would lie if it were no link. A place nowhere where its folder
/// cannot be resolved.
fn beside(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => PathBuf::new(),
    }
}

/// Whether a place without links lies in a resolved grant.
fn held(caveats: &CaveatSpec, access: Access, place: &Path) -> bool {
    access.any(caveats, |grant| {
        resolved(grant).is_some_and(|grant| place.starts_with(grant))
    })
}

/// Whether what the path leads to lies in a grant that is listed for this access.
fn listed_for(caveats: &CaveatSpec, access: Access, path: &Path) -> bool {
    place_of(path).is_some_and(|place| held(caveats, access, &place))
}

/// The path without `..`, each of which takes the component before it along.
fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}
