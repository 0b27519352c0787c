//! The proofmark judge: decides whether a request policy, an HTTP executor or a capability leash
//! keeps the promises its users rely on.
#![forbid(unsafe_code)]

pub mod catalogue;
pub mod check;
pub mod compile;
pub mod fuzz;
pub mod judge;
pub mod mock;
pub mod outcome;
pub mod profile;
pub mod recorder;
pub mod scan;
pub mod seed;
pub mod subject;
pub mod testing;
mod tree;
pub mod trial;
pub mod vectors;
pub mod worker;

/// The reference toolkit whose vocabulary every subject speaks.
pub use proofmark as toolkit;
