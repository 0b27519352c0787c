//! The request a policy is shown, and the phase it is shown in.

use serde_json::Value;

/// One outbound backend request, exactly as it will be sent but for what authentication adds.
///
/// It has no field for a credential and is built before the auth provider runs, so a policy cannot
/// observe one. Everything is borrowed: a surface without a policy builds none and pays nothing.
///
/// The type is `Copy` and `#[non_exhaustive]`: build it with [`OutboundRequest::new`].
///
/// ```
/// use proofmark::request::{OutboundRequest, RequestPhase};
///
/// let query = [("limit".to_owned(), "10".to_owned())];
/// let request = OutboundRequest::new("list_items", "GET", "https://api.example.test/v1/items", &query, None)
///     .with_call_id("b7c2")
///     .with_phase(RequestPhase::Validate);
/// assert_eq!(request.call_id, "b7c2");
/// ```
///
/// Outside this crate it cannot be written as a literal, so that a later field breaks nobody:
///
/// ```compile_fail,E0639
/// use proofmark::request::{OutboundRequest, RequestPhase};
///
/// let _ = OutboundRequest {
///     tool: "t", method: "GET", path: "/", query: &[], body: None, call_id: "",
///     phase: RequestPhase::default(),
/// };
/// ```
///
/// Source: seed 000.
#[non_exhaustive]
#[derive(Debug, Clone, Copy)]
pub struct OutboundRequest<'a> {
    /// The tool whose `tools/call` produced the request; empty only when a connector is driven
    /// directly, and then it means *unattributed*, never a tool of that name.
    pub tool: &'a str,
    /// The HTTP method in upper case.
    pub method: &'a str,
    /// The resolved request target with the base URL joined on, never a template.
    ///
    /// One `?` written by the author of the call stays here: a policy that looks for query pairs
    /// must read this as well as [`query`](Self::query).
    pub path: &'a str,
    /// The pairs that will be appended to [`path`](Self::path), without any that authentication
    /// contributes.
    pub query: &'a [(String, String)],
    /// The JSON body when one will be sent; `None` for GET-like requests, whose fields are in
    /// [`query`](Self::query) by now.
    pub body: Option<&'a Value>,
    /// An opaque name for the `tools/call`, the same for every request that call makes. Empty
    /// means *no grouping*, never one shared bucket. It is not a secret and never on the wire.
    pub call_id: &'a str,
    /// Whether the request is about to be sent or only previewed.
    pub phase: RequestPhase,
}

/// Whether a request is about to be sent, or is previewed while a script is validated.
///
/// A stateless policy answers alike in both; a stateful one must not charge a preview.
///
/// Source: seed 000.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RequestPhase {
    /// The request is about to be sent.
    #[default]
    Execute,
    /// A dry run: nothing is sent, whatever the verdict.
    Validate,
}

impl<'a> OutboundRequest<'a> {
    /// A request in phase [`RequestPhase::Execute`] with an empty call id.
    #[must_use]
    pub fn new(
        tool: &'a str,
        method: &'a str,
        path: &'a str,
        query: &'a [(String, String)],
        body: Option<&'a Value>,
    ) -> Self {
        Self {
            tool,
            method,
            path,
            query,
            body,
            call_id: "",
            phase: RequestPhase::Execute,
        }
    }

    /// The same request in another phase.
    #[must_use]
    pub fn with_phase(mut self, phase: RequestPhase) -> Self {
        self.phase = phase;
        self
    }

    /// The same request, attributed to one `tools/call`.
    #[must_use]
    pub fn with_call_id(mut self, call_id: &'a str) -> Self {
        self.call_id = call_id;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_request_is_unattributed_and_about_to_be_sent() {
        let request = OutboundRequest::new("t", "GET", "/x", &[], None);

        assert_eq!(request.call_id, "");
        assert_eq!(request.phase, RequestPhase::Execute);
    }

    #[test]
    fn a_request_is_copied_and_not_moved() {
        fn copied<T: Copy>(value: &T) -> T {
            *value
        }
        let request = OutboundRequest::new("t", "GET", "/x", &[], None);
        assert_eq!(copied(&request).path, request.path);
    }

    #[test]
    fn builders_change_one_field_each() {
        let body = serde_json::json!({"k": 1});
        let request = OutboundRequest::new("t", "POST", "/x", &[], Some(&body))
            .with_phase(RequestPhase::Validate)
            .with_call_id("c1");

        assert_eq!(
            (request.tool, request.method, request.path, request.body),
            ("t", "POST", "/x", Some(&body))
        );
        assert_eq!(
            (request.call_id, request.phase),
            ("c1", RequestPhase::Validate)
        );
    }
}
