//! The table of promises: what it says is left open really is.

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::sync::Arc;

use proofmark::leash::{
    Caveats, ConfinedCommand, CountBound, Gate, NoopSandbox, PROMISES, ToolContext, WriteMode,
};

use crate::authority::{context, files, idle, only};
use crate::tree::Entry::{Dir, File, HardLink};
use crate::tree::Tree;

fn tree() -> Tree {
    Tree::of(&[
        Dir("ws"),
        Dir("ws/door"),
        Dir("out"),
        File("ws/door/f"),
        File("ws/plain"),
        File("out/f"),
        HardLink("ws/second_name", "out/f"),
    ])
}

fn running(programs: &[&str]) -> ToolContext {
    context(&Caveats {
        exec: only(programs.iter().copied()),
        ..Caveats::top()
    })
}

/// Shows that `gap` is open; `None` if nothing here knows it.
fn demonstration(of: &str, gap: &str) -> Option<fn()> {
    Some(match (of, gap) {
        (_, "calls of another gate are not counted") => gates_count_apart,
        (_, "a bare grant admits any file of that name") => any_file_of_that_name,
        (_, "a granted interpreter runs what it is told to") => interpreters,
        (_, "the address behind a granted name") => names_are_not_resolved,
        (
            "`check_path_read`, `check_path_write`",
            "a file outside that has a second name inside",
        ) => checked_second_name,
        (_, "what changes between the check and an open by name") => check_then_open,
        ("`open_path_read`", "a file outside that has a second name inside") => opened_second_name,
        (_, "a second name given to the file later") => later_second_name,
        (_, "without a sandbox, all that a granted program does") => interpreters,
        (sandbox, gap) if sandbox.starts_with("`LandlockSandbox`") => {
            return landlock_demonstration(gap);
        }
        _ => return None,
    })
}

#[cfg(feature = "landlock")]
fn landlock_demonstration(gap: &str) -> Option<fn()> {
    crate::landlock_gaps::demonstration(gap)
}

#[cfg(not(feature = "landlock"))]
fn landlock_demonstration(_gap: &str) -> Option<fn()> {
    Some(|| crate::child::inconclusive("this build has no Landlock sandbox"))
}

#[test]
fn what_the_table_leaves_open_really_is() {
    assert!(!PROMISES.is_empty());
    for promise in PROMISES {
        for gap in promise.open {
            match demonstration(promise.of, gap) {
                Some(demonstrate) => demonstrate(),
                None => panic!("{}: nothing shows that it leaves open: {gap}", promise.of),
            }
        }
    }
}

fn gates_count_apart() {
    let once = CountBound::AtMost(1);
    for gate in [Gate::with_budget(0, once), Gate::with_budget(0, once)] {
        assert!(gate.authorize(&idle(), &Caveats::top()).is_ok());
        assert!(gate.authorize(&idle(), &Caveats::top()).is_err());
    }
}

fn any_file_of_that_name() {
    assert!(running(&["git"]).check_exec("/tmp/evil/git").is_ok());
}

fn interpreters() {
    // `id` is not granted, and runs
    let cx = running(&["sh"]);
    assert!(cx.check_exec("id").is_err());
    let started = ConfinedCommand::new("sh")
        .args(["-c", "id"])
        .stdout(Stdio::piped())
        .sandbox(Arc::new(NoopSandbox))
        .spawn(&cx)
        .unwrap();
    let output = started.child.wait_with_output().unwrap();
    assert!(output.stdout.starts_with(b"uid="));
}

fn names_are_not_resolved() {
    let cx = context(&Caveats {
        net: only(["no-such-host.invalid"]),
        ..Caveats::top()
    });
    assert!(cx.check_net("no-such-host.invalid").is_ok());
}

fn checked_second_name() {
    let tree = tree();
    let cx = context(&files([tree.text("ws")]));
    assert!(cx.check_path_read(&tree.at("ws/second_name")).is_ok());
    assert!(cx.check_path_write(&tree.at("ws/second_name")).is_ok());
    assert!(cx.check_path_read(&tree.at("out/f")).is_err());
}

fn check_then_open() {
    let tree = tree();
    let cx = context(&files([tree.text("ws")]));
    let path = tree.at("ws/door/f");
    assert!(cx.check_path_read(&path).is_ok());
    fs::rename(tree.at("ws/door"), tree.at("ws/old")).unwrap();
    symlink("../out", tree.at("ws/door")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "out/f");
    assert!(cx.open_path_read(&path).is_err());
}

fn opened_second_name() {
    let tree = tree();
    let cx = context(&files([tree.text("ws")]));
    let mut text = String::new();
    let mut file = cx.open_path_read(&tree.at("ws/second_name")).unwrap();
    file.read_to_string(&mut text).unwrap();
    assert_eq!(text, "out/f");
}

fn later_second_name() {
    use std::io::Write;
    let tree = tree();
    let cx = context(&files([tree.text("ws")]));
    let opened = cx.open_path_write(&tree.at("ws/plain"), WriteMode::Append);
    fs::hard_link(tree.at("ws/plain"), tree.at("out/later")).unwrap();
    opened.unwrap().write_all(b" written").unwrap();
    assert_eq!(
        fs::read_to_string(tree.at("out/later")).unwrap(),
        "ws/plain written"
    );
}
