//! A pattern that names endpoints: methods, an origin, and a path of whole segments.

use std::fmt;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use thiserror::Error;

use super::spelling::TargetFault;
use super::target::Target;
use crate::request::OutboundRequest;

/// A set of endpoints, written `[METHOD[,METHOD] ]scheme://authority/path`.
///
/// | part | meaning |
/// |---|---|
/// | no method | every method |
/// | `{name}` as a whole segment | any one segment that is not empty |
/// | `/**` at the end | everything below, not the prefix itself |
/// | anything else | itself, byte for byte as the WHATWG parser writes it |
///
/// A segment is never matched in part and a parameter never spans a `/`. The scheme is `http` or
/// `https`; a port left out is the scheme's own. A host with characters outside ASCII is written
/// in punycode. There is no query in a pattern: the endpoint is what stands before it.
///
/// ```
/// use proofmark::policy::EndpointPattern;
/// use proofmark::request::OutboundRequest;
///
/// let item: EndpointPattern = "GET,HEAD https://api.example.test/v1/items/{id}".parse()?;
/// let admits = |method, path| item.admits(&OutboundRequest::new("t", method, path, &[], None));
///
/// assert!(admits("GET", "https://api.example.test/v1/items/7"));
/// assert!(!admits("DELETE", "https://api.example.test/v1/items/7"));
/// assert!(!admits("GET", "https://api.example.test/v1/items/7/parts"));
/// assert!(!admits("GET", "https://api.example.test/v1/items/..%2fadmin"));
/// # Ok::<(), proofmark::policy::EndpointPatternError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct EndpointPattern {
    written: Box<str>,
    methods: Box<[Box<str>]>,
    origin: Box<str>,
    segments: Box<[Segment]>,
    below: bool,
    /// Origin and path up to the first parameter: what every named target starts with.
    head: Box<str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Literal { written: Box<str>, means: Box<[u8]> },
    Any,
}

/// Why a text is not an endpoint pattern.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EndpointPatternError {
    /// The methods are not upper-case tokens separated by single commas.
    #[error("write methods in upper case, separated by commas and followed by one space")]
    Method,
    /// The target is not written as one that could be sent.
    #[error("{0}; write an endpoint as it is sent")]
    Target(#[from] TargetFault),
    /// A `?`: a query is not part of an endpoint.
    #[error("an endpoint has no query; restrict pairs with a query policy")]
    Query,
    /// A brace that is not part of a whole segment `{name}`.
    #[error("a parameter is a whole segment, written {{name}} with letters, digits and `_`")]
    Parameter,
    /// A `*` other than a trailing `/**`, or a segment that starts with `:`, which would match
    /// only itself.
    #[error("the only wildcards are a whole segment {{name}} and a trailing `/**`")]
    Wildcard,
}

