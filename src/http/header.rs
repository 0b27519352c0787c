//! Which header names an operation or an API key must not use, and which values can be sent.

use reqwest::header::{HeaderName, HeaderValue};

/// Headers that decide where a request goes, where it ends, who it is from, or what it is taken for.
const RESERVED: [&str; 33] = [
    "accept-encoding",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "cookie2",
    "expect",
    "forwarded",
    "from",
    "host",
    "http2-settings",
    "keep-alive",
    "max-forwards",
    "origin",
    "range",
    "referer",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-method",
    "x-original-url",
    "x-real-ip",
    "x-rewrite-url",
    "x-original-uri",
];

/// Beginnings of further such names.
const RESERVED_BEGINNINGS: [&str; 3] = ["proxy-", "sec-", "x-forwarded-"];

/// The header name that a text is, unless it is none or reserved.
///
/// Underscores count as hyphens, for many backends cannot tell them apart.
pub(super) fn free_name(text: &str) -> Option<HeaderName> {
    let name = HeaderName::from_bytes(text.as_bytes()).ok()?;
    (!is_reserved(&name)).then_some(name)
}

fn is_reserved(name: &HeaderName) -> bool {
    let plain = name.as_str().replace('_', "-");
    RESERVED.contains(&plain.as_str())
        || RESERVED_BEGINNINGS
            .iter()
            .any(|beginning| plain.starts_with(beginning))
}

/// A value of visible ASCII characters, with spaces between them at most.
pub(super) fn visible_value(text: &str) -> Option<HeaderValue> {
    let visible = text.bytes().all(|byte| (0x20..0x7F).contains(&byte));
    let trimmed = text.trim_matches(' ').len() == text.len();
    if visible && trimmed && !text.is_empty() {
        HeaderValue::from_str(text).ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("Host")]
    #[case("hOsT")]
    #[case("Authorization")]
    #[case("Cookie")]
    #[case("Content-Length")]
    #[case("Content_Length")]
    #[case("Transfer-Encoding")]
    #[case("Connection")]
    #[case("X-HTTP-Method-Override")]
    #[case("X_HTTP_Method_Override")]
    #[case("Proxy-Authorization")]
    #[case("X-Forwarded-Host")]
    #[case("")]
    #[case("X Tenant")]
    #[case("X-Tenant:")]
    #[case("X-Tenant\r\nHost")]
    #[case("X-Ténant")]
    fn a_reserved_or_malformed_name_is_none(#[case] name: &str) {
        assert_eq!(free_name(name), None);
    }

    #[rstest]
    #[case("X-Tenant")]
    #[case("If-Match")]
    #[case("Accept-Language")]
    fn any_other_name_is_one(#[case] name: &str) {
        assert!(free_name(name).is_some());
    }

    #[rstest]
    #[case("acme corp", true)]
    #[case("", false)]
    #[case(" acme", false)]
    #[case("acme ", false)]
    #[case("ac\tme", false)]
    #[case("ac\r\nme", false)]
    #[case("acm\u{e9}", false)]
    #[case("ac\u{7f}me", false)]
    fn a_value_is_visible_text(#[case] text: &str, #[case] sendable: bool) {
        assert_eq!(visible_value(text).is_some(), sendable);
    }
}
