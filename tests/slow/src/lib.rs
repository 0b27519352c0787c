//! The toolkit's budgets and gate, compiled once more with a model checker's locks and counters in
//! place of the standard library's.
#![forbid(unsafe_code)]
#![allow(
    dead_code,
    reason = "other modules of the toolkit, which are not compiled here, use the rest"
)]

#[path = "../../../src/clock.rs"]
pub mod clock;
#[path = "../../../src/leash/mod.rs"]
pub mod leash;
#[path = "../../../src/policy/mod.rs"]
pub mod policy;
#[path = "../../../src/request/mod.rs"]
pub mod request;

/// The counterpart of the toolkit's module of the same name: each step is seen by the model
/// checker, which may let another thread go on there.
mod sync {
    pub(crate) use shuttle::sync::atomic::{AtomicU64, Ordering};
    pub(crate) use shuttle::sync::{Mutex, MutexGuard};
    pub(crate) use std::sync::PoisonError;
}
