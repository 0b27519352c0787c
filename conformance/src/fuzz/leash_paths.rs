//! The body of the `leash_paths` target: a drawn tree of folders, files and links, grants in it, and
//! paths through it.
//!
//! Assumed correct: the kernel. Where a path leads is found out by opening it with no leash around,
//! and comparing what was opened with what lies in the granted folders, by device and inode. Nothing
//! is assumed of how a leash resolves. Denials are judged only where no link leads out and nothing
//! is written in an odd way.

use std::collections::HashSet;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Component, Path, PathBuf};

use arbitrary::{Result as Drawn, Unstructured};

use super::Violation;
use crate::catalogue::{Family, RequirementId};
use crate::profile::Capability;
use crate::subject::{CaveatSpec, GateSpec, LeashContext, LeashSubject, ScopeSpec};
use crate::tree::hidden;

const fn lsh(number: u8) -> RequirementId {
    RequirementId::new(Family::Lsh, number)
}

/// Folders of every tree. What is granted is mostly the first or lies in it.
const FOLDERS: &[&str] = &["ws", "ws2"];

/// Names of what is made in them.
const NAMES: &[&str] = &["a", "b", "c"];

/// What paths and targets are made of.
const PARTS: &[&str] = &["ws", "ws2", "a", "b", "c", "..", ".", "", "new"];

const TAILS: &[&str] = &["", "", "", "/", "/.", "//"];

/// At most so many of each are drawn from one input.
const MOST_ENTRIES: usize = 10;
const MOST_ASKED: usize = 8;

/// Asks a fresh leash about the tree and the paths that `data` stands for.
///
/// ```
/// use proofmark_conformance::fuzz::leash_paths;
/// use proofmark_conformance::profile::LeashProfile;
/// use proofmark_conformance::subject::{LeashSubject, ToolkitLeash};
///
/// let profile = LeashProfile::new().check_path();
/// leash_paths(b"any bytes at all", &LeashSubject::new("toolkit", profile, || ToolkitLeash))?;
/// # Ok::<(), proofmark_conformance::fuzz::Violation>(())
/// ```
///
/// # Errors
///
/// The [`Violation`], where an open lands outside what is granted, or what plainly lies inside is
/// denied.
pub fn leash_paths(data: &[u8], subject: &LeashSubject) -> Result<(), Violation> {
    if !subject.capabilities().has(Capability::CheckPath) {
        return Ok(());
    }
    let mut data = Unstructured::new(data);
    // Where no tree can be built, there is nothing to ask about.
    let Ok(mut ground) = Ground::new() else {
        return Ok(());
    };
    // Data that ends too soon builds and asks less.
    let Ok(granted) = ground.draw(&mut data) else {
        return Ok(());
    };
    let context = subject
        .make()
        .gate(&GateSpec::new())
        .and_then(|gate| gate.authorize(&granted, &CaveatSpec::top()));
    let Ok(context) = context else {
        return Ok(());
    };
    let opens = subject.capabilities().has(Capability::MediatedOpens);
    for _ in 0..MOST_ASKED {
        let Ok(asked) = ground.question(&mut data) else {
            break;
        };
        let said = asked.judge(&ground, context.as_ref(), opens);
        said.map_err(|(requirement, seen)| ground.violation(requirement, &granted, &asked, &seen))?;
    }
    Ok(())
}

/// A folder for one input, removed with all in it.
struct Ground {
    folder: tempfile::TempDir,
    built: Vec<String>,
    folders: Vec<String>,
    /// Folders, files and links.
    places: Vec<String>,
    read: Grants,
    write: Grants,
}

/// What is granted on one axis, looked up when it was granted.
#[derive(Default)]
struct Grants {
    /// As written, and the place without links.
    live: Vec<(PathBuf, PathBuf)>,
    /// Those that lead to nothing.
    dead: Vec<PathBuf>,
}