impl EndpointPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// An [`EndpointPatternError`] if the text could match nothing, or something other than it
    /// seems to.
    pub fn parse(text: &str) -> Result<Self, EndpointPatternError> {
        let (methods, place) = match text.split_once(' ') {
            Some((methods, place)) => (parse_methods(methods)?, place),
            None => (Box::default(), text),
        };
        let (place, below) = match place.strip_suffix("/**") {
            Some(prefix) => (prefix, true),
            None => (place, false),
        };
        let (authority, path) = split_path(place);
        if below && path.ends_with('/') {
            return Err(TargetFault::EmptySegment.into());
        }
        let kinds = path.split('/').map(is_parameter);
        let kinds = kinds.collect::<Result<Vec<_>, _>>()?;
        // A parameter stands for some plain segment: the rest is judged as a target would be.
        let stand_in = path.split('/').zip(&kinds);
        let stand_in = stand_in.map(|(segment, &any)| if any { "p" } else { segment });
        let stand_in = format!("{authority}{}", stand_in.collect::<Vec<_>>().join("/"));
        let target = Target::read(&stand_in)?;
        if target.query().is_some() {
            return Err(EndpointPatternError::Query);
        }
        // `https://host/**` has no segment before the wildcard.
        let whole_origin = below && path.is_empty();
        let segments = target.segments().zip(kinds.iter().skip(1).chain([&false]));
        let segments = segments.map(|(written, &any)| Segment::new(written, any));
        let segments: Box<[_]> = if whole_origin {
            Box::default()
        } else {
            segments.collect()
        };
        Ok(Self {
            written: text.into(),
            methods,
            origin: target.origin().into(),
            head: head(target.origin(), &segments),
            segments,
            below,
        })
    }

    /// Whether the request goes to one of these endpoints. A target whose spelling two parsers
    /// could read differently, and a method that is not in upper case, go nowhere.
    #[must_use]
    pub fn admits(&self, request: &OutboundRequest<'_>) -> bool {
        is_method(request.method)
            && Target::read(request.path).is_ok_and(|target| self.names(request.method, &target))
    }

    /// Whether the target is named, as written.
    pub(super) fn names(&self, method: &str, target: &Target<'_>) -> bool {
        if !target.place().starts_with(&*self.head) || !self.has_method(method) {
            return false;
        }
        if *self.origin != *target.origin() {
            return false;
        }
        let mut found = target.segments();
        for segment in &self.segments {
            if !found.next().is_some_and(|found| segment.is(found)) {
                return false;
            }
        }
        match found.next() {
            None => !self.below,
            Some(first) => self.below && !first.is_empty(),
        }
    }

    /// Whether the target is named, or a server might take it for a named one: escapes are
    /// decoded, a slash at the end counts for nothing, and a prefix covers itself.
    pub(super) fn covers(&self, method: &str, target: &Target<'_>) -> bool {
        if !self.has_method(method) || *self.origin != *target.origin() {
            return false;
        }
        let closing = Segment::new("", false);
        let named = self
            .segments
            .strip_suffix(&[closing])
            .unwrap_or(&self.segments);
        let mut found = target.segments().filter(|found| !found.is_empty());
        named
            .iter()
            .all(|segment| found.next().is_some_and(|found| segment.may_be(found)))
            && (self.below || found.next().is_none())
    }

    fn has_method(&self, method: &str) -> bool {
        self.methods.is_empty() || self.methods.iter().any(|known| **known == *method)
    }
}

impl Segment {
    fn new(written: &str, any: bool) -> Self {
        if any {
            return Self::Any;
        }
        Self::Literal {
            written: written.into(),
            means: percent_decode_str(written).collect(),
        }
    }

    fn is(&self, found: &str) -> bool {
        match self {
            Self::Literal { written, .. } => **written == *found,
            Self::Any => !found.is_empty(),
        }
    }

    fn may_be(&self, found: &str) -> bool {
        match self {
            Self::Literal { means, .. } => percent_decode_str(found).eq(means.iter().copied()),
            Self::Any => true,
        }
    }
}

/// Whether a request's method is written as it will be sent.
pub(super) fn is_method(text: &str) -> bool {
    let upper = |byte: u8| byte.is_ascii_uppercase() || matches!(byte, b'0'..=b'9' | b'-' | b'_');
    !text.is_empty() && text.bytes().all(upper)
}

fn parse_methods(text: &str) -> Result<Box<[Box<str>]>, EndpointPatternError> {
    let known = text.split(',').map(|method| {
        let named = is_method(method).then(|| method.into());
        named.ok_or(EndpointPatternError::Method)
    });
    known.collect()
}

fn head(origin: &str, segments: &[Segment]) -> Box<str> {
    let literal = segments.iter().map_while(|segment| match segment {
        Segment::Literal { written, .. } => Some(&**written),
        Segment::Any => None,
    });
    let literal = literal.flat_map(|written| ["/", written]);
    let head: String = std::iter::once(origin).chain(literal).collect();
    head.into()
}

/// Splits before the slash that follows the authority.
fn split_path(place: &str) -> (&str, &str) {
    let authority_at = place.find("://").map_or(0, |at| at + "://".len());
    let path_at = place[authority_at..].find('/');
    place.split_at(path_at.map_or(place.len(), |at| authority_at + at))
}

