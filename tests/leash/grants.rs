//! What a path grant covers, and what becomes of it when its object is replaced.

use std::fs;
use std::os::unix::fs::symlink;

use rstest::rstest;

use crate::authority::{context, files};
use crate::paths::{ALLOW, DENY, tree, verdict};
use crate::tree::Tree;

/// Spellings of the same grant, and what each covers.
#[rstest]
#[case::slash("{root}/ws/")]
#[case::dot("{root}/ws/.")]
#[case::parent("{root}/out/../ws")]
#[case::link("{root}/ws_link")]
#[case::link_slash("{root}/ws_link/")]
#[case::link_below("{root}/out/to_ws")]
fn a_grant_means_where_it_leads(tree: Tree, #[case] grant: &str) {
    let cx = context(&files([tree.expand(grant)]));
    assert!(cx.inert_grants().is_empty());
    assert!(verdict(&cx, &tree.at("ws/src/main.rs")));
    assert!(verdict(&cx, &tree.at("ws_link/new.txt")));
    assert!(!verdict(&cx, &tree.at("ws/out_file")));
    assert!(!verdict(&cx, &tree.at("out/key")));
}

#[rstest]
#[case::itself("ws/note.txt", ALLOW)]
#[case::through_link("ws/chain1", ALLOW)]
#[case::from_outside("out/to_note", ALLOW)]
#[case::beside("ws/src/main.rs", DENY)]
#[case::beside_new("ws/new.txt", DENY)]
#[case::above("ws", DENY)]
#[case::below("ws/note.txt/x", DENY)]
fn a_granted_file_covers_itself(tree: Tree, #[case] path: &str, #[case] allowed: bool) {
    let cx = context(&files([tree.text("ws/note.txt")]));
    assert_eq!(verdict(&cx, &tree.at(path)), allowed);
}

#[rstest]
fn the_root_covers_everything_that_can_be_resolved(tree: Tree) {
    let cx = context(&files(["/"]));
    for path in ["ws/note.txt", "out/key", "ws/new_out", "out/new/new"] {
        assert!(verdict(&cx, &tree.at(path)), "{path}");
    }
    for path in ["ws/loop", "ws/note.txt/x", "ws/new/../x"] {
        assert!(!verdict(&cx, &tree.at(path)), "{path}");
    }
}

#[rstest]
fn one_of_many_grants_is_enough_and_none_helps_another(tree: Tree) {
    let cx = context(&files([
        tree.text("out/sub"),
        tree.text("ws/src"),
        tree.text("wss"),
    ]));
    for path in ["out/sub/key", "ws/src/main.rs", "wss/f", "ws/in_dir/new"] {
        assert!(verdict(&cx, &tree.at(path)), "{path}");
    }
    for path in ["out/key", "ws/note.txt", "ws", "", "ws-out/f"] {
        assert!(!verdict(&cx, &tree.at(path)), "{path}");
    }
}

/// Grants that lead nowhere.
#[rstest]
#[case::missing("{root}/missing", "it does not exist")]
#[case::missing_file("{root}/ws/not_yet.txt", "it does not exist")]
#[case::link_to_missing("{root}/ws/new_out", "it does not exist")]
#[case::climbing("{root}/missing/../ws", "it does not exist")]
#[case::circle("{root}/ws/loop", "its links lead in a circle")]
#[case::below_file(
    "{root}/ws/note.txt/x",
    "it lies below something that is not a directory"
)]
#[case::pattern("{root}/ws*", "it does not exist")]
#[case::prefix("{root}/w", "it does not exist")]
#[case::home("~", "it does not exist")]
#[case::empty("", "it is empty")]
#[case::nul("{root}/ws\0", "it has a NUL")]
fn a_grant_that_leads_nowhere_covers_nothing_and_says_so(
    tree: Tree,
    #[case] grant: &str,
    #[case] reason: &str,
) {
    // Given a context with such a grant beside a sound one
    let grant = tree.expand(grant);
    let cx = context(&files([grant.clone(), tree.text("wss")]));
    // Then it is reported on both axes
    let found = cx.inert_grants();
    let found: Vec<_> = found
        .iter()
        .map(|found| (found.axis, &*found.grant, found.reason))
        .collect();
    assert_eq!(
        found,
        [("fs_read", &*grant, reason), ("fs_write", &*grant, reason)]
    );
    // And covers nothing, while the sound one does
    for path in [
        "ws/note.txt",
        "missing",
        "missing/x",
        "ws/not_yet.txt",
        "out/not_yet.txt",
    ] {
        assert!(!verdict(&cx, &tree.at(path)), "{path}");
    }
    assert!(verdict(&cx, &tree.at("wss/f")));
}

