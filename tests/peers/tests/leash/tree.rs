//! The trees that path cases are judged in.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use tempfile::TempDir;

/// Stands for a byte that is not UTF-8.
pub const NOT_TEXT: char = '\u{FFFF}';

/// What a tree is made of.
struct Plan {
    directories: &'static [&'static str],
    files: &'static [&'static str],
    links: &'static [(&'static str, &'static str)],
}

/// `w` is the working directory and what most cases grant; `o` is outside, and so is `ww`; `x` may
/// not be searched.
const WHOLE: Plan = Plan {
    directories: &["w", "w/d", "w/d/e", LOCKED, "o", "ww"],
    files: &["w/f", "w/d/f", "w/x/f", "o/k", "ww/f"],
    links: &[
        // Within `w`: to a file, to a directory, and through the root.
        ("w/i", "f"),
        ("w/j", "d"),
        ("w/d/r", "../../w/d/e"),
        // Out of it: to a file, to a directory, in two steps.
        ("w/l", "../o/k"),
        ("w/u", "../o"),
        ("w/t", "u"),
        // To what is missing: outside, inside, in two steps, and back in from outside.
        ("w/n", "../o/m"),
        ("w/p", "d/m"),
        ("w/q", "n"),
        ("o/b", "../w/m"),
        // In a circle, below a file, and into what may not be searched.
        ("w/c", "c"),
        ("w/z", "f/m"),
        ("w/v", "x/f"),
        // The granted directory by another name.
        ("g", "w"),
    ],
};

/// As much of it as is changed: a tree of its own for each case must not take long to make.
const CHANGING: Plan = Plan {
    directories: &["w", "w/d", "o"],
    files: &["w/f", "w/d/f", "o/k"],
    links: &[("w/j", "d"), ("g", "w")],
};

const LOCKED: &str = "w/x";

/// What happens to a tree between minting and checking. What cannot be done is left undone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    Remove(&'static str),
    Directory(&'static str),
    File(&'static str),
    Link(&'static str, &'static str),
}

/// A tree of its own.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    _directory: TempDir,
}

impl Tree {
    /// A tree that a case may change.
    pub fn new() -> Self {
        Self::planned(&CHANGING)
    }

    fn planned(plan: &Plan) -> Self {
        let directory = temporary().expect("a temporary directory");
        let root = directory.path().canonicalize().expect("it is there");
        for name in plan.directories {
            fs::create_dir(root.join(name)).expect("a new directory");
        }
        for name in plan.files {
            fs::write(root.join(name), name).expect("a new file");
        }
        for (name, target) in plan.links {
            symlink(target, root.join(name)).expect("a new link");
        }
        set_mode(&root.join(LOCKED), 0);
        Self {
            root,
            _directory: directory,
        }
    }

    /// `text` with the tree's place in it.
    pub fn text(&self, text: &str) -> String {
        text.replace("{root}", self.root.to_str().expect("a plain name"))
    }

    /// The path that `text` stands for.
    pub fn path(&self, text: &str) -> PathBuf {
        let mut bytes = Vec::new();
        for c in self.text(text).chars() {
            if c == NOT_TEXT {
                bytes.push(0xFF);
            } else {
                bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
            }
        }
        OsString::from_vec(bytes).into()
    }

    pub fn change(&self, changes: &[Change]) {
        for change in changes {
            // What is not there cannot be removed, and what is there not made.
            let _ = match *change {
                Change::Remove(name) => {
                    let path = self.root.join(name);
                    fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path))
                }
                Change::Directory(name) => fs::create_dir(self.root.join(name)),
                Change::File(name) => fs::File::create_new(self.root.join(name)).map(drop),
                Change::Link(name, target) => symlink(target, self.root.join(name)),
            };
        }
    }
}

/// In memory where that can be had: thousands of small trees are made.
fn temporary() -> std::io::Result<TempDir> {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new())
}

impl Drop for Tree {
    fn drop(&mut self) {
        set_mode(&self.root.join(LOCKED), 0o700);
    }
}

fn set_mode(path: &Path, mode: u32) {
    // Only the whole tree has it.
    let _ = fs::set_permissions(path, Permissions::from_mode(mode));
}

/// The one tree that nothing changes; the working directory is its `w` as long as it is held.
pub fn shared() -> Arc<Tree> {
    static SHARED: Mutex<Weak<Tree>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().expect("no test fails while it holds this");
    shared.upgrade().unwrap_or_else(|| {
        let tree = Arc::new(Tree::planned(&WHOLE));
        std::env::set_current_dir(tree.root.join("w")).expect("it is there");
        *shared = Arc::downgrade(&tree);
        tree
    })
}

/// Makes this thread obey permissions, which the superuser's need not.
pub fn as_ordinary_user() {
    let override_permissions = CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
    let mut held = capabilities(None).expect("the own capabilities");
    if held.effective.intersects(override_permissions) {
        held.effective.remove(override_permissions);
        set_capabilities(None, held).expect("one may always do with less");
    }
}
