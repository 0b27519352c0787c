//! The Landlock sandbox: what the kernel refuses to a started program, and what it does not.

use std::net::{Ipv4Addr, TcpListener};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::Stdio;
use std::sync::Arc;

use proofmark::leash::{
    AxisEnforcement, Caveats, ConfinedChild, ConfinedCommand, Gate, LandlockSandbox, Sandbox,
    SandboxKind, Scope, ToolError, ToolResult, best_available_sandbox, landlock_is_supported,
    landlock_net_is_supported,
};
use rstest::{fixture, rstest};

use crate::authority::{context, idle, only};
use crate::child::{ARGS, TASK, inconclusive, task, this_program};
use crate::tree::Entry::{self, Dir, File, HardLink, Link};
use crate::tree::Tree;

use AxisEnforcement::{Advisory, Interceptor, Kernel};

const TREE: &[Entry] = &[
    Dir("in"),
    Dir("in/empty"),
    Dir("out"),
    Dir("out/empty"),
    File("in/f"),
    File("in/g"),
    File("out/f"),
    File("solo"),
    Link("in/out", "../out"),
    Link("in/out_file", "../out/f"),
    Link("in/new_out", "../out/new"),
    Link("in_link", "in"),
    HardLink("in/second_name", "out/f"),
];

#[fixture]
pub fn tree() -> Tree {
    Tree::of(TREE)
}

pub const OK: i32 = 0;
const EPERM: i32 = 1;
pub const EACCES: i32 = 13;
const EXDEV: i32 = 18;

/// Does this kernel have Landlock? Where it has not, the test says that it shows nothing.
pub fn supported() -> bool {
    let supported = landlock_is_supported();
    if !supported {
        inconclusive("this kernel has no Landlock that confines files");
    }
    supported
}

/// Does this kernel keep signals and abstract sockets within the sandbox?
fn scopes() -> bool {
    use landlock::{CompatLevel, Compatible, Ruleset, RulesetAttr, Scope as Beyond};
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Beyond::Signal)
        .and_then(Ruleset::create)
        .is_ok()
}

fn start(granted: &Caveats, words: &[&str]) -> ToolResult<ConfinedChild> {
    ConfinedCommand::new(this_program().to_str().unwrap())
        .args(ARGS)
        .env(TASK, task(words))
        .stderr(Stdio::piped())
        .spawn(&context(granted))
}

/// The error number that a confined program gets for its task.
pub fn outcome(granted: &Caveats, words: &[&str]) -> i32 {
    let started = start(granted, words).unwrap();
    let output = started.child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    output.status.code().unwrap_or_else(|| panic!("{text}"))
}

fn expand(tree: &Tree, words: &[&str]) -> Vec<String> {
    words.iter().map(|word| tree.expand(word)).collect()
}

pub fn outcome_in(tree: &Tree, granted: &Caveats, words: &[&str]) -> i32 {
    let words = expand(tree, words);
    outcome(
        granted,
        &words.iter().map(String::as_str).collect::<Vec<_>>(),
    )
}

pub fn writing(tree: &Tree, grants: &[&str]) -> Caveats {
    Caveats {
        fs_write: only(grants.iter().map(|grant| tree.text(grant))),
        ..Caveats::top()
    }
}

pub fn reading(tree: &Tree, grants: &[&str]) -> Caveats {
    Caveats {
        fs_read: only(grants.iter().map(|grant| tree.text(grant))),
        ..Caveats::top()
    }
}

