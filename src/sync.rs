//! What budgets are counted on. The model checker of `tests/slow` compiles these modules with its
//! own counterpart of this file, so that it sees every step.

pub(crate) use std::sync::atomic::{AtomicU64, Ordering};
pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError};
