//! The capability leash, from outside.
#![cfg(unix)]
// Clippy knows only test functions as tests, and not what they call.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod authority;
mod gate;
mod lattice;
mod names;
mod opens;
mod paths;
mod tree;
