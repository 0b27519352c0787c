//! Certifies policies written for `pmcp-server-toolkit`: a thin layer that shows such a policy the
//! judge's requests in the vocabulary it was written for. What sends requests can be judged too, as
//! its author configured it.
//!
//! | what is judged | as | by |
//! |---|---|---|
//! | a [`RequestPolicy`](pmcp_server_toolkit::RequestPolicy) | a policy | [`policy()`], [`shared`] |
//! | an [`HttpClient`](pmcp_server_toolkit::HttpClient), or any connector | an executor | [`curated_executor`] |
//! | the same, with operations of its author's | a surface | [`client_surface`] |
//! | the same, with the tools that a configuration declares | a surface | [`curated_server`] |
//! | an [`HttpCodeExecutor`](pmcp_server_toolkit::code_mode::HttpCodeExecutor) | an executor | [`code_executor`] |
//! | the same, with `validate_code`, `execute_code` and script tools | a surface | [`script_server`] |
//! | the plan executor of `pmcp-code-mode`, which nobody configures | a resolver | [`script_resolver`] |
//! | the client of curated tools, likewise | a resolver | [`curated_resolver`] |
//!
//! # A policy
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
//! # What sends requests
//!
//! Each of these functions takes the environment that a factory is handed and the real thing, built
//! on the environment's base URL and [credential](auth()). The judge's policy and validators are
//! registered as the toolkit's own [`hooks()`]; the tools that the judge declares become operations
//! or a configuration. A request then takes the way that it takes in the author's server, and is
//! recorded by the judge's backend.
//!
//! ```
//! use pmcp_server_toolkit::http::{HttpClient, HttpConfig};
//! use pmcp_server_toolkit::ServerConfig;
//! use proofmark_conformance::conformance;
//! use proofmark_conformance::subject::{BuildError, SurfaceEnv};
//!
//! fn mine(env: &SurfaceEnv) -> Result<proofmark_pmcp::JudgedServer, BuildError> {
//!     let config = HttpConfig { timeout_seconds: 2, retries: 0, ..HttpConfig::default() };
//!     let auth = proofmark_pmcp::auth(env)?;
//!     let client = HttpClient::from_config(env.base_url().to_owned(), auth, config)?;
//!     Ok(proofmark_pmcp::curated_server(env, client, ServerConfig::default())?)
//! }
//!
//! conformance! {
//!     surface my_tools(curated, bearer, deadline_ms = 2_500) = |env| mine(env);
//! }
//! # fn main() {}
//! ```
//!
//! | the real crates' answer | the judge's | how |
//! |---|---|---|
//! | a JSON value | the same | unchanged |
//! | `Error::ToolRejected` of a handler | a refusal | the message, and all that the error shows |
//! | any other error of a handler | a fault | likewise |
//! | `HttpConnectorError::PolicyRefused` of a client alone | a refusal | likewise |
//! | any other error of a client alone | a fault | likewise: no other kind is the caller's alone |
//! | an error of an executor | an error | all that it shows, sources included |
//!
//! Timeouts of the toolkit are whole seconds and count for each attempt, so a profile declares with
//! `deadline_ms` how long one request may take in all.
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
