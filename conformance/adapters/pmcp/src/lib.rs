//! Certifies policies written for `pmcp-server-toolkit`: a thin layer that shows such a policy the
//! judge's requests in the vocabulary it was written for. The crates' own resolvers can be judged
//! too: [`script_resolver`] is the plan executor of `pmcp-code-mode`, [`curated_resolver`] the
//! client of curated tools.
//!
//! The policy itself stays as it is. Wrap it in the factory of a
//! [`conformance!`](proofmark_conformance::conformance) entry, and each row of the catalogue
//! becomes a test:
//!
//! ```
//! use pmcp_server_toolkit::{OutboundRequest, PolicyRefusal, RequestPolicy, async_trait};
//! use proofmark_conformance::conformance;
//!
//! struct OneEndpoint;
//!
//! #[async_trait]
//! impl RequestPolicy for OneEndpoint {
//!     async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
//!         match request.path {
//!             "https://api.example.test/v1/items" => Ok(()),
//!             _ => Err(PolicyRefusal::new("the endpoint is not on the allowlist")),
//!         }
//!     }
//! }
//!
//! conformance! {
//!     policy one_endpoint(
//!         stateless,
//!         endpoints = ["https://api.example.test/v1/items"],
//!         refuse = ["https://api.example.test/admin"],
//!     ) = || proofmark_pmcp::policy(OneEndpoint);
//! }
//! # fn main() {}
//! ```
//!
//! A [`PolicySubject`](proofmark_conformance::subject::PolicySubject) is built with the same
//! factory. Where the policy is at hand only behind an `Arc`, as `ToolkitHooks` keeps it, use
//! [`shared`].
//!
//! # What is mapped how
//!
//! | the judge's request | the policy's request | how |
//! |---|---|---|
//! | `tool`, `method`, `path` | the same | borrowed unchanged, through `OutboundRequest::new` |
//! | `query` | the same | the very slice: order, repeated keys and empty texts are kept |
//! | `body` | the same | the very value: both crates use one `serde_json::Value` |
//! | `call_id` | the same | borrowed unchanged, through `with_call_id`; empty stays empty |
//! | `phase` | the same | `Execute` and `Validate` by name, through `with_phase` |
//!
//! | the policy's answer | the judge's | how |
//! |---|---|---|
//! | `Ok(())` | allowed | |
//! | `Err(PolicyRefusal)` | refused | its `message()`, byte for byte |
//! | a panic, or a future that stays pending | the same | nothing is caught and nothing is awaited twice |
//!
//! Nothing is cached, cloned or normalised between the two, so a finding is about the policy. The
//! policy's future runs on the judge's tokio runtime, as it does on the server's.
//!
//! `pmcp` turns on `serde_json`'s `preserve_order`; a build that contains this crate therefore
//! keeps the members of every JSON object in the order in which they were written.
#![forbid(unsafe_code)]

mod credential;
mod error;
mod executor;
mod hooks;
mod policy;
mod resolver;
mod surface;

pub use credential::{Given, auth};
pub use error::SetupError;
pub use executor::{JudgedClient, JudgedCode, code_executor, curated_executor};
pub use hooks::{hooks, request_policy};
pub use policy::{PmcpPolicy, policy, shared};
pub use resolver::{curated_resolver, script_resolver};
pub use surface::{JudgedOperations, JudgedServer, client_surface, curated_server, script_server};
