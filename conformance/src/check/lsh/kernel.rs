//! LSH-12: the sandbox that is reported is the one in force.

use super::LeashTrial;
use super::shell::{listing, script, unconfined};
use crate::outcome::Counterexample;
use crate::subject::{CaveatSpec, GateSpec, ProgramSpec, Ran, SandboxChoice, SandboxSpec};
use crate::tree::Entry::{self, Dir, File, Link};
use crate::tree::Tree;
use crate::trial::{Finding, FreshContext, Judged, Stop, authorizing};

const TREE: &[Entry] = &[
    Dir("ws"),
    Dir("wss"),
    Dir("out/empty"),
    File("ws/f"),
    File("ws/mine"),
    File("out/f"),
    File("out/g"),
    File("out/h"),
    File("out/i"),
    Link("ws/door", "../out"),
    Link("ws/leak", "../out/g"),
    Link("ws/dangling", "../out/by_link"),
];

/// Writes inside the grant, and then outside it by several system calls and through links. Not
/// `:`, whose failed redirection would end the shell.
const SCRIPT: &str = "
cd \"$1\" || exit 1
true > ws/new
true > out/new
echo more >> out/f
true > wss/new
true > ws/door/by_door
true > ws/leak
true > ws/dangling
true > ws/../out/by_dots
mkdir out/folder
rmdir out/empty
rm out/h
mv ws/mine out/moved
mv out/i ws/taken
ln ws/f out/second_name
ln -s x out/link
mkfifo out/pipe
true
";

/// LSH-12.
pub(super) fn in_force(trial: &LeashTrial<'_>) -> Judged {
    let free = Tree::build(TREE)?;
    let Some(program) = script(SCRIPT, &free.text("")) else {
        return Ok(Finding::Undecided(
            "this machine has no shell to be run".to_owned(),
        ));
    };
    let ended = unconfined(&program);
    let possible = changed(&free)?;
    if !ended || possible.len() < 5 {
        return Ok(Finding::Undecided(format!(
            "the control failed: without confinement the program changed only {} things outside",
            possible.len()
        )));
    }
    for sandbox in [SandboxChoice::Best, SandboxChoice::Without] {
        match held(trial, sandbox, possible.len())? {
            Finding::Held { .. } if sandbox == SandboxChoice::Best => {}
            // Without a sandbox there is none to be reported.
            Finding::Held { .. } | Finding::Undecided(_) if sandbox == SandboxChoice::Without => {}
            other => return Ok(other),
        }
    }
    if let Some(found) = claimed(trial)? {
        return Ok(Finding::broken(found));
    }
    Ok(Finding::held(possible.len()))
}

/// Everything outside the grant that is not as it was built.
fn changed(tree: &Tree) -> Result<Vec<String>, Stop> {
    let pristine = Tree::build(TREE)?;
    let mut changes = Vec::new();
    for folder in ["out", "wss", ""] {
        let (before, after) = (listing(&pristine.at(folder)), listing(&tree.at(folder)));
        let new = after.iter().filter(|entry| !before.contains(entry));
        changes.extend(new.map(|entry| format!("{entry} in {folder}/")));
        let gone = before.iter().filter(|entry| !after.contains(entry));
        changes.extend(gone.map(|entry| format!("no more {entry} in {folder}/")));
    }
    Ok(changes)
}

/// Runs the program confined to `ws`, and looks at what it changed outside.
fn held(trial: &LeashTrial<'_>, sandbox: SandboxChoice, possible: usize) -> Judged {
    let none = |why: &str| {
        Ok(Finding::Undecided(format!(
            "no kernel sandbox is in force here: {why}"
        )))
    };
    let tree = Tree::build(TREE)?;
    let Ok(gate) = trial.leash()?.gate(&GateSpec::new().sandbox(sandbox))? else {
        return none("the leash makes no such gate");
    };
    let granted = CaveatSpec::top().fs_write([tree.text("ws")]);
    let context = gate.context(&granted, &CaveatSpec::top())?;
    let Some(program) = script(SCRIPT, &tree.text("")) else {
        return none("there is no shell");
    };
    let ran = match context.run(&program)? {
        Ok(ran) => ran,
        Err(denial) => return none(&crate::tree::hidden(&denial.to_string())),
    };
    let SandboxSpec::Kernel(kind) = &ran.sandbox else {
        return none("the leash says that nothing holds the program");
    };
    let changes = changed(&tree)?;
    if let Some(first) = changes.first() {
        return Ok(Finding::broken(
            start(&context, &program, &ran)
                .expected(format!("{kind} refuses every change outside the grant"))
                .seen(format!("{} changes outside: {first}, …", changes.len()))
                .twin(format!(
                    "without confinement the same program makes {possible} changes outside"
                )),
        ));
    }
    if !tree.at("ws/new").exists() {
        return Ok(Finding::Undecided(
            "the control failed: the confined program could not write inside the grant either"
                .to_owned(),
        ));
    }
    Ok(Finding::held(possible))
}