fn is_parameter(segment: &str) -> Result<bool, EndpointPatternError> {
    if segment.contains('*') || segment.starts_with(':') {
        return Err(EndpointPatternError::Wildcard);
    }
    if !segment.contains(['{', '}']) {
        return Ok(false);
    }
    let inner = segment
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    let word = |name: &str| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    match inner {
        Some(name) if !name.is_empty() && word(name) => Ok(true),
        _ => Err(EndpointPatternError::Parameter),
    }
}

impl FromStr for EndpointPattern {
    type Err = EndpointPatternError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl fmt::Display for EndpointPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl fmt::Debug for EndpointPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EndpointPattern")
            .field(&self.written)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn admits(pattern: &str, method: &str, path: &str) -> bool {
        let pattern = EndpointPattern::parse(pattern).unwrap();
        pattern.admits(&OutboundRequest::new("t", method, path, &[], None))
    }

    fn covers(pattern: &str, path: &str) -> bool {
        let pattern = EndpointPattern::parse(pattern).unwrap();
        pattern.covers("GET", &Target::read(path).unwrap())
    }

    #[rstest]
    #[case::literal("https://h.test/v1/a", "https://h.test/v1/a")]
    #[case::default_port("https://h.test:443/v1/a", "https://h.test/v1/a")]
    #[case::default_port_sent("https://h.test/v1/a", "https://h.test:443/v1/a")]
    #[case::host_case("https://h.test/v1/a", "https://H.TEST/v1/a")]
    #[case::root("https://h.test", "https://h.test/")]
    #[case::root_sent("https://h.test/", "https://h.test")]
    #[case::trailing_slash("https://h.test/v1/", "https://h.test/v1/")]
    #[case::parameter("https://h.test/{a}/x/{b}", "https://h.test/1/x/2%20b")]
    #[case::parameter_first("https://h.test/{a}", "https://h.test/caf%C3%A9")]
    #[case::non_ascii("https://h.test/caf\u{e9}", "https://h.test/caf%C3%A9")]
    #[case::below("https://h.test/v1/**", "https://h.test/v1/a")]
    #[case::far_below("https://h.test/v1/{a}/**", "https://h.test/v1/a/b/c/")]
    #[case::all("https://h.test/**", "https://h.test/a")]
    #[case::ipv6("http://[::1]:80/x", "http://[::1]/x")]
    fn a_named_endpoint_is_admitted(#[case] pattern: &str, #[case] path: &str) {
        assert!(admits(pattern, "GET", path));
    }

    #[rstest]
    #[case::sibling("https://h.test/v1/a", "https://h.test/v1/ab")]
    #[case::longer("https://h.test/v1/a", "https://h.test/v1/a/b")]
    #[case::shorter("https://h.test/v1/a", "https://h.test/v1")]
    #[case::slash("https://h.test/v1/a", "https://h.test/v1/a/")]
    #[case::case("https://h.test/v1/a", "https://h.test/v1/A")]
    #[case::scheme("https://h.test/v1/a", "http://h.test/v1/a")]
    #[case::port("https://h.test/v1/a", "https://h.test:8443/v1/a")]
    #[case::suffix_host("https://h.test/v1/a", "https://h.test.evil.test/v1/a")]
    #[case::prefix_host("https://h.test/v1/a", "https://evilh.test/v1/a")]
    #[case::user_info("https://h.test/v1/a", "https://h.test@evil.test/v1/a")]
    #[case::dot_host("https://h.test/v1/a", "https://h.test./v1/a")]
    #[case::empty_parameter("https://h.test/v1/{a}", "https://h.test/v1/")]
    #[case::parameter_spans("https://h.test/v1/{a}", "https://h.test/v1/a/b")]
    #[case::escaped_literal("https://h.test/a:b", "https://h.test/a%3Ab")]
    #[case::prefix_itself("https://h.test/v1/**", "https://h.test/v1")]
    #[case::prefix_slash("https://h.test/v1/**", "https://h.test/v1/")]
    #[case::prefix_sibling("https://h.test/v1/**", "https://h.test/v12/a")]
    #[case::prefix_elsewhere("https://h.test/v1/**", "https://h.test/x/v1/a")]
    #[case::prefix_left("https://h.test/v1/**", "https://h.test/v1/../a")]
    #[case::root_of_all("https://h.test/**", "https://h.test/")]
    #[case::semicolon("https://h.test/v1/{a}", "https://h.test/v1/7;admin")]
    fn a_neighbour_is_not_admitted(#[case] pattern: &str, #[case] path: &str) {
        assert!(!admits(pattern, "GET", path));
    }

