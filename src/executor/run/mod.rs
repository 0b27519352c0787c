//! Running a plan: its limits, its variables, its expressions, its steps and its calls.

mod blocked;
mod builtins;
mod calls;
mod config;
mod convert;
pub(crate) mod deadline;
mod evaluate;
mod interrupt;
mod meter;
mod methods;
mod operators;
mod plan_executor;
mod scope;
mod steps;
mod weight;

pub use config::ExecutionConfig;
pub use plan_executor::{ApiCallLog, ExecutionResult, PlanExecutor};
