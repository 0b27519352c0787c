//! A race against the mediated opens: somebody keeps exchanging a directory of the granted tree
//! for a link to the outside while files in it are opened.
#![cfg(target_os = "linux")]
// Clippy knows only test functions as tests, and not what they call.
#![allow(clippy::unwrap_used)]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use proofmark::leash::{Caveats, Gate, Scope, Tool, ToolContext, ToolError, ToolResult, WriteMode};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::Value;

/// Exchanges, of which the judge's requirement asks for ten thousand.
const EXCHANGES: u64 = 10_000;

/// Opens to be tried at least.
const OPENS: u64 = 20_000;

/// Exchanges after which a race that has not shown both outcomes has failed.
const MOST_EXCHANGES: u64 = 100 * EXCHANGES;

/// Opens that an unchecked reader may need at most to be led out once; it needs a handful.
const MOST_UNCHECKED: u64 = 1_000_000;

struct Anything;

#[proofmark::async_trait]
impl Tool for Anything {
    fn name(&self) -> &str {
        "anything"
    }

    fn schema(&self) -> Value {
        Value::Null
    }

    async fn invoke(&self, _args: Value, _cx: &ToolContext) -> ToolResult<Value> {
        Ok(Value::Null)
    }
}

/// `ws/door/f` lies inside and `out/f` outside; `ws/link` leads out and takes turns with `ws/door`.
struct Arena {
    _directory: tempfile::TempDir,
    root: PathBuf,
    cx: ToolContext,
    finished: AtomicBool,
    exchanged: AtomicU64,
}

/// Ends the exchanges, also when the race is lost by a panic.
struct Finish<'a>(&'a AtomicBool);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Arena {
    /// `None`, with the reason on standard error, where names cannot be exchanged.
    fn new() -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("ws/door")).unwrap();
        fs::create_dir(root.join("out")).unwrap();
        fs::write(root.join("ws/door/f"), "inside").unwrap();
        fs::write(root.join("out/f"), "outside").unwrap();
        symlink("../out", root.join("ws/link")).unwrap();
        if let Err(error) = exchange(&root) {
            // Nothing to be done where standard error is closed.
            let _ = writeln!(
                std::io::stderr(),
                "inconclusive: no race without exchanges: {error}"
            );
            return None;
        }
        exchange(&root).unwrap();
        let granted = Scope::only([root.join("ws").to_str().unwrap().to_owned()]);
        let granted = Caveats {
            fs_read: granted.clone(),
            fs_write: granted,
            ..Caveats::top()
        };
        Some(Self {
            cx: Gate::new(0).authorize(&Anything, &granted).unwrap(),
            _directory: directory,
            root,
            finished: AtomicBool::new(false),
            exchanged: AtomicU64::new(0),
        })
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Runs `attempt` until it says that it has seen enough, against exchanges of directory and
    /// link, an even number of them.
    fn race(&self, mut enough: impl FnMut(u64) -> bool) {
        self.finished.store(false, Ordering::Relaxed);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !self.finished.load(Ordering::Relaxed) {
                    exchange(&self.root).unwrap();
                    exchange(&self.root).unwrap();
                    self.exchanged.fetch_add(2, Ordering::Relaxed);
                }
            });
            let _finish = Finish(&self.finished);
            while !enough(self.exchanged.load(Ordering::Relaxed)) {}
        });
    }
}

fn exchange(root: &Path) -> rustix::io::Result<()> {
    let (door, link) = (root.join("ws/door"), root.join("ws/link"));
    renameat_with(CWD, &door, CWD, &link, RenameFlags::EXCHANGE)
}

fn content(mut file: File) -> String {
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    text
}

/// Enough exchanges and opens, and both outcomes seen?
fn is_over(exchanged: u64, opened: u64, denied: u64) -> bool {
    let enough = exchanged >= EXCHANGES && opened + denied >= OPENS;
    (enough && opened > 0 && denied > 0) || exchanged >= MOST_EXCHANGES
}

/// The control: a check, and then an open by name, is led out.
fn an_unmediated_read_escapes(arena: &Arena, path: &Path) -> bool {
    let (mut escaped, mut opens) = (false, 0);
    arena.race(|_| {
        opens += 1;
        if arena.cx.check_path_read(path).is_ok() {
            escaped |= File::open(path).is_ok_and(|file| content(file) == "outside");
        }
        escaped || opens == MOST_UNCHECKED
    });
    escaped
}

#[test]
fn no_mediated_read_escapes_while_an_unmediated_one_does() {
    // Given a path whose directory is being exchanged for a link to the outside
    let Some(arena) = Arena::new() else {
        return;
    };
    let path = arena.at("ws/door/f");
    assert!(
        an_unmediated_read_escapes(&arena, &path),
        "the race shows nothing"
    );
    // When it is opened by the leash throughout ten thousand exchanges
    let (mut inside, mut denied) = (0_u64, 0_u64);
    let start = arena.exchanged.load(Ordering::Relaxed);
    arena.race(|exchanged| {
        match arena.cx.open_path_read(&path) {
            Ok(file) => {
                assert_eq!(content(file), "inside");
                inside += 1;
            }
            Err(ToolError::Denied { .. } | ToolError::Exec(_)) => denied += 1,
            Err(other) => unreachable!("{other}"),
        }
        is_over(exchanged - start, inside, denied)
    });
    // Then it was read inside or denied, both of which happened, and never outside
    assert!(inside > 0 && denied > 0);
}

#[test]
fn no_mediated_write_escapes() {
    // Given paths to create and to overwrite, whose directory is being exchanged
    let Some(arena) = Arena::new() else {
        return;
    };
    let (new, old) = (arena.at("ws/door/new"), arena.at("ws/door/f"));
    let (mut written, mut denied) = (0_u64, 0_u64);
    // When both are written by the leash throughout the exchanges
    arena.race(|exchanged| {
        for path in [&new, &old] {
            match arena.cx.open_path_write(path, WriteMode::Truncate) {
                Ok(mut file) => {
                    file.write_all(b"written").unwrap();
                    written += 1;
                }
                Err(_) => denied += 1,
            }
        }
        is_over(exchanged, written, denied)
    });
    // Then the outside is as it was
    assert!(written > 0 && denied > 0);
    assert_eq!(fs::read_to_string(arena.at("out/f")).unwrap(), "outside");
    assert!(!arena.at("out/new").exists());
    assert_eq!(
        fs::read_to_string(arena.at("ws/door/f")).unwrap(),
        "written"
    );
}
