//! LSH-10: a clone carries the same authority, and nothing widens it.

use super::LeashTrial;
use super::shell::program;
use crate::outcome::Counterexample;
use crate::profile::Capability;
use crate::subject::{CaveatSpec, GateSpec, ProgramSpec, SandboxChoice, Strength};
use crate::tree::Entry::{Dir, File};
use crate::tree::Tree;
use crate::trial::{Act, Finding, FreshContext, FreshGate, Judged, Stop, authorizing, word};

/// What is said to each act, in order.
type Answers = Vec<Option<bool>>;

/// LSH-10.
pub(super) fn same(trial: &LeashTrial<'_>) -> Judged {
    let tree = Tree::build(&[Dir("ws"), Dir("out"), File("ws/f"), File("out/f")])?;
    let acts = acts(&tree);
    let granted = granting(&tree, "ws", "git", "api.example.test");
    let gate = trial.gate(&GateSpec::new())?;
    // What is handed in is changed below; a context that kept hold of it would change with it.
    let mut handed = granted.clone();
    let original = gate.context(&handed, &CaveatSpec::top())?;
    let before = answers(&original, &acts)?;
    let clone = original.duplicate()?;
    let second = clone.duplicate()?;
    for (whose, clone) in [("a clone", &clone), ("a clone's clone", &second)] {
        if let Some(found) = differing(&original, clone, whose, &acts, &before)? {
            return Ok(Finding::broken(found));
        }
    }
    if let Some(found) = otherwise(trial, &tree)? {
        return Ok(Finding::broken(found));
    }
    handed = wider(&gate, &handed, &acts, &before)?;
    drop(second);
    for (whose, context) in [("the context", &original), ("its clone", &clone)] {
        if let Some(found) = widened(context, whose, &acts, &before, &handed)? {
            return Ok(Finding::broken(found));
        }
    }
    drop(original);
    if let Some(found) = widened(&clone, "its clone", &acts, &before, &handed)? {
        return Ok(Finding::broken(found));
    }
    Ok(Finding::held(6 * acts.len()))
}

/// What a clone does and tells beside its checks: its floor, what it opens, and what it starts.
fn otherwise(trial: &LeashTrial<'_>, tree: &Tree) -> Result<Option<Counterexample>, Stop> {
    let granted = granting(tree, "ws", "touch", "api.example.test");
    let mut specs = vec![GateSpec::new().sandbox(SandboxChoice::Without)];
    specs.extend(Strength::ALL.map(|floor| GateSpec::new().floor(floor)));
    for spec in specs {
        let Ok(gate) = trial.leash()?.gate(&spec)? else {
            continue;
        };
        let original = gate.context(&granted, &CaveatSpec::top())?;
        let clone = original.duplicate()?;
        let said = deeds(trial, &original, tree)?;
        let other = deeds(trial, &clone, tree)?;
        for ((deed, mine), (_, theirs)) in said.iter().zip(&other) {
            if mine != theirs {
                let top = CaveatSpec::top();
                let found = Counterexample::new(format!("a clone differs: {deed}: {theirs}"));
                return Ok(Some(
                    found
                        .step(spec.to_string(), "a gate")
                        .step(authorizing(&granted, &top), "a context")
                        .step("clone it".to_owned(), "a clone")
                        .step(deed.clone(), format!("{mine} by the original"))
                        .expected("the same from both")
                        .seen(format!("{theirs} by the clone"))
                        .twin(format!("the original, asked the same: {mine}")),
                ));
            }
        }
    }
    Ok(None)
}

