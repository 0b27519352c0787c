//! Allows the endpoints on a list and refuses everything else.

use async_trait::async_trait;

use super::pattern::{EndpointPattern, EndpointPatternError, is_method};
use super::target::Target;
use crate::policy::{PolicyRefusal, RequestPolicy};
use crate::request::OutboundRequest;

/// Allows a request whose method, origin and path are on the list. An empty list allows nothing.
///
/// **Promised.** What is allowed is an endpoint on the list under the WHATWG reading of its
/// target, and under every other common reading too: a spelling that two parsers, or one more
/// decoding, could take for another place is refused, whatever it means. That includes user
/// information, fragments, backslashes, control characters, dot segments, doubled slashes,
/// semicolons, escapes of characters that need none, and hosts that are not ASCII. A method that
/// is not in upper case is refused. The answer depends on the request alone, is the same in both
/// phases, and takes time linear in the target's length; the canonical spelling of an allowed
/// endpoint is matched without allocating.
///
/// **Not promised.** It says nothing about [`query`](OutboundRequest::query), the body, or where
/// a server or its name resolution leads afterwards. An author-written `?` is refused unless
/// [`allow_author_query`](Self::allow_author_query) is chosen; its pairs are then for a query
/// policy to judge.
///
/// ```
/// use proofmark::policy::EndpointAllowlist;
///
/// let policy = EndpointAllowlist::new()
///     .allow("GET https://api.example.test/v1/items/{id}")?
///     .allow("POST https://api.example.test/v1/orders")?
///     .allow_author_query();
/// # let _: &dyn proofmark::policy::RequestPolicy = &policy;
/// # Ok::<(), proofmark::policy::EndpointPatternError>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct EndpointAllowlist {
    patterns: Vec<EndpointPattern>,
    author_query: bool,
}

impl EndpointAllowlist {
    /// A list without an endpoint.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the endpoints of a pattern; see [`EndpointPattern`] for how one is written.
    ///
    /// # Errors
    ///
    /// An [`EndpointPatternError`] if the text is no pattern.
    pub fn allow(self, pattern: &str) -> Result<Self, EndpointPatternError> {
        Ok(self.allow_pattern(EndpointPattern::parse(pattern)?))
    }

    /// Adds the endpoints of a pattern that has been parsed.
    pub fn allow_pattern(mut self, pattern: EndpointPattern) -> Self {
        self.patterns.push(pattern);
        self
    }

    /// Lets a target carry a query that its author wrote, whatever the pairs.
    pub fn allow_author_query(mut self) -> Self {
        self.author_query = true;
        self
    }

    fn judge(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if !is_method(request.method) {
            return Err(PolicyRefusal::new(
                "the method is not written in upper case",
            ));
        }
        let target = Target::read(request.path);
        let target = target.map_err(|fault| PolicyRefusal::new(fault.to_string()))?;
        if target.query().is_some() && !self.author_query {
            return Err(PolicyRefusal::new(
                "a query written into the path is not allowed",
            ));
        }
        let named = |pattern: &EndpointPattern| pattern.names(request.method, &target);
        if self.patterns.iter().any(named) {
            return Ok(());
        }
        Err(PolicyRefusal::new("the endpoint is not on the allowlist"))
    }
}

#[async_trait]
impl RequestPolicy for EndpointAllowlist {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        self.judge(request)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;
    use url::Url;

    use super::*;
    use crate::request::RequestPhase;

    const ITEM: &str = "https://api.example.test/v1/items/7";

    fn list() -> EndpointAllowlist {
        let list = EndpointAllowlist::new();
        let list = list
            .allow("GET https://api.example.test/v1/items/{id}")
            .unwrap();
        list.allow("POST https://api.example.test/v1/orders")
            .unwrap()
    }