    #[rstest]
    #[case("GET https://h.test/", "GET", true)]
    #[case("GET,PUT https://h.test/", "PUT", true)]
    #[case("GET,PUT https://h.test/", "POST", false)]
    #[case("GET https://h.test/", "get", false)]
    #[case("https://h.test/", "BREW", true)]
    #[case("https://h.test/", "brew", false)]
    #[case("https://h.test/", "", false)]
    #[case("https://h.test/", "GET\r\n", false)]
    fn methods_are_matched_in_upper_case(
        #[case] pattern: &str,
        #[case] method: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(admits(pattern, method, "https://h.test/"), expected);
    }

    #[rstest]
    #[case::itself("https://h.test/admin", "https://h.test/admin", true)]
    #[case::slash("https://h.test/admin", "https://h.test/admin/", true)]
    #[case::slash_written("https://h.test/admin/", "https://h.test/admin", true)]
    #[case::escape("https://h.test/a:b", "https://h.test/a%3ab", true)]
    #[case::hex_case("https://h.test/caf\u{e9}", "https://h.test/caf%c3%a9", true)]
    #[case::prefix("https://h.test/admin/**", "https://h.test/admin", true)]
    #[case::below("https://h.test/admin/**", "https://h.test/admin/a/b", true)]
    #[case::origin("https://h.test/**", "https://h.test", true)]
    #[case::longer("https://h.test/admin", "https://h.test/admin/x", false)]
    #[case::other("https://h.test/admin", "https://h.test/administrator", false)]
    fn a_covered_endpoint_includes_what_a_server_may_take_for_it(
        #[case] pattern: &str,
        #[case] path: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(covers(pattern, path), expected);
    }

    #[rstest]
    #[case("get https://h.test/", EndpointPatternError::Method)]
    #[case("GET, PUT https://h.test/", EndpointPatternError::Method)]
    #[case(" https://h.test/", EndpointPatternError::Method)]
    #[case("/v1/x", TargetFault::NotAbsolute.into())]
    #[case("https://u:p@h.test/", TargetFault::UserInfo.into())]
    #[case("https://h.test/a/../b", TargetFault::DotSegment.into())]
    #[case("https://h.test/a//b", TargetFault::EmptySegment.into())]
    #[case("https://h.test//**", TargetFault::EmptySegment.into())]
    #[case("https://h.test/#x", TargetFault::Fragment.into())]
    #[case("https://b\u{fc}cher.test/", TargetFault::Host.into())]
    #[case("https://{host}/", TargetFault::Host.into())]
    #[case("https://h.test/a?x=1", EndpointPatternError::Query)]
    #[case("https://h.test/a{id}", EndpointPatternError::Parameter)]
    #[case("https://h.test/{}", EndpointPatternError::Parameter)]
    #[case("https://h.test/{a}{b}", EndpointPatternError::Parameter)]
    #[case("https://h.test/*/x", EndpointPatternError::Wildcard)]
    #[case("https://h.test/**/x", EndpointPatternError::Wildcard)]
    #[case("https://h.test/a**", EndpointPatternError::Wildcard)]
    #[case("https://h.test/:id", EndpointPatternError::Wildcard)]
    fn a_text_that_would_match_something_else_is_no_pattern(
        #[case] text: &str,
        #[case] expected: EndpointPatternError,
    ) {
        assert_eq!(EndpointPattern::parse(text).unwrap_err(), expected);
    }

    #[test]
    fn a_pattern_is_shown_as_it_was_written() {
        let text = "GET https://H.test:443/{a}/**";
        assert_eq!(EndpointPattern::parse(text).unwrap().to_string(), text);
    }
}
