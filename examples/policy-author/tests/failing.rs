//! A policy that compares text instead of parsing it, to show how a failure reads.

use proofmark::policy::{PolicyRefusal, policy_fn};
use proofmark_conformance::conformance;

conformance! {
    /// Everything below `/v1` of the shop, or so its author thought.
    policy text_prefix(
        stateless,
        prefixes = ["https://api.shop.example/v1"],
        allow = ["https://api.shop.example/v1/orders"],
        refuse = ["https://api.shop.example/admin"],
    ) = || policy_fn(|request| {
        if request.path.starts_with("https://api.shop.example/v1") {
            Ok(())
        } else {
            Err(PolicyRefusal::new("this endpoint is not on the allowlist"))
        }
    });
}