#[rstest]
#[case::create(&["write", "{root}/in/new"], OK)]
#[case::write(&["write", "{root}/in/f"], OK)]
#[case::append(&["append", "{root}/in/f"], OK)]
#[case::mkdir(&["mkdir", "{root}/in/d"], OK)]
#[case::rmdir(&["rmdir", "{root}/in/empty"], OK)]
#[case::unlink(&["unlink", "{root}/in/f"], OK)]
#[case::rename(&["rename", "{root}/in/f", "{root}/in/empty/f"], OK)]
#[case::symlink(&["symlink", "../out/f", "{root}/in/s"], OK)]
#[case::through_link_grant(&["write", "{root}/in_link/new"], OK)]
#[case::sink(&["write", "/dev/null"], OK)]
#[case::read_anywhere(&["read", "{root}/out/f"], OK)]
#[case::list_anywhere(&["list", "/"], OK)]
#[case::create_outside(&["write", "{root}/out/new"], EACCES)]
#[case::write_outside(&["write", "{root}/out/f"], EACCES)]
#[case::append_outside(&["append", "{root}/out/f"], EACCES)]
#[case::outside_by_dots(&["write", "{root}/in/../out/new"], EACCES)]
#[case::outside_by_link(&["write", "{root}/in/out_file"], EACCES)]
#[case::outside_by_directory_link(&["write", "{root}/in/out/new"], EACCES)]
#[case::outside_by_link_to_new(&["write", "{root}/in/new_out"], EACCES)]
#[case::mkdir_outside(&["mkdir", "{root}/out/d"], EACCES)]
#[case::rmdir_outside(&["rmdir", "{root}/out/empty"], EACCES)]
#[case::unlink_outside(&["unlink", "{root}/out/f"], EACCES)]
#[case::rename_to_outside(&["rename", "{root}/in/f", "{root}/out/g"], EACCES)]
#[case::rename_from_outside(&["rename", "{root}/out/f", "{root}/in/h"], EACCES)]
#[case::link_to_outside(&["link", "{root}/in/f", "{root}/out/h"], EACCES)]
#[case::symlink_outside(&["symlink", "x", "{root}/out/s"], EACCES)]
fn writes_outside_the_grant_fail_in_the_kernel(
    tree: Tree,
    #[case] words: &[&str],
    #[case] errno: i32,
) {
    if supported() {
        assert_eq!(outcome_in(&tree, &writing(&tree, &["in"]), words), errno);
    }
}

#[rstest]
#[case::write(&["write", "{root}/in/f"])]
#[case::create(&["write", "{root}/in/new"])]
#[case::unlink(&["unlink", "{root}/in/f"])]
#[case::mkdir(&["mkdir", "{root}/in/d"])]
fn an_empty_write_scope_lets_nothing_be_written(tree: Tree, #[case] words: &[&str]) {
    if supported() {
        assert_eq!(outcome_in(&tree, &writing(&tree, &[]), words), EACCES);
        assert_eq!(
            outcome_in(&tree, &Caveats::top(), words),
            OK,
            "not even without it"
        );
    }
}

#[rstest]
#[case::read(&["read", "{root}/in/f"], OK)]
#[case::list(&["list", "{root}/in"], OK)]
#[case::libraries(&["list", "/usr/lib"], OK)]
#[case::write_anywhere(&["append", "{root}/out/f"], OK)]
#[case::move_within_the_grant(&["rename", "{root}/in/f", "{root}/in/empty/f"], OK)]
#[case::move_outside_the_grant(&["rename", "{root}/out/f", "{root}/out/empty/f"], OK)]
#[case::read_outside(&["read", "{root}/out/f"], EACCES)]
#[case::read_by_dots(&["read", "{root}/in/../out/f"], EACCES)]
#[case::read_by_link(&["read", "{root}/in/out_file"], EACCES)]
#[case::list_outside(&["list", "{root}/out"], EACCES)]
#[case::list_root(&["list", "/"], EACCES)]
#[case::accounts(&["read", "/etc/passwd"], EACCES)]
#[case::other_processes(&["read", "/proc/self/environ"], EACCES)]
#[case::link_in_from_outside(&["link", "{root}/out/f", "{root}/in/h"], EXDEV)]
#[case::move_in_from_outside(&["rename", "{root}/out/f", "{root}/in/h"], EXDEV)]
fn reads_outside_the_grant_fail_in_the_kernel(
    tree: Tree,
    #[case] words: &[&str],
    #[case] errno: i32,
) {
    if supported() {
        assert_eq!(outcome_in(&tree, &reading(&tree, &["in"]), words), errno);
    }
}

