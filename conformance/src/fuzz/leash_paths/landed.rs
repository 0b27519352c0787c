//! Where a path leads, found out by opening it with no leash around.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// Where an open without a leash lands.
pub(super) enum Landed {
    /// At this object, which was there or has been made by the open.
    At(Object),
    /// At what is not there, below this folder.
    Below(Object),
    /// Nowhere: no open succeeds, whatever folders are made before.
    Nowhere(&'static str),
}

/// An object, whatever it is called.
pub(super) type Object = (u64, u64);

pub(super) fn object(of: &Metadata) -> Object {
    (of.dev(), of.ino())
}

/// The path without the `/` and `/.` at its end, which only ask that it be a folder.
pub(super) fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

fn create(path: &Path) -> io::Result<Metadata> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    options.open(path)?.metadata()
}

/// A chain of more links than this is a loop.
const MOST_LINKS: usize = 40;

/// Where an open of the path lands. One that writes makes the file, if its place is in `ground`:
/// nothing is ever made elsewhere, whatever was allowed.
pub(super) fn landed(path: &Path, write: bool, ground: &Path) -> Landed {
    let mut path = plain(path);
    for _ in 0..MOST_LINKS {
        match fs::metadata(&path) {
            Ok(there) => return Landed::At(object(&there)),
            Err(cause) if cause.kind() == ErrorKind::NotFound => {}
            Err(_) => return Landed::Nowhere("it cannot be resolved"),
        }
        // Nothing is there to be opened; what would be made on the way is looked for.
        let Some((folder, missing)) = deepest(&path) else {
            return Landed::Nowhere("nothing of it exists");
        };
        if missing.contains(&Component::ParentDir) {
            return Landed::Nowhere("a `..` stands behind what does not exist");
        }
        let first = folder.join(missing[0]);
        match first.read_link() {
            Ok(target) => {
                let mut followed = folder.join(target);
                followed.extend(&missing[1..]);
                path = plain(&followed);
            }
            Err(_) => return new(&folder, &missing, write, ground),
        }
    }
    Landed::Nowhere("its links lead in a circle")
}

/// Where a path lands of which all that is `missing` in `folder` is plainly not there.
fn new(folder: &Path, missing: &[Component<'_>], write: bool, ground: &Path) -> Landed {
    let of = match fs::metadata(folder) {
        Ok(of) if of.is_dir() => object(&of),
        _ => return Landed::Nowhere("it lies below a file"),
    };
    let ours = fs::canonicalize(folder).is_ok_and(|place| place.starts_with(ground));
    if let (true, true, [leaf]) = (write, ours, missing)
        && let Ok(made) = create(&folder.join(leaf))
    {
        return Landed::At(object(&made));
    }
    Landed::Below(of)
}

/// The deepest part of the path that exists, and the components behind it.
fn deepest(path: &Path) -> Option<(PathBuf, Vec<Component<'_>>)> {
    let mut components = path.components();
    let mut missing = Vec::new();
    loop {
        missing.push(components.next_back()?);
        let folder = components.as_path();
        if folder.as_os_str().is_empty() {
            return None;
        }
        if fs::metadata(folder).is_ok() {
            missing.reverse();
            return Some((folder.to_owned(), missing));
        }
    }
}

/// Whether the path's last component is a link to what is not there.
pub(super) fn is_dangling(path: &Path) -> bool {
    let path = plain(path);
    path.is_symlink() && fs::metadata(&path).is_err()
}

/// Whether the path is written in a way that a strict reader may stumble over.
pub(super) fn is_odd(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.contains("/.") || text.contains("//") || text.ends_with('/') || text.contains('\0')
}

/// What lies plainly inside.
pub(super) enum Plain {
    There,
    New,
}

/// Walks `below` the folder `root`, through links that lead down only. `None` where a link leads
/// elsewhere or something is in the way.
pub(super) fn plainly(root: &Path, below: &Path) -> Option<Plain> {
    let parts = |path: &Path| -> Option<Vec<PathBuf>> {
        let names = path.components().rev().map(|part| match part {
            Component::Normal(name) => Some(PathBuf::from(name)),
            _ => None,
        });
        names.collect()
    };
    let mut place = root.to_owned();
    let mut left = parts(below)?;
    let mut links = 0;
    while let Some(part) = left.pop() {
        let next = place.join(part);
        match next.symlink_metadata() {
            Ok(of) if of.is_symlink() => {
                links += 1;
                if links > 8 {
                    return None;
                }
                let target = next.read_link().ok()?;
                if is_odd(&target) {
                    return None;
                }
                left.extend(parts(&target)?);
            }
            Ok(_) => place = next,
            Err(cause) => {
                let short = next.file_name().is_some_and(|name| name.len() <= 255);
                let new = left.is_empty() && links == 0 && short && place.is_dir();
                return (new && cause.kind() == ErrorKind::NotFound).then_some(Plain::New);
            }
        }
    }
    Some(Plain::There)
}
