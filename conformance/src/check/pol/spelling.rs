//! Other ways to write a URL, and what a WHATWG parser makes of them.

use percent_encoding::percent_decode_str;
use url::Url;

/// A URL's text, cut at the places that spellings change.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    pub(super) scheme: String,
    pub(super) host: String,
    /// With its colon, as written.
    pub(super) port: String,
    /// With its leading slash, as written.
    pub(super) path: String,
    /// With its `?`, as written.
    pub(super) query: String,
}

impl Parts {
    /// Cuts an absolute http or https URL without userinfo; `None` for any other text.
    pub(super) fn of(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let (target, query) = match rest.find('?') {
            Some(mark) => rest.split_at(mark),
            None => (rest, ""),
        };
        let (authority, path) = match target.find('/') {
            Some(slash) => target.split_at(slash),
            None => (target, "/"),
        };
        if authority.contains('@') || target.contains(['#', '\\']) {
            return None;
        }
        let (host, port) = match authority.rfind(':') {
            Some(colon) if !authority.ends_with(']') => authority.split_at(colon),
            _ => (authority, ""),
        };
        Some(Self {
            scheme: scheme.to_owned(),
            host: host.to_owned(),
            port: port.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
        })
    }

    pub(super) fn authority(&self) -> String {
        format!("{}{}", self.host, self.port)
    }

    /// The text with another path.
    pub(super) fn with_path(&self, path: &str) -> String {
        format!("{}://{}{path}{}", self.scheme, self.authority(), self.query)
    }

    /// The text with another authority.
    pub(super) fn with_authority(&self, authority: &str) -> String {
        format!("{}://{authority}{}{}", self.scheme, self.path, self.query)
    }
}

/// The origin and path that a text names once the percent-encoding of unreserved characters, which
/// changes nothing, is undone. Two texts with equal keys name the same endpoint.
pub(crate) fn endpoint_key(text: &str) -> Option<(String, String)> {
    let url = Url::parse(text).ok()?;
    let path = url.path().split('/').map(unreserved_decoded);
    let path = path.collect::<Vec<_>>().join("/");
    Some((url.origin().ascii_serialization(), path))
}

fn unreserved_decoded(segment: &str) -> String {
    let mut decoded = String::new();
    let mut rest = segment;
    while let Some(at) = rest.find('%') {
        decoded.push_str(&rest[..at]);
        let escape = rest.get(at..at + 3).unwrap_or(&rest[at..]);
        let byte = percent_decode_str(escape).next();
        match byte {
            Some(byte) if escape.len() == 3 && is_unreserved(byte) => {
                decoded.push(char::from(byte))
            }
            _ => decoded.push_str(&escape.to_ascii_uppercase()),
        }
        rest = &rest[at + escape.len()..];
    }
    decoded.push_str(rest);
    decoded
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// A path segment's text with chosen unreserved characters percent-encoded.
pub(super) fn encoded(text: &str, upper: bool, chosen: impl Fn(usize) -> bool) -> String {
    text.char_indices()
        .map(|(index, character)| {
            let plain = !character.is_ascii_alphanumeric();
            match (plain || !chosen(index), upper) {
                (true, _) => character.to_string(),
                (false, true) => format!("%{:02X}", character as u32),
                (false, false) => format!("%{:02x}", character as u32),
            }
        })
        .collect()
}

/// The first part in which two URLs differ.
pub(super) fn difference(allowed: &Url, reached: &Url) -> &'static str {
    if allowed.scheme() != reached.scheme() {
        "scheme"
    } else if allowed.host_str() != reached.host_str() {
        "host"
    } else if allowed.port_or_known_default() != reached.port_or_known_default() {
        "port"
    } else {
        "path"
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("https://a.test/%61dmin", "https://a.test/admin")]
    #[case("https://A.test:443/x/../admin", "https://a.test/admin")]
    #[case("https://a.test\\admin", "https://a.test/admin")]
    #[case("https://a.test/a%2fb", "https://a.test/a%2Fb")]
    fn spellings_of_one_endpoint_have_one_key(#[case] left: &str, #[case] right: &str) {
        assert_eq!(endpoint_key(left), endpoint_key(right));
    }

    #[rstest]
    #[case("https://a.test/a%2fb", "https://a.test/a/b")]
    #[case("https://a.test/admin/", "https://a.test/admin")]
    #[case("https://a.test:8443/x", "https://a.test/x")]
    fn other_endpoints_have_other_keys(#[case] left: &str, #[case] right: &str) {
        assert_ne!(endpoint_key(left), endpoint_key(right));
    }
}
