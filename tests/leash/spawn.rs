//! Starting programs on the leash: what is refused, and what a started program gets.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use proofmark::leash::{
    AxisEnforcement, Caveats, ConfinedCommand, Gate, NoopSandbox, Sandbox, SandboxKind, Scope,
    ToolError, ToolResult, confinement_unenforceable,
};
use rstest::{fixture, rstest};

use crate::authority::{context, idle, only};
use crate::child::{ARGS, TASK, task, this_program};
use crate::tree::Entry::{Dir, File};
use crate::tree::Tree;

use AxisEnforcement::{Advisory, Interceptor, Kernel};

#[fixture]
fn tree() -> Tree {
    Tree::of(&[Dir("ws"), File("ws/note.txt")])
}

/// This program, given a task.
fn confined(words: &[&str]) -> ConfinedCommand {
    ConfinedCommand::new(this_program().to_str().unwrap())
        .args(ARGS)
        .env(TASK, task(words))
}

fn reading() -> Caveats {
    Caveats {
        fs_read: only(["/usr"]),
        ..Caveats::top()
    }
}

fn writing() -> Caveats {
    Caveats {
        fs_write: Scope::none(),
        ..Caveats::top()
    }
}

fn running_this_file() -> Caveats {
    Caveats {
        exec: only([this_program().to_str().unwrap()]),
        ..Caveats::top()
    }
}

fn running_this_name() -> Caveats {
    let name = this_program();
    Caveats {
        exec: only([name.file_name().unwrap().to_str().unwrap()]),
        ..Caveats::top()
    }
}

fn reaching(hosts: &[&str]) -> Caveats {
    Caveats {
        net: only(hosts.iter().copied()),
        ..Caveats::top()
    }
}

const STARTS: bool = true;
const REFUSED: bool = false;

/// Without a sandbox: whatever the floor, nothing is started that only a sandbox could hold.
#[rstest]
#[case::nothing_restricted(Caveats::top(), Kernel, STARTS)]
#[case::only_calls_restricted(
    Caveats { max_calls: proofmark::leash::CountBound::AtMost(1), ..Caveats::top() },
    Kernel,
    STARTS
)]
#[case::reading(reading(), Advisory, REFUSED)]
#[case::reading_kernel(reading(), Kernel, REFUSED)]
#[case::writing(writing(), Advisory, REFUSED)]
#[case::writing_interceptor(writing(), Interceptor, REFUSED)]
#[case::a_program_by_path(running_this_file(), Advisory, REFUSED)]
#[case::a_program_by_name(running_this_name(), Advisory, STARTS)]
#[case::a_program_by_name_interceptor(running_this_name(), Interceptor, STARTS)]
#[case::a_program_by_name_kernel(running_this_name(), Kernel, REFUSED)]
#[case::hosts(reaching(&["h.test"]), Advisory, STARTS)]
#[case::hosts_interceptor(reaching(&["h.test"]), Interceptor, REFUSED)]
#[case::no_host(reaching(&[]), Advisory, STARTS)]
#[case::no_host_kernel(reaching(&[]), Kernel, REFUSED)]
fn what_no_sandbox_holds_is_started_only_if_the_floor_allows(
    tree: Tree,
    #[case] granted: Caveats,
    #[case] floor: AxisEnforcement,
    #[case] starts: bool,
) {
    // Given a context with that floor
    let gate = Gate::new(0).with_strength_floor(floor);
    let cx = gate.authorize(&idle(), &granted).unwrap();
    // When a program is started without a sandbox, to leave a mark
    let mark = tree.at("mark");
    let outcome = confined(&["write", mark.to_str().unwrap()])
        .sandbox(Arc::new(NoopSandbox))
        .spawn(&cx);
    // Then it runs and says so, or it is refused and leaves none
    assert_eq!(
        confinement_unenforceable(SandboxKind::None, cx.caveats(), floor),
        !starts
    );
    match outcome {
        Ok(mut started) => {
            assert!(started.child.wait().unwrap().success());
            assert_eq!(started.sandbox_kind, SandboxKind::None);
        }
        Err(ToolError::Denied { reason }) => assert!(reason.contains("is not started"), "{reason}"),
        Err(other) => panic!("{other}"),
    }
    assert_eq!(mark.exists(), starts);
}

