//! What a failing entry of `conformance!` prints, word for word.
//!
//! Each entry below passes as it stands. With [`FAULT`] naming it, its policy has one fault, and
//! its test is started again to see what a user would.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::collections::HashMap;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use insta::assert_snapshot;
use proofmark_conformance::conformance;
use proofmark_conformance::toolkit::async_trait;
use proofmark_conformance::toolkit::policy::{
    EndpointAllowlist, PolicyRefusal, RequestBudget, RequestPolicy, policy_fn,
};
use proofmark_conformance::toolkit::request::OutboundRequest;

/// Names the entry whose policy is to be broken.
const FAULT: &str = "FAILURE_TEXTS_FAULT";

fn is_broken(entry: &str) -> bool {
    std::env::var_os(FAULT).is_some_and(|fault| fault == entry)
}

fn prefix() -> Box<dyn RequestPolicy> {
    if is_broken("prefix") {
        return Box::new(policy_fn(|request| {
            if request.path.starts_with("https://api.example.test/v1") {
                Ok(())
            } else {
                Err(PolicyRefusal::new("the endpoint is not on the allowlist"))
            }
        }));
    }
    Box::new(
        EndpointAllowlist::new()
            .allow("https://api.example.test/v1/**")
            .unwrap(),
    )
}

fn budget() -> Box<dyn RequestPolicy> {
    if is_broken("budget") {
        return Box::new(ChargedPreviews::default());
    }
    if is_broken("budget_control") {
        return Box::new(policy_fn(|_| Err(PolicyRefusal::new("closed"))));
    }
    Box::new(RequestBudget::new(3))
}

/// Counts previews like requests.
#[derive(Default)]
struct ChargedPreviews(Mutex<HashMap<String, u64>>);

#[async_trait]
impl RequestPolicy for ChargedPreviews {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(request.call_id.to_owned()).or_default();
        *count += 1;
        if *count > 3 {
            return Err(PolicyRefusal::new("this call has used up its requests"));
        }
        Ok(())
    }
}

conformance! {
    /// Everything below one path of one origin.
    policy prefix(
        stateless,
        prefixes = ["https://api.example.test/v1"],
        allow = ["https://api.example.test/v1/items/7"],
        refuse = ["https://api.example.test/admin"],
    ) = || prefix();

    /// At most three requests per call.
    policy budget(budget, per_call, requests = 3) = || budget()
}

/// The error that one test of this program returns when the policy of `fault` is broken.
fn printed(test: &str, fault: &str) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]);
    for variable in ["PROOFMARK_CASES", "PROOFMARK_LEVEL", "PROOFMARK_OUT"] {
        command.env_remove(variable);
    }
    let output = command
        .env("PROOFMARK_SEED", "0x5eed")
        .env(FAULT, fault)
        .output()
        .unwrap();
    assert!(!output.status.success(), "{test} passed with its fault");
    let text = String::from_utf8(output.stderr).unwrap();
    let start = text.find("Error: ").unwrap();
    text[start..].trim_end().to_owned()
}

#[test]
fn a_neighbour_that_passes_is_told_in_the_first_line() {
    let text = printed("prefix::pol_12", "prefix");

    let first = text.lines().next().unwrap();
    assert!(
        first.contains("https://api.example.test/v1/items/7"),
        "{first}"
    );
    assert!(first.contains("https://api.example.test/admin"), "{first}");
    assert!(first.contains("(path differs)"), "{first}");
    assert_snapshot!(text, @r#"
    Error: POL-12: https://api.example.test/v1/items/7 lets in https://api.example.test/admin (path differs)

      subject      prefix
      requirement  What lies next to an allowed endpoint is refused (must)
      asked        GET https://api.example.test/v1/items/7/x/../../../../../../admin tool="search_items"
                   call="call-5f0c2e" -> allowed
      expected     refused: https://api.example.test/admin lies outside the declared endpoints
      seen         allowed, and a WHATWG parser sends it to https://api.example.test/admin
      twin         `GET https://api.example.test/v1/items/7 tool="search_items" call="call-5f0c2e"` was allowed,
                   as declared
      attack       A request to `https://api.example.test.evil.test/v1/items` or to `/v1/items/../admin` passes
                   for an allowed one, and the credential that is attached afterwards goes along with it.
      repair       Parse first and compare parts, never text: `let url = url::Url::parse(request.path)?`, then the
                   scheme, `host_str()` and `port_or_known_default()` for equality and `path_segments()` segment
                   by segment. Refuse a URL with userinfo, and any path that still holds `%2f`, `%5c`, a
                   backslash, an encoded dot or a control character in its raw text.
      seed         0x5eed
      again        PROOFMARK_SEED=0x5eed cargo test prefix::pol_12
      keep         the case with `refuse = ["https://api.example.test/v1/items/7/x/../../../../../../admin"]` in
                   the entry, or as a test:

        #[tokio::test] // of tokio with `macros` and `rt`
        async fn regression() {
            use proofmark_conformance::toolkit::policy::RequestPolicy;
            use proofmark_conformance::toolkit::request::OutboundRequest;

            let policy = fresh(); // what the factory of the `conformance!` entry makes
            let path = "https://api.example.test/v1/items/7/x/../../../../../../admin";
            let request = OutboundRequest::new("search_items", "GET", path, &[], None)
                .with_call_id("call-5f0c2e");
            assert!(policy.check(&request).await.is_err());
        }
    "#);
}

#[test]
fn a_run_of_requests_is_told_with_how_often_each_was_made() {
    assert_snapshot!(printed("budget::bud_01", "budget"), @r#"
    Error: BUD-01: 1 previews of the same call leave 2 of 3 requests

      subject      budget
      requirement  A preview is never charged (must)
      asked        GET https://api.example.test/v1/items/7 tool="search_items" call="call-5f0c2e" (preview) ->
                   previewed
                   3 times GET https://api.example.test/v1/items/7 tool="search_items" call="call-5f0c2e" ->
                   refused at the last
      expected     3 requests admitted: a preview is never charged
      seen         2 admitted before the first refusal
      twin         without the previews 3 were admitted
      attack       A script that is validated three times has spent its budget before it runs once; whoever can
                   ask for validations, which send nothing and look harmless, locks the caller out.
      repair       Decide without charging before the first line that counts:

                       if request.phase == RequestPhase::Validate { return self.would_admit(request); }

                   A preview may be refused for what the request is, but neither a counter nor a time stamp may
                   move.
      seed         0x5eed
      again        PROOFMARK_SEED=0x5eed cargo test budget::bud_01
    "#);
}

#[test]
fn what_could_not_be_decided_says_what_to_declare() {
    assert_snapshot!(printed("budget::bud_01", "budget_control"), @r#"
    Error: BUD-01 inconclusive: the control failed: a fresh subject refuses `GET https://api.example.test/v1/items/7
      tool="search_items" call="call-5f0c2e"`, so nothing can be spent; declare a request under `allow` that it
      admits

      subject      budget
      requirement  A preview is never charged (must)
      seed         0x5eed
      again        PROOFMARK_SEED=0x5eed cargo test budget::bud_01
    "#);
}

#[test]
fn no_line_is_longer_than_a_terminal_is_wide() {
    for (test, fault) in [
        ("prefix::pol_12", "prefix"),
        ("budget::bud_01", "budget"),
        ("budget::bud_01", "budget_control"),
    ] {
        for line in printed(test, fault).lines() {
            assert!(line.chars().count() <= 120, "{line}");
        }
    }
}
