//! The leash beside the public crate: whatever differs is stated, with its reason.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod case;
mod differences;
mod generated;
mod laws;
mod sides;
mod smaller;
mod system;
mod tree;
