//! LSH-07: a path is resolved first, and then contained by whole components.

use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::LeashTrial;
use super::verdict::{must_allow, unless_refused, wrongly_allowed};
use crate::outcome::Counterexample;
use crate::subject::CaveatSpec;
use crate::tree::Entry::{self, Dir, File, Link, Locked};
use crate::tree::{Landing, Tree, hidden, landing, unprivileged};
use crate::trial::{Act, Finding, FreshContext, Judged, Stop};

/// `ws` is granted; `ws-secret` and `wss` only start like it.
const TREE: &[Entry] = &[
    Dir("ws/sub/deep"),
    Dir("ws-secret"),
    Dir("wss"),
    Dir("WS"),
    Dir("ws."),
    Dir("ws "),
    File("WS/f"),
    File("ws./f"),
    File("ws /f"),
    Dir("out/sub"),
    File("ws/f"),
    File("ws/f2"),
    File("ws/sub/f"),
    File("ws-secret/f"),
    File("wss/f"),
    File("out/f"),
    File("out/sub/f"),
    Link("ws/leak", "../out/f"),
    Link("ws/leak_abs", "{tree}/out/f"),
    Link("ws/door", "../out"),
    Link("ws/door_abs", "{tree}/out"),
    Link("ws/sibling", "../ws-secret"),
    Link("ws/up", ".."),
    Link("ws/chain", "chain2"),
    Link("ws/chain2", "sub/chain3"),
    Link("ws/sub/chain3", "../../out/f"),
    Link("ws/hop", "sub/hop"),
    Link("ws/sub/hop", "../../out"),
];

/// Paths that lead out, simplest first.
const ESCAPES: &[&str] = &[
    "out/f",
    "out",
    "ws-secret/f",
    "ws-secret",
    "wss/f",
    "WS/f",
    "ws./f",
    "ws /f",
    "",
    "ws/..",
    "ws/../out/f",
    "ws/sub/../../out/f",
    "ws/./../out/./f",
    "ws//..//out//f",
    "ws/leak",
    "ws/leak_abs",
    "ws/door/f",
    "ws/door",
    "ws/door_abs/f",
    "ws/door/sub/f",
    "ws/door/sub",
    "ws/door/new",
    "ws/../out/new",
    "ws/sibling/f",
    "ws/chain",
    "ws/hop/f",
    "ws/hop",
    "ws/up/out/f",
    "ws/up",
    "ws/door/../ws-secret/f",
    "ws/door/../out/f",
    "ws/leak/",
    "ws/leak/.",
    "ws/leak//",
    "ws/leak/./",
    "ws/leak_abs/",
    "ws/chain/",
    "ws/chain/.",
    "ws/door/",
    "ws/door/.",
    "ws/up/",
    "ws/up/.",
    "ws/../",
];

/// What generated paths are made of.
const PARTS: &[&str] = &[
    "ws",
    "sub",
    "deep",
    "out",
    "ws-secret",
    "f",
    "new",
    "leak",
    "door",
    "door_abs",
    "chain",
    "hop",
    "up",
    "sibling",
    "..",
    ".",
    "",
];

const TAILS: &[&str] = &["", "/", "/.", "//", "/./"];

/// LSH-07.
pub(super) fn contained(trial: &LeashTrial<'_>) -> Judged {
    let tree = Tree::build(TREE)?;
    let arena = Arena::new(trial, &tree)?;
    if let Some(found) = listed(trial, &arena)? {
        return Ok(Finding::broken(found));
    }
    if let Some(found) = replaced(trial)? {
        return Ok(Finding::broken(found));
    }
    let written = (vec(select(PARTS), 1..7), select(TAILS), any::<bool>());
    let generated = trial.for_all(trial.settings().cases, &written, |(parts, tail, write)| {
        let path = tree.at(&format!("ws/{}{tail}", parts.join("/")));
        arena.escaping(&acting(write, path))
    })?;
    let Finding::Held { cases } = generated else {
        return Ok(generated);
    };
    match behind_a_locked_folder(trial)? {
        Ok(Some(found)) => Ok(Finding::broken(found)),
        Ok(None) => Ok(Finding::Held {
            cases: cases + 4 * ESCAPES.len() as u64,
        }),
        Err(missing) => Ok(Finding::Undecided(missing)),
    }
}

