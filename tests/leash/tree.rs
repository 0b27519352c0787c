//! Directory trees for tests, declared as data.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// One entry of a tree. Names are relative to the root; `{root}` in a target stands for it.
#[derive(Debug, Clone, Copy)]
pub enum Entry {
    Dir(&'static str),
    File(&'static str),
    Link(&'static str, &'static str),
    HardLink(&'static str, &'static str),
}

/// A tree on disk, removed when dropped.
pub struct Tree {
    // Kept for its destructor.
    _directory: TempDir,
    root: PathBuf,
}

impl Tree {
    pub fn of(entries: &[Entry]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let tree = Self {
            _directory: directory,
            root,
        };
        for entry in entries {
            match *entry {
                Entry::Dir(name) => fs::create_dir(tree.at(name)).unwrap(),
                Entry::File(name) => fs::write(tree.at(name), name).unwrap(),
                Entry::Link(name, target) => {
                    std::os::unix::fs::symlink(tree.expand(target), tree.at(name)).unwrap();
                }
                Entry::HardLink(name, target) => {
                    fs::hard_link(tree.at(target), tree.at(name)).unwrap();
                }
            }
        }
        tree
    }

    /// The absolute path of `name`, not normalised: `..`, `.` and slashes stay as written.
    pub fn at(&self, name: &str) -> PathBuf {
        PathBuf::from(self.text(name))
    }

    /// As [`at`](Self::at), as text.
    pub fn text(&self, name: &str) -> String {
        let root = self.root.to_str().unwrap();
        if name.is_empty() {
            root.to_owned()
        } else {
            format!("{root}/{name}")
        }
    }

    /// `text` with `{root}` replaced.
    pub fn expand(&self, text: &str) -> String {
        text.replace("{root}", self.root.to_str().unwrap())
    }

    pub fn root(&self) -> &Path {
        &self.root
    }
}
