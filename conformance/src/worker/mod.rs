//! Isolation: a subject is judged in a process of its own, which may crash, hang or flood without
//! costing more than its verdict.

mod child;
mod job;
mod limits;
mod output;
mod parent;

pub use child::{is_worker, serve};
pub use job::Job;
pub use parent::{Supervisor, WorkerError};