#[rstest]
#[case::not_granted(only(["sh"]))]
#[case::nothing_granted(Scope::none())]
#[case::another_file_of_that_name(only(["/usr/bin/leash"]))]
fn a_program_that_is_not_granted_is_not_started(tree: Tree, #[case] exec: Scope<String>) {
    let cx = context(&Caveats {
        exec,
        ..Caveats::top()
    });
    let mark = tree.at("mark");
    let outcome = confined(&["write", mark.to_str().unwrap()]).spawn(&cx);
    assert!(matches!(outcome, Err(ToolError::Denied { .. })));
    assert!(!mark.exists());
}

#[rstest]
#[case::missing("/no/such/program")]
#[case::missing_name("proofmark-has-no-such-program")]
#[case::directory("/usr")]
#[case::empty("")]
#[case::nul("/bin/sh\0")]
#[case::below_a_file("/bin/sh/x")]
fn what_is_no_program_is_an_error(#[case] program: &str) {
    let outcome = ConfinedCommand::new(program).spawn(&context(&Caveats::top()));
    match outcome {
        Err(ToolError::Exec(error)) => assert_eq!(error.kind(), ErrorKind::NotFound),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_environment_is_only_what_was_set() {
    let cx = context(&Caveats::top());
    let child = confined(&["environment", "LEASH_EXTRA"]).env("LEASH_EXTRA", "1");
    assert!(child.spawn(&cx).unwrap().child.wait().unwrap().success());
    let child = confined(&["environment", ""]);
    assert!(child.spawn(&cx).unwrap().child.wait().unwrap().success());
}

#[test]
fn the_program_gets_its_name_arguments_directory_and_streams() {
    let started = ConfinedCommand::new("sh")
        .args(["-c", "echo $0 $1; pwd; cat; echo oops >&2", "zero"])
        .arg("one")
        .current_dir("/usr")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .new_process_group()
        .spawn(&context(&Caveats::top()))
        .unwrap();
    let mut child = started.child;
    drop(child.stdin.take());
    let (mut out, mut err) = (String::new(), String::new());
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .unwrap();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!((out.as_str(), err.as_str()), ("zero one\n/usr\n", "oops\n"));
}

/// Breaks in the middle of confining.
enum Breaks {
    WithAnError,
    WithAPanic,
}

impl Sandbox for Breaks {
    fn kind(&self) -> SandboxKind {
        SandboxKind::Landlock
    }

    fn apply(&self, _effective: &Caveats) -> ToolResult<()> {
        match self {
            Self::WithAnError => Err(ToolError::denied("half of the rules are missing")),
            Self::WithAPanic => std::panic::resume_unwind(Box::new("half of the rules")),
        }
    }
}

#[rstest]
#[case::error(Breaks::WithAnError)]
#[case::panic(Breaks::WithAPanic)]
fn nothing_is_started_when_the_sandbox_breaks(tree: Tree, #[case] sandbox: Breaks) {
    let mark = tree.at("mark");
    let outcome = confined(&["write", mark.to_str().unwrap()])
        .sandbox(Arc::new(sandbox))
        .spawn(&context(&writing()));
    assert!(
        matches!(outcome, Err(ToolError::Denied { .. })),
        "{outcome:?}"
    );
    assert!(!mark.exists());
    // Nothing of it sticks to this process
    fs::write(&mark, "").unwrap();
}

/// Confines nothing, and remembers what it was asked for.
struct Remembers(std::sync::Mutex<Vec<String>>);

impl Sandbox for Remembers {
    fn kind(&self) -> SandboxKind {
        SandboxKind::MinimalRootfs
    }

    fn apply(&self, _effective: &Caveats) -> ToolResult<()> {
        Err(ToolError::denied("the program is not known here"))
    }

    fn apply_for(&self, effective: &Caveats, program: &Path) -> ToolResult<()> {
        let asked = format!("{} {:?}", program.display(), effective.fs_write);
        self.0.lock().unwrap().push(asked);
        Ok(())
    }
}

#[test]
fn a_sandbox_of_another_maker_is_asked_to_confine_to_the_caveats() {
    let sandbox = Arc::new(Remembers(std::sync::Mutex::default()));
    let started = ConfinedCommand::new("true")
        .sandbox(Arc::clone(&sandbox) as Arc<dyn Sandbox>)
        .spawn(&context(&writing()))
        .unwrap();
    assert_eq!(started.sandbox_kind, SandboxKind::MinimalRootfs);
    assert_eq!(started.enforcement.fs_write, Some(Kernel));
    let mut child = started.child;
    assert!(child.wait().unwrap().success());
    let asked = sandbox.0.lock().unwrap();
    assert!(asked[0].ends_with("/true Only({})"), "{asked:?}");
}
