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
use self::landed::{Landed, Object, Plain, is_dangling, is_odd, landed, object, plainly};
use super::Violation;
use crate::catalogue::{Family, RequirementId};
use crate::profile::Capability;
use crate::subject::{CaveatSpec, GateSpec, LeashContext, LeashSubject, ScopeSpec};

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
    let Ok(gate) = subject.make().gate(&GateSpec::new()) else {
        return Ok(());
    };
    let Ok(context) = gate.authorize(&granted, &CaveatSpec::top()) else {
        return Ok(());
    };
    let opens = subject.capabilities().has(Capability::MediatedOpens);
    for _ in 0..MOST_ASKED {
        let Ok(asked) = ground.question(&mut data) else {
            break;
        };
        let alone = || {
            let context = gate.authorize(&asked.axis_of(&granted), &CaveatSpec::top());
            context.is_ok_and(|context| asked.is_allowed(context.as_ref()))
        };
        let said = asked.judge(&ground, context.as_ref(), opens, &alone);
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

    fn is_allowed(&self, context: &dyn LeashContext) -> bool {
        let said = if self.write {
            context.check_path_write(&self.path)
        } else {
            context.check_path_read(&self.path)
        };
        said.is_ok()
    }

    /// The grants of the axis that is asked about, with nothing on the other.
    fn axis_of(&self, granted: &CaveatSpec) -> CaveatSpec {
        let mut alone = granted.clone();
        let other = if self.write {
            &mut alone.fs_read
        } else {
            &mut alone.fs_write
        };
        *other = ScopeSpec::none();
        alone
    }

    /// `alone` says whether the same is allowed where nothing is granted on the other axis.
    fn judge(
        &self,
        ground: &Ground,
        context: &dyn LeashContext,
        opens: bool,
        alone: &dyn Fn() -> bool,
    ) -> Result<(), Broken> {
        let allowed = self.is_allowed(context);
        let (granted, other) = ground.grants_for(self.write);
        if opens && !self.write {
            self.judge_open(granted, context)?;
        }
        if !allowed {
            return self.judge_denied(granted, ground.folder.path());
        }
        let by_other = |landed| other.inside().contains(&landed) && !alone();
        self.judge_allowed(granted, &by_other, ground.folder.path())
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

    /// `by_other` says whether the other axis is what lets it through.
    fn judge_allowed(
        &self,
        granted: &Grants,
        by_other: &dyn Fn(Object) -> bool,
        ground: &Path,
    ) -> Result<(), Broken> {
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
        if by_other(landed) {
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
