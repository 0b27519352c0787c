//! A target read as a reference of RFC 3986, and once more by a WHATWG parser behind a base.

use std::borrow::Cow;
use std::sync::LazyLock;

use url::Url;

/// A reference cut in its parts by RFC 3986, appendix B.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reference<'t> {
    pub(super) scheme: Option<&'t str>,
    pub(super) authority: Option<&'t str>,
    pub(super) path: &'t str,
    pub(super) query: Option<&'t str>,
    pub(super) fragment: Option<&'t str>,
}

impl<'t> Reference<'t> {
    pub(super) fn split(text: &'t str) -> Self {
        let (text, fragment) = cut(text, '#');
        let (text, query) = cut(text, '?');
        let (scheme, text) = match text.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
            _ => (None, text),
        };
        let (authority, path) = match text.strip_prefix("//") {
            Some(rest) => {
                let end = rest.find('/').unwrap_or(rest.len());
                (Some(&rest[..end]), &rest[end..])
            }
            None => (None, text),
        };
        Self {
            scheme,
            authority,
            path,
            query,
            fragment,
        }
    }
}

fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn is_scheme(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// A base URL that targets are written behind.
pub(super) struct Base {
    text: &'static str,
    url: Url,
}

const TEXTS: [&str; 4] = [
    "https://api.example.test",
    "https://api.example.test/base/",
    "https://user:word@api.example.test:8443/base",
    "http://127.0.0.1:8080/v1",
];

static BASES: LazyLock<Vec<Base>> = LazyLock::new(|| {
    let parsed = TEXTS.iter().filter_map(|text| {
        let url = Url::parse(text).ok()?;
        Some(Base { text, url })
    });
    parsed.collect()
});

/// How many bases there are.
pub(super) const BASE_COUNT: usize = TEXTS.len();

impl Base {
    pub(super) fn number(index: usize) -> Option<&'static Self> {
        BASES.get(index)
    }

    pub(super) fn text(&self) -> &'static str {
        self.text
    }

    /// The URL of a target behind this base. A raw space is written as its escape, as every client
    /// does, for the parser would drop it at the end.
    pub(super) fn behind(&self, target: &str) -> Option<Url> {
        let target = if target.contains(' ') {
            Cow::Owned(target.replace(' ', "%20"))
        } else {
            Cow::Borrowed(target)
        };
        let base = self.text.trim_end_matches('/');
        let mut text = String::with_capacity(base.len() + target.len());
        text.push_str(base);
        text.push_str(&target);
        Url::parse(&text).ok()
    }

    /// The path behind the base's own.
    pub(super) fn path_behind<'u>(&self, url: &'u Url) -> Option<&'u str> {
        url.path()
            .strip_prefix(self.url.path().trim_end_matches('/'))
    }

    pub(super) fn has_origin_of(&self, url: &Url) -> bool {
        url.scheme() == self.url.scheme()
            && url.host() == self.url.host()
            && url.port() == self.url.port()
            && url.username() == self.url.username()
            && url.password() == self.url.password()
    }

    /// Where the target leads to if it leaves the base's origin, joined in any usual way.
    pub(super) fn left_by(&self, target: &str) -> Option<String> {
        let reference = Reference::split(target);
        if let Some(scheme) = reference.scheme {
            return Some(format!("by RFC 3986 it has the scheme `{scheme}`"));
        }
        if let Some(authority) = reference.authority {
            return Some(format!("by RFC 3986 it has the authority `{authority}`"));
        }
        let joined = [
            Url::parse(&format!("{}{target}", self.text)),
            Url::parse(&format!("{}{target}", self.text.trim_end_matches('/'))),
            self.url.join(target),
        ];
        joined.into_iter().find_map(|url| match url {
            Ok(url) if self.has_origin_of(&url) => None,
            Ok(url) => Some(format!("behind {} it leads to {url}", self.text)),
            Err(cause) => Some(format!("behind {} it is no URL: {cause}", self.text)),
        })
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn a_reference_is_cut_as_the_appendix_cuts_it() {
        let reference = Reference::split("https://u@h:1/a:b?q=/?x#f?#");
        let whole = Reference {
            scheme: Some("https"),
            authority: Some("u@h:1"),
            path: "/a:b",
            query: Some("q=/?x"),
            fragment: Some("f?#"),
        };
        assert_eq!(reference, whole);
        assert_eq!(Reference::split("/a:b").scheme, None);
    }

    #[rstest]
    #[case("/v1/items:batchGet", false)]
    #[case("/a@b", false)]
    #[case("//evil.test/x", true)]
    #[case("/\\evil.test", true)]
    #[case("/\t/evil.test", true)]
    #[case("@evil.test/x", true)]
    #[case(".evil.test", true)]
    #[case("http:x", true)]
    fn a_target_that_leaves_its_base_is_seen(#[case] target: &str, #[case] leaves: bool) {
        let left =
            (0..BASE_COUNT).any(|base| Base::number(base).unwrap().left_by(target).is_some());
        assert_eq!(left, leaves);
    }
}
