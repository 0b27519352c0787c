//! An endpoint that a profile declares: part of the complete set of what may be reached.

use std::fmt;

use serde::{Serialize, Serializer};
use url::{Origin, Url};

/// `[METHOD ]scheme://authority/path`, where a whole segment `{name}` stands for any one segment,
/// and, in a prefix, everything below the path belongs to it too.
///
/// It is parsed with a WHATWG parser and compared by origin and whole path segments. The code is
/// the judge's own and shares nothing with the toolkit's allowlist, which is one of its subjects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredEndpoint {
    text: String,
    method: Option<String>,
    url: Option<Url>,
    prefix: bool,
    fault: Option<EndpointError>,
}

/// The text does not declare an endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the endpoint `{text}` cannot be read: {reason}; write `[METHOD ]URL`, as in `https://api.example.test/v1/items/{{id}}`"
)]
pub struct EndpointError {
    text: String,
    reason: String,
}

/// What a `{name}` segment is replaced by when an endpoint is turned into a URL.
const PARAMETER: &str = "proofmark-parameter";

impl DeclaredEndpoint {
    /// An exact endpoint. A text that cannot be read is reported when the profile is validated.
    #[must_use]
    pub fn exact(text: &str) -> Self {
        Self::read(text, false)
    }

    /// A prefix of whole segments: the endpoint and everything below it.
    #[must_use]
    pub fn prefix(text: &str) -> Self {
        Self::read(text, true)
    }

    fn read(text: &str, prefix: bool) -> Self {
        let (method, url) = match text.split_once(' ') {
            Some((method, url)) => (Some(method.to_owned()), url),
            None => (None, text),
        };
        let (url, fault) = match parse(url) {
            Ok(url) => (Some(url), None),
            Err(reason) => {
                let text = text.chars().take(200).collect();
                (None, Some(EndpointError { text, reason }))
            }
        };
        Self {
            text: text.to_owned(),
            method,
            url,
            prefix,
            fault,
        }
    }

    /// Why the text declares no endpoint, if it declares none.
    #[must_use]
    pub fn fault(&self) -> Option<&EndpointError> {
        self.fault.as_ref()
    }

    /// Whether everything below the path belongs to the endpoint.
    #[must_use]
    pub fn is_prefix(&self) -> bool {
        self.prefix
    }

    /// The method the endpoint is declared for, if it names one.
    #[must_use]
    pub fn method(&self) -> Option<&str> {
        self.method.as_deref()
    }

    /// A URL that belongs to the endpoint: each parameter is `7`, a prefix is the path itself.
    #[must_use]
    pub fn instance(&self) -> Option<String> {
        let url = self.url.as_ref()?;
        Some(url.as_str().replace(PARAMETER, "7"))
    }

    /// A URL with one `{}` in it that belongs to the endpoint whatever number replaces it; `None`
    /// where the endpoint is a single URL.
    #[must_use]
    pub fn numbered(&self) -> Option<String> {
        let url = self.url.as_ref()?.as_str();
        if url.contains(PARAMETER) {
            Some(url.replacen(PARAMETER, "{}", 1).replace(PARAMETER, "7"))
        } else if self.prefix {
            Some(format!("{}/{{}}", url.trim_end_matches('/')))
        } else {
            None
        }
    }

    /// URLs in which one parameter, each in turn, is filled with two segments: none of them belongs
    /// to an exact endpoint.
    #[must_use]
    pub fn overfilled(&self) -> Vec<String> {
        let url = self.url.as_ref().map(Url::as_str).unwrap_or_default();
        let at = url.match_indices(PARAMETER);
        at.map(|(at, parameter)| {
            let filled = format!("{}4/other{}", &url[..at], &url[at + parameter.len()..]);
            filled.replace(PARAMETER, "7")
        })
        .collect()
    }

    /// Whether `url` lies in the endpoint, by origin and path; the query plays no part.
    #[must_use]
    pub fn contains(&self, url: &Url) -> bool {
        let Some(declared) = &self.url else {
            return false;
        };
        same_origin(&declared.origin(), &url.origin()) && self.holds_path(declared, url)
    }

