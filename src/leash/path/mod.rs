//! Paths: where one really leads, and whether a granted file or directory covers that place.

mod grant;
#[cfg(target_os = "linux")]
mod linux;
mod open;
#[cfg(any(test, not(target_os = "linux")))]
mod portable;
mod spelling;

pub(super) use grant::Grants;
pub use open::{RaceClosure, WriteMode};
pub(super) use open::{open_read, open_write};
#[cfg(all(target_os = "linux", feature = "landlock"))]
pub(super) use platform::Pinned;

#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(not(target_os = "linux"))]
use portable as platform;

use std::path::{Path, PathBuf};

use super::error::{Quoted, ToolError, ToolResult};
use super::scope::Scope;
use grant::Cover;

/// Why a path leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Unresolvable(&'static str);

impl Unresolvable {
    fn reason(self) -> &'static str {
        self.0
    }
}

/// What somebody wants to do with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

impl Access {
    fn verb(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// Does `scope` cover the place that `path` leads to now?
pub(super) fn check(scope: &Scope<String>, access: Access, path: &Path) -> ToolResult<()> {
    match scope {
        Scope::All => Ok(()),
        Scope::Only(items) => {
            let grants = items.grants();
            if spelling::admit(path).is_ok_and(|text| grants.evidently_cover(text)) {
                return Ok(());
            }
            cover(grants, access, path).map(drop)
        }
    }
}

/// A place that is covered, and by what.
struct Covered<'g> {
    place: PathBuf,
    object: &'g platform::Pinned,
    /// The way from the object to the place; empty where they are the same.
    below: PathBuf,
}

/// Where `path` leads now, if `grants` cover that.
fn cover<'g>(grants: &'g Grants, access: Access, path: &Path) -> ToolResult<Covered<'g>> {
    let cover = match spelling::admit(path).and_then(platform::locate) {
        Ok(place) => match grants.covering(&place) {
            Cover::By(object, below) => {
                return Ok(Covered {
                    place,
                    object,
                    below,
                });
            }
            other => other,
        },
        Err(_) => Cover::Nothing,
    };
    Err(denial(access, path, &cover))
}

/// Says what was asked for and nothing of what was found: where a link leads, or whether a file
/// outside exists, is none of the caller's business.
fn denial(access: Access, path: &Path, cover: &Cover<'_>) -> ToolError {
    let verb = access.verb();
    let path = path.to_string_lossy();
    let path = Quoted(&path);
    ToolError::denied(match cover {
        Cover::Replaced => format!(
            "{verb} of {path}: what the fs_{verb} scope granted there was replaced after it had \
             been opened"
        ),
        _ => format!("{verb} of {path} is not within the granted fs_{verb} scope"),
    })
}

