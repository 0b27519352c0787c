//! The plan of a script: what it does, as data that can be looked at before anything runs.

mod call;
mod expression;
mod step;

pub use call::PlannedCall;
pub use expression::{BinaryOperator, Builtin, MethodName, ObjectField, UnaryOperator, ValueExpr};
pub use step::{ExecutionPlan, PlanStep};
