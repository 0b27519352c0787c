//! One table for each requirement on what values compose to.

use proofmark::path::{
    PLACEHOLDER_MAX_LENGTH, PathTemplate, PlaceholderRules, ResolveError, ResolvedPath,
    validate_resolved_path, validate_resolved_target,
};
use rstest::rstest;
use serde_json::{Value, json};
use url::{Url, form_urlencoded};

use crate::subject::{refusal, resolve, resolve_with, target};

fn pairs(target: &str) -> Vec<(String, String)> {
    let query = target.split_once('?').map_or("", |(_, query)| query);
    form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .collect()
}

#[rstest]
#[case::two_dots("/x/{a}{b}", json!({"a": "x.", "b": "."}), "characterFloor")]
#[case::a_dot_beside_the_authors("/x/.{a}", json!({"a": ".x"}), "ok")]
#[case::dot_and_extension("/x/{a}.", json!({"a": "."}), "characterFloor")]
#[case::matrix_parameter_beside_the_authors_dot("/x/.{a}", json!({"a": ".;v=1"}), "pathSegment")]
#[case::matrix_parameter("/x/{a}", json!({"a": ".;v=1"}), "pathSegment")]
#[case::over_long("/search/{a}{b}", json!({"a": "a".repeat(180), "b": "b".repeat(200)}), "segmentMaxLength")]
#[case::as_long_as_can_be("/search/{a}{b}", json!({"a": "é".repeat(56), "b": "b".repeat(200)}), "ok")]
#[case::over_long_in_two_scripts("/search/{a}{b}", json!({"a": "é".repeat(57), "b": "b".repeat(200)}), "segmentMaxLength")]
#[case::brace("/x/{a}", json!({"a": "{"}), "pathSegment")]
#[case::escaped_brace("/x/{a}", json!({"a": "%7Bb%7d"}), "pathSegment")]
#[case::overlong_in_two_halves("/x/{a}{b}", json!({"a": "%e0%80", "b": "%ae"}), "pathSegment")]
#[case::look_alike_in_two_halves("/x/{a}{b}", json!({"a": "%e2%80", "b": "%a5"}), "pathSegment")]
fn path_10_what_values_compose_to_is_judged(
    #[case] template: &str,
    #[case] body: Value,
    #[case] expected: &str,
) {
    let seen = match target(template, body) {
        Ok(_) => "ok",
        Err(ResolveError::Refused(refusal)) => refusal.rule,
        Err(other) => panic!("{other:?}"),
    };
    assert_eq!(seen, expected);
}

#[rstest]
#[case("/a/{p}", "/x", Err("pathSegment"))]
#[case("/a/{p}", "x/", Err("pathSegment"))]
#[case("/a/{p}", "x//y", Err("pathSegment"))]
#[case("/a/{p}", "%2Fx", Err("pathSegment"))]
#[case("/{p}", "/x", Err("pathSegment"))]
#[case("/a/{p}", "x/./y", Err("pathSegment"))]
#[case("/a/{p}", "x/y", Ok("/a/x/y"))]
#[case("/a{p}", "/x", Ok("/a/x"))]
#[case("/a//b/{p}/", "x/y", Ok("/a//b/x/y/"))]
fn path_10_an_empty_segment_is_refused_when_a_value_makes_it(
    #[case] template: &str,
    #[case] value: &str,
    #[case] expected: Result<&str, &str>,
) {
    let resolution = PathTemplate::parse(template).unwrap().resolve(
        "GET",
        |_| None,
        |_, _, _| PlaceholderRules::default().allowing_slash(true),
        Some(json!({ "p": value })),
    );
    match expected {
        Ok(path) => assert_eq!(resolution.unwrap().target().as_str(), path),
        Err(rule) => assert_eq!(refusal(resolution).rule, rule),
    }
}

#[rstest]
#[case("/")]
#[case("/a/")]
#[case("/a//b")]
#[case("/a/{id}/")]
#[case("/a//{id}")]
fn path_10_an_authors_own_slashes_are_meant(#[case] template: &str) {
    let path = target(template, json!({"id": "7"})).unwrap();
    assert_eq!(path, template.replace("{id}", "7"));
}

