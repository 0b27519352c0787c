//! The steps of a plan.

use super::{PlannedCall, ValueExpr};

/// The steps of a script, in order.
///
/// Plans are built by a compiler and are trusted to be finite, not to be kind: whatever they ask
/// for, [`PlanExecutor`](crate::executor::PlanExecutor) keeps its limits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExecutionPlan {
    /// The steps.
    pub steps: Vec<PlanStep>,
}

impl ExecutionPlan {
    /// A plan of these steps.
    #[must_use]
    pub fn new(steps: Vec<PlanStep>) -> Self {
        Self { steps }
    }

    /// Shows `visit` every call of the plan, those in branches, loops and handlers included, in the
    /// order in which they are written.
    ///
    /// ```
    /// use proofmark::executor::{ExecutionPlan, Method, PlanStep, PlannedCall};
    /// use proofmark::path::PathTemplate;
    ///
    /// let call = PlannedCall::new(Method::Get, PathTemplate::static_path("/items")?);
    /// let plan = ExecutionPlan::new(vec![PlanStep::TryCatch {
    ///     try_steps: vec![PlanStep::ApiCall { result_var: None, call }],
    ///     catch_var: None,
    ///     catch_steps: None,
    ///     finally_steps: Vec::new(),
    /// }]);
    /// let mut paths = Vec::new();
    /// plan.visit_calls(&mut |call| paths.push(call.path().as_str().to_owned()));
    /// assert_eq!(paths, ["/items"]);
    /// # Ok::<(), proofmark::path::TemplateError>(())
    /// ```
    pub fn visit_calls(&self, visit: &mut dyn FnMut(&PlannedCall)) {
        let mut left = vec![self.steps.iter()];
        while let Some(steps) = left.last_mut() {
            let Some(step) = steps.next() else {
                left.pop();
                continue;
            };
            step.own_calls().for_each(&mut *visit);
            let blocks = step.blocks().into_iter().rev();
            left.extend(blocks.map(|block| block.iter()));
        }
    }
}

/// One step.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq)]
pub enum PlanStep {
    /// Makes a call and keeps its answer.
    ApiCall {
        /// The variable that receives the answer.
        result_var: Option<String>,
        /// The call.
        call: PlannedCall,
    },
    /// Makes several calls at once and keeps the list of their answers.
    ///
    /// All are resolved before any is sent: if one is refused, none is.
    ParallelApiCalls {
        /// The variable that receives the answers.
        result_var: Option<String>,
        /// The calls.
        calls: Vec<PlannedCall>,
    },
    /// Makes one call for each item of a list, all at once, as [`ParallelApiCalls`] does.
    ///
    /// [`ParallelApiCalls`]: PlanStep::ParallelApiCalls
    ParallelForEach {
        /// The variable that receives the answers.
        result_var: Option<String>,
        /// The variable that holds the item while its call is resolved.
        item_var: String,
        /// The list.
        collection: ValueExpr,
        /// The call.
        call: PlannedCall,
    },
    /// Gives a variable a value.
    Assign {
        /// The variable.
        var: String,
        /// The value.
        expr: ValueExpr,
    },
    /// Goes one way or the other.
    Conditional {
        /// What decides.
        condition: ValueExpr,
        /// The way if it holds.
        then_steps: Vec<PlanStep>,
        /// The way if it does not.
        else_steps: Vec<PlanStep>,
    },
    /// Runs through a list.
    BoundedLoop {
        /// The variable that holds the item.
        item_var: String,
        /// The list.
        collection: ValueExpr,
        /// How many items it may have; more end the script.
        max_iterations: usize,
        /// What is done with each item.
        body: Vec<PlanStep>,
    },
    /// Goes on with the next item of the innermost loop.
    Continue,
    /// Ends the innermost loop.
    Break,
    /// Handles an error. A limit that was reached is none that can be handled.
    TryCatch {
        /// What may fail.
        try_steps: Vec<PlanStep>,
        /// The variable that receives what was thrown.
        catch_var: Option<String>,
        /// What is done then; without it, the error goes on after `finally_steps`.
        catch_steps: Option<Vec<PlanStep>>,
        /// What is done in any case.
        finally_steps: Vec<PlanStep>,
    },
    /// Throws an error.
    Throw {
        /// What is thrown.
        value: ValueExpr,
    },
    /// Ends the script with a result.
    Return {
        /// The result.
        value: ValueExpr,
    },
}

impl PlanStep {
    fn own_calls(&self) -> impl Iterator<Item = &PlannedCall> {
        let calls = match self {
            Self::ApiCall { call, .. } | Self::ParallelForEach { call, .. } => {
                std::slice::from_ref(call)
            }
            Self::ParallelApiCalls { calls, .. } => calls.as_slice(),
            _ => &[],
        };
        calls.iter()
    }

    /// The steps within this one.
    fn blocks(&self) -> [&[PlanStep]; 3] {
        match self {
            Self::Conditional {
                then_steps,
                else_steps,
                ..
            } => [then_steps, else_steps, &[]],
            Self::BoundedLoop { body, .. } => [body, &[], &[]],
            Self::TryCatch {
                try_steps,
                catch_steps,
                finally_steps,
                ..
            } => [
                try_steps,
                catch_steps.as_deref().unwrap_or_default(),
                finally_steps,
            ],
            _ => [&[], &[], &[]],
        }
    }
}