    fn holds_path(&self, declared: &Url, url: &Url) -> bool {
        let wanted = segments(declared, self.prefix);
        let given = segments(url, false);
        let count_fits = if self.prefix {
            given.len() >= wanted.len()
        } else {
            given.len() == wanted.len()
        };
        count_fits
            && wanted
                .iter()
                .zip(&given)
                .all(|(want, have)| *want == PARAMETER || want == have)
    }
}

fn same_origin(left: &Origin, right: &Origin) -> bool {
    left.is_tuple() && left == right
}

/// The path's segments; a prefix written with a trailing `/` does not end in an empty one.
fn segments(url: &Url, prefix: bool) -> Vec<&str> {
    let mut segments: Vec<&str> = url
        .path_segments()
        .map(Iterator::collect)
        .unwrap_or_default();
    if prefix && segments.last() == Some(&"") {
        segments.pop();
    }
    segments
}

fn parse(text: &str) -> Result<Url, String> {
    let Some((scheme, rest)) = text.split_once("://") else {
        return Err("it is no absolute URL".to_owned());
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut written = format!("{scheme}://{authority}");
    for segment in path.split('/') {
        written.push('/');
        let parameter = segment.len() > 2 && segment.starts_with('{') && segment.ends_with('}');
        written.push_str(if parameter { PARAMETER } else { segment });
    }
    let url = Url::parse(&written).map_err(|cause| cause.to_string())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("the scheme must be http or https".to_owned());
    }
    if written.contains(['?', '#']) {
        return Err("it has a query or a fragment".to_owned());
    }
    Ok(url)
}

impl fmt::Display for DeclaredEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for DeclaredEndpoint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::itself("https://a.test/v1/items/7", true)]
    #[case::default_port("https://a.test:443/v1/items/7", true)]
    #[case::any_parameter("https://a.test/v1/items/other", true)]
    #[case::query_plays_no_part("https://a.test/v1/items/7?q=1", true)]
    #[case::child("https://a.test/v1/items/7/x", false)]
    #[case::parent("https://a.test/v1/items", false)]
    #[case::resolved_dots("https://a.test/v1/items/../admin", false)]
    #[case::other_port("https://a.test:8443/v1/items/7", false)]
    #[case::suffix_host("https://a.test.evil.test/v1/items/7", false)]
    fn an_exact_endpoint_holds_whole_segments(#[case] url: &str, #[case] expected: bool) {
        let endpoint = DeclaredEndpoint::exact("https://a.test/v1/items/{id}");
        assert_eq!(endpoint.contains(&Url::parse(url).unwrap()), expected);
    }

    #[rstest]
    #[case::itself("https://a.test/v1", true)]
    #[case::below("https://a.test/v1/x/y", true)]
    #[case::sibling("https://a.test/v10", false)]
    fn a_prefix_holds_what_lies_below(#[case] url: &str, #[case] expected: bool) {
        for written in ["https://a.test/v1", "https://a.test/v1/"] {
            let endpoint = DeclaredEndpoint::prefix(written);
            assert_eq!(endpoint.contains(&Url::parse(url).unwrap()), expected);
        }
    }

    #[test]
    fn a_parameter_is_overfilled_each_in_turn() {
        let endpoint = DeclaredEndpoint::exact("https://a.test/{a}/x/{b}");
        let written = endpoint.overfilled();
        assert_eq!(
            written,
            ["https://a.test/4/other/x/7", "https://a.test/7/x/4/other"]
        );
        for text in written {
            assert!(!endpoint.contains(&Url::parse(&text).unwrap()), "{text}");
        }
    }

    #[rstest]
    #[case("/v1/items")]
    #[case("ftp://a.test/x")]
    #[case("https://a.test/x?y")]
    fn what_is_no_endpoint_says_why(#[case] text: &str) {
        let endpoint = DeclaredEndpoint::exact(text);
        assert!(endpoint.fault().unwrap().to_string().contains(text));
    }
}