#[rstest]
#[case("/", "ok")]
#[case("//", "pathSegment")]
#[case("/a//b", "pathSegment")]
#[case("/a/", "pathSegment")]
#[case("/a/./b", "pathSegment")]
#[case("/a/%2e%2E/b", "pathSegment")]
#[case("/a/{b}", "pathSegment")]
#[case("/a/%7bb%7d", "pathSegment")]
#[case("/a\\b", "pathSegment")]
#[case("/a#b", "pathSegment")]
#[case("/a%00", "pathSegment")]
#[case("/a%2Fb", "ok")]
#[case("/a%2F%2Fb", "pathSegment")]
#[case("/a%25", "percentEncoding")]
#[case("/a%", "percentEncoding")]
#[case("/a?b", "pathSegment")]
fn path_10_a_composed_path_is_judged_without_its_author(
    #[case] path: &str,
    #[case] expected: &str,
) {
    let seen = validate_resolved_path(path).map_or_else(|refusal| refusal.rule, |()| "ok");
    assert_eq!(seen, expected);
}

#[rstest]
#[case("a", "ok", "segmentMaxLength")]
#[case("é", "ok", "segmentMaxLength")]
#[case("%41", "ok", "segmentMaxLength")]
#[case("%C3%A9", "ok", "segmentMaxLength")]
#[case("%80", "ok", "segmentMaxLength")]
fn path_10_a_composed_segment_is_capped_in_decoded_code_points(
    #[case] unit: &str,
    #[case] at_the_cap: &str,
    #[case] over_it: &str,
) {
    let seen = |count: usize| {
        let path = format!("/{}/x", unit.repeat(count));
        validate_resolved_path(&path).map_or_else(|refusal| refusal.rule, |()| "ok")
    };
    assert_eq!(seen(PLACEHOLDER_MAX_LENGTH), at_the_cap);
    assert_eq!(seen(PLACEHOLDER_MAX_LENGTH + 1), over_it);
}

#[rstest]
#[case("/a?b=1", true)]
#[case("/?b=1", true)]
#[case("/a?", false)]
#[case("/?", false)]
#[case("/a?b?c", false)]
#[case("/a?b=%3f", false)]
#[case("/a?b=%23", false)]
#[case("/a?b=#c", false)]
#[case("/a?b=\\c", false)]
#[case("/a?b=%0d%0aX", false)]
#[case("/a?b={c}", false)]
#[case("/a?b=%25", false)]
#[case("/a?b=%4", false)]
fn path_11_one_query_mark_is_permitted_and_both_halves_face_the_byte_floor(
    #[case] path: &str,
    #[case] accepted: bool,
) {
    assert_eq!(validate_resolved_target(path).is_ok(), accepted);
    assert_eq!(ResolvedPath::from_checked(path).is_ok(), accepted);
    assert_eq!(
        PathTemplate::static_path(path).is_ok(),
        accepted || path.contains("{c}"),
    );
}

#[rstest]
#[case("/p?k={a}")]
#[case("/p/{a}")]
#[case("/p/{a}?k=1")]
fn path_11_a_query_mark_from_a_value_is_refused(#[case] template: &str) {
    for value in ["x?y", "x%3Fy"] {
        assert_eq!(
            refusal(target(template, json!({ "a": value }))).rule,
            "characterFloor"
        );
    }
}

#[rstest]
#[case("http:evil.example.test/x")]
#[case("https://evil.example.test/x")]
#[case("//evil.example.test/x")]
#[case("/\\evil.example.test/x")]
#[case("/%2Fevil.example.test/x")]
#[case("/%5cevil.example.test/x")]
#[case("/\t/evil.example.test/x")]
#[case("/\n/evil.example.test/x")]
#[case("\\/evil.example.test/x")]
#[case("@evil.example.test/x")]
#[case(":8443/x")]
#[case(".evil.example.test/x")]
#[case("x")]
#[case("?x")]
#[case("")]
fn path_19_a_target_that_could_name_an_origin_is_refused(#[case] path: &str) {
    assert!(ResolvedPath::from_checked(path).is_err());
    assert!(validate_resolved_target(path).is_err());
    assert!(PathTemplate::static_path(path).is_err() || path.starts_with("/%2F"));
    assert!(PathTemplate::static_path(path).is_err() || resolve(path, json!({})).is_err());
}

