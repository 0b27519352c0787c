//! LSH-14: hostile text is denied without a panic or a hang.

use std::ffi::OsString;
use std::path::PathBuf;

use super::LeashTrial;
use super::verdict::{must_allow, wrongly_allowed};
use crate::outcome::Counterexample;
use crate::profile::Capability;
use crate::subject::CaveatSpec;
use crate::tree::Entry::{self, Dir, File, Link};
use crate::tree::Tree;
use crate::trial::{Act, Finding, FreshContext, Judged, Stop};

const TREE: &[Entry] = &[
    Dir("ws/sub"),
    Dir("out"),
    File("ws/f"),
    File("out/f"),
    Link("ws/leak", "../out/f"),
    Link("ws/loop", "loop"),
    Link("ws/loop_a", "loop_b"),
    Link("ws/loop_b", "loop_a"),
];

/// 64 KiB.
const LONG: usize = 64 * 1024;

/// So many components are nested.
const DEEP: usize = 5_000;

const HOST: &str = "api.example.test";

/// LSH-14.
pub(super) fn denied(trial: &LeashTrial<'_>) -> Judged {
    let tree = Tree::build(TREE)?;
    let folder = [tree.text("ws")];
    let granted = CaveatSpec::top()
        .fs_read(&folder)
        .fs_write(&folder)
        .exec(["git", "/usr/bin/git"])
        .net([HOST]);
    let context = trial.context(&granted)?;
    let mut cases = 0;
    for (plain, outside, hostile) in kinds(&tree) {
        if !trial.offers(plain.needs()) {
            continue;
        }
        let twin = must_allow(&context, &plain)?;
        if context.allows(&outside)? {
            return Ok(Finding::Undecided(format!(
                "the control failed: {outside} is allowed under {granted}, so the context does not hold"
            )));
        }
        for (act, why) in hostile {
            cases += 1;
            trial.announce(&act);
            if let Some(found) = let_through(trial, &context, &act, why, &twin)? {
                return Ok(Finding::broken(found));
            }
        }
    }
    if trial.offers(Capability::Serialised) {
        cases += texts(trial)?;
    }
    if cases == 0 {
        return Ok(Finding::NotApplicable(
            "the leash answers no check of text".to_owned(),
        ));
    }
    Ok(Finding::held(cases))
}

fn let_through(
    trial: &LeashTrial<'_>,
    context: &FreshContext<'_>,
    act: &Act,
    why: &str,
    twin: &str,
) -> Result<Option<Counterexample>, Stop> {
    if context.allows(act)? {
        return Ok(Some(wrongly_allowed(context, act, why, twin)));
    }
    let opens = matches!(act, Act::Read(_) | Act::Write(_));
    if opens && trial.offers(Capability::MediatedOpens) && context.open(act)?.is_ok() {
        let mut found = wrongly_allowed(context, act, why, twin);
        found.headline = format!("{act} is denied, and yet a mediated open does it: {why}");
        return Ok(Some(found));
    }
    Ok(None)
}

