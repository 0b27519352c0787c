//! The gate: what it grants, what it counts, and that nothing else makes a context.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use proofmark::leash::{
    AxisEnforcement, Caveats, CountBound, Gate, NoopSandbox, Registry, Sandbox, SandboxKind, Scope,
    Tool, ToolContext, ToolError, ToolResult,
};
use rstest::rstest;
use serde_json::{Value, json};

use crate::authority::{Idle, context, idle, only};

fn bounded(max_calls: CountBound) -> Caveats {
    Caveats {
        max_calls,
        ..Caveats::top()
    }
}

fn in_generations(generations: &[u64]) -> Caveats {
    Caveats {
        valid_for_generation: Scope::only(generations.iter().copied()),
        ..Caveats::top()
    }
}

/// What `calls` calls of one gate come to.
fn outcomes(gate: &Gate, granted: &Caveats, calls: usize) -> Vec<&'static str> {
    (0..calls)
        .map(|_| match gate.authorize(&idle(), granted) {
            Ok(_) => "ok",
            Err(ToolError::Budget) => "budget",
            Err(ToolError::Generation) => "generation",
            Err(other) => panic!("{other}"),
        })
        .collect()
}

#[rstest]
#[case::tool_narrower(only(["a", "b"]), only(["a"]), only(["a"]))]
#[case::tool_wider(only(["a"]), only(["a", "z"]), only(["a"]))]
#[case::disjoint(only(["a"]), only(["z"]), Scope::none())]
#[case::tool_leaves_it_to_the_grant(only(["a"]), Scope::All, only(["a"]))]
#[case::grant_leaves_it_to_the_tool(Scope::All, only(["a"]), only(["a"]))]
fn the_authority_of_a_call_is_what_grant_and_need_have_in_common(
    #[case] granted: Scope<String>,
    #[case] needed: Scope<String>,
    #[case] effective: Scope<String>,
) {
    // Given a grant and a tool's need
    let granted = Caveats {
        exec: granted,
        ..Caveats::top()
    };
    let tool = Idle {
        needs: Caveats {
            exec: needed,
            ..Caveats::top()
        },
    };
    // When the gate authorises a call
    let cx = Gate::new(0).authorize(&tool, &granted).unwrap();
    // Then its authority is their meet
    assert_eq!(cx.caveats(), &granted.meet(&tool.required()));
    assert_eq!(cx.caveats().exec, effective);
}

#[rstest]
#[case::gate_zero(CountBound::AtMost(0), CountBound::Unlimited, 0)]
#[case::grant_zero(CountBound::Unlimited, CountBound::AtMost(0), 0)]
#[case::gate_two(CountBound::AtMost(2), CountBound::Unlimited, 2)]
#[case::grant_two(CountBound::Unlimited, CountBound::AtMost(2), 2)]
#[case::the_tighter_one(CountBound::AtMost(3), CountBound::AtMost(1), 1)]
#[case::the_largest(CountBound::AtMost(u64::MAX), CountBound::AtMost(u64::MAX), 5)]
#[case::none(CountBound::Unlimited, CountBound::Unlimited, 5)]
fn as_many_calls_pass_as_the_tighter_bound_says_and_then_none(
    #[case] of_gate: CountBound,
    #[case] of_grant: CountBound,
    #[case] passing: usize,
) {
    let gate = Gate::with_budget(0, of_gate);
    let expected: Vec<_> = (0..5)
        .map(|call| if call < passing { "ok" } else { "budget" })
        .collect();
    assert_eq!(outcomes(&gate, &bounded(of_grant), 5), expected);
    assert_eq!(gate.spent(), passing as u64);
}

#[test]
fn what_is_spent_stays_spent_whatever_is_granted_next() {
    let gate = Gate::with_budget(0, CountBound::AtMost(1));
    assert_eq!(outcomes(&gate, &Caveats::top(), 2), ["ok", "budget"]);
    assert_eq!(
        outcomes(&gate, &bounded(CountBound::AtMost(9)), 1),
        ["budget"]
    );
    assert_eq!(outcomes(&gate, &Caveats::top(), 1), ["budget"]);
}

#[rstest]
#[case::listed(7, &[6, 7], true)]
#[case::largest(u64::MAX, &[u64::MAX], true)]
#[case::other(7, &[6, 8], false)]
#[case::empty(0, &[], false)]
fn a_grant_holds_in_its_generations_only(
    #[case] generation: u64,
    #[case] valid: &[u64],
    #[case] holds: bool,
) {
    let gate = Gate::new(generation);
    let expected = if holds { "ok" } else { "generation" };
    assert_eq!(outcomes(&gate, &in_generations(valid), 1), [expected]);
}

