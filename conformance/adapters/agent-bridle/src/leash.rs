//! The crate's gates and contexts seen through the judge's seam.

use std::cmp::Ordering;
use std::fmt;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use agent_bridle_core as bridle;
use agent_bridle_core::{
    Caveats, ConfinedCommand, CountBound, Gate, SandboxPolicy, ToolContext, ToolResult,
    best_available_sandbox, effective_sandbox_kind, enforcement_report,
};
use proofmark_conformance::subject::{
    CaveatSpec, Denial, FenceSpec, GateSpec, Leash, LeashContext, LeashGate, ProgramSpec, Ran,
    SandboxChoice, SandboxSpec, Strength, Verdict,
};
use proofmark_conformance::toolkit::async_trait;
use serde_json::{Value, json};

use crate::authority::{caveats, count, spec_of};
use crate::fence::{enforcement, fence_spec, report, sandbox_spec, strength};

type Gates = Arc<dyn Fn(u64, CountBound) -> Gate + Send + Sync>;

/// A leash made of `agent-bridle-core`, as one that the judge can ask.
///
/// ```
/// use proofmark_agent_bridle::BridleLeash;
/// use proofmark_conformance::subject::{CaveatSpec, GateSpec, Leash};
///
/// let gate = BridleLeash::new().gate(&GateSpec::new())?;
/// let granted = CaveatSpec::top().net(["api.example.test"]);
/// let context = gate.authorize(&granted, &CaveatSpec::top())?;
/// assert!(context.check_net("api.example.test").is_ok());
/// assert!(context.check_net("other.example.test").is_err());
/// # Ok::<(), proofmark_conformance::subject::Denial>(())
/// ```
#[derive(Clone)]
pub struct BridleLeash {
    gates: Gates,
    policy: Arc<SandboxPolicy>,
}

impl BridleLeash {
    /// The crate's own gates and its default sandbox policy.
    #[must_use]
    pub fn new() -> Self {
        Self::with_gates(Gate::with_budget)
    }

    /// Gates that `gates` makes for a generation and a bound on calls. The judge may raise their
    /// floor, and stamps them with the best sandbox of this machine.
    ///
    /// ```
    /// use agent_bridle_core::{AxisEnforcement, Gate};
    /// use proofmark_agent_bridle::BridleLeash;
    /// use proofmark_conformance::subject::{CaveatSpec, GateSpec, Leash, Strength};
    ///
    /// let strict = BridleLeash::with_gates(|generation, budget| {
    ///     Gate::with_budget(generation, budget).with_strength_floor(AxisEnforcement::Kernel)
    /// });
    /// let top = CaveatSpec::top();
    /// let context = strict.gate(&GateSpec::new())?.authorize(&top, &top)?;
    /// assert_eq!(context.strength_floor(), Some(Strength::Kernel));
    /// # Ok::<(), proofmark_conformance::subject::Denial>(())
    /// ```
    #[must_use]
    pub fn with_gates(gates: impl Fn(u64, CountBound) -> Gate + Send + Sync + 'static) -> Self {
        Self {
            gates: Arc::new(gates),
            policy: Arc::new(SandboxPolicy::default()),
        }
    }

    /// The same leash, whose programs are started under this policy.
    #[must_use]
    pub fn sandbox_policy(mut self, policy: SandboxPolicy) -> Self {
        self.policy = Arc::new(policy);
        self
    }
}

impl Default for BridleLeash {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for BridleLeash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BridleLeash")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

impl Leash for BridleLeash {
    fn gate(&self, spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
        match spec.sandbox {
            SandboxChoice::Best => {}
            // A program is started in the best sandbox of the machine, whatever the gate says.
            SandboxChoice::Without => return Err(Denial::NotOffered),
        }
        let mut gate = (self.gates)(spec.generation, count(spec.budget))
            .with_sandbox(best_available_sandbox(&self.policy).as_ref());
        for floor in &spec.floors {
            gate = gate.with_strength_floor(enforcement(*floor));
        }
        Ok(Box::new(BridleGate {
            gate,
            policy: Arc::clone(&self.policy),
        }))
    }