#[rstest]
#[case("urn:x")]
#[case("http:evil.example.test")]
#[case("@evil.example.test")]
#[case("evil.example.test:8443")]
#[case("user:password@evil.example.test")]
fn path_19_a_value_cannot_change_the_origin_however_it_is_joined(#[case] value: &str) {
    let path = target("/{a}/items:batchGet", json!({ "a": value })).unwrap();
    for base in ["https://api.example.test", "https://api.example.test/v1/"] {
        let base = Url::parse(base).unwrap();
        let joined = base.join(&path).unwrap();
        let appended =
            Url::parse(&format!("{}{path}", base.as_str().trim_end_matches('/'))).unwrap();
        for url in [joined, appended] {
            assert_eq!(url.origin(), base.origin());
            assert_eq!((url.username(), url.password()), ("", None));
        }
    }
}

#[rstest]
#[case("a&b=c")]
#[case("&")]
#[case("a;b=c")]
#[case("a+b")]
#[case("a=b")]
#[case("a b ")]
#[case("a&b;c+d=e f")]
#[case("é？＆")]
fn path_21_a_query_value_is_one_value_whatever_it_holds(#[case] value: &str) {
    let expected = [
        ("k".to_owned(), value.to_owned()),
        ("z".to_owned(), "1".to_owned()),
    ];

    let by_key = target("/p?k={a}&z=1", json!({ "a": value })).unwrap();
    let by_variable = resolve_with("/p?k=${a}&z=1", &json!({ "a": value }), Value::Null).unwrap();

    assert_eq!(pairs(&by_key), expected);
    assert_eq!(pairs(by_variable.target().as_str()), expected);
    assert!(!by_key.contains(';'));
}

#[test]
fn path_21_a_number_in_exponent_form_is_carried_as_it_is_written() {
    let path = target("/p?k={a}", json!({"a": 1e300})).unwrap();
    assert_eq!(pairs(&path), [("k".to_owned(), json!(1e300).to_string())]);
}

#[test]
fn path_21_a_query_key_is_one_key_whatever_it_holds() {
    let path = target("/p?x{a}y=1", json!({"a": "b=c&d+e"})).unwrap();
    assert_eq!(pairs(&path), [("xb=c&d+ey".to_owned(), "1".to_owned())]);
}

#[rstest]
#[case("a%26b", "a&b")]
#[case("a%3Db", "a=b")]
#[case("a%2Bb", "a+b")]
#[case("a%3bb", "a;b")]
fn path_21_an_escape_in_a_value_stays_inside_its_pair(#[case] value: &str, #[case] said: &str) {
    let path = target("/p?k={a}&z=1", json!({ "a": value })).unwrap();
    assert_eq!(pairs(&path)[0], ("k".to_owned(), said.to_owned()));
    assert_eq!(pairs(&path).len(), 2);
}

#[rstest]
#[case("/a?next=https://x.test/y")]
#[case("/a?next=//x")]
#[case("/a?next=/x/")]
#[case("/a?next=../x")]
#[case("/a?/")]
fn path_23_an_authors_query_may_hold_a_url(#[case] path: &str) {
    assert!(ResolvedPath::from_checked(path).is_ok());
    assert_eq!(target(path, json!({})).unwrap(), path);
}

#[rstest]
#[case("/p?a=x;y&b=1+2")]
#[case("/p?a;b=1")]
fn path_27_the_authors_own_query_is_carried_as_it_stands(#[case] template: &str) {
    assert_eq!(target(template, json!({})).unwrap(), template);
}

#[test]
fn path_27_a_value_between_the_authors_marks_keeps_its_pair() {
    let path = target("/p?a=x;{v}+z&b=1", json!({"v": "1;c=2+3"})).unwrap();
    assert_eq!(path, "/p?a=x;1%3Bc=2%2B3+z&b=1");
}