fn deeds(
    trial: &LeashTrial<'_>,
    context: &FreshContext<'_>,
    tree: &Tree,
) -> Result<Vec<(String, String)>, Stop> {
    let mut deeds = vec![
        (
            "its floor".to_owned(),
            format!(
                "{:?}",
                context.tell("its floor", |context| context.strength_floor())?
            ),
        ),
        (
            "its sandbox".to_owned(),
            format!(
                "{:?}",
                context.tell("its sandbox", |context| context.sandbox_kind())?
            ),
        ),
        (
            "its enforcement".to_owned(),
            format!(
                "{:?}",
                context.tell("its enforcement", |context| context.enforcement())?
            ),
        ),
    ];
    let told = |done: bool| if done { "done" } else { "denied" }.to_owned();
    if trial.offers(Capability::MediatedOpens) {
        for act in [Act::Read(tree.at("out/f")), Act::Write(tree.at("out/new"))] {
            let opened = context.open(&act)?.is_ok();
            deeds.push((format!("a mediated open, as {act}"), told(opened)));
        }
    }
    if let (true, Some(touch)) = (trial.offers(Capability::Spawn), program("touch")) {
        let mark = tree.at("ws/mark");
        let run = ProgramSpec::new(touch).arg(tree.text("ws/mark"));
        let started = context.run(&run)?.is_ok() || mark.exists();
        // What is left of it must not be taken for the next one's.
        let _ = std::fs::remove_file(&mark);
        deeds.push((run.to_string(), told(started)));
    }
    Ok(deeds)
}

fn granting(tree: &Tree, folder: &str, program: &str, host: &str) -> CaveatSpec {
    let folder = [tree.text(folder)];
    CaveatSpec::top()
        .fs_read(&folder)
        .fs_write(&folder)
        .exec([program])
        .net([host])
}

/// On each axis what is granted and what is not.
fn acts(tree: &Tree) -> Vec<Act> {
    let names = |act: fn(String) -> Act, names: [&str; 2]| names.map(|name| act(name.to_owned()));
    let mut acts = Vec::new();
    for name in ["ws/f", "out/f", "ws/new", "out/new"] {
        acts.push(Act::Read(tree.at(name)));
        acts.push(Act::Write(tree.at(name)));
    }
    acts.extend(names(Act::Exec, ["git", "ls"]));
    acts.extend(names(Act::Net, ["api.example.test", "other.example.test"]));
    acts
}

fn answers(context: &FreshContext<'_>, acts: &[Act]) -> Result<Answers, Stop> {
    acts.iter()
        .map(|act| context.allows_if_offered(act))
        .collect()
}

/// Authorises everything, which is the control: a context made from it allows more.
fn wider(
    gate: &FreshGate<'_>,
    narrow: &CaveatSpec,
    acts: &[Act],
    before: &Answers,
) -> Result<CaveatSpec, Stop> {
    let top = CaveatSpec::top();
    let wide = gate.context(&top, &top)?;
    let offered = before.iter().flatten().count();
    let more = answers(&wide, acts)?;
    let more = before
        .iter()
        .zip(&more)
        .filter(|(before, now)| before != now);
    if offered > 0 && more.count() == 0 {
        return Err(Stop::Undecided(
            "the control failed: a context that is granted everything allows no more than one that is not".to_owned(),
        ));
    }
    if wide.caveats()?.leq(narrow) {
        return Err(Stop::Undecided(
            "the control failed: a context that is granted everything reports no more".to_owned(),
        ));
    }
    Ok(top)
}

/// The first act to which a clone says something else than the original, or another authority
/// that it reports.
fn differing(
    original: &FreshContext<'_>,
    clone: &FreshContext<'_>,
    whose: &str,
    acts: &[Act],
    before: &Answers,
) -> Result<Option<Counterexample>, Stop> {
    let start = |headline: String| {
        Counterexample::new(headline)
            .step(
                authorizing(original.granted(), &CaveatSpec::top()),
                "a context",
            )
            .step("clone it".to_owned(), whose)
            .expected("the same answer from both")
    };
    for ((act, said), other) in acts.iter().zip(before).zip(answers(clone, acts)?) {
        if let (Some(said), Some(other)) = (*said, other)
            && said != other
        {
            let (said, other) = (word(said), word(other));
            return Ok(Some(
                start(format!("{whose} answers {act} otherwise: {other}"))
                    .step(
                        act.to_string(),
                        format!("{said} by the original, {other} by {whose}"),
                    )
                    .seen(format!("{other} by {whose}"))
                    .twin(format!("the original, asked the same: {said}")),
            ));
        }
    }
    let (mine, theirs) = (original.caveats()?, clone.caveats()?);
    Ok(mine.differing_axis(&theirs).map(|axis| {
        start(format!("{whose} reports another {axis}"))
            .seen(format!("{whose} reports {theirs}"))
            .twin(format!("the original reports {mine}"))
    }))
}

