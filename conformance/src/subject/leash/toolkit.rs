//! The toolkit's own leash, behind the seam.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use proofmark::async_trait;
use proofmark::leash::{
    AxisEnforcement, Caveats, ConfinedCommand, CountBound, EnforcementReport, Gate, NoopSandbox,
    Sandbox, SandboxKind, Scope, Tool, ToolContext, ToolResult, WriteMode, best_available_sandbox,
    effective_sandbox_kind, enforcement_report, fence_strength,
};
use serde_json::{Value, json};

use super::authority::{CaveatSpec, CountSpec, ScopeSpec};
use super::seam::{Denial, Leash, LeashContext, LeashGate, Verdict};
use super::spec::{FenceSpec, GateSpec, ProgramSpec, Ran, SandboxChoice, SandboxSpec, Strength};

/// The toolkit's leash, which offers everything: the reference subject, and an example of how a
/// leash is brought behind the seam.
///
/// ```
/// use proofmark_conformance::subject::{CaveatSpec, GateSpec, Leash, ToolkitLeash};
///
/// let gate = ToolkitLeash.gate(&GateSpec::new())?;
/// let granted = CaveatSpec::top().net(["api.example.test"]);
/// let context = gate.authorize(&granted, &CaveatSpec::top())?;
/// assert!(context.check_net("api.example.test").is_ok());
/// assert!(context.check_net("other.example.test").is_err());
/// # Ok::<(), proofmark_conformance::subject::Denial>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolkitLeash;

impl Leash for ToolkitLeash {
    fn gate(&self, spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
        let sandbox: Arc<dyn Sandbox> = match spec.sandbox {
            SandboxChoice::Best => best_available_sandbox(),
            SandboxChoice::Without => Arc::new(NoopSandbox),
        };
        let gate = Gate::with_budget(spec.generation, count(spec.budget));
        let mut gate = gate.with_sandbox(sandbox.as_ref());
        for floor in &spec.floors {
            gate = gate.with_strength_floor(enforcement(*floor));
        }
        Ok(Box::new(ToolkitGate { gate, sandbox }))
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
        let report = EnforcementReport {
            fs_read: fence.fs_read.map(enforcement),
            fs_write: fence.fs_write.map(enforcement),
            exec: fence.exec.map(enforcement),
            net: fence.net.map(enforcement),
        };
        Ok(fence_strength(&report).map(strength))
    }

    fn write(&self, authority: &CaveatSpec) -> Result<String, Denial> {
        serde_json::to_string(&caveats(authority)).map_err(Denial::new)
    }

    fn read(&self, text: &str) -> Result<CaveatSpec, Denial> {
        let read: Caveats = serde_json::from_str(text).map_err(Denial::new)?;
        Ok(spec_of(&read))
    }
}

struct ToolkitGate {
    gate: Gate,
    sandbox: Arc<dyn Sandbox>,
}

impl LeashGate for ToolkitGate {
    fn authorize(
        &self,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
    ) -> Result<Box<dyn LeashContext>, Denial> {
        let tool = Needing(caveats(needed));
        let context = self.gate.authorize(&tool, &caveats(granted));
        Ok(Box::new(ToolkitContext {
            context: context.map_err(Denial::new)?,
            sandbox: Arc::clone(&self.sandbox),
        }))
    }
}

/// A tool that needs what the judge says and does nothing.
struct Needing(Caveats);

#[async_trait]
impl Tool for Needing {
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
struct ToolkitContext {
    context: ToolContext,
    sandbox: Arc<dyn Sandbox>,
}

impl LeashContext for ToolkitContext {
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

    fn open_path_read(&self, path: &Path) -> Result<File, Denial> {
        self.context.open_path_read(path).map_err(Denial::new)
    }

    fn open_path_write(&self, path: &Path) -> Result<File, Denial> {
        let opened = self.context.open_path_write(path, WriteMode::Truncate);
        opened.map_err(Denial::new)
    }

    fn strength_floor(&self) -> Option<Strength> {
        Some(strength(self.context.strength_floor()))
    }

    fn sandbox_kind(&self) -> Option<SandboxSpec> {
        Some(sandbox_spec(self.context.sandbox_kind()))
    }

    fn enforcement(&self) -> Option<FenceSpec> {
        let caveats = self.context.caveats();
        let active = effective_sandbox_kind(self.sandbox.kind(), caveats);
        let report = enforcement_report(caveats, active);
        Some(FenceSpec {
            fs_read: report.fs_read.map(strength),
            fs_write: report.fs_write.map(strength),
            exec: report.exec.map(strength),
            net: report.net.map(strength),
        })
    }

    fn run(&self, program: &ProgramSpec) -> Result<Ran, Denial> {
        let mut command = ConfinedCommand::new(program.program.as_str())
            .args(&program.args)
            .sandbox(Arc::clone(&self.sandbox));
        if let Some(folder) = &program.folder {
            command = command.current_dir(folder);
        }
        let mut started = command.spawn(&self.context).map_err(Denial::new)?;
        let ended = started.child.wait().map_err(Denial::new)?;
        Ok(Ran::new(ended.code(), sandbox_spec(started.sandbox_kind)))
    }
}

fn sandbox_spec(kind: SandboxKind) -> SandboxSpec {
    match kind {
        SandboxKind::None => SandboxSpec::None,
        kernel => SandboxSpec::Kernel(format!("{kernel:?}")),
    }
}

fn enforcement(strength: Strength) -> AxisEnforcement {
    match strength {
        Strength::Advisory => AxisEnforcement::Advisory,
        Strength::Interceptor => AxisEnforcement::Interceptor,
        Strength::Kernel => AxisEnforcement::Kernel,
    }
}

fn strength(enforcement: AxisEnforcement) -> Strength {
    match enforcement {
        AxisEnforcement::Advisory => Strength::Advisory,
        AxisEnforcement::Interceptor => Strength::Interceptor,
        AxisEnforcement::Kernel => Strength::Kernel,
    }
}

fn caveats(spec: &CaveatSpec) -> Caveats {
    Caveats {
        fs_read: scope(&spec.fs_read),
        fs_write: scope(&spec.fs_write),
        exec: scope(&spec.exec),
        net: scope(&spec.net),
        max_calls: count(spec.max_calls),
        valid_for_generation: scope(&spec.generations),
    }
}

fn spec_of(caveats: &Caveats) -> CaveatSpec {
    CaveatSpec {
        fs_read: scope_spec(&caveats.fs_read),
        fs_write: scope_spec(&caveats.fs_write),
        exec: scope_spec(&caveats.exec),
        net: scope_spec(&caveats.net),
        max_calls: match caveats.max_calls {
            CountBound::Unlimited => CountSpec::Unlimited,
            CountBound::AtMost(count) => CountSpec::AtMost(count),
        },
        generations: scope_spec(&caveats.valid_for_generation),
    }
}

fn scope<T: Ord + Clone>(spec: &ScopeSpec<T>) -> Scope<T> {
    match spec {
        ScopeSpec::All => Scope::All,
        ScopeSpec::Only(items) => Scope::only(items.iter().cloned()),
    }
}

fn scope_spec<T: Ord + Clone>(scope: &Scope<T>) -> ScopeSpec<T> {
    match scope {
        Scope::All => ScopeSpec::All,
        Scope::Only(items) => ScopeSpec::Only(items.iter().cloned().collect::<BTreeSet<T>>()),
    }
}

fn count(spec: CountSpec) -> CountBound {
    match spec {
        CountSpec::Unlimited => CountBound::Unlimited,
        CountSpec::AtMost(count) => CountBound::AtMost(count),
    }
}
