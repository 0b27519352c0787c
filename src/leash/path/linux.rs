//! Resolving and pinning on Linux: by descriptors, which name an object and not a spelling.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    self, AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, openat, statat,
};
use rustix::io::Errno;

use super::Unresolvable;
use super::open::{How, WriteMode};
use super::spelling::{LONGEST_COMPONENT, LONGEST_PATH, MOST_MISSING};

/// As many links as the kernel follows in one path.
const MOST_LINKS: usize = 40;

/// What the kernel appends to the name of an object that has lost its name.
const DELETED: &[u8] = b" (deleted)";

impl From<Errno> for Unresolvable {
    fn from(errno: Errno) -> Self {
        Self(match errno {
            Errno::NOENT => "it does not exist",
            Errno::ACCESS | Errno::PERM => "it lies in a directory that may not be searched",
            Errno::LOOP => "its links lead in a circle",
            Errno::NOTDIR => "it lies below something that is not a directory",
            Errno::NAMETOOLONG => "it has a component that is too long",
            Errno::MFILE | Errno::NFILE => "no descriptor is left to open it with",
            _ => "it cannot be opened",
        })
    }
}

/// Where `text` leads: absolute, without a link, `.` or `..`. The kernel resolves it and tells the
/// name of what it found; what does not exist yet is placed where it would be made.
pub(super) fn locate(text: &str) -> Result<PathBuf, Unresolvable> {
    match handle(text.as_bytes()) {
        Ok(object) => name_of(&object),
        Err(Errno::NOENT) => locate_missing(text.as_bytes().to_vec()),
        Err(errno) => Err(errno.into()),
    }
}

/// A handle on the object at `path`, through links. It needs no permission on the object itself.
fn handle(path: &[u8]) -> Result<OwnedFd, Errno> {
    openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
}

/// The name under which the kernel knows `object` now.
fn name_of(object: &OwnedFd) -> Result<PathBuf, Unresolvable> {
    let name = fs::readlink(own_descriptor(object), Vec::new())
        .map_err(|_| Unresolvable("its place cannot be told without /proc"))?
        .into_bytes();
    if !name.starts_with(b"/") {
        return Err(Unresolvable("it has no place in the file system"));
    }
    let path = PathBuf::from(OsString::from_vec(name));
    if path.as_os_str().as_bytes().ends_with(DELETED) {
        // Either a deleted object, or one that is really called so.
        let there = statat(CWD, &path, AtFlags::SYMLINK_NOFOLLOW)?;
        if Identity::of(&there) != Identity::of(&fstat(object)?) {
            return Err(Unresolvable("it has been deleted"));
        }
    }
    Ok(path)
}

fn own_descriptor(object: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", object.as_raw_fd())
}

