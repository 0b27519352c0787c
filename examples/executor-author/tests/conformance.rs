//! Certifies the repaired executors: one test for each requirement that applies to them.

use executor_author::repaired::{HyperExecutor, ReqwestExecutor, UreqExecutor};
use proofmark_conformance::conformance;

conformance! {
    executor reqwest(bearer, policy) =
        |env| ReqwestExecutor::new(env.base_url(), env.credential(), env.policy(), env.deadline());

    executor ureq(query_key = "api_key", policy) =
        |env| UreqExecutor::new(env.base_url(), env.credential(), env.policy(), env.deadline());

    executor hyper(header_key = "api_key", policy) =
        |env| HyperExecutor::new(env.base_url(), env.credential(), env.policy(), env.deadline());
}
