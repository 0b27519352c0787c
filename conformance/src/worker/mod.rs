//! Isolation: a subject is judged in a process of its own, which may crash, hang or flood without
//! costing more than its verdict.

mod child;
mod environment;
mod errand;
mod job;
mod limits;
mod output;
mod parent;

pub use child::{is_worker, serve};
pub(crate) use environment::ProxyTripwire;
pub(crate) use errand::Errand;
pub use job::Job;
pub use parent::{Supervisor, WorkerError};