/// The first act that is allowed now and was denied before.
fn widened(
    context: &FreshContext<'_>,
    whose: &str,
    acts: &[Act],
    before: &Answers,
    later: &CaveatSpec,
) -> Result<Option<Counterexample>, Stop> {
    let start = |headline: String| {
        let top = CaveatSpec::top();
        Counterexample::new(headline)
            .step(authorizing(context.granted(), &top), "a context")
            .step(
                authorizing(later, &top),
                "another context, of the same gate",
            )
            .expected("what was denied before stays denied")
            .twin("before the wider grant it was denied")
    };
    for ((act, said), now) in acts.iter().zip(before).zip(answers(context, acts)?) {
        if *said == Some(false) && now == Some(true) {
            return Ok(Some(
                start(format!(
                    "{act} is allowed by {whose} since somebody else was granted more"
                ))
                .step(act.to_string(), "denied before, allowed now")
                .seen("allowed"),
            ));
        }
    }
    let now = context.caveats()?;
    Ok((!now.leq(context.granted())).then(|| {
        start(format!(
            "{whose} reports more since somebody else was granted more"
        ))
        .seen(format!("it reports {now}"))
    }))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use rstest::rstest;

    use super::super::double::{Double, held, judged, row_of};
    use super::*;
    use crate::outcome::Outcome;
    use crate::profile::LeashProfile;
    use crate::subject::{
        Denial, Leash, LeashContext, LeashGate, LeashSubject, ScopeSpec, Verdict,
    };

    #[test]
    fn the_toolkits_clones_are_the_same() {
        held("LSH-10");
    }

    #[rstest]
    #[case::wider(|sound: &Double| Double { exec: |_, _, _| true, ..*sound })]
    #[case::narrower(|sound: &Double| Double { net: |_, _, _| false, ..*sound })]
    #[case::told_otherwise(|sound: &Double| Double { told: |_| CaveatSpec::top(), ..*sound })]
    fn a_clone_that_differs_is_convicted(#[case] clone: fn(&Double) -> Double) {
        let row = judged(
            "LSH-10",
            Double {
                clone,
                ..Double::SOUND
            },
        );
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }

    /// Looks its authority up in the gate, which keeps only the last.
    struct Shared;

    type Last = Arc<Mutex<CaveatSpec>>;

    impl Leash for Shared {
        fn gate(&self, _spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
            Ok(Box::new(SharedGate(Arc::new(
                Mutex::new(CaveatSpec::top()),
            ))))
        }
    }

    struct SharedGate(Last);

    impl LeashGate for SharedGate {
        fn authorize(
            &self,
            granted: &CaveatSpec,
            needed: &CaveatSpec,
        ) -> Result<Box<dyn LeashContext>, Denial> {
            *self.0.lock().unwrap() = granted.meet(needed);
            Ok(Box::new(SharedContext(Arc::clone(&self.0))))
        }
    }

    struct SharedContext(Last);

    impl LeashContext for SharedContext {
        fn caveats(&self) -> CaveatSpec {
            self.0.lock().unwrap().clone()
        }

        fn duplicate(&self) -> Box<dyn LeashContext> {
            Box::new(Self(Arc::clone(&self.0)))
        }

        fn check_net(&self, host: &str) -> Verdict {
            match &self.caveats().net {
                ScopeSpec::Only(hosts) if !hosts.contains(host) => Err(Denial::new("no")),
                _ => Ok(()),
            }
        }
    }

    #[test]
    fn a_context_that_follows_the_gate_is_convicted() {
        let subject = LeashSubject::new("shared", LeashProfile::new().check_net(), || Shared);
        let row = row_of("LSH-10", &subject);
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }
}
