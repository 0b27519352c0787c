//! The proofmark reference toolkit: the vocabulary in which an agent server speaks of its
//! outbound requests, and an implementation of each part that keeps every promise made for it.
//!
//! This crate is the *toolkit*. To certify your own policy, executor or leash, the
//! dev-dependency is `proofmark-conformance`; the command-line program is
//! `cargo install proofmark-cli`.
#![forbid(unsafe_code)]

pub mod clock;
pub mod executor;
#[cfg(feature = "http")]
pub mod http;
pub mod leash;
pub mod path;
pub mod policy;
pub mod request;
mod sync;

/// The attribute that implementors of [`policy::RequestPolicy`] put on their `impl` block.
pub use async_trait::async_trait;
