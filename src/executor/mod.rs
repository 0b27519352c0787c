//! Sending requests for a tool: the executor seam, the plan of a script, and the plan executor that
//! keeps its limits.

pub(crate) mod error;
mod http_executor;
pub(crate) mod outgoing;
mod plan;
pub(crate) mod run;

pub use error::{
    AuthFault, BackendFault, Blame, ExecutionError, LimitReached, RequestRefusal, ScriptError,
};
pub use http_executor::HttpExecutor;
pub use outgoing::{
    Attribution, BaseUrl, BaseUrlError, MAX_TARGET_BYTES, Method, OutgoingRequest, ask_policy,
};
pub use plan::{
    BinaryOperator, Builtin, ExecutionPlan, MethodName, ObjectField, PlanStep, PlannedCall,
    UnaryOperator, ValueExpr,
};
pub use run::{ApiCallLog, ExecutionConfig, ExecutionResult, PlanExecutor};
