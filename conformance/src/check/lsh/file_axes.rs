//! LSH-09: reading and writing are granted separately.

use std::fs;
use std::io::{Read, Write};

use super::LeashTrial;
use super::verdict::{must_allow, wrongly_allowed};
use crate::outcome::Counterexample;
use crate::profile::Capability;
use crate::subject::{CaveatSpec, ScopeSpec};
use crate::tree::Entry::{Dir, File};
use crate::tree::Tree;
use crate::trial::{Act, Finding, FreshContext, Judged, Stop};

/// What is granted for reading and for writing, what is asked on both, and what of it may be read
/// and written. Simplest first.
struct Case {
    read: &'static [&'static str],
    write: &'static [&'static str],
    asked: &'static [(&'static str, bool, bool)],
}

const CASES: &[Case] = &[
    Case {
        read: &["ws"],
        write: &[],
        asked: &[
            ("ws/f", true, false),
            ("ws/new", true, false),
            ("ws/sub/f", true, false),
        ],
    },
    Case {
        read: &[],
        write: &["ws"],
        asked: &[
            ("ws/f", false, true),
            ("ws", false, true),
            ("ws/sub/f", false, true),
        ],
    },
    Case {
        read: &["ws"],
        write: &["drop"],
        asked: &[
            ("ws/f", true, false),
            ("drop/f", false, true),
            ("drop/new", false, true),
        ],
    },
    Case {
        read: &["ws"],
        write: &["ws/sub"],
        asked: &[
            ("ws/f", true, false),
            ("ws/sub/f", true, true),
            ("ws/new", true, false),
        ],
    },
    Case {
        read: &["ws/sub"],
        write: &["ws"],
        asked: &[
            ("ws/f", false, true),
            ("ws/sub/f", true, true),
            ("ws", false, true),
        ],
    },
    Case {
        read: &["ws/f"],
        write: &["ws/sub/f"],
        asked: &[("ws/f", true, false), ("ws/sub/f", false, true)],
    },
];

/// LSH-09.
pub(super) fn separate(trial: &LeashTrial<'_>) -> Judged {
    let tree = Tree::build(&[
        Dir("ws/sub"),
        Dir("drop"),
        File("ws/f"),
        File("ws/sub/f"),
        File("drop/f"),
    ])?;
    let both = [tree.text("ws"), tree.text("drop")];
    let control = trial.context(&CaveatSpec::top().fs_read(&both).fs_write(&both))?;
    let mut cases = 0;
    for case in CASES {
        let granted = CaveatSpec {
            fs_read: ScopeSpec::only(case.read.iter().map(|name| tree.text(name))),
            fs_write: ScopeSpec::only(case.write.iter().map(|name| tree.text(name))),
            ..CaveatSpec::top()
        };
        let context = trial.context(&granted)?;
        for (name, read, write) in case.asked {
            let acts = [
                (Act::Read(tree.at(name)), *read),
                (Act::Write(tree.at(name)), *write),
            ];
            for (act, covered) in acts {
                cases += 1;
                if covered {
                    // That there is nothing to read yet is a reason of its own to deny it.
                    if matches!(act, Act::Write(_)) || tree.at(name).exists() {
                        must_allow(&context, &act)?;
                    }
                } else if let Some(found) = crossing(trial, &context, &control, &act)? {
                    return Ok(Finding::broken(found));
                }
            }
        }
    }
    if let Some(found) = handles(trial)? {
        return Ok(Finding::broken(found));
    }
    Ok(Finding::held(cases))
}

