//! A sound surface with one switch: each flaw is a mistake that surfaces make.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use proofmark::async_trait;
use proofmark::executor::{BaseUrl, ExecutionConfig, OutgoingRequest, PlanExecutor};
use proofmark::path::ResolvedPath;
use proofmark::request::RequestPhase;
use proofmark_conformance::subject::{
    OperationSpec, Script, ScriptCall, ScriptStep, ScriptValue, Surface, SurfaceEnv, ToolAction,
    ToolCall, ToolFailure,
};
use serde_json::{Map, Value};
use tokio::time::sleep;

use super::arguments::{check_schema, is_declarable, ready};
use super::flaw::Flaw;
use super::ids::{id_of, minted};
use super::line::Line;

/// The limits of a desk's scripts and answers.
pub(super) const CALLS: u64 = 5;
pub(super) const ITERATIONS: u64 = 20;
pub(super) const RESPONSE_BYTES: u64 = 4_096;
pub(super) const SCRIPT_MS: u64 = 300;

/// How long what is shared stays as it is: long enough for calls that are made at the same time.
const STANDS: Duration = Duration::from_millis(4);

/// A small surface over TCP: curated tools and scripts.
pub(super) struct Desk {
    pub(super) flaw: Flaw,
    pub(super) env: SurfaceEnv,
    pub(super) base: BaseUrl,
    pub(super) deadline: Duration,
    /// Whether the limits above are kept.
    pub(super) limited: bool,
    /// What one call leaves for the next, where it should not.
    pub(super) shared: Mutex<Shared>,
}

#[derive(Default)]
pub(super) struct Shared {
    pub(super) tool: String,
    pub(super) call_id: String,
    /// How many calls there were.
    pub(super) calls: u64,
    /// The targets that were allowed.
    pub(super) allowed: BTreeSet<String>,
    arguments: Map<String, Value>,
    variables: Map<String, Value>,
}

/// As a surface, so that its calls can hold on to it.
pub(super) struct AtDesk(Arc<Desk>);

impl AtDesk {
    pub(super) fn new(
        env: &SurfaceEnv,
        flaw: Flaw,
        limited: bool,
    ) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let base = BaseUrl::parse(env.base_url())?;
        if env.scheme().is_some() && !base.may_carry_credential() {
            return Err("a credential must not travel over plain http".into());
        }
        for tool in env.tools() {
            if let ToolAction::Operation(operation) = &tool.action
                && !is_declarable(flaw, env.scheme(), operation)
            {
                return Err("a header parameter has a name that arguments must not set".into());
            }
        }
        Ok(Self(Arc::new(Desk {
            flaw,
            deadline: env.deadline(),
            env: env.clone(),
            base,
            limited,
            shared: Mutex::default(),
        })))
    }
}

