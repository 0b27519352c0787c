//! The capability leash, from outside.
#![cfg(target_os = "linux")]
// Clippy knows only test functions as tests, and not what they call.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod alone;
mod authority;
mod child;
mod gate;
#[cfg(feature = "landlock")]
mod landlock;
mod lattice;
mod names;
mod opens;
mod operation;
mod paths;
mod spawn;
mod tree;
