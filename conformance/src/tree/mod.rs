//! Folders, files and links declared as data and built on disk for one case.

mod landing;
mod scratch;
mod unprivileged;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

pub(crate) use landing::{Landing, landing};
pub(crate) use scratch::{Scratch, VARIABLE as SCRATCH};
pub(crate) use unprivileged::unprivileged;

use crate::trial::Stop;

/// The name of every tree's folder begins so; what a report shows of it is `{tree}`.
pub(crate) const PREFIX: &str = "proofmark-tree-";

/// One entry of a tree. Names are relative to the tree; `{tree}` in a target stands for its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A folder, with all folders above it.
    Dir(&'static str),
    /// A file that holds its own name.
    File(&'static str),
    /// A symbolic link with this target, which need not exist.
    Link(&'static str, &'static str),
    /// A second name of the file named last.
    HardLink(&'static str, &'static str),
    /// A folder made before, which nobody may enter or list any more.
    Locked(&'static str),
}

/// A tree on disk, removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Tree {
    folder: TempDir,
    root: PathBuf,
}

impl Tree {
    /// Builds `entries` one after another in a fresh folder.
    ///
    /// # Errors
    ///
    /// [`Stop::Undecided`] where the machine cannot have such a tree.
    pub(crate) fn build(entries: &[Entry]) -> Result<Self, Stop> {
        let built = Self::try_build(entries);
        built.map_err(|cause| {
            Stop::Undecided(format!("no tree of files can be built here: {cause}"))
        })
    }

    fn try_build(entries: &[Entry]) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(scratch::place())?;
        let root = folder.path().canonicalize()?;
        let tree = Self { folder, root };
        // Another user may have to be let in.
        set_mode(&tree.root, 0o755)?;
        for entry in entries {
            tree.add(*entry)?;
        }
        Ok(tree)
    }

    /// Adds one entry.
    ///
    /// # Errors
    ///
    /// Where the machine cannot have it.
    pub(crate) fn add(&self, entry: Entry) -> io::Result<()> {
        match entry {
            Entry::Dir(name) => fs::create_dir_all(self.at(name)),
            Entry::File(name) => fs::write(self.at(name), name),
            Entry::Link(name, target) => {
                let target = target.replace("{tree}", &self.root.to_string_lossy());
                symlink(Path::new(&target), &self.at(name))
            }
            Entry::HardLink(name, file) => fs::hard_link(self.at(file), self.at(name)),
            Entry::Locked(name) => set_mode(&self.at(name), 0),
        }
    }

    /// The path of `name`, not normalised: `..`, `.` and slashes stay as written. An empty name
    /// is the tree itself.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        PathBuf::from(self.text(name))
    }

    /// As [`at`](Self::at), as text.
    pub(crate) fn text(&self, name: &str) -> String {
        let root = self.root.to_string_lossy();
        if name.is_empty() {
            root.into_owned()
        } else {
            format!("{root}/{name}")
        }
    }

    /// The same path as [`at`](Self::at), but relative to this process's working folder.
    ///
    /// # Errors
    ///
    /// Where this process has no working folder.
    pub(crate) fn relative(&self, name: &str) -> io::Result<PathBuf> {
        let here = std::env::current_dir()?.canonicalize()?;
        let up = here.components().count().saturating_sub(1);
        let mut path = "../".repeat(up);
        path.push_str(self.text(name).trim_start_matches('/'));
        Ok(PathBuf::from(path))
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // The folder itself is removed when its handle is dropped.
        scratch::unlock(self.folder.path());
    }
}

/// `text` with the place of every tree shown as `{tree}`, which is the same in every run.
pub(crate) fn hidden(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(PREFIX) {
        let before = &rest[..at];
        let path = before.rfind(|c: char| c.is_whitespace() || "\"'`[(".contains(c));
        let start = path.map_or(0, |last| {
            last + before[last..].chars().next().map_or(1, char::len_utf8)
        });
        shown.push_str(&before[..start]);
        shown.push_str("{tree}");
        let after = &rest[at + PREFIX.len()..];
        let end = after.find(|c: char| !c.is_ascii_alphanumeric());
        rest = &after[end.unwrap_or(after.len())..];
    }
    shown.push_str(rest);
    shown
}

#[cfg(unix)]
fn symlink(target: &Path, name: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, name)
}

#[cfg(not(unix))]
fn symlink(_target: &Path, _name: &Path) -> io::Result<()> {
    Err(io::Error::other("symbolic links are made on Unix only"))
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Entry::{Dir, File, HardLink, Link, Locked};
    use super::*;

    #[test]
    fn a_tree_is_what_was_declared_and_is_gone_when_dropped() {
        // Given a tree of every kind of entry, one of them locked
        let entries = [
            Dir("ws/deep/er"),
            File("ws/f"),
            Link("ws/out", "../out"),
            Link("ws/absolute", "{tree}/ws/f"),
            HardLink("ws/second", "ws/f"),
            Dir("ws/closed/in"),
            Locked("ws/closed"),
        ];
        let tree = Tree::build(&entries).unwrap();
        // Then its parts are there
        assert_eq!(fs::read_to_string(tree.at("ws/absolute")).unwrap(), "ws/f");
        assert_eq!(fs::read_to_string(tree.at("ws/second")).unwrap(), "ws/f");
        assert!(tree.at("ws/out").symlink_metadata().unwrap().is_symlink());
        assert!(tree.at("ws/deep/er").is_dir());
        // And nothing is left of it
        let root = tree.at("");
        drop(tree);
        assert!(!root.exists());
    }

    #[test]
    fn a_relative_path_leads_to_the_same_file() {
        let tree = Tree::build(&[Dir("ws"), File("ws/f")]).unwrap();
        let path = tree.relative("ws/f").unwrap();
        assert!(path.is_relative());
        assert_eq!(fs::read_to_string(path).unwrap(), "ws/f");
    }

    #[test]
    fn the_place_of_a_tree_is_not_shown() {
        let tree = Tree::build(&[]).unwrap();
        let text = format!("read \"{}\" and {}", tree.text("a b"), tree.text("c"));
        assert_eq!(hidden(&text), "read \"{tree}/a b\" and {tree}/c");
    }
}
