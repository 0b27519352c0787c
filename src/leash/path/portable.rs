//! Resolving by spelling alone, for systems on which a directory cannot be held and asked.
//!
//! What it cannot promise: that a granted directory which another one of the same name has
//! replaced is noticed, and that nothing changes between a check and the open that follows it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::Unresolvable;
use super::open::{How, WriteMode};
use super::spelling::{LONGEST_COMPONENT, MOST_MISSING};

/// As many links as are followed towards a missing object.
const MOST_LINKS: usize = 40;

impl From<io::Error> for Unresolvable {
    fn from(error: io::Error) -> Self {
        Self(match error.kind() {
            io::ErrorKind::NotFound => "it does not exist",
            io::ErrorKind::PermissionDenied => "it lies in a directory that may not be searched",
            io::ErrorKind::NotADirectory => "it lies below something that is not a directory",
            _ => "it cannot be opened",
        })
    }
}

/// Where `text` leads, or where it would be made.
pub(super) fn locate(text: &str) -> Result<PathBuf, Unresolvable> {
    let mut pending = std::path::absolute(text)?;
    for _ in 0..MOST_LINKS {
        match fs::canonicalize(&pending) {
            Ok(place) => return Ok(place),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        let (mut place, missing) = deepest_directory(&pending)?;
        let first = place.join(missing[0]);
        match fs::read_link(&first) {
            Ok(target) => {
                place.push(target);
                place.extend(&missing[1..]);
                pending = place;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                place.extend(&missing);
                return Ok(place);
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Unresolvable("its links lead in a circle"))
}

/// The deepest directory on the way to `path` that exists, and the components below it.
fn deepest_directory(path: &Path) -> Result<(PathBuf, Vec<Component<'_>>), Unresolvable> {
    let mut missing = Vec::new();
    let mut components = path.components();
    while let Some(last) = components.next_back() {
        match last {
            Component::Normal(name) if name.len() > LONGEST_COMPONENT => {
                return Err(Unresolvable("it has a component that is too long"));
            }
            Component::Normal(_) => missing.push(last),
            _ => return Err(Unresolvable("it climbs out of a missing directory")),
        }
        if missing.len() > MOST_MISSING {
            return Err(Unresolvable("too many of its directories are missing"));
        }
        match fs::canonicalize(components.as_path()) {
            Ok(directory) => {
                missing.reverse();
                return Ok((directory, missing));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Unresolvable("it does not exist"))
}

/// A granted object, known by its place.
#[derive(Debug)]
pub(in crate::leash) struct Pinned {
    is_directory: bool,
}

impl Pinned {
    /// Looks up the object that `text` leads to, and tells where that is.
    pub(super) fn hold(text: &str) -> Result<(PathBuf, Self), Unresolvable> {
        let place = fs::canonicalize(text)?;
        let is_directory = fs::metadata(&place)?.is_dir();
        Ok((place, Self { is_directory }))
    }

    /// Is it a directory?
    pub(super) fn is_directory(&self) -> bool {
        self.is_directory
    }

    /// Is an object of this kind still at `path`, and not a link to one elsewhere?
    pub(super) fn is_at(&self, path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() == self.is_directory)
            && fs::canonicalize(path).is_ok_and(|place| place == path)
    }

    /// Not to be told without finding out the place.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn leads_to(&self, _below: &str) -> bool {
        false
    }

    /// Opens `place`, which was found to lie `below` this object a moment ago.
    pub(super) fn open(&self, place: &Path, _below: &Path, how: How) -> io::Result<File> {
        let mut options = OpenOptions::new();
        match how {
            How::Read => options.read(true),
            How::Write(WriteMode::Truncate) => options.write(true).create(true).truncate(false),
            How::Write(WriteMode::Append) => options.append(true).create(true),
            How::Write(WriteMode::CreateNew) => options.write(true).create_new(true),
        };
        options.open(place)
    }
}

/// Nothing to undo: files are opened here as anywhere else.
#[cfg(not(target_os = "linux"))]
pub(super) fn wait_for_peers(_file: &File) -> io::Result<()> {
    Ok(())
}

/// An open by name does not notice.
#[cfg(not(target_os = "linux"))]
pub(super) fn led_elsewhere(_error: &io::Error) -> bool {
    false
}
