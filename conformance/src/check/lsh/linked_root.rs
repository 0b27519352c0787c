//! LSH-15: what lies inside is not denied for the way it is written.

use super::LeashTrial;
use super::verdict::wrongly_denied;
use crate::subject::CaveatSpec;
use crate::tree::Entry::{self, Dir, File, Link};
use crate::tree::{Landing, Tree, landing};
use crate::trial::{Act, Finding, FreshContext, Judged, Stop};

const TREE: &[Entry] = &[
    Dir("real/ws/sub"),
    Dir("out"),
    File("real/ws/f"),
    File("real/ws/sub/f"),
    File("out/f"),
    Link("alias", "real"),
    Link("alias_abs", "{tree}/real"),
    Link("ws_link", "real/ws"),
    Link("far", "alias/ws"),
    Link("real/ws/in_file", "sub/f"),
    Link("real/ws/in_abs", "{tree}/real/ws/sub/f"),
    Link("real/ws/in_folder", "sub"),
    Link("real/ws/in_round", "../ws/sub/f"),
];

/// A grant, and what it covers: existing files on both axes, new ones for writing.
struct Case {
    grant: &'static str,
    existing: &'static [&'static str],
    new: &'static [&'static str],
    why: &'static str,
}

const LINKED: &str = "its root is reached through a link, and this lies inside";
const INNER: &str = "the link leads from inside the grant to inside";

const CASES: &[Case] = &[
    Case {
        grant: "alias/ws",
        existing: &["alias/ws/f", "real/ws/f", "alias/ws/sub/f"],
        new: &["alias/ws/new", "real/ws/new", "alias/ws/sub/new"],
        why: LINKED,
    },
    Case {
        grant: "alias_abs/ws",
        existing: &["alias_abs/ws/f", "real/ws/f"],
        new: &["alias_abs/ws/new", "real/ws/new"],
        why: LINKED,
    },
    Case {
        grant: "ws_link",
        existing: &["ws_link/f", "real/ws/f"],
        new: &["ws_link/new", "real/ws/new", "ws_link/sub/new"],
        why: LINKED,
    },
    Case {
        grant: "far",
        existing: &["far/f", "real/ws/f", "alias/ws/f"],
        new: &["far/new", "real/ws/new"],
        why: LINKED,
    },
    Case {
        grant: "real/ws",
        existing: &[
            "real/ws/in_file",
            "real/ws/in_abs",
            "real/ws/in_round",
            "real/ws/in_folder/f",
        ],
        new: &["real/ws/in_folder/new"],
        why: INNER,
    },
];

/// LSH-15.
pub(super) fn allowed(trial: &LeashTrial<'_>) -> Judged {
    let tree = Tree::build(TREE)?;
    let plain = granting(trial, &tree, "real/ws")?;
    let mut cases = 0;
    for case in CASES {
        let context = granting(trial, &tree, case.grant)?;
        for act in acts(&tree, case) {
            cases += 1;
            if context.allows(&act)? {
                continue;
            }
            let twin = control(&plain, &context, &tree, &act)?;
            let found = wrongly_denied(&context, &act, case.why, twin);
            return Ok(Finding::broken(found));
        }
    }
    Ok(Finding::held(cases))
}

fn granting<'t>(
    trial: &'t LeashTrial<'t>,
    tree: &Tree,
    grant: &str,
) -> Result<FreshContext<'t>, Stop> {
    let grant = [tree.text(grant)];
    trial.context(&CaveatSpec::top().fs_read(&grant).fs_write(&grant))
}

fn acts(tree: &Tree, case: &Case) -> Vec<Act> {
    let existing = case.existing.iter().map(|name| tree.at(name));
    let mut acts: Vec<Act> = existing
        .flat_map(|path| [Act::Read(path.clone()), Act::Write(path)])
        .collect();
    acts.extend(case.new.iter().map(|name| Act::Write(tree.at(name))));
    acts
}

/// The same file under the root's real name and a plain grant is allowed, and a file outside is
/// denied by the context that denies too much.
fn control(
    plain: &FreshContext<'_>,
    context: &FreshContext<'_>,
    tree: &Tree,
    act: &Act,
) -> Result<String, Stop> {
    let (Act::Read(path) | Act::Write(path)) = act else {
        return Err(Stop::Harness("only paths are asked about".to_owned()));
    };
    let (Landing::There(real) | Landing::New(real)) = landing(path) else {
        return Err(Stop::Harness(format!("{act} leads nowhere")));
    };
    let same = match act {
        Act::Read(_) => Act::Read(real),
        _ => Act::Write(real),
    };
    let (allowed, outside) = (plain.allows(&same)?, Act::Read(tree.at("out/f")));
    if !allowed || context.allows(&outside)? {
        return Err(Stop::Undecided(format!(
            "the control failed: {same} should be allowed under a plain grant, and {outside} denied"
        )));
    }
    Ok(format!(
        "{same}, the same file, is allowed under a plain grant"
    ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;
    use crate::subject::ScopeSpec;

    #[test]
    fn every_case_really_lies_inside() {
        let tree = Tree::build(TREE).unwrap();
        for case in CASES {
            for act in acts(&tree, case) {
                let (Act::Read(path) | Act::Write(path)) = &act else {
                    unreachable!()
                };
                assert!(landing(path).is_within(&tree.at("real/ws")), "{act}");
            }
        }
    }

    #[test]
    fn the_toolkit_allows_what_lies_inside() {
        held("LSH-15");
    }

    fn grants(caveats: &CaveatSpec) -> Vec<&Path> {
        match &caveats.fs_write {
            ScopeSpec::All => Vec::new(),
            ScopeSpec::Only(items) => items.iter().map(Path::new).collect(),
        }
    }

    #[rstest]
    #[case::resolves_one_side_only(|caveats: &CaveatSpec, path: &Path, _: bool, sound: bool| {
        sound && path.canonicalize().is_ok_and(|real| {
            grants(caveats).iter().any(|grant| real.starts_with(grant))
        })
    })]
    #[case::new_files_as_written(|caveats: &CaveatSpec, path: &Path, _: bool, sound: bool| {
        sound && (path.exists() || grants(caveats).iter().any(|grant| {
            grant.canonicalize().is_ok_and(|grant| path.starts_with(grant))
        }))
    })]
    #[case::no_links_at_all(|_: &CaveatSpec, path: &Path, _: bool, sound: bool| {
        sound && !path.is_symlink()
    })]
    fn a_leash_that_denies_the_inside_is_convicted(
        #[case] path: fn(&CaveatSpec, &Path, bool, bool) -> bool,
    ) {
        let row = judged(
            "LSH-15",
            Double {
                path,
                ..Double::SOUND
            },
        );
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }
}
