//! Checks of paths, on real trees.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use proofmark::leash::{Caveats, Scope, ToolContext};
use rstest::{fixture, rstest};

use crate::authority::{context, files, only};
use crate::tree::Entry::{self, Dir, File, HardLink, Link};
use crate::tree::Tree;

/// `ws` is what the tests grant; `out` is what must stay out of reach.
const TREE: &[Entry] = &[
    Dir("ws"),
    Dir("ws/src"),
    Dir("ws/src/deep"),
    Dir("ws/..dots"),
    Dir("ws/..."),
    Dir("ws-out"),
    Dir("wss"),
    Dir("out"),
    Dir("out/sub"),
    File("ws/note.txt"),
    File("ws/src/main.rs"),
    File("ws/grün.txt"),
    File("ws-out/f"),
    File("wss/f"),
    File("out/key"),
    File("out/sub/key"),
    // Links that stay inside
    Link("ws/in_file", "src/main.rs"),
    Link("ws/in_dir", "src"),
    Link("ws/in_absolute", "{root}/ws/src"),
    Link("ws/in_by_way_of_out", "../out/../ws/src"),
    Link("ws/self", "."),
    Link("ws/chain1", "chain2"),
    Link("ws/chain2", "chain3"),
    Link("ws/chain3", "note.txt"),
    Link("ws/in_new", "not_yet.txt"),
    Link("ws/in_new_deeper", "src/not_yet.txt"),
    // Links that lead out
    Link("ws/out_file", "../out/key"),
    Link("ws/out_dir", "../out"),
    Link("ws/out_absolute", "{root}/out"),
    Link("ws/up", ".."),
    Link("ws/chain_out", "chain_out2"),
    Link("ws/chain_out2", "out_dir/key"),
    Link("ws/new_out", "../out/not_yet.txt"),
    Link("ws/new_out_absolute", "{root}/out/not_yet.txt"),
    Link("ws/new_out_dir", "../out/not_yet"),
    Link("ws/new_chain_out", "new_out"),
    Link("ws/new_by_way_of_link", "out_dir/not_yet.txt"),
    Link("ws/sibling", "../ws-out/f"),
    Link("ws/root", "/proc/self/root"),
    // Links that lead nowhere
    Link("ws/loop", "loop"),
    Link("ws/loop1", "loop2"),
    Link("ws/loop2", "loop1"),
    Link("ws/new_loop", "new_loop/x"),
    Link("ws/below_file", "note.txt/x"),
    // Links from outside
    Link("ws_link", "ws"),
    Link("out/to_ws", "../ws"),
    Link("out/to_note", "../ws/note.txt"),
    Link("out/to_new", "../ws/not_yet.txt"),
    HardLink("ws/second_name", "out/key"),
];

#[fixture]
pub fn tree() -> Tree {
    Tree::of(TREE)
}

/// The verdict on a path, which reading and writing must share where both axes are granted alike.
pub fn verdict(cx: &ToolContext, path: &Path) -> bool {
    let read = cx.check_path_read(path);
    let write = cx.check_path_write(path);
    assert_eq!(read.is_ok(), write.is_ok(), "{read:?} {write:?}");
    read.is_ok()
}

pub const ALLOW: bool = true;
pub const DENY: bool = false;

