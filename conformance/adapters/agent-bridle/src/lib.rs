//! Certifies leashes made of `agent-bridle-core`: a thin layer that builds its gates from the
//! judge's data and hands the judge's questions to its contexts.
//!
//! The crate itself stays as it is. As its user, bring your own way to make gates, and each row of
//! the catalogue becomes a test of your leash:
//!
//! ```
//! use agent_bridle_core::{AxisEnforcement, CountBound, Gate};
//! use proofmark_agent_bridle::BridleLeash;
//! use proofmark_conformance::conformance;
//!
//! /// How the server makes the gate of a session.
//! fn gate(generation: u64, budget: CountBound) -> Gate {
//!     Gate::with_budget(generation, budget)
//! }
//!
//! conformance! {
//!     leash session(check_exec, check_net, check_path, generation, call_budget) =
//!         || BridleLeash::with_gates(gate);
//! }
//! # fn main() {}
//! ```
//!
//! A [`LeashSubject`](proofmark_conformance::subject::LeashSubject) is built with the same factory.
//!
//! # What is mapped how
//!
//! | the judge's | the crate's | how |
//! |---|---|---|
//! | `CaveatSpec`, axis by axis | `Caveats` | the same items; `generations` is `valid_for_generation` |
//! | `GateSpec` | `Gate` | made by your closure, or `Gate::with_budget`; each floor by `with_strength_floor` in the order given; the best sandbox by `with_sandbox` |
//! | a grant and a need | `Gate::authorize` | the need is what a tool's `required` returns |
//! | the checks, `caveats`, `strength_floor`, `sandbox_kind` | the same | asked of the context itself |
//! | `duplicate` | `Clone` | |
//! | `enforcement` | `enforcement_report` | for the sandbox that `effective_sandbox_kind` gives |
//! | `run` | `ConfinedCommand` | an empty standard input; the kind is the one on the child |
//! | `meet`, `leq`, `compare`, `fence_strength` | the same | |
//! | `write`, `read` | `serde_json` over `Caveats` | |
//!
//! | the crate's answer | the judge's | how |
//! |---|---|---|
//! | `Ok(())` | allowed | |
//! | any `ToolError` | denied | its text, byte for byte |
//! | a panic, or no answer | the same | nothing is caught |
//!
//! The crate chooses its sandbox itself when it starts a program, so a gate *without* one is not
//! offered; nor are mediated opens, which it does not have.
//!
//! # What it is convicted of
//!
//! `tests/expected.toml` lists the rows that version 0.7.17 fails, each with the reason.
#![forbid(unsafe_code)]

mod authority;
mod fence;
mod leash;

pub use leash::BridleLeash;