/// What is done to the granted directory `ws` after the context was minted.
#[rstest]
#[case::renamed(|tree: &Tree| fs::rename(tree.at("ws"), tree.at("old")).unwrap())]
#[case::replaced_by_another(|tree: &Tree| {
    fs::rename(tree.at("ws"), tree.at("old")).unwrap();
    fs::create_dir(tree.at("ws")).unwrap();
    fs::write(tree.at("ws/note.txt"), "planted").unwrap();
})]
#[case::replaced_by_a_link_out(|tree: &Tree| {
    fs::rename(tree.at("ws"), tree.at("old")).unwrap();
    symlink("out", tree.at("ws")).unwrap();
    fs::write(tree.at("out/note.txt"), "planted").unwrap();
})]
#[case::exchanged_with_the_outside(|tree: &Tree| {
    fs::rename(tree.at("ws"), tree.at("old")).unwrap();
    fs::rename(tree.at("out"), tree.at("ws")).unwrap();
    fs::write(tree.at("ws/note.txt"), "planted").unwrap();
})]
#[case::deleted(|tree: &Tree| fs::remove_dir_all(tree.at("ws")).unwrap())]
fn a_granted_directory_that_is_replaced_covers_nothing_any_more(
    tree: Tree,
    #[case] replace: fn(&Tree),
) {
    // Given two contexts of one grant, the second a clone
    let granted = files([tree.text("ws")]);
    let cx = context(&granted);
    let clone = cx.clone();
    assert!(verdict(&cx, &tree.at("ws/note.txt")));
    // When the granted directory is replaced
    replace(&tree);
    // Then neither covers anything, nor does a context minted from the same grant later
    for cx in [&cx, &clone, &context(&granted)] {
        for path in [
            "ws/note.txt",
            "ws",
            "ws/new.txt",
            "out/note.txt",
            "old/note.txt",
        ] {
            assert!(!verdict(cx, &tree.at(path)), "{path}");
        }
        let inert = cx.inert_grants();
        assert_eq!(inert.len(), 2);
        assert_eq!(inert[0].reason, "it was replaced after it had been opened");
    }
}

#[rstest]
fn a_grant_that_was_a_link_stays_with_what_the_link_led_to(tree: Tree) {
    // Given a grant through a link
    let granted = files([tree.text("ws_link")]);
    let cx = context(&granted);
    // When the link is turned to the outside
    fs::remove_file(tree.at("ws_link")).unwrap();
    symlink("out", tree.at("ws_link")).unwrap();
    // Then the grant still means the same directory, and not the new one
    assert!(verdict(&cx, &tree.at("ws/note.txt")));
    assert!(!verdict(&cx, &tree.at("ws_link/key")));
    assert!(!verdict(&cx, &tree.at("out/key")));
}

#[rstest]
fn unpinned_caveats_open_their_grants_afresh(tree: Tree) {
    // Given a granted directory that is made anew on purpose
    let granted = files([tree.text("wss")]);
    let before = context(&granted);
    fs::remove_dir_all(tree.at("wss")).unwrap();
    fs::create_dir(tree.at("wss")).unwrap();
    // When a context is minted from unpinned caveats
    let after = context(&granted.unpinned());
    // Then it covers the new directory, and the one before still does not
    assert_eq!(after.caveats(), before.caveats());
    assert!(verdict(&after, &tree.at("wss/new")));
    assert!(!verdict(&before, &tree.at("wss/new")));
}

#[rstest]
fn a_granted_file_that_is_replaced_covers_nothing_any_more(tree: Tree) {
    let cx = context(&files([tree.text("ws/note.txt")]));
    fs::write(tree.at("ws/planted"), "planted").unwrap();
    fs::rename(tree.at("ws/planted"), tree.at("ws/note.txt")).unwrap();
    assert!(!verdict(&cx, &tree.at("ws/note.txt")));
}
