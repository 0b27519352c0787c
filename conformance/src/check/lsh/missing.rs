//! LSH-08: a new leaf may be written, and nothing else may be missing.

use std::fs;
use std::path::PathBuf;

use super::LeashTrial;
use super::verdict::{must_allow, unless_refused, wrongly_allowed};
use crate::outcome::Counterexample;
use crate::subject::CaveatSpec;
use crate::tree::Entry::{self, Dir, File, Link, Locked};
use crate::tree::{Landing, Tree, hidden, landing, unprivileged};
use crate::trial::{Act, Finding, FreshContext, Judged, Stop};

const TREE: &[Entry] = &[
    Dir("ws/sub"),
    Dir("ws/other"),
    Dir("out"),
    File("ws/f"),
    File("out/f"),
    Link("ws/dangling", "../out/new"),
    Link("ws/dangling_abs", "{tree}/out/new"),
    Link("ws/dangling_chain", "dangling"),
    Link("ws/dangling_door", "../out/no_folder"),
    Link("ws/loop", "loop"),
    Link("ws/loop_a", "loop_b"),
    Link("ws/loop_b", "loop_a"),
];

/// What must be denied under a grant of `ws`, and why.
const DENIED: &[(&str, &str)] = &[
    ("ws/dangling", "it is a dangling link that points out"),
    ("ws/dangling_abs", "it is a dangling link that points out"),
    (
        "ws/dangling_chain",
        "it is a chain of links to one that dangles and points out",
    ),
    ("ws/dangling/", "it is a dangling link that points out"),
    ("ws/dangling/.", "it is a dangling link that points out"),
    (
        "ws/dangling_door/x",
        "it lies below a dangling link that points out",
    ),
    ("ws/loop", "it is a loop of links"),
    ("ws/loop_a", "it is a loop of links"),
    ("ws/loop/", "it is a loop of links"),
    ("ws/loop/x", "it lies below a loop of links"),
    ("ws/loop/../f", "it lies behind a loop of links"),
    ("ws/f/x", "it lies below a regular file"),
    ("ws/f/x/y", "it lies below a regular file"),
    (
        "ws/new/..",
        "it has a `..` behind a component that does not exist",
    ),
    (
        "ws/new/../f",
        "it has a `..` behind a component that does not exist",
    ),
    (
        "ws/new/../new2",
        "it has a `..` behind a component that does not exist",
    ),
    (
        "ws/new/../../out/f",
        "it has a `..` behind a component that does not exist",
    ),
    (
        "ws/new/../../out/new2",
        "it has a `..` behind a component that does not exist",
    ),
    (
        "ws/new/../dangling",
        "it has a `..` behind a component that does not exist",
    ),
];

/// Grants that cannot be resolved, what is asked under them, and what is wrong with the grant.
const GRANTS: &[(&str, &[&str], &str)] = &[
    (
        "ws/loop",
        &["ws/loop", "ws/loop/x", "ws/f"],
        "it is a loop of links",
    ),
    (
        "ws/f/x",
        &["ws/f/x", "ws/f/x/y", "ws/f"],
        "it lies below a regular file",
    ),
    (
        "ws/new/../../out",
        &["out/f", "out/new"],
        "it has a `..` behind a component that does not exist",
    ),
    (
        "ws/dangling_door",
        &["out/no_folder", "out/no_folder/x", "out/f"],
        "it dangles",
    ),
    (
        "no/such/folder",
        &["no/such/folder/x", "ws/f", "out/f"],
        "its parent does not exist",
    ),
    (
        "ws/*",
        &["ws/f", "ws/new", "ws/sub/new"],
        "nothing has that name",
    ),
    ("w*", &["ws/f", "ws/new"], "nothing has that name"),
    ("**", &["ws/f", "out/new"], "nothing has that name"),
    ("ws/?", &["ws/f", "ws/x"], "nothing has that name"),
    ("ws,out", &["ws/f", "out/f"], "nothing has that name"),
];

/// New leaves that are allowed for writing.
const NEW: &[&str] = &[
    "ws/new",
    "ws/sub/new",
    "ws/.new",
    "ws/new file",
    "ws/sub/../new",
];