    fn verdict(list: &EndpointAllowlist, method: &str, path: &str) -> Result<(), String> {
        let request = OutboundRequest::new("t", method, path, &[], None);
        let preview = request.with_phase(RequestPhase::Validate);
        assert_eq!(list.judge(&request), list.judge(&preview));
        list.judge(&request)
            .map_err(|refusal| refusal.message().to_owned())
    }

    #[test]
    fn what_is_on_the_list_is_allowed_and_nothing_else() {
        let list = list();

        assert_eq!(verdict(&list, "GET", ITEM), Ok(()));
        assert_eq!(
            verdict(&list, "POST", "https://api.example.test/v1/orders"),
            Ok(())
        );
        assert!(verdict(&list, "POST", ITEM).is_err());
        assert!(verdict(&list, "GET", "https://api.example.test/v1/orders").is_err());
        assert!(verdict(&EndpointAllowlist::new(), "GET", ITEM).is_err());
    }

    #[test]
    fn an_author_written_query_needs_to_be_allowed() {
        let path = format!("{ITEM}?next=https://x.test/y");

        assert!(verdict(&list(), "GET", &path).is_err());
        assert_eq!(verdict(&list().allow_author_query(), "GET", &path), Ok(()));
    }

    #[rstest]
    #[case::lower_method("get", ITEM)]
    #[case::long_s_method("PO\u{17f}T", "https://api.example.test/v1/orders")]
    #[case::look_alike_host("GET", "https://\u{430}pi.example.test/v1/items/7")]
    #[case::tab_in_host("GET", "https://api.exam\tple.test/v1/items/7")]
    #[case::backslash_host("GET", "https://api.example.test\\@evil.test/v1/items/7")]
    #[case::dot_escape("GET", "https://api.example.test/v1/items/%2e%2e")]
    #[case::half_escape("GET", "https://api.example.test/v1/items/.%2E")]
    #[case::double_escape("GET", "https://api.example.test/v1/items/%252e%252e")]
    #[case::slash_escape("GET", "https://api.example.test/v1/items/7%2Fadmin")]
    #[case::resolving_dots("GET", "https://api.example.test/v1/x/../items/7")]
    #[case::unresolved("GET", "https://api.example.test/v1/items/{id}")]
    fn an_odd_spelling_is_refused(#[case] method: &str, #[case] path: &str) {
        assert!(verdict(&list(), method, path).is_err());
    }

    #[test]
    fn a_refusal_shows_nothing_of_the_request() {
        let canary = "q7w2k9x4m1z8c3v6";
        for path in [
            format!("https://api.example.test/{canary}"),
            format!("https://{canary}@api.example.test/v1/items/7"),
            format!("{ITEM}?{canary}"),
            format!("{ITEM}#{canary}"),
            canary.to_owned(),
        ] {
            let message = verdict(&list(), "GET", &path).unwrap_err();
            assert!(!message.contains(&canary[..6]), "{message}");
        }
    }

    proptest! {
        /// Whatever is allowed parses to an allowed origin, and decoding its path once more leads
        /// nowhere else.
        #[test]
        fn an_allowed_target_lies_inside_the_list(
            path in "https://(api\\.example\\.test|evil\\.test|api\\.example\\.test@evil\\.test)\
                     (:443|:80)?/(v1|\\.\\.|%2e|x)?/(items|items/\\.\\.)/([0-9a-z.%2fe;\\\\ ]|é){0,6}"
        ) {
            if verdict(&list(), "GET", &path).is_ok() {
                let url = Url::parse(&path).unwrap();
                let decoded = percent_encoding::percent_decode_str(url.path()).decode_utf8();
                let decoded = decoded.unwrap().into_owned();
                prop_assert_eq!(url.host_str(), Some("api.example.test"));
                prop_assert!(decoded.starts_with("/v1/items/"));
                prop_assert_eq!(decoded.split('/').count(), 4);
                prop_assert!(!decoded.contains(['\\', '%', ';', '?', '#']));
            }
        }
    }
}
