//! Runs the steps of a plan.

use std::pin::Pin;

use serde_json::Value;

use super::ExecutionConfig;
use super::calls::items_of;
use super::convert::is_truthy;
use super::evaluate::{Evaluated, Evaluator};
use super::interrupt::Interrupt;
use super::meter::Meter;
use super::plan_executor::ApiCallLog;
use super::scope::{Scope, Variables};
use crate::executor::{HttpExecutor, LimitReached, PlanStep, ScriptError, ValueExpr};

/// How deeply blocks may stand in each other.
const MAX_BLOCK_DEPTH: usize = 32;

/// One run of a plan.
pub(super) struct Run<'r, H> {
    pub(super) http: &'r H,
    pub(super) config: &'r ExecutionConfig,
    pub(super) meter: Meter<'r>,
    pub(super) variables: Variables<'r>,
    pub(super) log: Vec<ApiCallLog>,
    pub(super) depth: usize,
}

/// How a block ended.
pub(super) enum Flow {
    /// With its last step.
    Next,
    /// With `continue`.
    Continue,
    /// With `break`.
    Break,
    /// With a result.
    Return(Value),
}

/// A block that is being run.
type Running<'f> = Pin<Box<dyn Future<Output = Evaluated<Flow>> + Send + 'f>>;

impl<H: HttpExecutor> Run<'_, H> {
    /// Runs a block. Boxed, for blocks stand in blocks.
    pub(super) fn block<'f>(&'f mut self, steps: &'f [PlanStep]) -> Running<'f> {
        Box::pin(async move {
            if self.depth == MAX_BLOCK_DEPTH {
                return Err(ScriptError::TooDeep.into());
            }
            self.depth += 1;
            let flow = self.steps(steps).await;
            self.depth -= 1;
            flow
        })
    }

    /// Runs steps until one of them ends the block.
    pub(super) async fn steps(&mut self, steps: &[PlanStep]) -> Evaluated<Flow> {
        for step in steps {
            self.meter.work(1)?;
            match self.step(step).await? {
                Flow::Next => {}
                ended => return Ok(ended),
            }
        }
        Ok(Flow::Next)
    }

    async fn step(&mut self, step: &PlanStep) -> Evaluated<Flow> {
        match step {
            PlanStep::ApiCall { .. }
            | PlanStep::ParallelApiCalls { .. }
            | PlanStep::ParallelForEach { .. } => self.calling_step(step).await,
            PlanStep::Assign { var, expr } => {
                let value = self.value(expr)?;
                self.variables.set(var, value);
                Ok(Flow::Next)
            }
            PlanStep::Conditional {
                condition,
                then_steps,
                else_steps,
            } => {
                let holds = self.holds(condition)?;
                self.block(if holds { then_steps } else { else_steps })
                    .await
            }
            PlanStep::BoundedLoop {
                item_var,
                collection,
                max_iterations,
                body,
            } => {
                self.bounded_loop(item_var, collection, *max_iterations, body)
                    .await
            }
            PlanStep::Continue => Ok(Flow::Continue),
            PlanStep::Break => Ok(Flow::Break),
            PlanStep::TryCatch {
                try_steps,
                catch_var,
                catch_steps,
                finally_steps,
            } => {
                let catch = catch_steps
                    .as_deref()
                    .map(|steps| (catch_var.as_deref(), steps));
                self.try_catch(try_steps, catch, finally_steps).await
            }
            PlanStep::Throw { value } => Err(Interrupt::Thrown(self.value(value)?)),
            PlanStep::Return { value } => Ok(Flow::Return(self.value(value)?)),
        }
    }

    async fn calling_step(&mut self, step: &PlanStep) -> Evaluated<Flow> {
        let (result_var, answer) = match step {
            PlanStep::ApiCall { result_var, call } => (result_var, self.call(call).await?),
            PlanStep::ParallelApiCalls { result_var, calls } => {
                (result_var, self.parallel_calls(calls).await?)
            }
            PlanStep::ParallelForEach {
                result_var,
                item_var,
                collection,
                call,
            } => {
                let items = items_of(self.value(collection)?)?;
                (
                    result_var,
                    self.calls_for_each(item_var, items, call).await?,
                )
            }
            _ => return Ok(Flow::Next),
        };
        if let Some(name) = result_var {
            self.variables.set(name, answer);
        }
        Ok(Flow::Next)
    }

    async fn bounded_loop(
        &mut self,
        item_var: &str,
        collection: &ValueExpr,
        limit: usize,
        body: &[PlanStep],
    ) -> Evaluated<Flow> {
        let items = items_of(self.value(collection)?)?;
        let mut ended = Flow::Next;
        for (index, item) in items.into_iter().enumerate() {
            if index == limit {
                return Err(LimitReached::Iterations { limit }.into());
            }
            self.meter.iteration()?;
            let outer = self.variables.set(item_var, item);
            let flow = self.block(body).await;
            self.variables.restore(item_var, outer);
            match flow? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                Flow::Return(value) => {
                    ended = Flow::Return(value);
                    break;
                }
            }
        }
        Ok(ended)
    }

    async fn try_catch(
        &mut self,
        try_steps: &[PlanStep],
        catch: Option<(Option<&str>, &[PlanStep])>,
        finally_steps: &[PlanStep],
    ) -> Evaluated<Flow> {
        let mut flow = self.block(try_steps).await;
        if let Some((catch_var, catch_steps)) = catch
            && let Err(interrupt) = flow
        {
            let thrown = interrupt.caught()?;
            let outer = catch_var.map(|name| (name, self.variables.set(name, thrown)));
            flow = self.block(catch_steps).await;
            if let Some((name, outer)) = outer {
                self.variables.restore(name, outer);
            }
        }
        if let Err(Interrupt::Ended(_)) = flow {
            return flow;
        }
        match self.block(finally_steps).await? {
            Flow::Next => flow,
            ended => Ok(ended),
        }
    }

    fn value(&mut self, expr: &ValueExpr) -> Evaluated<Value> {
        let mut evaluator = Evaluator::new(&mut self.meter);
        evaluator.settled(expr, &Scope::of(&self.variables))
    }

    fn holds(&mut self, expr: &ValueExpr) -> Evaluated<bool> {
        let mut evaluator = Evaluator::new(&mut self.meter);
        let scope = Scope::of(&self.variables);
        let value = evaluator.eval(expr, &scope)?;
        Ok(is_truthy(&value))
    }
}