/// A context that is granted one folder, on both axes, and where that lies.
struct Arena<'t> {
    context: FreshContext<'t>,
    folder: PathBuf,
    twin: String,
}

impl<'t> Arena<'t> {
    /// The folder `ws`, in which a file is allowed on both axes.
    fn new(trial: &'t LeashTrial<'t>, tree: &Tree) -> Result<Self, Stop> {
        let grant = [tree.text("ws")];
        let context = trial.context(&CaveatSpec::top().fs_read(&grant).fs_write(&grant))?;
        let twin = must_allow(&context, &Act::Read(tree.at("ws/f")))?;
        must_allow(&context, &Act::Write(tree.at("ws/f")))?;
        Ok(Self {
            context,
            folder: tree.at("ws"),
            twin,
        })
    }

    /// What is wrong with the answer to `act`, if it is allowed and an unchecked open would end
    /// outside.
    fn escaping(&self, act: &Act) -> Result<Option<Counterexample>, Stop> {
        let landed = landing(path_of(act));
        let place = match &landed {
            Landing::There(place) | Landing::New(place) => place,
            Landing::Nowhere => return Ok(None),
        };
        let reads_nothing = matches!((act, &landed), (Act::Read(_), Landing::New(_)));
        if reads_nothing || landed.is_within(&self.folder) || !self.context.allows(act)? {
            return Ok(None);
        }
        let why = format!("it leads to {}", hidden(&place.to_string_lossy()));
        let found = wrongly_allowed(&self.context, act, &why, &self.twin);
        Ok(Some(found))
    }
}

fn acting(write: bool, path: PathBuf) -> Act {
    if write {
        Act::Write(path)
    } else {
        Act::Read(path)
    }
}

fn path_of(act: &Act) -> &Path {
    match act {
        Act::Read(path) | Act::Write(path) => path,
        Act::Exec(name) | Act::Net(name) => Path::new(name),
    }
}

/// The listed escapes: absolute, relative, and under the same grant in other spellings.
fn listed(trial: &LeashTrial<'_>, arena: &Arena<'_>) -> Result<Option<Counterexample>, Stop> {
    let tree = Tree::build(TREE)?;
    let same = Arena::new(trial, &tree)?;
    for name in ESCAPES {
        for write in [false, true] {
            if let Some(found) = same.escaping(&acting(write, tree.at(name)))? {
                return Ok(Some(found));
            }
            // The root of the file system has another name on some machines.
            let mut other = PathBuf::from("/proc/self/root");
            other.push(tree.at(name).strip_prefix("/").unwrap_or(Path::new("")));
            if let Some(found) = same.escaping(&acting(write, other))? {
                return Ok(Some(found));
            }
            // Where a process has no working folder there are no relative paths.
            let Ok(relative) = tree.relative(name) else {
                continue;
            };
            if let Some(found) = same.escaping(&acting(write, relative))? {
                return Ok(Some(found));
            }
        }
    }
    for grant in ["ws/", "ws/.", "ws/sub/..", "ws//"] {
        let grant = [tree.text(grant)];
        let granted = CaveatSpec::top().fs_read(&grant).fs_write(&grant);
        let Some(context) = unless_refused(trial, &granted)? else {
            continue;
        };
        let spelt = Arena {
            context,
            folder: tree.at("ws"),
            twin: arena.twin.clone(),
        };
        for name in ESCAPES {
            if let Some(found) = spelt.escaping(&Act::Read(tree.at(name)))? {
                return Ok(Some(found));
            }
        }
    }
    beside_a_file(trial, &tree)
}