#[rstest]
#[case::the_grant("ws", ALLOW)]
#[case::the_grant_slash("ws/", ALLOW)]
#[case::the_grant_dot("ws/.", ALLOW)]
#[case::file("ws/note.txt", ALLOW)]
#[case::nested("ws/src/main.rs", ALLOW)]
#[case::slashes("ws//src///main.rs", ALLOW)]
#[case::dots("./ws/./src/./main.rs", ALLOW)]
#[case::not_ascii("ws/grün.txt", ALLOW)]
#[case::dotted_name("ws/..dots/new", ALLOW)]
#[case::three_dots("ws/.../new", ALLOW)]
#[case::parent_and_back("ws/src/../note.txt", ALLOW)]
#[case::out_and_back("ws/../ws/note.txt", ALLOW)]
#[case::entering("out/../ws/note.txt", ALLOW)]
#[case::ending_in_parent("ws/src/..", ALLOW)]
// Outside, by every plain spelling
#[case::parent("", DENY)]
#[case::parent_by_dots("ws/..", DENY)]
#[case::other("out/key", DENY)]
#[case::escape("ws/../out/key", DENY)]
#[case::escape_deep("ws/src/../../out/key", DENY)]
#[case::escape_new("ws/../out/new", DENY)]
#[case::sibling_prefix("ws-out/f", DENY)]
#[case::sibling_prefix_directory("ws-out", DENY)]
#[case::sibling_prefix_new("ws-new/f", DENY)]
#[case::sibling_prefix_letter("wss/f", DENY)]
#[case::prefix_of_the_grant("w", DENY)]
#[case::other_case("WS/note.txt", DENY)]
// Links
#[case::link_to_inside("ws/in_file", ALLOW)]
#[case::link_to_inside_slash("ws/in_file/", ALLOW)]
#[case::link_to_inside_directory("ws/in_dir/main.rs", ALLOW)]
#[case::link_to_inside_absolute("ws/in_absolute/main.rs", ALLOW)]
#[case::link_to_inside_by_way_of_out("ws/in_by_way_of_out/main.rs", ALLOW)]
#[case::link_to_itself("ws/self/self/note.txt", ALLOW)]
#[case::link_chain("ws/chain1", ALLOW)]
#[case::link_from_outside("ws_link/note.txt", ALLOW)]
#[case::link_from_outside_directory("out/to_ws/note.txt", ALLOW)]
#[case::link_from_outside_file("out/to_note", ALLOW)]
#[case::up_and_back("ws/up/ws/note.txt", ALLOW)]
#[case::link_out("ws/out_file", DENY)]
#[case::link_out_slash("ws/out_file/", DENY)]
#[case::link_out_slashes("ws/out_file//", DENY)]
#[case::link_out_dot("ws/out_file/.", DENY)]
#[case::link_out_dots("ws/out_file/././", DENY)]
#[case::link_out_parent("ws/out_file/..", DENY)]
#[case::link_out_below("ws/out_file/x", DENY)]
#[case::link_out_directory("ws/out_dir", DENY)]
#[case::link_out_directory_slash("ws/out_dir/", DENY)]
#[case::link_out_directory_file("ws/out_dir/key", DENY)]
#[case::link_out_directory_new("ws/out_dir/new", DENY)]
#[case::link_out_directory_new_deep("ws/out_dir/a/b/new", DENY)]
#[case::link_out_absolute("ws/out_absolute/key", DENY)]
#[case::link_out_and_up("ws/out_dir/..", DENY)]
#[case::link_out_is_not_undone_by_dots("ws/out_dir/../note.txt", DENY)]
#[case::link_out_and_really_back("ws/out_dir/../ws/note.txt", ALLOW)]
#[case::link_up("ws/up/out/key", DENY)]
#[case::link_chain_out("ws/chain_out", DENY)]
#[case::link_to_sibling_prefix("ws/sibling", DENY)]
#[case::magic_link("ws/root/etc/passwd", DENY)]
// What does not exist yet
#[case::new("ws/new.txt", ALLOW)]
#[case::new_slash("ws/new/", ALLOW)]
#[case::new_deep("ws/a/b/c/new.txt", ALLOW)]
#[case::new_dot("ws/a/./new.txt", ALLOW)]
#[case::new_through_parent("ws/src/../new.txt", ALLOW)]
#[case::new_through_link("ws/in_dir/new.txt", ALLOW)]
#[case::new_through_outside("out/to_ws/new.txt", ALLOW)]
#[case::link_to_new_inside("ws/in_new", ALLOW)]
#[case::link_to_new_inside_deeper("ws/in_new_deeper", ALLOW)]
#[case::link_from_outside_to_new("out/to_new", ALLOW)]
#[case::link_to_new_outside("ws/new_out", DENY)]
#[case::link_to_new_outside_slash("ws/new_out/", DENY)]
#[case::link_to_new_outside_dot("ws/new_out/.", DENY)]
#[case::link_to_new_outside_absolute("ws/new_out_absolute", DENY)]
#[case::link_to_new_outside_directory("ws/new_out_dir", DENY)]
#[case::below_link_to_new_outside("ws/new_out_dir/x/y.txt", DENY)]
#[case::link_chain_to_new_outside("ws/new_chain_out", DENY)]
#[case::link_to_new_by_way_of_link("ws/new_by_way_of_link", DENY)]
#[case::climbing_out_of_new("ws/new/../note.txt", DENY)]
#[case::climbing_out_of_new_far("ws/new/../../out/key", DENY)]
#[case::climbing_out_of_new_last("ws/new/..", DENY)]
#[case::climbing_out_of_new_link("ws/new_out/../note.txt", DENY)]
// What leads nowhere
#[case::circle("ws/loop", DENY)]
#[case::circle_of_two("ws/loop1", DENY)]
#[case::circle_slash("ws/loop/", DENY)]
#[case::below_circle("ws/loop1/x", DENY)]
#[case::circle_through_new("ws/new_loop", DENY)]
#[case::below_file("ws/note.txt/x", DENY)]
#[case::below_file_deep("ws/note.txt/x/y", DENY)]
#[case::above_file("ws/note.txt/..", DENY)]
#[case::link_below_file("ws/below_file", DENY)]
fn below_a_granted_directory(tree: Tree, #[case] path: &str, #[case] allowed: bool) {
    let cx = context(&files([tree.text("ws")]));
    assert_eq!(verdict(&cx, &tree.at(path)), allowed);
}