/// The object at `path`, if there is one that can be held.
#[cfg(all(target_os = "linux", feature = "landlock"))]
pub(super) fn hold(path: &Path) -> Option<Pinned> {
    let held = spelling::admit(path).and_then(Pinned::hold);
    held.ok().map(|(_, object)| object)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;
    use std::io::{Read, Write};
    use std::os::unix::fs::symlink;

    use rstest::rstest;
    use tempfile::TempDir;

    use super::open::How;
    use super::*;

    /// A directory with a file `in/f`, and links to it, out of `in`, to nowhere and in a circle.
    fn tree() -> (TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("in/sub")).unwrap();
        fs::create_dir(root.join("out")).unwrap();
        fs::write(root.join("in/f"), "f").unwrap();
        for (link, target) in [
            ("in/link", "f"),
            ("in/up", ".."),
            ("in/new_link", "sub/new"),
            ("in/new_out", "../out/new"),
            ("in/new_chain", "new_out"),
            ("in/loop", "loop"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        (directory, root)
    }

    #[rstest]
    #[case::file("in/f", Some("in/f"))]
    #[case::link("in/link", Some("in/f"))]
    #[case::up("in/up/out", Some("out"))]
    #[case::parent("in/sub/../f", Some("in/f"))]
    #[case::new("in/new", Some("in/new"))]
    #[case::new_deep("in/a/b/c", Some("in/a/b/c"))]
    #[case::new_through_link("in/up/out/new", Some("out/new"))]
    #[case::link_to_new("in/new_link", Some("in/sub/new"))]
    #[case::below_link_to_new("in/new_link/x", Some("in/sub/new/x"))]
    #[case::link_to_new_outside("in/new_out", Some("out/new"))]
    #[case::chain_to_new_outside("in/new_chain", Some("out/new"))]
    #[case::below_file("in/f/x", None)]
    #[case::circle("in/loop", None)]
    #[case::below_circle("in/loop/x", None)]
    #[case::climbing_out_of_new("in/new/../f", None)]
    fn both_ways_to_resolve_agree(#[case] path: &str, #[case] place: Option<&str>) {
        let (_directory, root) = tree();
        let path = root.join(path);
        let text = path.to_str().unwrap();
        let expected = place.map(|place| root.join(place));
        assert_eq!(linux::locate(text).ok(), expected);
        assert_eq!(portable::locate(text).ok(), expected);
    }

    #[test]
    fn both_ways_to_hold_a_directory_notice_a_link_in_its_place() {
        let (_directory, root) = tree();
        let inside = root.join("in");
        let text = inside.to_str().unwrap();
        let (place, linux) = linux::Pinned::hold(text).unwrap();
        let (same, portable) = portable::Pinned::hold(text).unwrap();
        assert_eq!((&place, &same), (&inside, &inside));
        assert!(linux.is_directory() && portable.is_directory());
        assert!(linux.is_at(&inside) && portable.is_at(&inside));

        fs::rename(&inside, root.join("old")).unwrap();
        symlink("out", &inside).unwrap();
        assert!(!linux.is_at(&inside) && !portable.is_at(&inside));

        // What only the one that holds the object itself can tell
        fs::remove_file(&inside).unwrap();
        fs::create_dir(&inside).unwrap();
        assert!(!linux.is_at(&inside) && portable.is_at(&inside));
    }

    #[test]
    fn both_ways_to_open_write_and_read_the_same_file() {
        let (_directory, root) = tree();
        let inside = root.join("in");
        let (_, linux) = linux::Pinned::hold(inside.to_str().unwrap()).unwrap();
        let (_, portable) = portable::Pinned::hold(inside.to_str().unwrap()).unwrap();
        for (number, mode) in [WriteMode::CreateNew, WriteMode::Append, WriteMode::Truncate]
            .into_iter()
            .enumerate()
        {
            let below = Path::new("sub/written");
            let place = inside.join(below);
            let mut file = linux.open(&place, below, How::Write(mode)).unwrap();
            file.write_all(&[b'0'; 3]).unwrap();
            let again = linux.open(&place, below, How::Write(WriteMode::CreateNew));
            assert!(again.is_err());
            let again = portable.open(&place, below, How::Write(WriteMode::CreateNew));
            assert!(again.is_err());
            let mut file = portable
                .open(&place, below, How::Write(WriteMode::Append))
                .unwrap();
            file.write_all(b"1").unwrap();
            let mut text = String::new();
            let mut file = portable.open(&place, below, How::Read).unwrap();
            file.read_to_string(&mut text).unwrap();
            // Each round appends four bytes, or writes over the first three: neither truncates.
            assert_eq!(text.len(), [4, 8, 9][number], "{text}");
        }
    }

    #[test]
    fn opening_step_by_step_follows_no_link_and_leaves_no_directory() {
        use rustix::fs::OFlags;
        use rustix::io::Errno;
        use std::os::fd::AsFd;

        let (_directory, root) = tree();
        let inside = fs::File::open(root.join("in")).unwrap();
        let open = |below: &str| {
            linux::walk(
                inside.as_fd(),
                Path::new(below),
                OFlags::RDONLY | OFlags::CLOEXEC,
            )
        };
        assert!(open("f").is_ok());
        assert_eq!(open("link").unwrap_err(), Errno::LOOP);
        assert_eq!(open("up/out").unwrap_err(), Errno::NOTDIR);
        assert_eq!(open("../out").unwrap_err(), Errno::XDEV);
        assert_eq!(open("/etc").unwrap_err(), Errno::XDEV);
        assert_eq!(open("").unwrap_err(), Errno::NOENT);
    }
}
