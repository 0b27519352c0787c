//! The capability leash, from outside.
#![cfg(target_os = "linux")]
// Clippy knows only test functions as tests, and not what they call.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod alone;
mod authority;
mod child;
mod gate;
mod grants;
#[cfg(feature = "landlock")]
mod landlock;
#[cfg(feature = "landlock")]
mod landlock_gaps;
mod lattice;
mod names;
mod opens;
mod operation;
mod paths;
mod promises;
mod spawn;
mod tree;
