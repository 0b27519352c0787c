//! Opens that the leash makes itself.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::symlink;

use proofmark::leash::{Caveats, RaceClosure, Scope, ToolContext, ToolError, WriteMode};
use rstest::{fixture, rstest};

use crate::authority::{context, files, only};
use crate::tree::Entry::{self, Dir, File, HardLink, Link};
use crate::tree::Tree;

const TREE: &[Entry] = &[
    Dir("ws"),
    Dir("ws/src"),
    Dir("out"),
    File("ws/note.txt"),
    File("out/key"),
    Link("ws/in_file", "note.txt"),
    Link("ws/in_new", "src/not_yet.txt"),
    Link("ws/out_file", "../out/key"),
    Link("ws/new_out", "../out/not_yet.txt"),
    Link("ws/absolute", "{root}/ws/note.txt"),
    HardLink("ws/second_name", "out/key"),
];

#[fixture]
fn tree() -> Tree {
    Tree::of(TREE)
}

fn on(tree: &Tree, grant: &str) -> ToolContext {
    context(&files([tree.text(grant)]))
}

fn read(cx: &ToolContext, tree: &Tree, path: &str) -> Result<String, ToolError> {
    let mut text = String::new();
    cx.open_path_read(&tree.at(path))?
        .read_to_string(&mut text)?;
    Ok(text)
}

fn write(cx: &ToolContext, tree: &Tree, path: &str, mode: WriteMode) -> Result<(), ToolError> {
    cx.open_path_write(&tree.at(path), mode)?
        .write_all(b"new")?;
    Ok(())
}

fn denied<T>(outcome: &Result<T, ToolError>) -> bool {
    matches!(outcome, Err(ToolError::Denied { .. }))
}

fn failed<T>(outcome: &Result<T, ToolError>, kind: ErrorKind) -> bool {
    matches!(outcome, Err(ToolError::Exec(error)) if error.kind() == kind)
}

#[rstest]
#[case::plain("ws/note.txt")]
#[case::link_inside("ws/in_file")]
#[case::absolute_link_inside("ws/absolute")]
#[case::parent("ws/src/../note.txt")]
fn a_covered_file_is_read(tree: Tree, #[case] path: &str) {
    assert_eq!(read(&on(&tree, "ws"), &tree, path).unwrap(), "ws/note.txt");
    assert_eq!(
        read(&context(&Caveats::top()), &tree, path).unwrap(),
        "ws/note.txt"
    );
}

#[rstest]
#[case::outside("out/key")]
#[case::link_out("ws/out_file")]
#[case::link_out_slash("ws/out_file/")]
#[case::link_to_new_outside("ws/new_out")]
#[case::parent("ws/../out/key")]
fn what_is_not_covered_is_neither_read_nor_written_nor_created(tree: Tree, #[case] path: &str) {
    let cx = on(&tree, "ws");
    assert!(denied(&read(&cx, &tree, path)));
    for mode in [WriteMode::Truncate, WriteMode::Append, WriteMode::CreateNew] {
        assert!(denied(&write(&cx, &tree, path, mode)));
    }
    assert_eq!(fs::read_to_string(tree.at("out/key")).unwrap(), "out/key");
    assert!(!tree.at("out/not_yet.txt").exists());
}

#[rstest]
#[case::truncate(WriteMode::Truncate, "new")]
#[case::append(WriteMode::Append, "ws/note.txtnew")]
fn a_covered_file_is_written(tree: Tree, #[case] mode: WriteMode, #[case] expected: &str) {
    for cx in [
        on(&tree, "ws"),
        on(&tree, "ws/note.txt"),
        context(&Caveats::top()),
    ] {
        fs::write(tree.at("ws/note.txt"), "ws/note.txt").unwrap();
        write(&cx, &tree, "ws/in_file", mode).unwrap();
        assert_eq!(
            fs::read_to_string(tree.at("ws/note.txt")).unwrap(),
            expected
        );
        let again = write(&cx, &tree, "ws/note.txt", WriteMode::CreateNew);
        assert!(failed(&again, ErrorKind::AlreadyExists));
        assert_eq!(
            fs::read_to_string(tree.at("ws/note.txt")).unwrap(),
            expected
        );
    }
}

