//! A foreign policy seen through the judge's seam.

use std::fmt;
use std::sync::Arc;

use pmcp_server_toolkit as pmcp;
use proofmark_conformance::toolkit::async_trait;
use proofmark_conformance::toolkit::policy::{PolicyRefusal, RequestPolicy};
use proofmark_conformance::toolkit::request::{OutboundRequest, RequestPhase};

/// A policy written for `pmcp-server-toolkit`, as one that the judge can ask. Made by [`policy`]
/// or [`shared`].
///
/// Clones share the wrapped policy, and with it whatever the policy counts.
#[derive(Clone)]
pub struct PmcpPolicy(Arc<dyn pmcp::RequestPolicy>);

/// Lets a policy be judged.
///
/// ```
/// use pmcp_server_toolkit as pmcp;
/// use proofmark_conformance::toolkit::policy::RequestPolicy;
/// use proofmark_conformance::toolkit::request::OutboundRequest;
///
/// struct ReadOnly;
///
/// #[pmcp::async_trait]
/// impl pmcp::RequestPolicy for ReadOnly {
///     async fn check(&self, request: &pmcp::OutboundRequest<'_>) -> Result<(), pmcp::PolicyRefusal> {
///         match request.method {
///             "GET" => Ok(()),
///             _ => Err(pmcp::PolicyRefusal::new("only reading is allowed")),
///         }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let judged = proofmark_pmcp::policy(ReadOnly);
/// let request = OutboundRequest::new("t", "DELETE", "https://api.example.test/v1", &[], None);
/// let refusal = judged.check(&request).await.unwrap_err();
/// assert_eq!(refusal.message(), "only reading is allowed");
/// # }
/// ```
#[must_use]
pub fn policy(policy: impl pmcp::RequestPolicy + 'static) -> PmcpPolicy {
    PmcpPolicy(Arc::new(policy))
}

/// Lets a policy be judged that is kept behind an `Arc`, as `ToolkitHooks` does.
///
/// A factory has to make a *fresh* policy each time: build the hooks anew in it, or a budget that
/// one check used up is empty for the next.
///
/// ```
/// use std::sync::Arc;
/// use pmcp_server_toolkit as pmcp;
/// # struct Closed;
/// # #[pmcp::async_trait]
/// # impl pmcp::RequestPolicy for Closed {
/// #     async fn check(&self, _: &pmcp::OutboundRequest<'_>) -> Result<(), pmcp::PolicyRefusal> {
/// #         Err(pmcp::PolicyRefusal::new("closed"))
/// #     }
/// # }
///
/// fn hooks() -> pmcp::ToolkitHooks {
///     pmcp::ToolkitHooks::new().with_request_policy(Arc::new(Closed))
/// }
///
/// let factory = || hooks().request_policy().map(proofmark_pmcp::shared);
/// assert!(factory().is_some());
/// ```
#[must_use]
pub fn shared(policy: Arc<dyn pmcp::RequestPolicy>) -> PmcpPolicy {
    PmcpPolicy(policy)
}

#[async_trait]
impl RequestPolicy for PmcpPolicy {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let phase = match request.phase {
            RequestPhase::Execute => pmcp::RequestPhase::Execute,
            RequestPhase::Validate => pmcp::RequestPhase::Validate,
            // Both enums may grow: what has no counterpart is not passed off as something else.
            _ => return Err(PolicyRefusal::new("the request's phase is not known here")),
        };
        let request = pmcp::OutboundRequest::new(
            request.tool,
            request.method,
            request.path,
            request.query,
            request.body,
        )
        .with_call_id(request.call_id)
        .with_phase(phase);
        self.0
            .check(&request)
            .await
            .map_err(|refusal| PolicyRefusal::new(refusal.message()))
    }
}

impl fmt::Debug for PmcpPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PmcpPolicy(..)")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    // By name: a crate is called so too.
    use pmcp_server_toolkit as pmcp;
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    /// What a policy was shown, field by field.
    #[derive(Debug, PartialEq)]
    struct Shown {
        tool: String,
        method: String,
        path: String,
        query: Vec<(String, String)>,
        body: Option<Value>,
        call_id: String,
        phase: pmcp::RequestPhase,
    }

    #[derive(Default)]
    struct Recorder(Mutex<Vec<Shown>>);

    #[pmcp::async_trait]
    impl pmcp::RequestPolicy for Recorder {
        async fn check(
            &self,
            request: &pmcp::OutboundRequest<'_>,
        ) -> Result<(), pmcp::PolicyRefusal> {
            self.0.lock().unwrap().push(Shown {
                tool: request.tool.to_owned(),
                method: request.method.to_owned(),
                path: request.path.to_owned(),
                query: request.query.to_vec(),
                body: request.body.cloned(),
                call_id: request.call_id.to_owned(),
                phase: request.phase,
            });
            Err(pmcp::PolicyRefusal::new("  kept: \u{e9}\n"))
        }
    }

    fn pair(key: &str, value: &str) -> (String, String) {
        (key.to_owned(), value.to_owned())
    }

    #[rstest]
    #[case::sent(RequestPhase::Execute, pmcp::RequestPhase::Execute)]
    #[case::previewed(RequestPhase::Validate, pmcp::RequestPhase::Validate)]
    #[tokio::test]
    async fn every_field_arrives_as_it_was_sent(
        #[case] phase: RequestPhase,
        #[case] expected: pmcp::RequestPhase,
    ) {
        let recorder = Arc::new(Recorder::default());
        let query = [
            pair("b", "2"),
            pair("a", "1"),
            pair("b", ""),
            pair("", "%26"),
        ];
        let body = json!({"z": [1, {"k": null}], "a": "\u{1f980}"});
        let request =
            OutboundRequest::new("tool", "POST", "https://a.test/x?q=1", &query, Some(&body))
                .with_call_id("call")
                .with_phase(phase);

        let _ = shared(recorder.clone()).check(&request).await;

        let shown = recorder.0.lock().unwrap();
        assert_eq!(
            *shown,
            [Shown {
                tool: "tool".to_owned(),
                method: "POST".to_owned(),
                path: "https://a.test/x?q=1".to_owned(),
                query: query.to_vec(),
                body: Some(body.clone()),
                call_id: "call".to_owned(),
                phase: expected,
            }]
        );
    }

    #[tokio::test]
    async fn what_is_empty_or_absent_stays_so() {
        let recorder = Arc::new(Recorder::default());

        let request = OutboundRequest::new("", "", "", &[], None);
        let _ = shared(recorder.clone()).check(&request).await;

        let shown = recorder.0.lock().unwrap();
        assert_eq!(
            (shown[0].tool.as_str(), shown[0].call_id.as_str()),
            ("", "")
        );
        assert_eq!((&shown[0].query, &shown[0].body), (&vec![], &None));
    }

    #[tokio::test]
    async fn a_refusal_keeps_its_message_byte_for_byte() {
        let request = OutboundRequest::new("t", "GET", "https://a.test/", &[], None);

        let refusal = policy(Recorder::default()).check(&request).await;

        assert_eq!(refusal, Err(PolicyRefusal::new("  kept: \u{e9}\n")));
    }
}
