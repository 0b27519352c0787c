//! Refuses the endpoints on a list, however they are spelled, and allows everything else.

use async_trait::async_trait;

use super::pattern::{EndpointPattern, EndpointPatternError, is_method};
use super::target::Target;
use crate::policy::{PolicyRefusal, RequestPolicy};
use crate::request::OutboundRequest;

/// Refuses a request to an endpoint on the list, and allows the others.
///
/// Prefer an [`EndpointAllowlist`](super::EndpointAllowlist): a list of what is forbidden is only
/// as good as its author's memory.
///
/// **Promised.** An endpoint on the list stays refused in every equivalent spelling. What is
/// plainly written is compared decoded, a slash at the end counts for nothing, and a pattern that
/// ends in `/**` covers its prefix too. What is *not* plainly written is refused even if it leads
/// elsewhere, as is what cannot be parsed: dot segments, doubled slashes, backslashes, semicolons,
/// user information, fragments, control characters, and escapes of characters that need none or
/// that one more decoding would give a meaning. A method that is not in upper case is refused.
/// The answer depends on the request alone and is the same in both phases.
///
/// **Not promised.** Two names of one server (another scheme, port, alias or address) are two
/// origins: list each. What one server adds of its own is not known here: where letter case, a dot
/// at the end of a segment or a file extension counts for nothing, list each spelling. Query and
/// body are not looked at.
///
/// ```
/// use proofmark::policy::EndpointDenylist;
///
/// let policy = EndpointDenylist::new()
///     .refuse("https://api.example.test/admin/**")?
///     .refuse("DELETE https://api.example.test/v1/items/{id}")?;
/// # let _: &dyn proofmark::policy::RequestPolicy = &policy;
/// # Ok::<(), proofmark::policy::EndpointPatternError>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct EndpointDenylist {
    patterns: Vec<EndpointPattern>,
}

impl EndpointDenylist {
    /// A list without an endpoint; it still refuses what is not plainly written.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the endpoints of a pattern; see [`EndpointPattern`] for how one is written.
    ///
    /// # Errors
    ///
    /// An [`EndpointPatternError`] if the text is no pattern.
    pub fn refuse(self, pattern: &str) -> Result<Self, EndpointPatternError> {
        Ok(self.refuse_pattern(EndpointPattern::parse(pattern)?))
    }

    /// Adds the endpoints of a pattern that has been parsed.
    pub fn refuse_pattern(mut self, pattern: EndpointPattern) -> Self {
        self.patterns.push(pattern);
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
        let covered = |pattern: &EndpointPattern| pattern.covers(request.method, &target);
        if self.patterns.iter().any(covered) {
            return Err(PolicyRefusal::new("the endpoint is on the denylist"));
        }
        Ok(())
    }
}

#[async_trait]
impl RequestPolicy for EndpointDenylist {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        self.judge(request)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn allows(method: &str, path: &str) -> bool {
        let list = EndpointDenylist::new();
        let list = list.refuse("https://api.example.test/admin/users").unwrap();
        let list = list
            .refuse("DELETE https://api.example.test/v1/**")
            .unwrap();
        list.judge(&OutboundRequest::new("t", method, path, &[], None))
            .is_ok()
    }

    #[rstest]
    #[case("GET", "https://api.example.test/v1/items")]
    #[case("GET", "https://api.example.test/admin/users/7")]
    #[case("GET", "https://api.example.test/admin")]
    #[case("GET", "https://other.example.test/admin/users")]
    #[case("POST", "https://api.example.test/v1/items?next=a\\b//c;d%2e")]
    fn an_unrelated_endpoint_is_allowed(#[case] method: &str, #[case] path: &str) {
        assert!(allows(method, path));
    }

    #[rstest]
    #[case::itself("https://api.example.test/admin/users")]
    #[case::query("https://api.example.test/admin/users?x=1")]
    #[case::trailing_slash("https://api.example.test/admin/users/")]
    #[case::unreserved_escape("https://api.example.test/%61dmin/users")]
    #[case::all_escaped("https://api.example.test/%61%64%6d%69%6e/users")]
    #[case::twice_escaped("https://api.example.test/%2561dmin/users")]
    #[case::resolving_dots("https://api.example.test/x/../admin/users")]
    #[case::one_dot("https://api.example.test/admin/./users")]
    #[case::escaped_dots("https://api.example.test/x/%2e%2E/admin/users")]
    #[case::half_escaped_dots("https://api.example.test/x/.%2e/admin/users")]
    #[case::host_case("https://API.Example.test/admin/users")]
    #[case::scheme_case("HTTPS://api.example.test/admin/users")]
    #[case::default_port("https://api.example.test:443/admin/users")]
    #[case::padded_port("https://api.example.test:00443/admin/users")]
    #[case::dot_host("https://api.example.test./admin/users")]
    #[case::user_info("https://u:p@api.example.test/admin/users")]
    #[case::backslash("https://api.example.test\\admin\\users")]
    #[case::mixed_slashes("https://api.example.test/admin\\users")]
    #[case::escaped_slash("https://api.example.test/admin%2fusers")]
    #[case::doubled_slash("https://api.example.test//admin/users")]
    #[case::doubled_inside("https://api.example.test/admin//users")]
    #[case::parameter("https://api.example.test/admin;v=1/users")]
    #[case::parameter_last("https://api.example.test/admin/users;v=1")]
    #[case::tab("https://api.example.test/ad\tmin/users")]
    #[case::fragment("https://api.example.test/admin/users#x")]
    #[case::full_width("https://api.example.test/\u{ff41}dmin/users")]
    #[case::trailing_space("https://api.example.test/admin/users ")]
    #[case::relative("/admin/users")]
    #[case::no_slashes("https:api.example.test/admin/users")]
    #[case::four_slashes("https:////api.example.test/admin/users")]
    fn an_equivalent_spelling_stays_refused(#[case] path: &str) {
        assert!(!allows("GET", path));
    }

    #[rstest]
    #[case("DELETE")]
    #[case("delete")]
    #[case("Delete")]
    #[case(" DELETE")]
    fn a_refused_method_stays_refused_in_any_case(#[case] method: &str) {
        assert!(!allows(method, "https://api.example.test/v1/items"));
    }
}