impl Grants {
    fn of(scope: &ScopeSpec<String>) -> Self {
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
    fn inside(&self) -> HashSet<Object> {
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

/// What is wrong, and by which requirement.
type Broken = (RequirementId, String);

impl Ground {
    /// In memory where that can be had, since the disk is no part of what is asked.
    fn new() -> io::Result<Self> {
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() {
            memory.to_owned()
        } else {
            std::env::temp_dir().canonicalize()?
        };
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
    fn draw(&mut self, data: &mut Unstructured<'_>) -> Drawn<CaveatSpec> {
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
            grants.push(self.at(&name));
        }
        Ok(ScopeSpec::only(grants))
    }

    fn question(&self, data: &mut Unstructured<'_>) -> Drawn<Question> {
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
    fn grants_for(&self, write: bool) -> (&Grants, &Grants) {
        if write {
            (&self.write, &self.read)
        } else {
            (&self.read, &self.write)
        }
    }

    fn violation(
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
struct Question {
    write: bool,
    path: PathBuf,
}

/// Where an open without a leash lands.
enum Landed {
    /// At this object, which was there or has been made by the open.
    At(Object),
    /// At what is not there, below this folder.
    Below(Object),
    /// Nowhere: no open succeeds, whatever folders are made before.
    Nowhere(&'static str),
}

/// An object, whatever it is called.
type Object = (u64, u64);

impl Question {
    fn check(&self) -> &'static str {
        if self.write {
            "check_path_write"
        } else {
            "check_path_read"
        }
    }

    fn judge(
        &self,
        ground: &Ground,
        context: &dyn LeashContext,
        opens: bool,
    ) -> Result<(), Broken> {
        let said = if self.write {
            context.check_path_write(&self.path)
        } else {
            context.check_path_read(&self.path)
        };
        let (granted, other) = ground.grants_for(self.write);
        if opens && !self.write {
            self.judge_open(granted, context)?;
        }
        match said {
            Ok(()) => self.judge_allowed(granted, other),
            Err(_) => self.judge_denied(granted, ground.folder.path()),
        }
    }

    /// What a mediated open returns lies inside, whatever the check said.
    fn judge_open(&self, granted: &Grants, context: &dyn LeashContext) -> Result<(), Broken> {
        let opened = context.open_path_read(&self.path);
        let Ok(Ok(opened)) = opened.map(|file| file.metadata()) else {
            return Ok(());
        };
        if granted.inside().contains(&object(&opened)) {
            return Ok(());
        }
        Err((
            lsh(13),
            "a mediated open returned a file outside".to_owned(),
        ))
    }

    fn judge_allowed(&self, granted: &Grants, other: &Grants) -> Result<(), Broken> {
        if self.is_hostile() {
            return Err((lsh(14), "allowed, and no file can be called so".to_owned()));
        }
        let dangling = is_dangling(&self.path);
        let landed = match landed(&self.path, self.write) {
            Landed::Nowhere(why) => {
                return Err((lsh(8), format!("allowed, and leads nowhere: {why}")));
            }
            Landed::At(object) | Landed::Below(object) => object,
        };
        if granted.inside().contains(&landed) {
            return Ok(());
        }
        if other.inside().contains(&landed) {
            let seen = "allowed, and only the other axis covers it";
            return Err((lsh(9), seen.to_owned()));
        }
        let dead = |grant: &PathBuf| self.path.starts_with(grant);
        let row = if dangling || granted.dead.iter().any(dead) {
            lsh(8)
        } else {
            lsh(7)
        };
        Err((row, "allowed, and an open lands outside".to_owned()))
    }

    fn is_hostile(&self) -> bool {
        let text = self.path.to_string_lossy();
        text.contains('\0') || text.len() > 4_095 || text.split('/').any(|name| name.len() > 255)
    }

    /// What is written plainly, and lies plainly inside, has to be allowed.
    fn judge_denied(&self, granted: &Grants, ground: &Path) -> Result<(), Broken> {
        let odd = |path: &Path| {
            let text = path.to_string_lossy();
            text.contains("/.") || text.contains("//") || text.ends_with('/') || text.contains('\0')
        };
        for (grant, root) in &granted.live {
            let Ok(below) = self.path.strip_prefix(grant) else {
                continue;
            };
            if odd(&self.path) || odd(grant) || !root.starts_with(ground) {
                continue;
            }
            match plainly(root, below) {
                Some(Plain::There) => {
                    return Err((lsh(15), "denied, and plainly lies inside".to_owned()));
                }
                Some(Plain::New) if self.write => {
                    let seen = "denied, and is a new file in a folder inside";
                    return Err((lsh(8), seen.to_owned()));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn object(of: &Metadata) -> Object {
    (of.dev(), of.ino())
}

/// The path without the `/` and `/.` at its end, which only ask that it be a folder.
fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

fn create(path: &Path) -> io::Result<Metadata> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    options.open(path)?.metadata()
}

/// A chain of more links than this is a loop.
const MOST_LINKS: usize = 40;

fn landed(path: &Path, write: bool) -> Landed {
    let mut path = plain(path);
    for _ in 0..MOST_LINKS {
        match fs::metadata(&path) {
            Ok(there) => return Landed::At(object(&there)),
            Err(cause) if cause.kind() == ErrorKind::NotFound => {}
            Err(_) => return Landed::Nowhere("it cannot be resolved"),
        }
        if let (true, Ok(made)) = (write, create(&path)) {
            return Landed::At(object(&made));
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
            Err(_) => {
                return match fs::metadata(&folder) {
                    Ok(of) if of.is_dir() => Landed::Below(object(&of)),
                    _ => Landed::Nowhere("it lies below a file"),
                };
            }
        }
    }
    Landed::Nowhere("its links lead in a circle")
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
fn is_dangling(path: &Path) -> bool {
    let path = plain(path);
    path.is_symlink() && fs::metadata(&path).is_err()
}

/// What lies plainly inside.
enum Plain {
    There,
    New,
}

/// Walks `below` the folder `root`, through links that lead down only. `None` where a link leads
/// elsewhere or something is in the way.
fn plainly(root: &Path, below: &Path) -> Option<Plain> {
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
                left.extend(parts(&next.read_link().ok()?)?);
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