    fn meet(&self, a: &CaveatSpec, b: &CaveatSpec) -> Result<CaveatSpec, Denial> {
        Ok(spec_of(&caveats(a).meet(&caveats(b))))
    }

    fn leq(&self, a: &CaveatSpec, b: &CaveatSpec) -> Result<bool, Denial> {
        Ok(caveats(a).leq(&caveats(b)))
    }

    fn compare(&self, a: Strength, b: Strength) -> Result<Ordering, Denial> {
        Ok(enforcement(a).cmp(&enforcement(b)))
    }

    fn fence_strength(&self, fence: &FenceSpec) -> Result<Option<Strength>, Denial> {
        Ok(bridle::fence_strength(&report(fence)).map(strength))
    }

    fn write(&self, authority: &CaveatSpec) -> Result<String, Denial> {
        serde_json::to_string(&caveats(authority)).map_err(Denial::new)
    }

    fn read(&self, text: &str) -> Result<CaveatSpec, Denial> {
        let read: Caveats = serde_json::from_str(text).map_err(Denial::new)?;
        Ok(spec_of(&read))
    }
}

struct BridleGate {
    gate: Gate,
    policy: Arc<SandboxPolicy>,
}

impl LeashGate for BridleGate {
    fn authorize(
        &self,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
    ) -> Result<Box<dyn LeashContext>, Denial> {
        let tool = Needing(caveats(needed));
        let context = self.gate.authorize(&tool, &caveats(granted));
        Ok(Box::new(BridleContext {
            context: context.map_err(Denial::new)?,
            policy: Arc::clone(&self.policy),
        }))
    }
}

/// A tool that needs what the judge says and does nothing.
struct Needing(Caveats);

#[async_trait]
impl bridle::Tool for Needing {
    fn name(&self) -> &str {
        "needing"
    }

    fn schema(&self) -> Value {
        json!({"type": "object"})
    }

    fn required(&self) -> Caveats {
        self.0.clone()
    }

    async fn invoke(&self, _args: Value, _cx: &ToolContext) -> ToolResult<Value> {
        Ok(Value::Null)
    }
}

#[derive(Clone)]
struct BridleContext {
    context: ToolContext,
    policy: Arc<SandboxPolicy>,
}

impl LeashContext for BridleContext {
    fn caveats(&self) -> CaveatSpec {
        spec_of(self.context.caveats())
    }

    fn duplicate(&self) -> Box<dyn LeashContext> {
        Box::new(self.clone())
    }

    fn check_exec(&self, program: &str) -> Verdict {
        self.context.check_exec(program).map_err(Denial::new)
    }

    fn check_net(&self, host: &str) -> Verdict {
        self.context.check_net(host).map_err(Denial::new)
    }

    fn check_path_read(&self, path: &Path) -> Verdict {
        self.context.check_path_read(path).map_err(Denial::new)
    }

    fn check_path_write(&self, path: &Path) -> Verdict {
        self.context.check_path_write(path).map_err(Denial::new)
    }

    fn strength_floor(&self) -> Option<Strength> {
        Some(strength(self.context.strength_floor()))
    }

    fn sandbox_kind(&self) -> Option<SandboxSpec> {
        Some(sandbox_spec(self.context.sandbox_kind()))
    }

    fn enforcement(&self) -> Option<FenceSpec> {
        let caveats = self.context.caveats();
        let best = best_available_sandbox(&self.policy).kind();
        let active = effective_sandbox_kind(best, caveats);
        Some(fence_spec(&enforcement_report(caveats, active)))
    }

