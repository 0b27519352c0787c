//! Granted files and directories, opened once and compared with by identity ever after.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use foldhash::fast::RandomState;

use super::platform::Pinned;
use super::spelling;

/// The path grants of one scope.
///
/// A grant covers the object that it led to when it was opened, and all below it if that is a
/// directory. One that could not be opened covers nothing, and so does one whose object has left
/// its place since.
#[derive(Debug)]
pub(in crate::leash) struct Grants {
    pins: HashMap<OsString, Pin, RandomState>,
    unopened: Vec<(String, &'static str)>,
}

#[derive(Debug)]
struct Pin {
    grant: String,
    object: Pinned,
}

/// What covers a place.
#[derive(Debug)]
pub(in crate::leash) enum Cover<'g> {
    /// This object, at the given way below it.
    By(&'g Pinned, PathBuf),
    /// Only grants whose object is no longer at its place.
    Replaced,
    /// No grant.
    Nothing,
}

impl Grants {
    /// Opens each grant.
    pub(in crate::leash) fn open(grants: &BTreeSet<String>) -> Self {
        let mut opened = Self {
            pins: HashMap::default(),
            unopened: Vec::new(),
        };
        for grant in grants {
            match spelling::admit(Path::new(grant)).and_then(Pinned::hold) {
                Ok((place, object)) => {
                    let grant = grant.clone();
                    opened
                        .pins
                        .insert(place.into_os_string(), Pin { grant, object });
                }
                Err(error) => opened.unopened.push((grant.clone(), error.reason())),
            }
        }
        opened
    }

    /// Is an existing object covered, as can be told without finding out its place: because `text`
    /// starts with a granted directory as the kernel names it, and the rest of it leads to
    /// something without ever leaving that directory?
    ///
    /// A quick yes for the usual case; no means that it takes [`covering`](Self::covering).
    pub(super) fn evidently_cover(&self, text: &str) -> bool {
        Path::new(text).ancestors().any(|above| {
            self.pins.get(above.as_os_str()).is_some_and(|pin| {
                let below = text[above.as_os_str().len()..].trim_start_matches('/');
                pin.object.leads_to(below) && pin.object.is_at(above)
            })
        })
    }

    /// Which grant covers `place`, a path without links.
    pub(super) fn covering(&self, place: &Path) -> Cover<'_> {
        let mut replaced = false;
        for above in place.ancestors() {
            let Some(pin) = self.pins.get(above.as_os_str()) else {
                continue;
            };
            let Ok(below) = place.strip_prefix(above) else {
                continue;
            };
            if !pin.object.is_directory() && !below.as_os_str().is_empty() {
                continue;
            }
            if pin.object.is_at(above) {
                return Cover::By(&pin.object, below.to_path_buf());
            }
            replaced = true;
        }
        if replaced {
            Cover::Replaced
        } else {
            Cover::Nothing
        }
    }

    /// The grants that cover nothing, each with the reason.
    pub(in crate::leash) fn inert(&self) -> Vec<(String, &'static str)> {
        let gone = self
            .pins
            .iter()
            .filter(|(place, pin)| !pin.object.is_at(Path::new(place)))
            .map(|(_, pin)| {
                (
                    pin.grant.clone(),
                    "it was replaced after it had been opened",
                )
            });
        let mut inert: Vec<_> = self.unopened.iter().cloned().chain(gone).collect();
        inert.sort();
        inert
    }

    /// The objects that are granted.
    #[cfg(all(target_os = "linux", feature = "landlock"))]
    pub(in crate::leash) fn objects(&self) -> impl Iterator<Item = &Pinned> {
        self.pins.values().map(|pin| &pin.object)
    }
}
