//! The proofmark judge: decides whether a request policy, an HTTP executor or a capability leash
//! keeps the promises its users rely on.
#![forbid(unsafe_code)]

pub mod catalogue;
pub mod profile;
pub mod subject;

/// The reference toolkit whose vocabulary every subject speaks.
pub use proofmark as toolkit;