type Kind = (Act, Act, Vec<(Act, &'static str)>);

/// For each kind of check: what is plainly granted, what plainly is not, and what is hostile.
fn kinds(tree: &Tree) -> [Kind; 4] {
    let exec = |name: String| Act::Exec(name);
    let net = |name: String| Act::Net(name);
    let programs = names("git").into_iter().chain([
        ("/x\0/git".to_owned(), NUL),
        (format!("{}tool", "/d".repeat(DEEP)), NESTED),
        (format!("{}tool", "../".repeat(LONG / 3)), LENGTH),
    ]);
    let programs = programs.map(|(name, why)| (exec(name), why)).collect();
    let hosts = names(HOST)
        .into_iter()
        .map(|(name, why)| (net(name), why))
        .collect();
    let paths = |act: fn(PathBuf) -> Act| {
        let hostile = paths(tree).into_iter();
        hostile.map(|(path, why)| (act(path), why)).collect()
    };
    [
        (
            exec("git".to_owned()),
            exec("proofmark-unrelated".to_owned()),
            programs,
        ),
        (net(HOST.to_owned()), net("other.test".to_owned()), hosts),
        (
            Act::Read(tree.at("ws/f")),
            Act::Read(tree.at("out/f")),
            paths(Act::Read),
        ),
        (
            Act::Write(tree.at("ws/f")),
            Act::Write(tree.at("out/f")),
            paths(Act::Write),
        ),
    ]
}

const NUL: &str = "it holds a NUL";
const LENGTH: &str = "it is 64 KiB long";
const NESTED: &str = "it is nested thousands of components deep";
const BYTES: &str = "it is not UTF-8";
const LOOP: &str = "it leads into a loop of links";

fn names(granted: &str) -> Vec<(String, &'static str)> {
    vec![
        ("\0".to_owned(), NUL),
        (format!("{granted}\0"), NUL),
        (format!("\0{granted}"), NUL),
        (format!("{granted}\0x"), NUL),
        (format!("{granted}\0.evil.test"), NUL),
        ("a".repeat(LONG), LENGTH),
        (format!("{granted}{}", "a".repeat(LONG)), LENGTH),
        (format!("{granted}{}", " ".repeat(LONG)), LENGTH),
        ("\u{e9}".repeat(LONG / 2), LENGTH),
        (format!("{granted}{}", "\u{301}".repeat(LONG / 2)), LENGTH),
        ("..".repeat(LONG / 2), LENGTH),
        ("%00".repeat(LONG / 3), LENGTH),
        ("d/".repeat(DEEP), NESTED),
        ("d.".repeat(DEEP), NESTED),
    ]
}

fn paths(tree: &Tree) -> Vec<(PathBuf, &'static str)> {
    let at = |name: &str| tree.at(name);
    let mut paths = vec![
        (at("ws/f\0"), NUL),
        (at("ws/\0"), NUL),
        (at("ws/f\0/x"), NUL),
        (at("ws/leak\0junk"), NUL),
        (at("ws/new\0"), NUL),
        (PathBuf::from("\0"), NUL),
        (at(&format!("ws/{}", "a".repeat(LONG))), LENGTH),
        (at(&format!("ws/{}f", "./".repeat(LONG / 2))), LENGTH),
        (at(&format!("ws/{}f", "/".repeat(LONG))), LENGTH),
        (at(&format!("ws/{}f", "sub/../".repeat(LONG / 7))), LENGTH),
        (at(&format!("ws/{}out/f", "../".repeat(LONG / 3))), LENGTH),
        (at(&format!("ws/{}x", "d/".repeat(DEEP))), NESTED),
        (at(&format!("ws/{}x", "d/../".repeat(DEEP))), NESTED),
        (PathBuf::from("d/".repeat(DEEP)), NESTED),
        (at("ws/loop"), LOOP),
        (at("ws/loop_a"), LOOP),
        (at("ws/loop/x"), LOOP),
        (at(&format!("ws/{}x", "loop/".repeat(DEEP))), LOOP),
    ];
    let bytes: [&[u8]; 5] = [
        b"\xff",
        b"\xff/x",
        b"f\xff",
        b"\xed\xa0\x80",
        b"sub/\xc0\xaf",
    ];
    paths.extend(
        bytes
            .iter()
            .filter_map(|name| Some((not_utf8(tree, name)?, BYTES))),
    );
    paths
}

/// A name below `ws`. None where names are no bytes.
#[cfg(unix)]
fn not_utf8(tree: &Tree, name: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let mut bytes = tree.text("ws/").into_bytes();
    bytes.extend_from_slice(name);
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

#[cfg(not(unix))]
fn not_utf8(_tree: &Tree, _name: &[u8]) -> Option<PathBuf> {
    None
}

/// Texts that are read as authority must not take the reader along, whatever it says to them.
fn texts(trial: &LeashTrial<'_>) -> Result<usize, Stop> {
    let hostile = [
        String::new(),
        "\0".to_owned(),
        "[".repeat(LONG),
        "{\"exec\":".repeat(LONG / 8),
        "\"".repeat(LONG),
        "9".repeat(LONG),
    ];
    let leash = trial.leash()?;
    let asked = "read hostile text as authority";
    for text in &hostile {
        trial.announce(&asked);
        // Whether what it makes of them is right is for the row about written authority.
        let _ = leash.ask(Capability::Serialised.word(), &asked, |leash| {
            leash.read(text)
        })?;
    }
    Ok(hostile.len())
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
    fn the_toolkit_denies_hostile_text() {
        held("LSH-14");
    }

    fn granted(caveats: &CaveatSpec, path: &Path) -> bool {
        matches!(&caveats.fs_write, ScopeSpec::Only(items)
            if items.iter().any(|grant| path.starts_with(grant)))
    }

    #[rstest]
    #[case::program_with_nul(Double {
        exec: |_, program, sound| sound || program.ends_with("/git"),
        ..Double::SOUND
    })]
    #[case::host_up_to_nul(Double {
        net: |caveats, host, sound| {
            sound || host.split('\0').next().is_some_and(|host| caveats.net.covers(host))
        },
        ..Double::SOUND
    })]
    #[case::unresolvable_is_new(Double {
        path: |caveats, path, _, sound| sound || (!path.exists() && granted(caveats, path)),
        ..Double::SOUND
    })]
    #[case::panics_on_bytes(Double {
        path: |_, path, _, sound| path.to_str().is_some() && sound || {
            assert!(path.to_str().is_some(), "not UTF-8");
            false
        },
        ..Double::SOUND
    })]
    fn a_leash_that_falls_for_it_is_convicted(#[case] double: Double) {
        let row = judged("LSH-14", double);
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }

    #[test]
    fn a_panic_of_any_other_row_is_masked_by_this_one() {
        let panics = Double {
            net: |_, _, _| panic!("boom"),
            ..Double::SOUND
        };
        let row = judged("LSH-06", panics);
        assert_eq!(row.outcome, Outcome::Inconclusive, "{row:?}");
        assert!(row.reason.unwrap().starts_with("masked by LSH-14"));
    }
}
