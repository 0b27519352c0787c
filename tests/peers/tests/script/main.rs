//! The plan executor beside the public one: what plans send, and what they come to.
#![cfg(test)]

mod differences;
mod generated;
mod limits;
mod ours;
mod peer;
mod program;
