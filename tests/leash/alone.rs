//! Claims about a whole process, each put to the test in a child that does nothing else.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Output;
use std::sync::Arc;

use proofmark::leash::{Caveats, ConfinedCommand, NoopSandbox, WriteMode};

use crate::authority::{context, files};
use crate::child::{self, ARGS, TASK, inconclusive, task, this_program};
use crate::tree::Entry::{Dir, File as Plain, Link};
use crate::tree::Tree;

/// The id that owns nothing.
const NOBODY: u32 = 65_534;

/// Puts one claim to the test; the working directory is the tree.
pub fn claim(claim: &str) -> io::Result<()> {
    match claim {
        "inherits no descriptor" => inherits_no_descriptor(),
        "finds programs in fixed places" => finds_programs_in_fixed_places(),
        "a deleted working directory" => a_deleted_working_directory(),
        "may not search a directory" => may_not_search_a_directory(),
        other => Err(io::Error::other(format!("unknown claim {other}"))),
    }
}

fn ensure(holds: bool, what: &str) -> io::Result<()> {
    if holds {
        Ok(())
    } else {
        Err(io::Error::other(what))
    }
}

/// Runs a child for one claim in `tree`.
fn alone(claim: &str, tree: &Tree, change: impl FnOnce(&mut std::process::Command)) -> Output {
    let mut command = child::command(&["in this process", claim]);
    command.current_dir(tree.root());
    change(&mut command);
    command.output().unwrap()
}

fn assert_holds(output: &Output) {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_confined_program_inherits_no_descriptor() {
    let tree = Tree::of(&[Plain("open")]);
    assert_holds(&alone("inherits no descriptor", &tree, |_| {}));
}

fn inherits_no_descriptor() -> io::Result<()> {
    // Given a descriptor that would be inherited, as a plain child shows
    let open = File::open("open")?;
    rustix::io::fcntl_setfd(&open, rustix::io::FdFlags::empty())?;
    let plain = child::command(&["descriptors"]).output()?;
    ensure(
        !plain.status.success(),
        "a plain child does not inherit it either",
    )?;
    // When a program is started on the leash
    let started = confined(&["descriptors"]).spawn(&context(&Caveats::top()));
    let output = started
        .map_err(io::Error::other)?
        .child
        .wait_with_output()?;
    // Then it has none of them
    ensure(
        output.status.success(),
        &String::from_utf8_lossy(&output.stderr),
    )
}

fn confined(words: &[&str]) -> ConfinedCommand {
    ConfinedCommand::new(this_program().to_str().unwrap_or_default())
        .args(ARGS)
        .env(TASK, task(words))
        .stderr(std::process::Stdio::piped())
}

#[test]
fn a_bare_program_is_not_looked_up_in_the_path_of_the_environment() {
    let tree = Tree::of(&[Dir("evil")]);
    fs::write(tree.at("evil/id"), "#!/bin/sh\necho ran > \"$0.ran\"\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(tree.at("evil/id"), executable).unwrap();
    let output = alone("finds programs in fixed places", &tree, |command| {
        command.env("PATH", tree.at("evil"));
    });
    assert_holds(&output);
    assert!(!tree.at("evil/id.ran").exists());
}

fn finds_programs_in_fixed_places() -> io::Result<()> {
    // Given a PATH that leads to a planted `id`
    let planted = std::env::var("PATH").map_err(io::Error::other)?;
    ensure(planted.ends_with("evil"), "the PATH was not planted")?;
    // When `id` is started by its bare name
    let started = ConfinedCommand::new("id")
        .env("PATH", planted)
        .stdout(std::process::Stdio::piped())
        .sandbox(Arc::new(NoopSandbox))
        .spawn(&context(&Caveats::top()));
    let output = started
        .map_err(io::Error::other)?
        .child
        .wait_with_output()?;
    // Then the system's own one runs
    ensure(output.stdout.starts_with(b"uid="), "another program ran")
}

#[test]
fn nothing_is_covered_through_a_deleted_working_directory() {
    let tree = Tree::of(&[Dir("gone")]);
    let output = alone("a deleted working directory", &tree, |_| {});
    assert_holds(&output);
}

fn a_deleted_working_directory() -> io::Result<()> {
    let root = std::env::current_dir()?;
    let cx = context(&files([root.to_string_lossy()]));
    std::env::set_current_dir("gone")?;
    ensure(
        cx.check_path_write("new".as_ref()).is_ok(),
        "denied before it was deleted",
    )?;
    fs::remove_dir(root.join("gone"))?;
    for path in ["new", "./new", ".", "./", "a/new"] {
        ensure(cx.check_path_write(path.as_ref()).is_err(), path)?;
        ensure(cx.check_path_read(path.as_ref()).is_err(), path)?;
    }
    // The parent of a deleted directory is still where an open of `..` leads.
    ensure(cx.check_path_read("..".as_ref()).is_ok(), "..")
}

#[test]
fn a_directory_that_may_not_be_searched_covers_and_hides_nothing() {
    let tree = Tree::of(&[
        Dir("ws"),
        Dir("ws/locked"),
        Dir("ws/sealed"),
        Plain("ws/locked/note.txt"),
        Dir("out"),
        Plain("out/key"),
        Link("ws/locked/out", "../../out"),
    ]);
    let mode = |bits| std::os::unix::fs::PermissionsExt::from_mode(bits);
    for (path, bits) in [
        ("", 0o755),
        ("ws", 0o755),
        ("ws/sealed", 0o555),
        ("ws/locked", 0),
    ] {
        fs::set_permissions(tree.at(path), mode(bits)).unwrap();
    }
    let root = rustix::process::geteuid().is_root();
    let mut command = child::command(&["in this process", "may not search a directory"]);
    command.current_dir(tree.root());
    if root {
        command.uid(NOBODY).gid(NOBODY);
    }
    match command.output() {
        Ok(output) => assert_holds(&output),
        Err(error) => inconclusive(&format!("this program does not start as nobody: {error}")),
    }
}

fn may_not_search_a_directory() -> io::Result<()> {
    let root = std::env::current_dir()?;
    let at = |path: &str| root.join(path);
    let text = |path: &str| at(path).to_string_lossy().into_owned();
    let readable = fs::read_dir(at("ws/locked")).is_ok();
    ensure(!readable, "this process may search everything")?;
    // What lies in it is not resolved, whatever it is
    let cx = context(&files([text("ws")]));
    for path in [
        "ws/locked/note.txt",
        "ws/locked/out/key",
        "ws/locked/new",
        "ws/locked/new/new",
        "ws/locked/../../out/key",
        "ws/locked/..",
    ] {
        ensure(cx.check_path_read(&at(path)).is_err(), path)?;
        ensure(cx.check_path_write(&at(path)).is_err(), path)?;
    }
    // The directory itself is, and so is one that may be searched but not written
    for path in ["ws/locked", "ws/sealed/new"] {
        ensure(cx.check_path_write(&at(path)).is_ok(), path)?;
    }
    let failed = cx.open_path_write(&at("ws/sealed/new"), WriteMode::CreateNew);
    ensure(failed.is_err(), "the leash opened what the process may not")?;
    // A grant behind it covers nothing
    let behind = context(&files([text("ws/locked/out"), text("ws/locked/note.txt")]));
    ensure(
        behind.inert_grants().len() == 4,
        "such a grant is not reported",
    )?;
    ensure(behind.check_path_read(&at("out/key")).is_err(), "out/key")
}
