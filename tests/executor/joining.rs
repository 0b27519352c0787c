//! A target cannot change where it is joined to.

use proofmark::executor::{BaseUrl, BaseUrlError, RequestRefusal};
use proofmark::path::{PathTemplate, PlaceholderRules, ResolvedPath};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

fn join(base: &str, path: &str) -> Result<String, RequestRefusal> {
    let base = BaseUrl::parse(base).unwrap();
    base.join(ResolvedPath::from_checked(path).unwrap())
        .map(Into::into)
}

#[rstest]
#[case("https://api.example.test", "/users", "https://api.example.test/users")]
#[case(
    "https://api.example.test/",
    "/users",
    "https://api.example.test/users"
)]
#[case(
    "https://api.example.test/v1",
    "/users",
    "https://api.example.test/v1/users"
)]
#[case(
    "https://api.example.test/v1/",
    "/users",
    "https://api.example.test/v1/users"
)]
#[case(
    "https://API.example.test:443/v1//",
    "/users",
    "https://api.example.test/v1/users"
)]
#[case("http://[::1]:8080/v1", "/", "http://[::1]:8080/v1/")]
#[case(
    "https://h.test/v1",
    "/items:batchGet",
    "https://h.test/v1/items:batchGet"
)]
#[case("https://h.test/v1", "/urn:x", "https://h.test/v1/urn:x")]
#[case("https://h.test/v1", "/@evil.test/x", "https://h.test/v1/@evil.test/x")]
#[case("https://h.test", "/evil.test:80/x", "https://h.test/evil.test:80/x")]
#[case(
    "https://h.test/v1",
    "/:id/<id>/$id",
    "https://h.test/v1/:id/%3Cid%3E/$id"
)]
#[case(
    "https://h.test/v1",
    "/a%41%2f%7e~b?q=%41+'x'",
    "https://h.test/v1/a%41%2f%7e~b?q=%41+%27x%27"
)]
#[case(
    "https://h.test/v1",
    "/x?next=https://evil.test/y",
    "https://h.test/v1/x?next=https://evil.test/y"
)]
#[case(
    "https://h.test/v1",
    "/\u{e9}\u{4e2d} \"<>^`|[]",
    "https://h.test/v1/%C3%A9%E4%B8%AD%20%22%3C%3E^%60|[]"
)]
fn a_target_is_appended(#[case] base: &str, #[case] path: &str, #[case] joined: &str) {
    assert_eq!(join(base, path).as_deref(), Ok(joined));
}

#[rstest]
#[case("https://evil.example.test/x")]
#[case("//evil.example.test/x")]
#[case("/\\evil.example.test/x")]
#[case("/\n/evil.example.test/x")]
#[case("http:evil.example.test/x")]
#[case("@evil.example.test/x")]
#[case("items:batchGet")]
#[case("")]
fn what_is_no_target_never_gets_here(#[case] path: &str) {
    assert!(ResolvedPath::from_checked(path).is_err());
}

#[test]
fn an_authors_doubled_slash_is_kept() {
    let template = PathTemplate::parse("/a//b/{id}/").unwrap();
    let resolution = template
        .resolve(
            "GET",
            |_| None,
            |_, _, _| PlaceholderRules::default(),
            Some(json!({"id": 1})),
        )
        .unwrap();
    let base = BaseUrl::parse("https://h.test/v1/").unwrap();
    let joined = base.join(resolution.target().as_path()).unwrap();
    assert_eq!(joined.as_str(), "https://h.test/v1/a//b/1/");
}

#[rstest]
#[case("", BaseUrlError::Scheme)]
#[case("api.example.test", BaseUrlError::Scheme)]
#[case("ftp://api.example.test", BaseUrlError::Scheme)]
#[case("file:///etc/passwd", BaseUrlError::Scheme)]
#[case("https:api.example.test", BaseUrlError::Scheme)]
#[case("javascript:alert(1)", BaseUrlError::Scheme)]
#[case("https://", BaseUrlError::Malformed)]
#[case("https:///api.example.test", BaseUrlError::Malformed)]
#[case("https://?x", BaseUrlError::Malformed)]
#[case("https://api.example.test:99999", BaseUrlError::Malformed)]
#[case("https://api.exa mple.test", BaseUrlError::Malformed)]
#[case("https://[::1", BaseUrlError::Malformed)]
#[case("https://api.example.test\\@evil.test", BaseUrlError::Malformed)]
#[case("https://api.example.test/\n", BaseUrlError::Malformed)]
#[case("ht\ttps://api.example.test", BaseUrlError::Malformed)]
#[case("https://user@api.example.test", BaseUrlError::Userinfo)]
#[case("https://user:canary4711@api.example.test", BaseUrlError::Userinfo)]
#[case("https://:canary4711@api.example.test", BaseUrlError::Userinfo)]
#[case("https://%75ser:canary%34711@api.example.test", BaseUrlError::Userinfo)]
#[case("https://@api.example.test", BaseUrlError::Userinfo)]
#[case(
    "https://api.example.test/?key=canary4711",
    BaseUrlError::QueryOrFragment
)]
#[case("https://api.example.test/v1?", BaseUrlError::QueryOrFragment)]
#[case(
    "https://api.example.test/v1#canary4711",
    BaseUrlError::QueryOrFragment
)]
fn a_text_that_is_no_base_is_refused_without_being_quoted(
    #[case] text: &str,
    #[case] expected: BaseUrlError,
) {
    let error = BaseUrl::parse(text).unwrap_err();
    assert_eq!(error, expected);
    assert!(!format!("{error} {error:?}").contains("canary"));
}

#[rstest]
#[case("https://api.example.test", true)]
#[case("http://127.0.0.1:8080", true)]
#[case("http://127.9.9.9", true)]
#[case("http://2130706433/", true)]
#[case("http://[::1]", true)]
#[case("http://localhost", true)]
#[case("http://LOCALHOST", true)]
#[case("http://api.example.test", false)]
#[case("http://localhost.example.test", false)]
#[case("http://127.0.0.1.example.test", false)]
#[case("http://192.168.0.1", false)]
#[case("http://0.0.0.0", false)]
#[case("http://[::ffff:7f00:1]", false)]
#[case("http://localhost.", false)]
fn a_credential_travels_encrypted_or_stays_here(#[case] base: &str, #[case] may: bool) {
    assert_eq!(BaseUrl::parse(base).unwrap().may_carry_credential(), may);
}

proptest! {
    #[test]
    fn no_target_changes_the_origin_or_the_prefix(path in "/[ -~\u{e9}\u{ff0f}\u{3002}]{0,40}") {
        let base = BaseUrl::parse("https://api.example.test:8443/v1/tenant").unwrap();
        if let Ok(path) = ResolvedPath::from_checked(&path)
            && let Ok(url) = base.join(path)
        {
            prop_assert_eq!(url.host_str(), Some("api.example.test"));
            prop_assert_eq!((url.scheme(), url.port()), ("https", Some(8443)));
            prop_assert!(url.path().starts_with("/v1/tenant/"));
            prop_assert_eq!((url.username(), url.password(), url.fragment()), ("", None, None));
            // Read once more, it is the same URL.
            prop_assert_eq!(url::Url::parse(url.as_str()).unwrap(), url);
        }
    }
}
