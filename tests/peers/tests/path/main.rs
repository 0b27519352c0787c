//! The path half beside the public crates: whatever differs is stated, with its reason.
#![cfg(test)]

mod case;
mod differences;
mod ecma;
mod generated;