#[rstest]
fn a_granted_file_is_that_file(tree: Tree) {
    if supported() {
        let granted = writing(&tree, &["solo"]);
        for (words, errno) in [
            (&["write", "{root}/solo"], OK),
            (&["unlink", "{root}/solo"], EACCES),
            (&["write", "{root}/in/f"], EACCES),
        ] {
            assert_eq!(outcome_in(&tree, &granted, words), errno, "{words:?}");
        }
    }
}

#[rstest]
fn a_started_program_is_held_to_the_object_that_was_granted(tree: Tree) {
    if supported() {
        // Given a context whose granted directory is replaced by a link out
        let granted = writing(&tree, &["in"]);
        let cx = context(&granted);
        std::fs::rename(tree.at("in"), tree.at("old")).unwrap();
        symlink("out", tree.at("in")).unwrap();
        // When a program writes there
        let write = |path: &str| {
            let words = ["write", &tree.text(path)];
            let started = ConfinedCommand::new(this_program().to_str().unwrap())
                .args(ARGS)
                .env(TASK, task(&words))
                .spawn(&cx);
            started.unwrap().child.wait().unwrap().code()
        };
        // Then only the directory that was granted takes it
        assert_eq!(write("in/planted"), Some(EACCES));
        assert_eq!(write("out/planted"), Some(EACCES));
        assert_eq!(write("old/written"), Some(OK));
    }
}

#[rstest]
fn a_grant_that_did_not_exist_covers_nothing_later(tree: Tree) {
    if supported() {
        let granted = writing(&tree, &["later"]);
        assert_eq!(
            outcome_in(&tree, &granted, &["mkdir", "{root}/later"]),
            EACCES
        );
        std::fs::create_dir(tree.at("later")).unwrap();
        assert_eq!(
            outcome_in(&tree, &granted, &["write", "{root}/later/f"]),
            EACCES
        );
    }
}

#[test]
fn a_program_that_is_not_granted_does_not_run_inside() {
    if supported() {
        let this = this_program();
        let granted = Caveats {
            exec: only([this.to_str().unwrap()]),
            ..Caveats::top()
        };
        let run = |program: &str| outcome(&granted, &["run", program]);
        assert_eq!(run("/usr/bin/true"), EACCES);
        assert_eq!(run("true"), EACCES);
        let by_name = Caveats {
            exec: only([this.to_str().unwrap(), "true"]),
            ..Caveats::top()
        };
        assert_eq!(outcome(&by_name, &["run", "true"]), OK);
    }
}

#[test]
fn what_a_granted_program_reads_to_start_needs_no_grant() {
    if supported() {
        // Neither this program nor its loader nor its libraries are granted for reading
        let granted = Caveats {
            fs_read: Scope::none(),
            fs_write: Scope::none(),
            exec: only([this_program().to_str().unwrap()]),
            net: Scope::none(),
            ..Caveats::top()
        };
        assert_eq!(outcome(&granted, &["nothing"]), OK);
        assert_eq!(outcome(&granted, &["read", "/etc/passwd"]), EACCES);
    }
}

#[rstest]
fn more_can_be_made_readable(tree: Tree) {
    if supported() {
        let sandbox = LandlockSandbox::new().also_reading(tree.at("out"));
        let read = |path: &str| {
            let started = ConfinedCommand::new(this_program().to_str().unwrap())
                .args(ARGS)
                .env(TASK, task(&["read", &tree.text(path)]))
                .sandbox(Arc::new(sandbox.clone()))
                .spawn(&context(&reading(&tree, &[])));
            started.unwrap().child.wait().unwrap().code()
        };
        assert_eq!(read("out/f"), Some(OK));
        assert_eq!(read("in/f"), Some(EACCES));
    }
}

