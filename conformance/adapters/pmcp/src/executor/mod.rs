//! The clients of the toolkit as executors: what sends one finished request.

mod code;
mod curated;

pub use code::{JudgedCode, code_executor};
pub use curated::{JudgedClient, curated_executor};
