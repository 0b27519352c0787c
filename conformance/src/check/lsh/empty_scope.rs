//! LSH-17: an empty scope allows nothing; empty is not absent.

use std::path::PathBuf;

use super::LeashTrial;
use super::verdict::must_allow;
use crate::outcome::Counterexample;
use crate::profile::Capability;
use crate::subject::{CaveatSpec, GateSpec, ScopeSpec};
use crate::tree::Entry::{Dir, File};
use crate::tree::Tree;
use crate::trial::{Act, Finding, FreshContext, Judged, Stop, authorizing};

/// One axis: a scope put on it, what is asked, and an entry that covers the first of that.
struct Axis {
    put: fn(ScopeSpec<String>) -> CaveatSpec,
    asked: Vec<Act>,
    entry: String,
    other: String,
}

/// LSH-17.
pub(super) fn denies(trial: &LeashTrial<'_>) -> Judged {
    let tree = Tree::build(&[Dir("ws"), File("ws/f"), Dir("out")])?;
    let mut cases = 0;
    for axis in axes(&tree) {
        let Some(first) = axis.asked.first() else {
            continue;
        };
        if !trial.offers(first.needs()) {
            continue;
        }
        let (granted, needed) = ((axis.put)(one(&axis.entry)), CaveatSpec::top());
        let gate = trial.gate(&GateSpec::new())?;
        let twin = must_allow(&gate.context(&granted, &needed)?, first)?;
        must_allow(&gate.context(&needed, &needed)?, first)?;
        for (granted, needed) in empties(&axis) {
            // A gate that denies the call as a whole denies all that is asked, too.
            let Ok(context) = gate.authorize(&granted, &needed)? else {
                continue;
            };
            for act in &axis.asked {
                cases += 1;
                if context.allows(act)? {
                    let found = let_through(&granted, &needed, act, twin);
                    return Ok(Finding::broken(found));
                }
            }
        }
    }
    match generations(trial)? {
        Some(found) => Ok(Finding::broken(found)),
        None if cases == 0 => Ok(Finding::NotApplicable(
            "the leash answers no check that a scope could deny".to_owned(),
        )),
        None => Ok(Finding::held(cases)),
    }
}

/// An empty scope in the grant, in the need, and as what disjoint ones have in common.
fn empties(axis: &Axis) -> [(CaveatSpec, CaveatSpec); 3] {
    let (top, none) = (CaveatSpec::top(), (axis.put)(ScopeSpec::none()));
    [
        (none.clone(), top.clone()),
        (top, none),
        ((axis.put)(one(&axis.entry)), (axis.put)(one(&axis.other))),
    ]
}

fn one(entry: &str) -> ScopeSpec<String> {
    ScopeSpec::only([entry])
}

fn axes(tree: &Tree) -> Vec<Axis> {
    let paths = |act: fn(PathBuf) -> Act| {
        let paths = [
            tree.at("ws/f"),
            tree.at("ws"),
            "/".into(),
            ".".into(),
            "".into(),
        ];
        paths.map(act).to_vec()
    };
    let names = |act: fn(String) -> Act, names: &[&str]| {
        names.iter().map(|name| act((*name).to_owned())).collect()
    };
    vec![
        Axis {
            put: |exec| CaveatSpec {
                exec,
                ..CaveatSpec::top()
            },
            asked: names(Act::Exec, &["git", "/usr/bin/git", "sh", "*", ""]),
            entry: "git".to_owned(),
            other: "ls".to_owned(),
        },
        Axis {
            put: |net| CaveatSpec {
                net,
                ..CaveatSpec::top()
            },
            asked: names(
                Act::Net,
                &["api.example.test", "localhost", "127.0.0.1", "*", ""],
            ),
            entry: "api.example.test".to_owned(),
            other: "other.example.test".to_owned(),
        },
        Axis {
            put: |fs_read| CaveatSpec {
                fs_read,
                ..CaveatSpec::top()
            },
            asked: paths(Act::Read),
            entry: tree.text("ws"),
            other: tree.text("out"),
        },
        Axis {
            put: |fs_write| CaveatSpec {
                fs_write,
                ..CaveatSpec::top()
            },
            asked: paths(Act::Write),
            entry: tree.text("ws"),
            other: tree.text("out"),
        },
    ]
}

fn let_through(
    granted: &CaveatSpec,
    needed: &CaveatSpec,
    act: &Act,
    twin: String,
) -> Counterexample {
    let axis = act.axis();
    Counterexample::new(format!("{act} is allowed although {axis} is empty"))
        .step(authorizing(granted, needed), "a context")
        .step(act.to_string(), "allowed")
        .expected("denied: an empty scope covers nothing")
        .seen("allowed")
        .twin(format!("with one entry on the axis, {twin}"))
}

/// A grant that holds in no generation at all, where gates have one.
fn generations(trial: &LeashTrial<'_>) -> Result<Option<Counterexample>, Stop> {
    if !trial.offers(Capability::Generation) {
        return Ok(None);
    }
    let gate = trial.gate(&GateSpec::new().generation(3))?;
    let top = CaveatSpec::top();
    let _control: FreshContext<'_> = gate.context(&top.clone().generations([3]), &top)?;
    let never = top.clone().generations([]);
    Ok(gate.authorize(&never, &top)?.ok().map(|_| {
        Counterexample::new("a grant that holds in no generation is authorised")
            .step(gate.spec().to_string(), "a gate")
            .step(authorizing(&never, &top), "a context")
            .expected("denied: an empty scope covers no generation")
            .seen("authorised")
            .twin("a grant for generation 3 is authorised by the same gate, as it should be")
    }))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;

    #[test]
    fn the_toolkit_denies_as_promised() {
        held("LSH-17");
    }

    fn empty(scope: &ScopeSpec<String>) -> bool {
        matches!(scope, ScopeSpec::Only(items) if items.is_empty())
    }

    #[rstest]
    #[case::exec(Double { exec: |caveats, _, sound| sound || empty(&caveats.exec), ..Double::SOUND })]
    #[case::net(Double { net: |caveats, _, sound| sound || empty(&caveats.net), ..Double::SOUND })]
    #[case::write(Double {
        path: |caveats, _, write, sound| sound || (write && empty(&caveats.fs_write)),
        ..Double::SOUND
    })]
    #[case::the_empty_name(Double { net: |_, host, sound| sound || host.is_empty(), ..Double::SOUND })]
    #[case::generations(Double {
        grant: |granted| CaveatSpec { generations: ScopeSpec::All, ..granted.clone() },
        ..Double::SOUND
    })]
    fn a_leash_that_takes_empty_for_absent_is_convicted(#[case] double: Double) {
        let row = judged("LSH-17", double);
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }
}
