//! Executors that work, and break promises: `expected.toml` says which.

mod with_hyper;
mod with_reqwest;
mod with_ureq;

pub use with_hyper::HyperExecutor;
pub use with_reqwest::ReqwestExecutor;
pub use with_ureq::UreqExecutor;

use proofmark::executor::ExecutionError;

/// The tool on whose behalf requests are sent.
const TOOL: &str = "shop";

/// The header or query pair that holds the key.
const KEY: &str = "api_key";

/// An error with a text for people; no other kind takes one.
fn failed(cause: impl std::fmt::Display) -> ExecutionError {
    let message = cause.to_string();
    ExecutionError::RefusedArguments { message }
}