/// Every row again, on the assumption that nothing is granted: empty is not absent.
#[rstest]
fn an_empty_scope_denies_everything(
    tree: Tree,
    #[values("ws", "ws/note.txt", "ws/new.txt", "out/key", "")] path: &str,
) {
    let none = context(&files([""; 0]));
    assert_eq!(none.caveats().fs_read, Scope::none());
    assert!(!verdict(&none, &tree.at(path)));
    assert!(!verdict(&none, Path::new("/")));
    assert!(verdict(&context(&Caveats::top()), &tree.at(path)));
}

#[rstest]
fn reading_and_writing_are_separate(tree: Tree) {
    let cx = context(&Caveats {
        fs_read: only([tree.text("ws")]),
        fs_write: only([tree.text("out")]),
        ..Caveats::top()
    });
    let (inside, outside) = (tree.at("ws/note.txt"), tree.at("out/key"));
    assert!(cx.check_path_read(&inside).is_ok() && cx.check_path_write(&inside).is_err());
    assert!(cx.check_path_read(&outside).is_err() && cx.check_path_write(&outside).is_ok());
}

#[test]
fn a_relative_path_is_taken_from_the_working_directory() {
    // Given the package's directory, in which tests run
    let here = std::env::current_dir().unwrap();
    for grant in [".".to_owned(), here.to_str().unwrap().to_owned()] {
        let cx = context(&files([grant]));
        for path in [
            "Cargo.toml",
            "new.txt",
            "./new.txt",
            "new/new.txt",
            "src/new.rs",
            ".",
        ] {
            assert!(verdict(&cx, Path::new(path)), "{path}");
        }
        assert!(verdict(&cx, &here.join("new.txt")));
        assert!(!verdict(&cx, Path::new("..")));
        assert!(!verdict(&cx, Path::new("../new.txt")));
    }
    let cx = context(&files(["src"]));
    assert!(verdict(&cx, Path::new("src/new.rs")));
    assert!(!verdict(&cx, Path::new("Cargo.toml")));
    assert!(!verdict(&cx, Path::new("new.rs")));
}

