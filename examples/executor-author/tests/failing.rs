//! The naive executors as their authors would certify them, to show how failures read.

use executor_author::naive::{HyperExecutor, ReqwestExecutor, UreqExecutor};
use proofmark_conformance::conformance;

conformance! {
    executor reqwest(bearer, policy, deadline_ms = 500) =
        |env| ReqwestExecutor::new(env.base_url(), env.credential(), env.policy());

    executor ureq(query_key = "api_key", policy, deadline_ms = 500) =
        |env| UreqExecutor::new(env.base_url(), env.credential(), env.policy());

    executor hyper(header_key = "api_key", policy, deadline_ms = 500) =
        |env| HyperExecutor::new(env.base_url(), env.credential(), env.policy());
}
