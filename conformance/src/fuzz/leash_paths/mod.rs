//! The body of the `leash_paths` target: a drawn tree of folders, files and links, grants in it, and
//! paths through it.
//!
//! Assumed correct: the kernel. Where a path leads is found out by opening it with no leash around,
//! and comparing what was opened with what lies in the granted folders, by device and inode. Nothing
//! is assumed of how a leash resolves. Denials are judged only where no link leads out and nothing
//! is written in an odd way.

mod ground;
mod landed;

use std::path::{Path, PathBuf};

use arbitrary::Unstructured;

use self::ground::{Grants, Ground, Question};
use self::landed::{Landed, Plain, is_dangling, is_odd, landed, object, plainly};
use super::Violation;
use crate::catalogue::{Family, RequirementId};
use crate::profile::Capability;
use crate::subject::{CaveatSpec, GateSpec, LeashContext, LeashSubject};

const fn lsh(number: u8) -> RequirementId {
    RequirementId::new(Family::Lsh, number)
}

/// At most so many paths are asked from one input.
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
/// What is wrong, and by which requirement.
type Broken = (RequirementId, String);

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
            Ok(()) => self.judge_allowed(granted, other, ground.folder.path()),
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

    fn judge_allowed(&self, granted: &Grants, other: &Grants, ground: &Path) -> Result<(), Broken> {
        if self.is_hostile() {
            return Err((lsh(14), "allowed, and no file can be called so".to_owned()));
        }
        let dangling = is_dangling(&self.path);
        let landed = match landed(&self.path, self.write, ground) {
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
        for (grant, root) in &granted.live {
            let Ok(below) = self.path.strip_prefix(grant) else {
                continue;
            };
            if is_odd(&self.path) || is_odd(grant) || !root.starts_with(ground) {
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