/// LSH-08.
pub(super) fn only_a_new_leaf(trial: &LeashTrial<'_>) -> Judged {
    if let Some(found) = new_leaves(trial)? {
        return Ok(Finding::broken(found));
    }
    let tree = Tree::build(TREE)?;
    let context = trial.context(&granting(&[tree.text("ws")]))?;
    let twin = must_allow(&context, &Act::Write(tree.at("ws/new")))?;
    must_allow(&context, &Act::Read(tree.at("ws/f")))?;
    for (name, why) in DENIED {
        let path = tree.at(name);
        for act in [Act::Write(path.clone()), Act::Read(path)] {
            if context.allows(&act)? {
                let effect = effect(&act, &tree);
                let mut found = wrongly_allowed(&context, &act, why, twin);
                found.seen.push_str(&effect);
                return Ok(Finding::broken(found));
            }
        }
    }
    if let Some(found) = unresolvable_grants(trial, &tree)? {
        return Ok(Finding::broken(found));
    }
    match a_grant_behind_a_locked_folder(trial)? {
        Ok(Some(found)) => Ok(Finding::broken(found)),
        Ok(None) => Ok(Finding::held(
            NEW.len() + 2 * DENIED.len() + 2 * GRANTS.len(),
        )),
        Err(missing) => Ok(Finding::Undecided(missing)),
    }
}

fn granting(grants: &[String]) -> CaveatSpec {
    CaveatSpec::top().fs_read(grants).fs_write(grants)
}

/// What an open that follows the permission does.
fn effect(act: &Act, tree: &Tree) -> String {
    let Act::Write(path) = act else {
        return String::new();
    };
    let landed = landing(path);
    match (&landed, fs::write(path, "proofmark")) {
        (Landing::New(place) | Landing::There(place), Ok(()))
            if !landed.is_within(&tree.at("ws")) =>
        {
            let place = place.to_string_lossy();
            format!("; the write that follows makes {}", hidden(&place))
        }
        _ => String::new(),
    }
}

/// Each allowed leaf is written, and looked for. The first is the control: a leash that allows
/// none denies for no reason.
fn new_leaves(trial: &LeashTrial<'_>) -> Result<Option<Counterexample>, Stop> {
    for (number, name) in NEW.iter().enumerate() {
        let tree = Tree::build(TREE)?;
        let context = trial.context(&granting(&[tree.text("ws")]))?;
        let act = Act::Write(tree.at(name));
        if number == 0 {
            must_allow(&context, &act)?;
        } else if !context.allows(&act)? {
            continue;
        }
        let written = fs::write(tree.at(name), "proofmark");
        let found = written.and_then(|()| tree.at(name).canonicalize());
        match found {
            Ok(place) if place.starts_with(tree.at("ws")) => {}
            Ok(place) => {
                let why = format!(
                    "what is written there ends at {}",
                    hidden(&place.to_string_lossy())
                );
                let twin = "a plain new file is allowed and ends inside";
                return Ok(Some(wrongly_allowed(&context, &act, &why, twin)));
            }
            Err(cause) => {
                return Err(Stop::Undecided(format!(
                    "the control failed: {act} is allowed, but the file cannot be written: {cause}"
                )));
            }
        }
    }
    Ok(None)
}