fn start(context: &FreshContext<'_>, program: &ProgramSpec, ran: &Ran) -> Counterexample {
    Counterexample::new(format!(
        "a program said to be held by {} is not",
        ran.sandbox
    ))
    .step(
        authorizing(context.granted(), &CaveatSpec::top()),
        "a context",
    )
    .step(program.to_string(), format!("held by {}", ran.sandbox))
}

/// A context that names a kernel mechanism, although the program that it runs is held by none.
fn claimed(trial: &LeashTrial<'_>) -> Result<Option<Counterexample>, Stop> {
    let tree = Tree::build(TREE)?;
    let grants = [
        CaveatSpec::top().fs_write([tree.text("ws")]),
        CaveatSpec::top().exec(["sh", "true"]),
        CaveatSpec::top().net(["api.example.test"]),
    ];
    for sandbox in [SandboxChoice::Best, SandboxChoice::Without] {
        let Ok(gate) = trial.leash()?.gate(&GateSpec::new().sandbox(sandbox))? else {
            continue;
        };
        for granted in &grants {
            let context = gate.context(granted, &CaveatSpec::top())?;
            let claim = context.tell("its sandbox", |context| context.sandbox_kind())?;
            let Some(claim @ SandboxSpec::Kernel(_)) = claim else {
                continue;
            };
            let program = ProgramSpec::new("sh").arg("-c").arg("true");
            let Ok(ran) = context.run(&program)? else {
                continue;
            };
            if ran.sandbox == SandboxSpec::None {
                return Ok(Some(
                    Counterexample::new(format!(
                        "a context says {claim}, and its program is held by nothing"
                    ))
                    .step(gate.spec().to_string(), "a gate")
                    .step(
                        authorizing(granted, &CaveatSpec::top()),
                        format!("a context: {claim}"),
                    )
                    .step(program.to_string(), "held by none")
                    .expected("the kind that is in force: none")
                    .seen(claim.to_string())
                    .twin("a program confined to a folder is held by the kernel, and said to be"),
                ));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::super::double::{Double, judged};
    use super::*;
    use crate::outcome::Outcome;
    use crate::subject::{Denial, ScopeSpec};

    #[test]
    fn a_program_really_changes_what_lies_outside() {
        let tree = Tree::build(TREE).unwrap();
        assert_eq!(changed(&tree).unwrap(), Vec::<String>::new());
        assert!(unconfined(&script(SCRIPT, &tree.text("")).unwrap()));
        assert!(changed(&tree).unwrap().len() >= 12);
    }

    #[test]
    fn the_toolkit_tells_no_more_than_is_in_force() {
        let row = judged("LSH-12", Double::SOUND);
        let expected = if proofmark::leash::landlock_is_supported() {
            Outcome::Pass
        } else {
            Outcome::Inconclusive
        };
        assert_eq!(row.outcome, expected, "{row:?}");
    }

    #[test]
    fn a_kernel_sandbox_that_holds_nothing_is_convicted() {
        let lying = Double {
            grant: |granted| CaveatSpec {
                fs_write: ScopeSpec::All,
                ..granted.clone()
            },
            ran: |sound| {
                let ran = sound?;
                Ok::<Ran, Denial>(Ran::new(
                    ran.exit,
                    SandboxSpec::Kernel("Landlock".to_owned()),
                ))
            },
            ..Double::SOUND
        };
        let row = judged("LSH-12", lying);
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }
}