impl Desk {
    pub(super) fn shared(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_script_tool(&self, name: &str) -> bool {
        let tool = self.env.tool(name);
        tool.is_some_and(|tool| matches!(tool.action, ToolAction::Script(_)))
    }

    /// What a call is under way as: its tool's name, and its id.
    fn line(self: &Arc<Self>, call: &ToolCall) -> Result<Line, ToolFailure> {
        let is_script_tool = call.script.is_none() && self.is_script_tool(&call.tool);
        let tool = match self.flaw {
            Flaw::NamesOneTool => "http".to_owned(),
            Flaw::NamesScriptToolsAlike if is_script_tool => "execute_code".to_owned(),
            _ => call.tool.clone(),
        };
        // Without a policy nobody is told the id.
        let number = self.number();
        let call_id = match self.env.policy() {
            Some(_) if self.flaw == Flaw::CountsItsOwnCalls => format!("call-{number:06}"),
            Some(_) => id_of(self.flaw, call, self.env.credential())?,
            None => String::new(),
        };
        let mut shared = self.shared();
        shared.tool.clone_from(&tool);
        shared.call_id.clone_from(&call_id);
        drop(shared);
        Ok(Line {
            desk: Arc::clone(self),
            tool,
            call_id,
            begun: Instant::now(),
            requests: AtomicU32::new(0),
        })
    }

    /// How many calls there were before.
    fn number(&self) -> u64 {
        let mut shared = self.shared();
        shared.calls += 1;
        shared.calls
    }

    async fn operation(
        self: &Arc<Self>,
        call: &ToolCall,
        operation: &OperationSpec,
    ) -> Result<Value, ToolFailure> {
        let line = self.line(call)?;
        let mut args = call.arguments.as_object().cloned().unwrap_or_default();
        if self.flaw == Flaw::ValidatesFirst {
            self.validate_arguments(call)?;
        }
        if self.env.checks_schema() {
            check_schema(self.flaw, operation, &args)?;
        }
        let validates = match self.flaw {
            Flaw::ValidatesFirst => false,
            Flaw::ValidatesWithTheSchema => self.env.checks_schema(),
            Flaw::ValidatesOnce => self.shared().calls < 2,
            _ => true,
        };
        if validates {
            self.validate_arguments(call)?;
        }
        if self.flaw == Flaw::SharesArguments {
            self.shared().arguments = args;
            sleep(STANDS).await;
            args = self.shared().arguments.clone();
        }
        let ready = ready(self.flaw, &self.base, operation, &args)?;
        Ok(line.send(&ready).await?)
    }

    fn validate_arguments(&self, call: &ToolCall) -> Result<(), ToolFailure> {
        let hooks = self.env.hooks();
        let own = hooks.argument_validator_for(&call.tool);
        let any = hooks.validator_names().into_iter().next();
        let any = any.and_then(|name| hooks.argument_validator_for(name));
        let validator = match self.flaw {
            Flaw::ValidatesEveryTool => own.or(any),
            _ => own,
        };
        let Some(validator) = validator else {
            return Ok(());
        };
        match validator.validate(&call.arguments) {
            Err(refusal) if self.flaw != Flaw::IgnoresTheValidator => {
                Err(ToolFailure::refused(refusal.message()))
            }
            _ => Ok(()),
        }
    }

    async fn script(
        self: &Arc<Self>,
        call: &ToolCall,
        script: &Script,
    ) -> Result<Value, ToolFailure> {
        let mut script = script.clone();
        if self.flaw == Flaw::SharesVariables {
            self.share_variables(&mut script).await;
        }
        let plan = script.plan();
        let plan = plan.map_err(|fault| ToolFailure::refused(fault.to_string()))?;
        let executor = PlanExecutor::new(self.line(call)?, self.config());
        Ok(executor.execute(&plan).await?.value)
    }

    /// Gives the script's variables the values that they have in whatever script came last.
    async fn share_variables(&self, script: &mut Script) {
        for step in &script.steps {
            if let ScriptStep::Assign { name, value } = step {
                self.shared().variables.insert(name.clone(), value.clone());
            }
        }
        sleep(STANDS).await;
        let shared = self.shared();
        for step in &mut script.steps {
            if let ScriptStep::Assign { name, value } = step
                && let Some(last) = shared.variables.get(name)
            {
                value.clone_from(last);
            }
        }
    }

    fn config(&self) -> ExecutionConfig {
        if !self.limited {
            return ExecutionConfig::default();
        }
        let size = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
        let unless = |flaw: Flaw, limit: usize| match self.flaw == flaw {
            true => usize::MAX,
            false => limit,
        };
        let time = Duration::from_millis(SCRIPT_MS);
        ExecutionConfig::default()
            .with_max_api_calls(unless(Flaw::NoCallLimit, size(CALLS)))
            .with_max_loop_iterations(unless(Flaw::NoIterationLimit, size(ITERATIONS)))
            .with_max_response_bytes(match self.flaw {
                Flaw::CountsLetters => usize::MAX,
                _ => unless(Flaw::NoResponseLimit, size(RESPONSE_BYTES)),
            })
            .with_time_limit(match self.flaw {
                Flaw::NoTimeLimit | Flaw::LooksAtTheClockBetweenCalls => None,
                _ => Some(time),
            })
    }

    /// Asks the policy about a call whose every part is literal.
    async fn preview(self: &Arc<Self>, line: &Line, call: &ScriptCall) -> Result<(), ToolFailure> {
        let body = match &call.body {
            None => None,
            Some(ScriptValue::Literal(body)) => Some(body.clone()),
            Some(_) => return Ok(()),
        };
        let Ok(path) = ResolvedPath::from_checked(&call.path) else {
            return Ok(());
        };
        let outgoing = OutgoingRequest::new(&self.base, &call.method, path, body);
        let outgoing = outgoing.map_err(proofmark::executor::ExecutionError::from)?;
        Ok(line.ask(&outgoing, None, RequestPhase::Validate).await?)
    }

    /// The failure as this surface reports it.
    fn reported(&self, call: &ToolCall, failure: ToolFailure) -> ToolFailure {
        match self.flaw {
            Flaw::ReportsFaultsOnly => ToolFailure::fault(failure.to_string()),
            Flaw::ReportsFaultsOfScripts
                if call.script.is_none() && self.is_script_tool(&call.tool) =>
            {
                ToolFailure::fault(failure.to_string())
            }
            Flaw::ReportsRefusalsOnly => ToolFailure::refused(failure.to_string()),
            Flaw::QuotesArguments if failure.is_refusal() => {
                ToolFailure::refused(format!("{failure}, given {call}"))
            }
            Flaw::QuotesWhatIsNoScalar if failure.to_string().contains("a list of these") => {
                ToolFailure::refused(format!("{failure}, given {call}"))
            }
            Flaw::HasOneSentence if failure.is_refusal() => ToolFailure::refused("refused"),
            Flaw::HasOneSentence => ToolFailure::fault("failed"),
            _ => failure,
        }
    }
}

#[async_trait]
impl Surface for AtDesk {
    async fn call(&self, call: ToolCall) -> Result<Value, ToolFailure> {
        let desk = &self.0;
        let ended = match (&call.script, desk.env.tool(&call.tool)) {
            (Some(script), _) => desk.script(&call, script).await,
            (None, Some(tool)) => match &tool.action {
                ToolAction::Operation(operation) => desk.operation(&call, operation).await,
                ToolAction::Script(script) => desk.script(&call, script).await,
                _ => Err(ToolFailure::fault("the tool does nothing that is known")),
            },
            (None, None) => Err(ToolFailure::refused("there is no such tool")),
        };
        ended.map_err(|failure| desk.reported(&call, failure))
    }

    async fn validate(&self, script: Script) -> Result<(), ToolFailure> {
        let desk = &self.0;
        let line = Line {
            desk: Arc::clone(desk),
            tool: "execute_code".to_owned(),
            call_id: minted()?,
            begun: Instant::now(),
            requests: AtomicU32::new(0),
        };
        let mut left: Vec<&ScriptStep> = script.steps.iter().rev().collect();
        while let Some(step) = left.pop() {
            match step {
                ScriptStep::Call { call, .. } => desk.preview(&line, call).await?,
                ScriptStep::ForEach { body, .. } => left.extend(body.steps.iter().rev()),
                _ => {}
            }
        }
        Ok(())
    }
}