    fn run(&self, program: &ProgramSpec) -> Result<Ran, Denial> {
        let mut command = ConfinedCommand::new(program.program.as_str())
            .args(&program.args)
            .stdin(Stdio::null())
            .sandbox_policy(Arc::clone(&self.policy));
        if let Some(folder) = &program.folder {
            command = command.current_dir(folder);
        }
        let mut started = command.spawn(&self.context).map_err(Denial::new)?;
        let ended = started.child.wait().map_err(Denial::new)?;
        Ok(Ran::new(ended.code(), sandbox_spec(started.sandbox_kind)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks the crate directly what the adapter asks it.
    fn direct(granted: &CaveatSpec) -> ToolContext {
        let gate = Gate::new(0);
        gate.authorize(&Needing(Caveats::top()), &caveats(granted))
            .unwrap()
    }

    fn adapted(granted: &CaveatSpec) -> Box<dyn LeashContext> {
        let gate = BridleLeash::new().gate(&GateSpec::new()).unwrap();
        gate.authorize(granted, &CaveatSpec::top()).unwrap()
    }

    #[test]
    fn a_denial_keeps_its_text_byte_for_byte() {
        let granted = CaveatSpec::top()
            .exec(["git"])
            .net(["a.test"])
            .fs_read(["/nowhere/r"])
            .fs_write(["/nowhere/w"]);
        let (crates, ours) = (direct(&granted), adapted(&granted));
        let path = Path::new("/etc/\u{1b}passwd");
        let pairs = [
            (crates.check_exec("rm\n"), ours.check_exec("rm\n")),
            (crates.check_net("b.test"), ours.check_net("b.test")),
            (crates.check_path_read(path), ours.check_path_read(path)),
            (crates.check_path_write(path), ours.check_path_write(path)),
        ];
        for (crates, ours) in pairs {
            let text = crates.unwrap_err().to_string();
            assert_eq!(ours, Err(Denial::Denied(text)));
        }
    }

    #[test]
    fn a_gate_is_made_as_it_is_specified() {
        let spec = GateSpec::new()
            .generation(3)
            .budget(1)
            .floor(Strength::Interceptor);
        let gate = BridleLeash::new().gate(&spec).unwrap();
        let authorize = |granted: &CaveatSpec| gate.authorize(granted, &CaveatSpec::top());

        assert!(authorize(&CaveatSpec::top().generations([2])).is_err());
        let context = authorize(&CaveatSpec::top().generations([3])).unwrap();
        assert_eq!(context.strength_floor(), Some(Strength::Interceptor));
        assert!(
            authorize(&CaveatSpec::top()).is_err(),
            "the budget is spent"
        );
    }

    #[test]
    fn what_the_crate_does_not_have_is_not_offered() {
        let without = GateSpec::new().sandbox(SandboxChoice::Without);
        assert!(matches!(
            BridleLeash::new().gate(&without),
            Err(Denial::NotOffered)
        ));
        let context = adapted(&CaveatSpec::top());
        assert!(matches!(
            context.open_path_read(Path::new("/")),
            Err(Denial::NotOffered)
        ));
    }

    #[test]
    fn a_need_narrows_and_a_clone_says_the_same() {
        let gate = BridleLeash::new().gate(&GateSpec::new()).unwrap();
        let granted = CaveatSpec::top().net(["a.test", "b.test"]);
        let needed = CaveatSpec::top().net(["b.test", "c.test"]);
        let context = gate.authorize(&granted, &needed).unwrap();
        assert_eq!(context.caveats(), CaveatSpec::top().net(["b.test"]));
        assert_eq!(context.duplicate().caveats(), context.caveats());
    }

    #[test]
    fn a_program_runs_and_its_exit_status_comes_back() {
        let run = |program: &str| adapted(&CaveatSpec::top()).run(&ProgramSpec::new(program));
        assert_eq!(run("/bin/false"), Ok(Ran::new(Some(1), SandboxSpec::None)));
        assert!(matches!(run("/nowhere/x"), Err(Denial::Denied(_))));
    }
}