/// Beside each unresolvable grant stands a plain one, so that the context allows something.
fn unresolvable_grants(
    trial: &LeashTrial<'_>,
    tree: &Tree,
) -> Result<Option<Counterexample>, Stop> {
    let named = GRANTS
        .iter()
        .map(|(grant, asked, why)| (tree.text(grant), *asked, *why));
    let nothing = ["", " ", "*", "~"].map(|grant| {
        let asked: &[&str] = &["ws/f", "ws/new", "out/f"];
        (grant.to_owned(), asked, "nothing has that name")
    });
    for (grant, asked, why) in named.chain(nothing) {
        let grants = [grant, tree.text("ws/other")];
        let Some(context) = unless_refused(trial, &granting(&grants))? else {
            continue;
        };
        let twin = must_allow(&context, &Act::Write(tree.at("ws/other/new")))?;
        let acts = asked.iter().map(|name| tree.at(name));
        if let Some(found) = covered(&context, acts, why, &twin)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn covered(
    context: &FreshContext<'_>,
    paths: impl Iterator<Item = PathBuf>,
    why: &str,
    twin: &str,
) -> Result<Option<Counterexample>, Stop> {
    for path in paths {
        for act in [Act::Write(path.clone()), Act::Read(path)] {
            if context.allows(&act)? {
                let why = format!("its only grant cannot be resolved: {why}");
                return Ok(Some(wrongly_allowed(context, &act, &why, twin)));
            }
        }
    }
    Ok(None)
}

const LOCKED: &[Entry] = &[
    Dir("ws/locked"),
    Dir("ws/other"),
    Dir("out"),
    File("out/f"),
    Link("ws/locked/door", "../../out"),
    Locked("ws/locked"),
];

/// A grant that this user cannot resolve, because its folder is locked. The inner error says why
/// no such user can be had.
fn a_grant_behind_a_locked_folder(
    trial: &LeashTrial<'_>,
) -> Result<Result<Option<Counterexample>, String>, Stop> {
    let tree = Tree::build(LOCKED)?;
    let judged = unprivileged(|| {
        let grants = [tree.text("ws/locked/door"), tree.text("ws/other")];
        let Some(context) = unless_refused(trial, &granting(&grants))? else {
            return Ok(None);
        };
        let twin = must_allow(&context, &Act::Write(tree.at("ws/other/new")))?;
        if fs::read_dir(tree.at("ws/locked")).is_ok() {
            return Err(Stop::Undecided(
                "the control failed: file permissions do not bind this user".to_owned(),
            ));
        }
        let paths = ["out/f", "ws/locked/door/f", "ws/locked/door"];
        let paths = paths.iter().map(|name| tree.at(name));
        covered(
            &context,
            paths,
            "it lies in a folder that may not be entered",
            &twin,
        )
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
    use std::path::Path;

    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;
    use crate::subject::ScopeSpec;

    #[test]
    fn the_toolkit_keeps_to_new_leaves() {
        held("LSH-08");
    }

    fn granted(caveats: &CaveatSpec, path: &Path) -> bool {
        let ScopeSpec::Only(items) = &caveats.fs_write else {
            return true;
        };
        items.iter().any(|grant| path.starts_with(grant))
    }

    #[rstest]
    #[case::what_is_not_found_is_new(|caveats: &CaveatSpec, path: &Path, _: bool, sound: bool| {
        sound || (!path.exists() && granted(caveats, path)
            && path.parent().is_some_and(Path::is_dir))
    })]
    #[case::loops(|caveats: &CaveatSpec, path: &Path, _: bool, sound: bool| {
        sound || (granted(caveats, path)
            && path.metadata().is_err_and(|cause| cause.raw_os_error() == Some(40)))
    })]
    #[case::below_files(|caveats: &CaveatSpec, path: &Path, _: bool, sound: bool| {
        sound || (granted(caveats, path) && path.parent().is_some_and(Path::is_file))
    })]
    #[case::climbing_out_of_nothing(|caveats: &CaveatSpec, path: &Path, _: bool, sound: bool| {
        sound || (granted(caveats, path) && path.to_string_lossy().contains("/new/../f"))
    })]
    #[case::grants_as_text(|caveats: &CaveatSpec, path: &Path, _: bool, sound: bool| {
        sound || (granted(caveats, path) && path.to_string_lossy().contains("no/such"))
    })]
    fn a_leash_that_lets_more_be_missing_is_convicted(
        #[case] path: fn(&CaveatSpec, &Path, bool, bool) -> bool,
    ) {
        let row = judged(
            "LSH-08",
            Double {
                path,
                ..Double::SOUND
            },
        );
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }

    #[test]
    fn the_file_made_outside_is_named() {
        let naive = Double {
            path: |caveats, path, _, sound| {
                sound || (!path.exists() && granted(caveats, path) && path.ends_with("dangling"))
            },
            ..Double::SOUND
        };
        let found = judged("LSH-08", naive).counterexample.unwrap();
        assert_eq!(
            found.seen,
            "allowed; the write that follows makes {tree}/out/new"
        );
    }

    #[test]
    fn a_leash_that_allows_no_new_file_proves_nothing() {
        let strict = Double {
            path: |_, path, _, sound| sound && path.exists(),
            ..Double::SOUND
        };
        assert_eq!(judged("LSH-08", strict).outcome, Outcome::Inconclusive);
    }
}