#[rstest]
fn a_missing_file_is_created_where_it_leads(
    tree: Tree,
    #[values(WriteMode::Truncate, WriteMode::Append, WriteMode::CreateNew)] mode: WriteMode,
) {
    let cx = on(&tree, "ws");
    write(&cx, &tree, "ws/in_new", mode).unwrap();
    assert_eq!(
        fs::read_to_string(tree.at("ws/src/not_yet.txt")).unwrap(),
        "new"
    );
    assert!(failed(&read(&cx, &tree, "ws/missing"), ErrorKind::NotFound));
    let deep = write(&cx, &tree, "ws/missing/file", mode);
    assert!(failed(&deep, ErrorKind::NotFound));
}

#[rstest]
fn a_directory_is_opened_for_reading_only(tree: Tree) {
    let cx = on(&tree, "ws");
    for path in ["ws", "ws/src"] {
        let opened = cx.open_path_read(&tree.at(path)).unwrap();
        assert!(opened.metadata().unwrap().is_dir());
        assert!(write(&cx, &tree, path, WriteMode::Truncate).is_err());
    }
}

#[rstest]
fn reading_and_writing_are_separate(tree: Tree) {
    let cx = context(&Caveats {
        fs_read: only([tree.text("ws")]),
        fs_write: Scope::none(),
        ..Caveats::top()
    });
    assert!(read(&cx, &tree, "ws/note.txt").is_ok());
    assert!(denied(&write(
        &cx,
        &tree,
        "ws/note.txt",
        WriteMode::Truncate
    )));
    let cx = context(&Caveats {
        fs_read: Scope::none(),
        fs_write: only([tree.text("ws")]),
        ..Caveats::top()
    });
    let mut file = cx
        .open_path_write(&tree.at("ws/note.txt"), WriteMode::Append)
        .unwrap();
    assert!(
        file.read_to_string(&mut String::new()).is_err(),
        "a handle to write also reads"
    );
    assert!(denied(&read(&cx, &tree, "ws/note.txt")));
}

#[rstest]
fn a_file_with_a_second_name_is_not_written(tree: Tree) {
    let cx = on(&tree, "ws");
    for mode in [WriteMode::Truncate, WriteMode::Append] {
        assert!(denied(&write(&cx, &tree, "ws/second_name", mode)));
    }
    assert_eq!(fs::read_to_string(tree.at("out/key")).unwrap(), "out/key");
}

#[rstest]
fn a_pipe_or_device_in_a_granted_directory_is_refused_without_waiting(tree: Tree) {
    // Given a named pipe that nobody writes to, and a link to a device
    let made = std::process::Command::new("mkfifo")
        .arg(tree.at("ws/pipe"))
        .status();
    assert!(made.unwrap().success());
    symlink("/dev/zero", tree.at("ws/zero")).unwrap();
    // When they are opened through a grant of a directory
    let cx = on(&tree, "ws");
    assert!(denied(&cx.open_path_read(&tree.at("ws/pipe"))));
    let everywhere = context(&files(["/"]));
    assert!(denied(&everywhere.open_path_read(&tree.at("ws/zero"))));
    // Then they are refused; granted themselves, they open
    let device = context(&files(["/dev/null"]));
    assert!(device.open_path_read("/dev/null".as_ref()).is_ok());
    assert!(
        device
            .open_path_write("/dev/null".as_ref(), WriteMode::Truncate)
            .is_ok()
    );
}

#[rstest]
fn a_replaced_grant_opens_nothing(tree: Tree) {
    let cx = on(&tree, "ws");
    fs::rename(tree.at("ws"), tree.at("old")).unwrap();
    symlink("out", tree.at("ws")).unwrap();
    assert!(denied(&read(&cx, &tree, "ws/key")));
    assert!(denied(&write(&cx, &tree, "ws/key", WriteMode::Truncate)));
    assert!(denied(&write(
        &cx,
        &tree,
        "ws/planted",
        WriteMode::CreateNew
    )));
    assert!(!tree.at("out/planted").exists());
}

#[test]
fn this_build_says_whether_it_closes_the_race() {
    let expected = if cfg!(target_os = "linux") {
        RaceClosure::Closed
    } else {
        RaceClosure::CheckedFirst
    };
    assert_eq!(RaceClosure::here(), expected);
}