/// What no restricted scope covers, however it is granted.
#[rstest]
#[case::empty(b"")]
#[case::nul(b"/\0")]
#[case::nul_in_the_middle(b"{root}/ws/a\0b")]
#[case::nul_at_the_end(b"{root}/ws/note.txt\0")]
#[case::nul_behind_a_link(b"{root}/ws/out_file\0junk")]
#[case::nul_behind_a_directory(b"{root}/ws/out_dir\0/key")]
#[case::not_text(b"{root}/ws/\xff\xfe.txt")]
#[case::not_text_directory(b"{root}/ws/\xff/x")]
fn a_hostile_spelling_is_denied(tree: Tree, #[case] spelling: &[u8]) {
    let root = tree.root().as_os_str().as_bytes();
    let path = match spelling.strip_prefix(b"{root}") {
        Some(rest) => [root, rest].concat(),
        None => spelling.to_vec(),
    };
    let path = Path::new(OsStr::from_bytes(&path));
    for grant in [tree.text("ws"), "/".to_owned()] {
        let cx = context(&files([grant]));
        assert!(!verdict(&cx, path));
        assert!(
            !cx.check_path_read(path)
                .unwrap_err()
                .to_string()
                .contains(char::is_control)
        );
    }
}

#[rstest]
#[case::component_of_255("n".repeat(255), ALLOW)]
#[case::component_of_256("n".repeat(256), DENY)]
#[case::component_of_256_below_new(format!("new/{}", "n".repeat(256)), DENY)]
#[case::component_of_64_kib("n".repeat(64 * 1024), DENY)]
#[case::sixty_four_new_levels("d/".repeat(64), ALLOW)]
#[case::more_new_levels("d/".repeat(65), DENY)]
#[case::many_new_levels("d/".repeat(1_900), DENY)]
#[case::longer_than_the_kernel_takes("d/".repeat(20_000), DENY)]
#[case::longer_by_dots(format!("{}out_file", "./".repeat(2_100)), DENY)]
#[case::longer_by_dots_at_the_end(format!("out_file/{}", "./".repeat(2_100)), DENY)]
#[case::longer_by_parents(format!("{}note.txt", "src/../".repeat(700)), DENY)]
fn a_path_of_hostile_length_is_decided_at_once(
    tree: Tree,
    #[case] path: String,
    #[case] allowed: bool,
) {
    let cx = context(&files([tree.text("ws")]));
    let path = tree.at("ws").join(path);
    assert_eq!(verdict(&cx, &path), allowed);
    if let Err(denied) = cx.check_path_read(&path) {
        assert!(denied.to_string().len() < 400);
    }
}

#[rstest]
fn deep_directories_that_exist_are_no_obstacle(tree: Tree) {
    let deep = tree.at("ws").join("d/".repeat(500));
    fs::create_dir_all(&deep).unwrap();
    let cx = context(&files([tree.text("ws")]));
    assert!(verdict(&cx, &deep.join("new.txt")));
}

#[rstest]
fn a_chain_of_links_is_followed_as_far_as_the_kernel_does(tree: Tree) {
    for number in 0..60 {
        let link = tree.at(&format!("ws/hop{number}"));
        symlink(format!("hop{}", number + 1), link).unwrap();
    }
    let cx = context(&files([tree.text("ws")]));
    assert!(
        verdict(&cx, &tree.at("ws/hop50")),
        "ten hops to a missing file"
    );
    assert!(!verdict(&cx, &tree.at("ws/hop0")), "sixty hops");
}

#[rstest]
fn a_denial_tells_nothing_of_what_was_found(tree: Tree) {
    let cx = context(&files([tree.text("ws")]));
    let text = |path: &str| {
        let path = tree.at(path);
        let error = cx.check_path_read(&path).unwrap_err().to_string();
        error.replace(path.to_str().unwrap(), "PATH")
    };
    // Neither where a link leads, nor whether something outside exists
    let expected = "denied: read of \"PATH\" is not within the granted fs_read scope";
    for path in [
        "ws/out_file",
        "out/key",
        "out/missing",
        "out/key/x",
        "ws/loop",
    ] {
        assert_eq!(text(path), expected);
    }
}

#[rstest]
fn names_with_the_kernels_mark_of_deletion_are_ordinary_names(tree: Tree) {
    let name = "ws (deleted)";
    fs::create_dir(tree.at(name)).unwrap();
    fs::write(tree.at("ws (deleted)/f (deleted)"), "").unwrap();
    let cx = context(&files([tree.text(name)]));
    assert!(verdict(&cx, &tree.at("ws (deleted)/f (deleted)")));
    assert!(!verdict(&cx, &tree.at("ws/note.txt")));
}