/// What a mediated open hands out is good for its own axis only.
fn handles(trial: &LeashTrial<'_>) -> Result<Option<Counterexample>, Stop> {
    if !trial.offers(Capability::MediatedOpens) {
        return Ok(None);
    }
    let tree = Tree::build(&[Dir("ws"), File("ws/f"), File("ws/g")])?;
    let granted = |read: &[&str], write: &[&str]| CaveatSpec {
        fs_read: ScopeSpec::only(read.iter().map(|name| tree.text(name))),
        fs_write: ScopeSpec::only(write.iter().map(|name| tree.text(name))),
        ..CaveatSpec::top()
    };
    let context = trial.context(&granted(&["ws"], &[]))?;
    let act = Act::Read(tree.at("ws/f"));
    if let Ok(mut file) = context.open(&act)? {
        // A handle that refuses to be written is what is wanted.
        let _ = file.write_all(b"written");
        if fs::read_to_string(tree.at("ws/f")).is_ok_and(|text| text != "ws/f") {
            return Ok(Some(handed(
                &context,
                &act,
                "the file was written through it",
            )));
        }
    }
    let context = trial.context(&granted(&[], &["ws"]))?;
    let act = Act::Write(tree.at("ws/g"));
    if let Ok(mut file) = context.open(&act)? {
        let mut text = String::new();
        let read = file.read_to_string(&mut text);
        if read.is_ok() && text == "ws/g" {
            return Ok(Some(handed(
                &context,
                &act,
                "its content was read through it",
            )));
        }
    }
    Ok(None)
}

fn handed(context: &FreshContext<'_>, act: &Act, seen: &str) -> Counterexample {
    let axis = act.axis();
    let why = format!("only {axis} is granted, and the opened file is good for the other axis");
    let twin = "a check of the other axis is denied in the same context";
    let mut found = wrongly_allowed(context, act, &why, twin);
    found.headline = format!("a mediated open, as {act}: {seen}");
    seen.clone_into(&mut found.seen);
    found
}

/// What is wrong if `act`, which only the other axis covers, is allowed or opened.
fn crossing(
    trial: &LeashTrial<'_>,
    context: &FreshContext<'_>,
    control: &FreshContext<'_>,
    act: &Act,
) -> Result<Option<Counterexample>, Stop> {
    let allowed = context.allows(act)?;
    let opened = !allowed && trial.offers(Capability::MediatedOpens) && context.open(act)?.is_ok();
    if !allowed && !opened {
        return Ok(None);
    }
    // A path that nothing names yet is not there to be read.
    let twin = if control.allows(act)? {
        "granted on both axes, it is allowed on both"
    } else {
        "what the axis itself covers is allowed in the same context"
    };
    let why = format!("only the other axis covers it, and not {}", act.axis());
    let mut found = wrongly_allowed(context, act, &why, twin);
    if opened {
        found.headline = format!("{act} is denied, and yet a mediated open does it: {why}");
        "denied, but opened".clone_into(&mut found.seen);
    }
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;

    #[test]
    fn the_toolkit_keeps_the_axes_apart() {
        held("LSH-09");
    }

    fn covered(scope: &ScopeSpec<String>, path: &std::path::Path) -> bool {
        match scope {
            ScopeSpec::All => true,
            ScopeSpec::Only(items) => items.iter().any(|grant| path.starts_with(grant)),
        }
    }

    #[test]
    fn a_leash_that_reads_nothing_that_is_not_there_is_not_left_open() {
        let strict = Double {
            path: |_, path, write, sound| sound && (write || path.exists()),
            ..Double::SOUND
        };
        let row = judged("LSH-09", strict);
        assert_eq!(row.outcome, Outcome::Pass, "{row:?}");
    }

    #[rstest]
    #[case::writing_implies_reading(Double {
        path: |caveats, path, write, sound| sound || (!write && covered(&caveats.fs_write, path)),
        ..Double::SOUND
    })]
    #[case::reading_implies_writing(Double {
        path: |caveats, path, write, sound| sound || (write && covered(&caveats.fs_read, path)),
        ..Double::SOUND
    })]
    #[case::opened_though_denied(Double {
        open: |caveats, path, write, sound| match sound {
            Err(_) if write && covered(&caveats.fs_read, path) => {
                std::fs::File::open(path).map_err(crate::subject::Denial::new)
            }
            sound => sound,
        },
        ..Double::SOUND
    })]
    fn a_leash_that_mixes_the_axes_is_convicted(#[case] double: Double) {
        let row = judged("LSH-09", double);
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }
}
