//! A request target read strictly: one spelling, one meaning, or none at all.

use std::borrow::Cow;

use url::{Position, Url};

use super::spelling::{self, Spelling, TargetFault};

/// The longest origin and path that are read, in bytes.
const MAX_PLACE: usize = 65_536;

/// The origin and path of a target in WHATWG form, and the query its author wrote.
///
/// A canonical spelling is borrowed as it is; only a loose one costs a parse.
#[derive(Debug)]
pub(crate) struct Target<'a> {
    text: Cow<'a, str>,
    path_at: usize,
    query: Option<&'a str>,
}

impl<'a> Target<'a> {
    /// Reads an absolute target, or says why its spelling is not to be trusted.
    pub(crate) fn read(raw: &'a str) -> Result<Self, TargetFault> {
        if raw.bytes().any(|byte| byte.is_ascii_control()) {
            return Err(TargetFault::Control);
        }
        if raw.contains('#') {
            return Err(TargetFault::Fragment);
        }
        let (place, query) = match raw.split_once('?') {
            Some((place, query)) => (place, Some(query)),
            None => (raw, None),
        };
        if place.len() > MAX_PLACE {
            return Err(TargetFault::TooLong);
        }
        let (behind, default_port, scheme) = strip_scheme(place)?;
        let authority_len = behind.find('/').unwrap_or(behind.len());
        let (authority, path) = behind.split_at(authority_len);
        let spelling = scheme
            .and(spelling::authority(authority, default_port)?)
            .and(spelling::path(path)?);
        if spelling == Spelling::Canonical {
            let path_at = place.len() - path.len();
            return Ok(Self {
                text: Cow::Borrowed(place),
                path_at,
                query,
            });
        }
        let parsed = Url::parse(place).map_err(|_| TargetFault::Host)?;
        let path_at = parsed[..Position::BeforePath].len();
        Ok(Self {
            text: Cow::Owned(parsed.into()),
            path_at,
            query,
        })
    }

    /// Scheme, host and any port that is not the scheme's own, as `https://api.example.test`.
    pub(crate) fn origin(&self) -> &str {
        &self.text[..self.path_at]
    }

    /// The path, from its first slash on.
    pub(crate) fn path(&self) -> &str {
        &self.text[self.path_at..]
    }

    /// The origin and the path together.
    pub(crate) fn place(&self) -> &str {
        &self.text
    }

    /// The segments of the path; the root has one, which is empty.
    pub(crate) fn segments(&self) -> std::str::Split<'_, char> {
        let path = self.path();
        path.strip_prefix('/').unwrap_or(path).split('/')
    }

    /// What stands behind the first `?`, undecoded.
    pub(crate) fn query(&self) -> Option<&'a str> {
        self.query
    }
}

/// What stands behind the scheme, the scheme's own port, and how it was spelled.
fn strip_scheme(place: &str) -> Result<(&str, &'static str, Spelling), TargetFault> {
    for (scheme, port) in [("https://", "443"), ("http://", "80")] {
        if let Some(behind) = place.strip_prefix(scheme) {
            return Ok((behind, port, Spelling::Canonical));
        }
        let head = place.get(..scheme.len());
        if head.is_some_and(|head| head.eq_ignore_ascii_case(scheme)) {
            return Ok((&place[scheme.len()..], port, Spelling::Loose));
        }
    }
    Err(TargetFault::NotAbsolute)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("https://api.example.test/v1/x", "https://api.example.test", "/v1/x")]
    #[case(
        "HTTPS://API.example.test:443/v1/x",
        "https://api.example.test",
        "/v1/x"
    )]
    #[case("http://api.example.test:8080", "http://api.example.test:8080", "/")]
    #[case("http://0x7f.1/a b", "http://127.0.0.1", "/a%20b")]
    #[case("https://[::0001]:443/x", "https://[::1]", "/x")]
    fn equal_spellings_are_read_alike(#[case] raw: &str, #[case] origin: &str, #[case] path: &str) {
        let target = Target::read(raw).unwrap();

        assert_eq!((target.origin(), target.path()), (origin, path));
    }

    #[rstest]
    #[case::relative("/v1/x", TargetFault::NotAbsolute)]
    #[case::scheme_relative("//api.example.test/x", TargetFault::NotAbsolute)]
    #[case::other_scheme("ftp://api.example.test/x", TargetFault::NotAbsolute)]
    #[case::leading_space(" https://api.example.test/x", TargetFault::NotAbsolute)]
    #[case::one_slash("https:/api.example.test/x", TargetFault::NotAbsolute)]
    #[case::three_slashes("https:///api.example.test/x", TargetFault::Host)]
    #[case::tab("https://api.example.test/\tx", TargetFault::Control)]
    #[case::newline_in_query("https://api.example.test/x?a=\n1", TargetFault::Control)]
    #[case::fragment("https://api.example.test/x?a#b", TargetFault::Fragment)]
    #[case::bad_ipv6("https://[::zz]/x", TargetFault::Host)]
    fn a_spelling_with_two_meanings_is_refused(#[case] raw: &str, #[case] fault: TargetFault) {
        assert_eq!(Target::read(raw).unwrap_err(), fault);
    }

    #[test]
    fn a_place_of_64_kib_is_read_and_a_longer_one_is_not() {
        let head = "https://api.example.test/";
        let place = |length: usize| format!("{head}{}", "a".repeat(length - head.len()));

        assert!(Target::read(&format!("{}?{}", place(65_536), place(99_999))).is_ok());
        assert_eq!(
            Target::read(&place(65_537)).unwrap_err(),
            TargetFault::TooLong
        );
    }

    fn odd_target() -> impl Strategy<Value = String> {
        let scheme = prop::sample::select(vec!["https", "http", "HTTP"]);
        let host = prop_oneof![
            "[a-z0-9._-]{1,12}",
            "[a-cA-C0-9x.%@:\\[\\]\\\\-]{1,12}",
            Just("127.1".to_owned()),
            Just("xn--zca.test:443".to_owned()),
        ];
        let path = prop_oneof![
            "(/[a-z0-9:@!$&'()*+,=._~-]{0,6}){0,4}",
            "(/(%[0-9a-fA-F]{2}|[a-z. ;\\\\|^`<>{}\"é日/]){0,4}){0,3}",
        ];
        let query = prop_oneof![Just(String::new()), "\\?[ -~]{0,8}"];
        (scheme, host, path, query).prop_map(|(s, h, p, q)| format!("{s}://{h}{p}{q}"))
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_the_whatwg_parser_reads(raw in odd_target()) {
            if let Ok(target) = Target::read(&raw) {
                let parsed = Url::parse(&raw).unwrap();
                prop_assert_eq!(target.place(), &parsed[..Position::AfterPath]);
                prop_assert_eq!(target.origin(), parsed.origin().ascii_serialization());
                prop_assert_eq!(target.query().is_some(), parsed.query().is_some());
            }
        }
    }
}