/// Where an object would be made that does not exist yet.
///
/// The deepest directory that does exist is found by the kernel; the first component missing from
/// it is truly missing, or a link whose target is, which is then followed by hand.
fn locate_missing(path: Vec<u8>) -> Result<PathBuf, Unresolvable> {
    let mut pending = path;
    for _ in 0..MOST_LINKS {
        let (directory, missing) = deepest_directory(&pending)?;
        let mut place = name_of(&directory)?;
        let first = missing.first().copied().unwrap_or_default();
        match fs::readlinkat(&directory, first, Vec::new()) {
            Ok(target) => {
                place.push(OsStr::from_bytes(target.as_bytes()));
                place.extend(missing[1..].iter().copied().map(OsStr::from_bytes));
                pending = place.into_os_string().into_vec();
                if pending.len() > LONGEST_PATH {
                    return Err(Errno::NAMETOOLONG.into());
                }
            }
            Err(Errno::NOENT) => {
                place.extend(missing.iter().copied().map(OsStr::from_bytes));
                return Ok(place);
            }
            // It has come into being since.
            Err(Errno::INVAL) => {}
            Err(errno) => return Err(errno.into()),
        }
        match handle(&pending) {
            Ok(object) => return name_of(&object),
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Err(Errno::LOOP.into())
}

/// The deepest directory on the way to `path` that exists, and the components below it.
fn deepest_directory(path: &[u8]) -> Result<(OwnedFd, Vec<&[u8]>), Unresolvable> {
    let mut missing = Vec::new();
    let mut head = path;
    loop {
        let cut = head.iter().rposition(|byte| *byte == b'/');
        let last = &head[cut.map_or(0, |cut| cut + 1)..];
        head = match cut {
            None => b".",
            Some(0) => b"/",
            Some(cut) => &head[..cut],
        };
        match last {
            b"" | b"." if cut.is_some() => continue,
            b"" | b"." => return Err(Errno::NOENT.into()),
            // What `..` of a missing directory means is for nobody to guess.
            b".." => return Err(Unresolvable("it climbs out of a missing directory")),
            name if name.len() > LONGEST_COMPONENT => return Err(Errno::NAMETOOLONG.into()),
            name => missing.push(name),
        }
        if missing.len() > MOST_MISSING {
            return Err(Unresolvable("too many of its directories are missing"));
        }
        match handle(head) {
            Ok(directory) if fstat(&directory)?.st_nlink == 0 => return Err(Errno::NOENT.into()),
            Ok(directory) => {
                missing.reverse();
                return Ok((directory, missing));
            }
            Err(Errno::NOENT) if head != b"." && head != b"/" => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// What tells one object from every other as long as a handle on it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    fn of(stat: &Stat) -> Self {
        Self {
            device: stat.st_dev,
            inode: stat.st_ino,
        }
    }
}

/// A granted object, held by a handle.
#[derive(Debug)]
pub(in crate::leash) struct Pinned {
    handle: OwnedFd,
    identity: Identity,
    is_directory: bool,
}

impl Pinned {
    /// Holds the object that `text` leads to, and tells where that is.
    pub(super) fn hold(text: &str) -> Result<(PathBuf, Self), Unresolvable> {
        let handle = handle(text.as_bytes())?;
        let stat = fstat(&handle)?;
        let pinned = Self {
            identity: Identity::of(&stat),
            is_directory: FileType::from_raw_mode(stat.st_mode) == FileType::Directory,
            handle,
        };
        Ok((name_of(&pinned.handle)?, pinned))
    }

    /// Is it a directory?
    pub(in crate::leash) fn is_directory(&self) -> bool {
        self.is_directory
    }

    /// Is the object still the one at `path`?
    pub(super) fn is_at(&self, path: &Path) -> bool {
        statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| Identity::of(&stat) == self.identity)
    }

    /// Does `below` lead from this directory to something that exists, and never out of it?
    pub(super) fn leads_to(&self, below: &str) -> bool {
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        fs::openat2(&self.handle, below, flags, Mode::empty(), beneath).is_ok()
    }

    /// Opens `below` under this directory, or this very object where `below` is empty. No link is
    /// followed and no step leads out, whatever is renamed meanwhile.
    ///
    /// Neither waits for a peer, as the open of a pipe would, nor truncates.
    pub(super) fn open(&self, _place: &Path, below: &Path, how: How) -> io::Result<File> {
        let flags = flags(how);
        if below.as_os_str().is_empty() {
            if how == How::Write(WriteMode::CreateNew) {
                return Err(Errno::EXIST.into());
            }
            let itself = own_descriptor(&self.handle);
            let opened = openat(CWD, itself, flags - OFlags::CREATE, Mode::empty())?;
            return Ok(opened.into());
        }
        let beneath =
            ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
        let opened = match fs::openat2(&self.handle, below, flags, mode(flags), beneath) {
            Err(Errno::NOSYS | Errno::PERM) => walk(self.handle.as_fd(), below, flags),
            opened => opened,
        };
        Ok(opened?.into())
    }
}

impl AsFd for Pinned {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// Opens `below` under `root` one component after the other, following none that is a link: what
/// [`Pinned::open`] does where the kernel has no `openat2`, or a filter hides it.
pub(super) fn walk(
    root: BorrowedFd<'_>,
    below: &Path,
    flags: OFlags,
) -> rustix::io::Result<OwnedFd> {
    let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut components = below.components().peekable();
    let mut directory = None::<OwnedFd>;
    while let Some(component) = components.next() {
        let Component::Normal(name) = component else {
            return Err(Errno::XDEV);
        };
        let from = directory.as_ref().map_or(root, |held| held.as_fd());
        if components.peek().is_none() {
            return openat(from, name, flags | OFlags::NOFOLLOW, mode(flags));
        }
        directory = Some(openat(from, name, step, Mode::empty())?);
    }
    Err(Errno::NOENT)
}

fn flags(how: How) -> OFlags {
    let always = OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    always
        | match how {
            How::Read => OFlags::RDONLY,
            How::Write(WriteMode::Truncate) => OFlags::WRONLY | OFlags::CREATE,
            How::Write(WriteMode::Append) => OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND,
            How::Write(WriteMode::CreateNew) => OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL,
        }
}

/// What a created file may be used for before the process's own mask is taken off.
fn mode(flags: OFlags) -> Mode {
    if flags.contains(OFlags::CREATE) {
        Mode::from_raw_mode(0o666)
    } else {
        Mode::empty()
    }
}

/// Makes reads and writes of `file` wait for their peer again, as of any other file.
pub(super) fn wait_for_peers(file: &File) -> io::Result<()> {
    let flags = fs::fcntl_getfl(file)?;
    Ok(fs::fcntl_setfl(file, flags - OFlags::NONBLOCK)?)
}

/// Did an open fail because a link was in its way, or a step out of the directory? The path had
/// neither when it was checked.
pub(super) fn led_elsewhere(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::LOOP | Errno::XDEV))
}
