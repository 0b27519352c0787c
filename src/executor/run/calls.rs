//! The calls of a plan: resolved, counted, sent, and their answers measured.

use std::borrow::Cow;
use std::io;

use futures_util::future::join_all;
use serde_json::Value;
use tokio::time::Instant;

use super::evaluate::{Evaluated, Evaluator};
use super::interrupt::Interrupt;
use super::plan_executor::ApiCallLog;
use super::scope::Scope;
use super::steps::Run;
use super::{ExecutionConfig, blocked};
use crate::executor::{
    ExecutionError, HttpExecutor, LimitReached, PlannedCall, ScriptError, ValueExpr,
};
use crate::path::Resolution;
use crate::path::nesting::bounded;

impl<H: HttpExecutor> Run<'_, H> {
    pub(super) async fn call(&mut self, call: &PlannedCall) -> Evaluated<Value> {
        let started = self.meter.calls(1)?;
        let resolution = self.resolved(call)?;
        let (answer, log) = send(self.http, self.config, call, resolution, started).await;
        self.log.push(log);
        Ok(answer?)
    }

    /// Makes all calls at once, after every one of them is resolved.
    pub(super) async fn parallel_calls(&mut self, calls: &[PlannedCall]) -> Evaluated<Value> {
        let started = self.meter.calls(calls.len())?;
        let mut ready = Vec::with_capacity(calls.len());
        for call in calls {
            ready.push((call, self.resolved(call)?));
        }
        self.send_all(ready, started).await
    }

    /// Makes the call once for each item, all at once, after every one is resolved.
    pub(super) async fn calls_for_each(
        &mut self,
        item_var: &str,
        items: Vec<Value>,
        call: &PlannedCall,
    ) -> Evaluated<Value> {
        let started = self.meter.calls(items.len())?;
        let mut ready = Vec::with_capacity(items.len());
        for item in items {
            let outer = self.variables.set(item_var, item);
            let resolution = self.resolved(call);
            self.variables.restore(item_var, outer);
            ready.push((call, resolution?));
        }
        self.send_all(ready, started).await
    }

    async fn send_all(
        &mut self,
        ready: Vec<(&PlannedCall, Resolution)>,
        started: Instant,
    ) -> Evaluated<Value> {
        let (http, config) = (self.http, self.config);
        let sent = ready
            .into_iter()
            .map(|(call, resolution)| send(http, config, call, resolution, started));
        let (answers, logs): (Vec<_>, Vec<_>) = join_all(sent).await.into_iter().unzip();
        self.log.extend(logs);
        let answers = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(Value::Array(answers))
    }

    fn resolved(&mut self, call: &PlannedCall) -> Evaluated<Resolution> {
        let mut evaluator = Evaluator::new(&mut self.meter);
        let scope = Scope::of(&self.variables);
        let body = match call.body() {
            Some(body) => Some(evaluator.checked(body, &scope)?),
            None => None,
        };
        let expressions = expressions(&mut evaluator, call, &scope)?;
        let mut expressions = expressions.into_iter();
        let template = call.path().interpolate(|slot| match slot.name() {
            Some(name) => scope.get(name).map(Cow::Borrowed),
            None => expressions.next().map(Cow::Owned),
        })?;
        let http = self.http;
        // A body that was checked is no deeper than a body may be.
        let resolution = template.fill(
            call.method().as_str(),
            |method, template, param| http.placeholder_rules(method, template, param),
            body,
        )?;
        Ok(resolution)
    }
}

/// The values of the unnamed `${…}`, in order.
fn expressions(
    evaluator: &mut Evaluator<'_, '_>,
    call: &PlannedCall,
    scope: &Scope<'_>,
) -> Evaluated<Vec<Value>> {
    let settle = |expr: &ValueExpr| evaluator.settled(expr, scope);
    call.expressions().iter().map(settle).collect()
}

async fn send<H: HttpExecutor>(
    http: &H,
    config: &ExecutionConfig,
    call: &PlannedCall,
    resolution: Resolution,
    started: Instant,
) -> (Result<Value, ExecutionError>, ApiCallLog) {
    let (target, body) = resolution.into_parts();
    let method = call.method();
    let answer = http
        .execute_request(method.as_str(), target.as_path(), body)
        .await
        .and_then(|answer| accepted(answer, config));
    let log = ApiCallLog {
        method,
        path: call.path().as_str().to_owned(),
        failed: answer.is_err(),
        duration: started.elapsed(),
    };
    (answer, log)
}

/// An answer that is shallow and small enough, without what must not be seen.
fn accepted(answer: Value, config: &ExecutionConfig) -> Result<Value, ExecutionError> {
    let mut answer = bounded(answer).ok_or(ScriptError::TooDeep)?;
    let limit = config.max_response_bytes;
    if serde_json::to_writer(Room { left: limit }, &answer).is_err() {
        return Err(LimitReached::ResponseSize { limit }.into());
    }
    blocked::strip(&mut answer, &config.blocked_fields);
    Ok(answer)
}

/// Counts what is written, and fails once it is too much.
struct Room {
    left: usize,
}

impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self
            .left
            .checked_sub(bytes.len())
            .ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The list that a step runs through.
pub(super) fn items_of(value: Value) -> Result<Vec<Value>, Interrupt> {
    match value {
        Value::Array(items) => Ok(items),
        _ => Err(super::evaluate::wrong("running through a list")),
    }
}