/// A granted file covers neither its neighbours nor what only starts like it.
fn beside_a_file(trial: &LeashTrial<'_>, tree: &Tree) -> Result<Option<Counterexample>, Stop> {
    let context = trial.context(&CaveatSpec::top().fs_read([tree.text("ws/f")]))?;
    let twin = must_allow(&context, &Act::Read(tree.at("ws/f")))?;
    let why = "only one file is granted, and this is another";
    for name in ["ws/f2", "ws", "ws/sub/f", "ws/leak", "ws/f/../f2"] {
        let act = Act::Read(tree.at(name));
        if context.allows(&act)? {
            return Ok(Some(wrongly_allowed(&context, &act, why, twin)));
        }
    }
    let context = trial.context(&CaveatSpec::top().fs_write([tree.text("ws/f")]))?;
    let twin = must_allow(&context, &Act::Write(tree.at("ws/f")))?;
    for name in ["ws/f2", "ws", "ws/new", "ws/f.new", "ws/sub/new", "ws/leak"] {
        let act = Act::Write(tree.at(name));
        if context.allows(&act)? {
            return Ok(Some(wrongly_allowed(&context, &act, why, twin)));
        }
    }
    composed(trial)
}

/// A folder whose name differs from the granted one only in how a letter is composed.
fn composed(trial: &LeashTrial<'_>) -> Result<Option<Counterexample>, Stop> {
    let names = ["\u{e9}", "e\u{301}"];
    let tree = Tree::build(&[
        Dir("\u{e9}"),
        Dir("e\u{301}"),
        File("\u{e9}/f"),
        File("e\u{301}/f"),
    ])?;
    for (granted, other) in [(names[0], names[1]), (names[1], names[0])] {
        let grant = [tree.text(granted)];
        let context = trial.context(&CaveatSpec::top().fs_read(&grant).fs_write(&grant))?;
        // A leash may deny such names altogether.
        let own = Act::Read(tree.at(&format!("{granted}/f")));
        if !context.allows(&own)? {
            continue;
        }
        let arena = Arena {
            context,
            folder: tree.at(granted),
            twin: format!("{own} is granted, and allowed"),
        };
        let act = Act::Read(tree.at(&format!("{other}/f")));
        if let Some(found) = arena.escaping(&act)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// What was allowed a moment ago, and is a link to the outside now.
fn replaced(trial: &LeashTrial<'_>) -> Result<Option<Counterexample>, Stop> {
    let tree = Tree::build(TREE)?;
    let arena = Arena::new(trial, &tree)?;
    let moved = [("ws/f", "../out/f"), ("ws/sub", "../out/sub")];
    must_allow(&arena.context, &Act::Read(tree.at("ws/sub/f")))?;
    for (name, target) in moved {
        let replaced = std::fs::rename(tree.at(name), tree.at(&format!("{name}.old")))
            .and_then(|()| tree.add(Link(name, target)));
        if replaced.is_err() {
            return Ok(None);
        }
    }
    for name in ["ws/f", "ws/sub/f"] {
        for write in [false, true] {
            if let Some(found) = arena.escaping(&acting(write, tree.at(name)))? {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

const LOCKED: &[Entry] = &[
    Dir("ws/locked"),
    Dir("out"),
    File("ws/f"),
    File("ws/locked/f"),
    File("out/f"),
    Link("ws/locked/leak", "../../out/f"),
    Link("ws/locked/door", "../../out"),
    Locked("ws/locked"),
];

/// A link out that this user cannot see, because its folder is locked: what cannot be resolved is
/// not known to lie inside. The inner error says why no such user can be had.
fn behind_a_locked_folder(
    trial: &LeashTrial<'_>,
) -> Result<Result<Option<Counterexample>, String>, Stop> {
    let tree = Tree::build(LOCKED)?;
    let judged = unprivileged(|| -> Result<Option<Counterexample>, Stop> {
        let arena = Arena {
            context: {
                let grant = [tree.text("ws")];
                trial.context(&CaveatSpec::top().fs_read(&grant).fs_write(&grant))?
            },
            folder: tree.at("ws"),
            twin: String::new(),
        };
        let twin = must_allow(&arena.context, &Act::Read(tree.at("ws/f")))?;
        if std::fs::read(tree.at("ws/locked/f")).is_ok() {
            return Err(Stop::Undecided(
                "the control failed: file permissions do not bind this user".to_owned(),
            ));
        }
        for name in ["ws/locked/leak", "ws/locked/door/f"] {
            for write in [false, true] {
                let act = acting(write, tree.at(name));
                if arena.context.allows(&act)? {
                    let why = "it leads out through a folder that may not be entered, so it cannot be resolved";
                    return Ok(Some(wrongly_allowed(&arena.context, &act, why, twin)));
                }
            }
        }
        Ok(None)
    });
    match judged {
        Ok(found) => found.map(Ok),
        Err(missing) => Ok(Err(format!(
            "the cases of locked folders were not tried: {missing}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;
    use crate::subject::ScopeSpec;

    #[test]
    fn every_listed_path_really_leads_out() {
        let tree = Tree::build(TREE).unwrap();
        for name in ESCAPES {
            for path in [tree.at(name), tree.relative(name).unwrap()] {
                let landed = landing(&path);
                assert_ne!(landed, Landing::Nowhere, "{name}");
                assert!(!landed.is_within(&tree.at("ws")), "{name}: {landed:?}");
            }
        }
    }

    #[test]
    fn the_toolkit_contains_as_promised() {
        held("LSH-07");
    }

    fn grants(caveats: &CaveatSpec, write: bool) -> Vec<&str> {
        let scope = if write {
            &caveats.fs_write
        } else {
            &caveats.fs_read
        };
        match scope {
            ScopeSpec::All => Vec::new(),
            ScopeSpec::Only(items) => items.iter().map(String::as_str).collect(),
        }
    }

    fn resolved(path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok()
    }

    #[rstest]
    #[case::lexically(|caveats: &CaveatSpec, path: &Path, write: bool, _: bool| {
        grants(caveats, write).iter().any(|grant| path.starts_with(grant))
    })]
    #[case::by_text(|caveats: &CaveatSpec, path: &Path, write: bool, sound: bool| {
        sound || resolved(path).is_some_and(|place| {
            grants(caveats, write).iter().any(|grant| place.to_string_lossy().starts_with(grant))
        })
    })]
    #[case::one_link_only(|caveats: &CaveatSpec, path: &Path, write: bool, sound: bool| {
        sound || path.read_link().is_ok_and(|target| {
            let target = path.parent().unwrap().join(target);
            grants(caveats, write).iter().any(|grant| {
                target.starts_with(grant) && !target.components().any(|part| part.as_os_str() == "..")
            })
        })
    })]
    #[case::behind_a_trailing_slash(|caveats: &CaveatSpec, path: &Path, write: bool, sound: bool| {
        let text = path.to_string_lossy();
        sound || (text.ends_with('/') && resolved(path).is_none()
            && grants(caveats, write).iter().any(|grant| path.starts_with(grant)))
    })]
    #[case::what_it_may_not_see(|caveats: &CaveatSpec, path: &Path, write: bool, sound: bool| {
        sound || path.symlink_metadata().is_err_and(|cause| {
            cause.kind() == std::io::ErrorKind::PermissionDenied
        }) && grants(caveats, write).iter().any(|grant| path.starts_with(grant))
    })]
    fn a_leash_that_contains_otherwise_is_convicted(
        #[case] path: fn(&CaveatSpec, &Path, bool, bool) -> bool,
    ) {
        let row = judged(
            "LSH-07",
            Double {
                path,
                ..Double::SOUND
            },
        );
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }

    #[test]
    fn a_leash_that_denies_every_dot_is_not_convicted() {
        let strict = Double {
            path: |_, path, _, sound| {
                sound && !path.components().any(|part| part.as_os_str() == "..")
            },
            ..Double::SOUND
        };
        let row = judged("LSH-07", strict);
        assert_eq!(row.outcome, Outcome::Pass, "{row:?}");
    }
}