#[rstest]
fn this_process_stays_free(tree: Tree) {
    if supported() {
        assert_eq!(outcome_in(&tree, &writing(&tree, &[]), &["nothing"]), OK);
        std::fs::write(tree.at("out/f"), "free").unwrap();
    }
}

/// What the report says, and that the floor is held against it.
#[rstest]
#[case::writing(|tree: &Tree| writing(tree, &["in"]), Some(Kernel))]
#[case::reading(|tree: &Tree| reading(tree, &["in"]), Some(Kernel))]
#[case::programs(
    |_: &Tree| Caveats { exec: only([this_program().to_str().unwrap()]), ..Caveats::top() },
    Some(Interceptor)
)]
#[case::a_host(|_: &Tree| Caveats { net: only(["h.test"]), ..Caveats::top() }, Some(Advisory))]
#[case::nothing(|_: &Tree| Caveats::top(), None)]
fn the_report_is_what_holds_and_the_floor_is_kept(
    tree: Tree,
    #[case] granted: fn(&Tree) -> Caveats,
    #[case] strength: Option<AxisEnforcement>,
) {
    if supported() {
        let granted = granted(&tree);
        for floor in [Advisory, Interceptor, Kernel] {
            let gate = Gate::new(0)
                .with_sandbox(best_available_sandbox().as_ref())
                .with_strength_floor(floor);
            let cx = gate.authorize(&idle(), &granted).unwrap();
            let outcome = ConfinedCommand::new(this_program().to_str().unwrap())
                .args(ARGS)
                .env(TASK, task(&["nothing"]))
                .spawn(&cx);
            let starts = strength.is_none_or(|strength| strength >= floor);
            match outcome {
                Ok(mut started) => {
                    assert!(starts, "{floor:?}");
                    assert!(started.child.wait().unwrap().success());
                    assert_eq!(started.sandbox_kind, cx.sandbox_kind());
                    let fence = proofmark::leash::fence_strength(&started.enforcement);
                    assert_eq!(fence, strength);
                }
                Err(ToolError::Denied { .. }) => assert!(!starts, "{floor:?}"),
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn where_no_host_is_granted_tcp_is_refused() {
    if !landlock_net_is_supported() {
        return inconclusive("this kernel has no Landlock that refuses TCP");
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let no_host = Caveats {
        net: Scope::none(),
        ..Caveats::top()
    };
    assert_eq!(outcome(&no_host, &["tcp", &port]), EACCES);
    assert_eq!(
        outcome(&Caveats::top(), &["tcp", &port]),
        OK,
        "not even without it"
    );
    // Which is not all there is, and is reported as less than the kernel's word
    let started = start(&no_host, &["nothing"]).unwrap();
    assert_eq!(started.sandbox_kind, SandboxKind::Landlock);
    assert_eq!(started.enforcement.net, Some(Interceptor));
    assert!(started.child.wait_with_output().unwrap().status.success());
}

#[test]
fn signals_and_abstract_sockets_stay_within_where_the_kernel_can_tell() {
    if !supported() {
        return;
    }
    let name = format!("proofmark-leash-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    let no_host = Caveats {
        net: Scope::none(),
        fs_write: Scope::none(),
        ..Caveats::top()
    };
    let (within, pid) = (scopes(), std::process::id().to_string());
    let expected = if within { EPERM } else { OK };
    assert_eq!(outcome(&no_host, &["abstract", &name]), expected);
    assert_eq!(outcome(&no_host, &["signal", &pid]), expected);
    assert_eq!(outcome(&Caveats::top(), &["abstract", &name]), OK);
    assert_eq!(outcome(&Caveats::top(), &["signal", &pid]), OK);
}

#[test]
fn the_best_sandbox_of_this_machine_is_what_it_says() {
    let kind = best_available_sandbox().kind();
    assert_eq!(kind == SandboxKind::Landlock, landlock_is_supported());
    assert_eq!(LandlockSandbox::new().kind(), kind);
}
