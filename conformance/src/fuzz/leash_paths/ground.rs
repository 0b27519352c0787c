//! What one input of `leash_paths` draws: a tree on disk, grants in it, and paths through it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use arbitrary::{Result as Drawn, Unstructured};

use super::landed::{Object, object, plain};
use crate::catalogue::RequirementId;
use crate::fuzz::Violation;
use crate::subject::{CaveatSpec, ScopeSpec};
use crate::tree::hidden;

/// Folders of every tree. What is granted is mostly the first or lies in it.
const FOLDERS: &[&str] = &["ws", "ws2"];

/// Names of what is made in them.
const NAMES: &[&str] = &["a", "b", "c"];

/// What paths and targets are made of.
const PARTS: &[&str] = &["ws", "ws2", "a", "b", "c", "..", ".", "", "new"];

const TAILS: &[&str] = &["", "", "", "/", "/.", "//"];

/// At most so many entries are drawn from one input.
const MOST_ENTRIES: usize = 10;

/// A folder for one input, removed with all in it.
pub(super) struct Ground {
    pub(super) folder: tempfile::TempDir,
    built: Vec<String>,
    folders: Vec<String>,
    /// Folders, files and links.
    places: Vec<String>,
    read: Grants,
    write: Grants,
}

/// What is granted on one axis, looked up when it was granted.
#[derive(Default)]
pub(super) struct Grants {
    /// As written, and the place without links.
    pub(super) live: Vec<(PathBuf, PathBuf)>,
    /// Those that lead to nothing.
    pub(super) dead: Vec<PathBuf>,
}

impl Grants {
    pub(super) fn of(scope: &ScopeSpec<String>) -> Self {
        let mut grants = Self::default();
        if let ScopeSpec::Only(items) = scope {
            for item in items {
                match fs::canonicalize(plain(Path::new(item))) {
                    Ok(place) => grants.live.push((PathBuf::from(item), place)),
                    Err(_) => grants.dead.push(PathBuf::from(item)),
                }
            }
        }
        grants
    }

    /// All that lies in what is granted, the granted objects themselves included.
    pub(super) fn inside(&self) -> HashSet<Object> {
        let mut found = HashSet::new();
        let mut left: Vec<PathBuf> = self.live.iter().map(|(_, place)| place.clone()).collect();
        while let Some(at) = left.pop() {
            let Ok(of) = at.symlink_metadata() else {
                continue;
            };
            if !found.insert(object(&of)) || !of.is_dir() {
                continue;
            }
            let entries = fs::read_dir(&at).into_iter().flatten().flatten();
            left.extend(entries.map(|entry| entry.path()));
        }
        found
    }
}

impl Ground {
    /// In memory where that can be had, since the disk is no part of what is asked.
    pub(super) fn new() -> io::Result<Self> {
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() {
            memory.to_owned()
        } else {
            std::env::temp_dir()
        };
        let place = place.canonicalize()?;
        let folder = tempfile::Builder::new()
            .prefix(crate::tree::PREFIX)
            .tempdir_in(place)?;
        for name in FOLDERS {
            fs::create_dir(folder.path().join(name))?;
        }
        let folders: Vec<String> = FOLDERS.iter().map(|name| (*name).to_owned()).collect();
        Ok(Self {
            folder,
            built: Vec::new(),
            places: folders.clone(),
            folders,
            read: Grants::default(),
            write: Grants::default(),
        })
    }

    fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.folder.path().display())
    }

    /// Builds what is drawn, and says what is granted in it.
    pub(super) fn draw(&mut self, data: &mut Unstructured<'_>) -> Drawn<CaveatSpec> {
        for _ in 0..data.int_in_range(1..=MOST_ENTRIES)? {
            let name = format!("{}/{}", data.choose(&self.folders)?, data.choose(NAMES)?);
            let at = self.at(&name);
            // What cannot be, because it is there already, is left out.
            let (built, what) = match data.int_in_range(0..=4)? {
                0 => (fs::create_dir(&at), "a folder".to_owned()),
                1 => (fs::File::create_new(&at).map(drop), "a file".to_owned()),
                _ => {
                    let target = self.target(data, &name)?;
                    (symlink(&target, &at), format!("a link to {target}"))
                }
            };
            if built.is_ok() {
                self.built.push(format!("{name}: {what}"));
                if what == "a folder" {
                    self.folders.push(name.clone());
                }
                self.places.push(name);
            }
        }
        let granted = CaveatSpec {
            fs_read: self.grants(data)?,
            fs_write: self.grants(data)?,
            ..CaveatSpec::top()
        };
        self.read = Grants::of(&granted.fs_read);
        self.write = Grants::of(&granted.fs_write);
        Ok(granted)
    }

    /// Where a link called `name` leads: to what is there, from there or from the root, or anywhere.
    fn target(&self, data: &mut Unstructured<'_>, name: &str) -> Drawn<String> {
        let up = "../".repeat(name.matches('/').count());
        Ok(match data.int_in_range(0..=3)? {
            0 => (*data.choose(NAMES)?).to_owned(),
            1 => format!("{up}{}", data.choose(&self.places)?),
            2 => self.at(data.choose(&self.places)?),
            _ => drawn_path(data, PARTS, 1..=4)?,
        })
    }

    fn grants(&self, data: &mut Unstructured<'_>) -> Drawn<ScopeSpec<String>> {
        let mut grants = Vec::new();
        for _ in 0..data.int_in_range(0..=2)? {
            let name = match data.int_in_range(0..=3)? {
                0 | 1 => FOLDERS[0].to_owned(),
                2 => data.choose(&self.places)?.clone(),
                _ => drawn_path(data, PARTS, 1..=3)?,
            };
            let grant = self.at(&name);
            // All that lies in a grant is looked at: it has to be ours.
            let place = fs::canonicalize(plain(Path::new(&grant)));
            if place.map_or(true, |place| place.starts_with(self.folder.path())) {
                grants.push(grant);
            }
        }
        Ok(ScopeSpec::only(grants))
    }

    pub(super) fn question(&self, data: &mut Unstructured<'_>) -> Drawn<Question> {
        let write = data.arbitrary()?;
        let mut path = match data.int_in_range(0..=3)? {
            0 => FOLDERS[0].to_owned(),
            1 => drawn_path(data, PARTS, 1..=2)?,
            _ => data.choose(&self.places)?.clone(),
        };
        if data.arbitrary()? {
            path = format!("{path}/{}", drawn_path(data, PARTS, 1..=3)?);
        }
        path.push_str(data.choose(TAILS)?);
        match data.int_in_range(0..=63)? {
            0 => path.push('\0'),
            1 => path.push_str(&"/x".repeat(4_096)),
            2 => path.push_str(&"x".repeat(300)),
            _ => {}
        }
        Ok(Question {
            write,
            path: PathBuf::from(self.at(&path)),
        })
    }

    /// What is granted on the axis that is asked, and on the other one.
    pub(super) fn grants_for(&self, write: bool) -> (&Grants, &Grants) {
        if write {
            (&self.write, &self.read)
        } else {
            (&self.read, &self.write)
        }
    }

    pub(super) fn violation(
        &self,
        requirement: RequirementId,
        granted: &CaveatSpec,
        asked: &Question,
        seen: &str,
    ) -> Violation {
        let built = self.built.iter().cloned();
        let asked = format!("{}({:?})", asked.check(), asked.path);
        let steps = built.chain([format!("granted {granted}"), asked]);
        Violation {
            requirement,
            steps: steps.map(|step| hidden(&step)).collect(),
            seen: hidden(seen),
        }
    }
}

fn drawn_path(
    data: &mut Unstructured<'_>,
    parts: &[&str],
    count: std::ops::RangeInclusive<usize>,
) -> Drawn<String> {
    let count = data.int_in_range(count)?;
    let parts = (0..count).map(|_| data.choose(parts).copied());
    Ok(parts.collect::<Drawn<Vec<&str>>>()?.join("/"))
}

/// One path, asked on one axis.
pub(super) struct Question {
    pub(super) write: bool,
    pub(super) path: PathBuf,
}