#[test]
fn a_call_denied_for_its_generation_is_not_charged() {
    // Given a gate with one call left
    let gate = Gate::with_budget(7, CountBound::AtMost(1));
    // When calls under the wrong generation are denied
    assert_eq!(outcomes(&gate, &in_generations(&[3]), 3), ["generation"; 3]);
    assert_eq!(gate.spent(), 0);
    // Then that call is left, and afterwards the generation is still told first
    assert_eq!(outcomes(&gate, &in_generations(&[7]), 2), ["ok", "budget"]);
    assert_eq!(outcomes(&gate, &in_generations(&[3]), 1), ["generation"]);
}

#[rstest]
#[case::none_of_many(0)]
#[case::some_of_many(10)]
#[case::all_but_one(63)]
fn exactly_as_many_concurrent_calls_pass_as_are_left(#[case] left: u64) {
    const THREADS: u64 = 64;
    for _ in 0..25 {
        // Given many threads at one gate, half of which also bring a hopeless grant
        let gate = Gate::with_budget(7, CountBound::AtMost(left));
        let start = Barrier::new(THREADS as usize);
        let passed = AtomicU64::new(0);
        // When all call at once
        thread::scope(|scope| {
            for number in 0..THREADS {
                let (gate, start, passed) = (&gate, &start, &passed);
                scope.spawn(move || {
                    let hopeless = in_generations(&[3]);
                    start.wait();
                    if number % 2 == 0 {
                        assert!(gate.authorize(&idle(), &hopeless).is_err());
                    }
                    if gate.authorize(&idle(), &Caveats::top()).is_ok() {
                        passed.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        // Then exactly as many pass as were left, and no more ever do
        assert_eq!(passed.into_inner(), left);
        assert!(gate.authorize(&idle(), &Caveats::top()).is_err());
        assert_eq!(gate.spent(), left);
    }
}

#[test]
fn the_floor_is_advisory_unless_raised() {
    let cx = context(&Caveats::top());
    assert_eq!(cx.strength_floor(), AxisEnforcement::Advisory);
}

#[rstest]
fn the_floor_is_only_ever_raised(
    #[values(
        AxisEnforcement::Advisory,
        AxisEnforcement::Interceptor,
        AxisEnforcement::Kernel
    )]
    first: AxisEnforcement,
    #[values(
        AxisEnforcement::Advisory,
        AxisEnforcement::Interceptor,
        AxisEnforcement::Kernel
    )]
    then: AxisEnforcement,
) {
    let gate = Gate::new(0)
        .with_strength_floor(first)
        .with_strength_floor(then);
    let cx = gate.authorize(&idle(), &Caveats::top()).unwrap();
    assert_eq!(cx.strength_floor(), first.max(then));
}

/// Claims to confine, for tests that ask what is claimed.
struct Claims(SandboxKind);

impl Sandbox for Claims {
    fn kind(&self) -> SandboxKind {
        self.0
    }

    fn apply(&self, _effective: &Caveats) -> ToolResult<()> {
        Ok(())
    }
}

#[rstest]
#[case::nothing_restricted(Caveats::top(), SandboxKind::None)]
#[case::only_calls_restricted(bounded(CountBound::AtMost(1)), SandboxKind::None)]
#[case::files_restricted(Caveats { fs_write: Scope::none(), ..Caveats::top() }, SandboxKind::Landlock)]
#[case::programs_restricted(Caveats { exec: Scope::none(), ..Caveats::top() }, SandboxKind::Landlock)]
#[case::a_host_it_cannot_express(Caveats { net: only(["h.test"]), ..Caveats::top() }, SandboxKind::None)]
fn a_context_reports_a_sandbox_only_where_its_caveats_engage_it(
    #[case] granted: Caveats,
    #[case] reported: SandboxKind,
) {
    let gate = Gate::new(0).with_sandbox(&Claims(SandboxKind::Landlock));
    let cx = gate.authorize(&idle(), &granted).unwrap();
    assert_eq!(cx.sandbox_kind(), reported);
    let gate = Gate::new(0).with_sandbox(&NoopSandbox);
    let cx = gate.authorize(&idle(), &granted).unwrap();
    assert_eq!(cx.sandbox_kind(), SandboxKind::None);
}

#[test]
fn a_clone_has_the_same_authority() {
    let cx = context(&Caveats {
        exec: only(["git"]),
        net: Scope::none(),
        ..Caveats::top()
    });
    let clone = cx.clone();
    assert_eq!(clone.caveats(), cx.caveats());
    assert!(clone.check_exec("git").is_ok());
    assert!(clone.check_exec("rm").is_err());
    assert!(clone.check_net("h.test").is_err());
    assert!(format!("{cx:?}").contains("git"));
}

/// Counts its runs, and fails when asked to.
struct Counting(Arc<AtomicU64>);

#[proofmark::async_trait]
impl Tool for Counting {
    fn name(&self) -> &str {
        "counting"
    }

    fn schema(&self) -> Value {
        json!({"type": "object"})
    }

    async fn invoke(&self, args: Value, cx: &ToolContext) -> ToolResult<Value> {
        cx.check_exec(args["program"].as_str().unwrap_or_default())?;
        Ok(json!(self.0.fetch_add(1, Ordering::Relaxed)))
    }
}

fn counting() -> (Registry, Arc<AtomicU64>) {
    let runs = Arc::new(AtomicU64::new(0));
    let tool = Arc::new(Counting(Arc::clone(&runs)));
    (Registry::builder().tool(tool).generation(7).build(), runs)
}

#[tokio::test]
async fn a_dispatch_charges_only_what_ran() {
    // Given a session with one call left
    let (registry, runs) = counting();
    let gate = Gate::with_budget(7, CountBound::AtMost(1));
    let top = Caveats::top();
    // When a tool is unknown, a generation wrong, and a call dropped before it starts
    let unknown = registry.dispatch_through(&gate, "countin", json!({}), &top);
    assert!(matches!(unknown.await, Err(ToolError::NotFound { name }) if name == "countin"));
    let stale = in_generations(&[3]);
    let wrong = registry.dispatch_through(&gate, "counting", json!({}), &stale);
    assert!(matches!(wrong.await, Err(ToolError::Generation)));
    drop(registry.dispatch_through(&gate, "counting", json!({}), &top));
    // Then nothing has been charged, and the one call runs
    assert_eq!(gate.spent(), 0);
    let first = registry.dispatch_through(&gate, "counting", json!({}), &top);
    assert_eq!(first.await.unwrap(), json!(0));
    let second = registry.dispatch_through(&gate, "counting", json!({}), &top);
    assert!(matches!(second.await, Err(ToolError::Budget)));
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

#[rstest]
#[case::denied_by_a_check(Caveats { exec: Scope::none(), ..Caveats::top() }, "denied")]
#[case::no_calls(bounded(CountBound::AtMost(0)), "denied: max_calls is spent")]
#[case::wrong_generation(in_generations(&[3]), "denied: the grant does not hold in this generation")]
#[tokio::test]
async fn a_denied_dispatch_does_not_run_the_tool(#[case] granted: Caveats, #[case] says: &str) {
    let (registry, runs) = counting();
    let outcome = registry.dispatch("counting", json!({"program": "rm"}), &granted);
    let error = outcome.await.unwrap_err().to_string();
    assert!(error.starts_with(says), "{error}");
    assert_eq!(runs.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_registry_lists_its_tools() {
    let (registry, _) = counting();
    assert_eq!(registry.tool_names(), ["counting"]);
    assert!(registry.contains("counting") && !registry.contains("idle"));
    let listed = json!([{"name": "counting", "inputSchema": {"type": "object"}}]);
    assert_eq!(Value::Array(registry.tool_definitions()), listed);
}

#[tokio::test]
async fn a_dispatch_carries_the_floor_to_the_tool() {
    struct Floor;
    #[proofmark::async_trait]
    impl Tool for Floor {
        fn name(&self) -> &str {
            "floor"
        }
        fn schema(&self) -> Value {
            json!({})
        }
        async fn invoke(&self, _args: Value, cx: &ToolContext) -> ToolResult<Value> {
            Ok(serde_json::to_value(cx.strength_floor()).unwrap())
        }
    }
    let registry = Registry::builder().tool(Arc::new(Floor)).build();
    let top = Caveats::top();
    let plain = registry.dispatch("floor", json!({}), &top).await;
    assert_eq!(plain.unwrap(), json!("advisory"));
    let kernel = AxisEnforcement::Kernel;
    let raised = registry.dispatch_with_strength_floor("floor", json!({}), &top, kernel);
    assert_eq!(raised.await.unwrap(), json!("kernel"));
}
