//! LSH-02: a context's authority is the meet of grant and need.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::LeashTrial;
use crate::outcome::Counterexample;
use crate::subject::{CaveatSpec, CountSpec, GateSpec, ScopeSpec};
use crate::tree::Entry::{Dir, File};
use crate::tree::Tree;
use crate::trial::{Act, Finding, FreshContext, Judged, Stop, authorizing, word};

const GENERATION: u64 = 3;
const PROGRAMS: &[&str] = &["git", "ls", "/usr/bin/make", "cargo"];
const HOSTS: &[&str] = &["a.test", "b.test", "c.test:443", "d.test"];
/// Folders beside one another: what the meet of nested ones is, a leash may decide.
const FOLDERS: &[&str] = &["w", "x", "y", "z"];

/// LSH-02.
pub(super) fn meet(trial: &LeashTrial<'_>) -> Judged {
    let tree = Tree::build(&[
        Dir("w/sub"),
        Dir("x"),
        Dir("y"),
        Dir("z"),
        File("w/f"),
        File("w/sub/f"),
        File("x/f"),
        File("y/f"),
        File("z/f"),
    ])?;
    let bench = Bench { trial, tree: &tree };
    for (granted, needed) in bench.plain() {
        if let Some(found) = bench.differing(&granted, &needed)? {
            return Ok(Finding::broken(found));
        }
    }
    if let Some(found) = bench.nested()? {
        return Ok(Finding::broken(found));
    }
    let folders: Vec<String> = FOLDERS.iter().map(|name| tree.text(name)).collect();
    let pairs = (caveats(&folders), caveats(&folders));
    trial.for_all(trial.settings().cases, &pairs, |(granted, needed)| {
        bench.differing(&granted, &needed)
    })
}

struct Bench<'t> {
    trial: &'t LeashTrial<'t>,
    tree: &'t Tree,
}

impl Bench<'_> {
    /// With an unrestricted need the context carries the grant, and the other way round; then each
    /// axis by itself: simplest first.
    fn plain(&self) -> Vec<(CaveatSpec, CaveatSpec)> {
        let top = CaveatSpec::top();
        let one = CaveatSpec::top()
            .fs_read([self.tree.text("w")])
            .fs_write([self.tree.text("x")])
            .exec(["git"])
            .net(["a.test"])
            .max_calls(3)
            .generations([GENERATION]);
        let other = CaveatSpec::top()
            .fs_read([self.tree.text("y")])
            .fs_write([self.tree.text("z")])
            .exec(["ls"])
            .net(["b.test"])
            .max_calls(2)
            .generations([GENERATION, 4]);
        vec![
            (top.clone(), top.clone()),
            (one.clone(), top.clone()),
            (top, one.clone()),
            (one.clone(), other.clone()),
            (other, one.clone()),
            (one.clone(), one),
        ]
    }

    /// What is wrong with the context that these two give.
    fn differing(
        &self,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
    ) -> Result<Option<Counterexample>, Stop> {
        let gate = self.trial.gate(&GateSpec::new().generation(GENERATION))?;
        let context = gate.context(granted, needed)?;
        let (expected, reported) = (granted.meet(needed), context.caveats()?);
        let twin = || self.twin(granted);
        if let Some(axis) = expected.differing_axis(&reported) {
            return Ok(Some(
                Counterexample::new(format!(
                    "the context's {axis} is not what grant and need have in common"
                ))
                .step(
                    authorizing(granted, needed),
                    format!("a context: {reported}"),
                )
                .expected(format!("{expected}"))
                .seen(format!("{reported}"))
                .twin(twin()?),
            ));
        }
        self.probed(&context, granted, needed, &expected)
    }

    /// One item lies within another: a folder in a folder, a pinned program under its bare name.
    /// Whether what both cover is carried, a leash may decide; what one of them leaves out is not.
    fn nested(&self) -> Result<Option<Counterexample>, Stop> {
        let files = |name: &str| {
            let folder = [self.tree.text(name)];
            CaveatSpec::top().fs_read(&folder).fs_write(&folder)
        };
        let exec = |name: &str| CaveatSpec::top().exec([name]);
        let outside = [
            Act::Read(self.tree.at("w/f")),
            Act::Write(self.tree.at("w/f")),
            Act::Write(self.tree.at("w/new")),
            Act::Exec("git".to_owned()),
            Act::Exec("/opt/x/git".to_owned()),
        ];
        let pairs = [
            (files("w"), files("w/sub"), &outside[..3]),
            (exec("git"), exec("/usr/bin/git"), &outside[3..]),
        ];
        for (outer, inner, outside) in pairs {
            for (granted, needed) in [(&outer, &inner), (&inner, &outer)] {
                let gate = self.trial.gate(&GateSpec::new())?;
                let Ok(context) = gate.authorize(granted, needed)? else {
                    continue;
                };
                for act in outside {
                    if context.allows_if_offered(act)? == Some(true) {
                        return Ok(Some(
                            Counterexample::new(format!(
                                "{act} is allowed although grant and need do not both cover it"
                            ))
                            .step(authorizing(granted, needed), "a context")
                            .step(act.to_string(), "allowed")
                            .expected("denied: never more than either of the two")
                            .seen("allowed")
                            .twin(format!("{inner} does not cover it")),
                        ));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The same grant with an unrestricted need.
    fn twin(&self, granted: &CaveatSpec) -> Result<String, Stop> {
        let gate = self.trial.gate(&GateSpec::new().generation(GENERATION))?;
        let reported = gate.context(granted, &CaveatSpec::top())?.caveats()?;
        Ok(if reported == *granted {
            "with an unrestricted need the context carries the grant".to_owned()
        } else {
            format!("with an unrestricted need the context carries {reported}")
        })
    }

    /// The first point, inside or outside, at which the checks say something else than the
    /// authority the context reports.
    fn probed(
        &self,
        context: &FreshContext<'_>,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
        expected: &CaveatSpec,
    ) -> Result<Option<Counterexample>, Stop> {
        for (act, covered) in self.points(expected) {
            // Denying what it reports to carry is for the rows about the single checks.
            if covered || context.allows_if_offered(&act)? != Some(true) {
                continue;
            }
            let inside = self.points(granted).into_iter();
            let inside = inside.filter(|(other, covered)| {
                *covered && std::mem::discriminant(other) == std::mem::discriminant(&act)
            });
            let twin = match inside.map(|(other, _)| other).next() {
                Some(other) => format!(
                    "{other}, which is granted, is {}",
                    word(context.allows(&other)?)
                ),
                None => "the context reports that it does not carry this".to_owned(),
            };
            return Ok(Some(
                Counterexample::new(format!(
                    "{act} is allowed although grant and need do not both cover it"
                ))
                .step(
                    authorizing(granted, needed),
                    format!("a context: {expected}"),
                )
                .step(act.to_string(), "allowed")
                .expected("denied: it is not in what grant and need have in common")
                .seen("allowed")
                .twin(twin),
            ));
        }
        Ok(None)
    }

    fn points(&self, authority: &CaveatSpec) -> Vec<(Act, bool)> {
        let mut points = Vec::new();
        for name in PROGRAMS {
            points.push((Act::Exec((*name).to_owned()), authority.exec.covers(*name)));
        }
        for name in HOSTS {
            points.push((Act::Net((*name).to_owned()), authority.net.covers(*name)));
        }
        for name in FOLDERS {
            let (folder, file) = (self.tree.text(name), self.tree.at(&format!("{name}/f")));
            points.push((Act::Read(file.clone()), authority.fs_read.covers(&folder)));
            points.push((Act::Write(file), authority.fs_write.covers(&folder)));
        }
        points
    }
}

fn caveats(folders: &[String]) -> impl Strategy<Value = CaveatSpec> + use<> {
    let texts = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| (*text).to_owned())
            .collect::<Vec<_>>()
    };
    let counts = vec![
        CountSpec::Unlimited,
        CountSpec::AtMost(1),
        CountSpec::AtMost(7),
    ];
    let generations = vec![
        ScopeSpec::All,
        ScopeSpec::only([GENERATION]),
        ScopeSpec::only([GENERATION, 1, 9]),
    ];
    (
        scope(folders.to_vec()),
        scope(folders.to_vec()),
        scope(texts(PROGRAMS)),
        scope(texts(HOSTS)),
        select(counts),
        select(generations),
    )
        .prop_map(
            |(fs_read, fs_write, exec, net, max_calls, generations)| CaveatSpec {
                fs_read,
                fs_write,
                exec,
                net,
                max_calls,
                generations,
            },
        )
}

fn scope(items: Vec<String>) -> impl Strategy<Value = ScopeSpec<String>> {
    let most = items.len();
    let only = subsequence(items, 0..=most)
        .prop_map(|items| ScopeSpec::Only(items.into_iter().collect::<BTreeSet<String>>()));
    prop_oneof![1 => Just(ScopeSpec::All), 3 => only]
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;

    #[test]
    fn the_toolkits_contexts_carry_the_meet() {
        held("LSH-02");
    }

    #[rstest]
    #[case::grant_alone(Double { need: |_| CaveatSpec::top(), ..Double::SOUND })]
    #[case::need_alone(Double {
        grant: |granted| CaveatSpec { generations: granted.generations.clone(), ..CaveatSpec::top() },
        ..Double::SOUND
    })]
    #[case::one_axis_forgotten(Double {
        need: |needed| CaveatSpec { net: ScopeSpec::All, ..needed.clone() },
        ..Double::SOUND
    })]
    #[case::narrower_than_agreed(Double {
        told: |sound| CaveatSpec { exec: ScopeSpec::none(), ..sound },
        ..Double::SOUND
    })]
    #[case::says_one_thing_and_does_another(Double {
        net: |_, host, sound| sound || host == "b.test",
        ..Double::SOUND
    })]
    fn a_context_that_carries_something_else_is_convicted(#[case] double: Double) {
        let row = judged("LSH-02", double);
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }
}
