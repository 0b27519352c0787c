//! Input of a size or shape that nobody means well with is refused, in bounded time and memory.

use proofmark::path::{
    MAX_BODY_DEPTH, PathTemplate, PlaceholderRules, ResolveError, TemplateError,
    validate_path_placeholder, validate_resolved_target,
};
use rstest::rstest;
use serde_json::{Map, Value, json};

use crate::subject::{refusal, resolve, resolve_with, target};

const TEN_MEBIBYTES: usize = 10 << 20;

#[rstest]
#[case::plain("a", "maxLength")]
#[case::wide("\u{1F600}", "maxLength")]
#[case::look_alike("．", "characterFloor")]
#[case::escapes("%41", "maxLength")]
#[case::dots(".", "characterFloor")]
#[case::percent_signs("%", "percentEncoding")]
#[case::nul("\0", "characterFloor")]
fn a_value_of_megabytes_is_refused(#[case] unit: &str, #[case] rule: &str) {
    let value = unit.repeat(TEN_MEBIBYTES / unit.len());
    let rules = PlaceholderRules::default()
        .with_pattern(Some("^(?!x)(?:a+)+$"))
        .with_max_length(Some(usize::MAX));

    assert_eq!(
        validate_path_placeholder("id", &value, &rules)
            .unwrap_err()
            .rule,
        rule
    );
    assert!(validate_resolved_target(&format!("/{value}")).is_err());
    let said = refusal(target("/p/{a}", json!({ "a": value }))).to_string();
    assert!(said.len() < 1_000);
}

#[test]
fn a_body_of_many_keys_is_resolved() {
    let mut body: Map<String, Value> = (0..100_000).map(|n| (format!("k{n}"), json!(n))).collect();
    body.insert("id".to_owned(), json!(7));

    let (path, left) = resolve("/items/{id}", Value::Object(body))
        .unwrap()
        .into_parts();

    assert_eq!(path.as_str(), "/items/7");
    assert_eq!(left.unwrap().as_object().unwrap().len(), 100_000);
}

#[test]
fn a_template_of_many_keys_is_resolved() {
    let keys = 0..20_000;
    let template: String = keys.clone().map(|n| format!("/{{k{n}}}")).collect();
    let body: Map<String, Value> = keys.map(|n| (format!("k{n}"), json!(n))).collect();

    let (path, left) = resolve(&template, Value::Object(body))
        .unwrap()
        .into_parts();

    assert!(path.as_str().ends_with("/19998/19999"));
    assert_eq!(left, None);
}

/// Containers in containers, `depth` of them.
fn nested(depth: usize) -> Value {
    (1..depth).fold(Value::Array(Vec::new()), |inner, level| match level % 2 {
        0 => Value::Array(vec![inner]),
        _ => Value::Object(Map::from_iter([("k".to_owned(), inner)])),
    })
}

#[test]
fn a_body_nests_as_deeply_as_is_allowed() {
    let deepest = nested(MAX_BODY_DEPTH - 1);
    let (_, left) = resolve("/p", json!({ "deep": deepest }))
        .unwrap()
        .into_parts();
    assert_eq!(left, Some(json!({ "deep": deepest })));

    let refused = resolve("/p", json!({"deep": nested(MAX_BODY_DEPTH)}));
    assert_eq!(refused, Err(ResolveError::BodyTooDeep));
}

#[rstest]
#[case("/p")]
#[case("/p/{missing}")]
#[case("/p/{deep}")]
#[case("/p/${undefined}")]
fn a_body_that_would_overflow_the_stack_is_taken_apart(#[case] template: &str) {
    let body = Value::Object(Map::from_iter([("deep".to_owned(), nested(200_000))]));
    assert_eq!(resolve(template, body), Err(ResolveError::BodyTooDeep));
}

#[test]
fn a_variable_that_would_overflow_the_stack_is_taken_apart() {
    let mut deep = Some(nested(200_000));
    let refused = PathTemplate::parse("/p/${v}").unwrap().resolve(
        "GET",
        |_| deep.take().map(std::borrow::Cow::Owned),
        |_, _, _| PlaceholderRules::default(),
        None,
    );
    assert_eq!(
        refused,
        Err(ResolveError::NotScalar {
            name: "v".to_owned()
        })
    );
}

#[rstest]
#[case("/{", TemplateError::Unbalanced { at: 1 })]
#[case("/}", TemplateError::Unbalanced { at: 1 })]
#[case("/a{b", TemplateError::Unbalanced { at: 2 })]
#[case("/{a{b}}", TemplateError::Unbalanced { at: 1 })]
#[case("/{a}}", TemplateError::Unbalanced { at: 4 })]
#[case("/p/{a}{{b}}", TemplateError::Unbalanced { at: 6 })]
#[case("/${a", TemplateError::Unbalanced { at: 2 })]
#[case("/{}", TemplateError::EmptyName { at: 1 })]
#[case("/${}", TemplateError::EmptyName { at: 1 })]
#[case("/{a/b}", TemplateError::BadName { at: 1 })]
#[case("/{a?b}", TemplateError::BadName { at: 1 })]
#[case("/{a\u{0}}", TemplateError::BadName { at: 1 })]
#[case("/a?b?c", TemplateError::SecondQuery { at: 4 })]
#[case("/a?", TemplateError::DanglingQuery)]
#[case("/a%2", TemplateError::Escape { at: 0 })]
#[case("/%{a}", TemplateError::Escape { at: 0 })]
#[case("/{a}%25", TemplateError::Escape { at: 4 })]
#[case("/a#b", TemplateError::Forbidden { at: 0 })]
#[case("/a?b=%23", TemplateError::Forbidden { at: 3 })]
#[case("", TemplateError::NotRooted)]
#[case("{a}", TemplateError::NotRooted)]
#[case("${a}/b", TemplateError::NotRooted)]
#[case("https://example.test/a", TemplateError::SecondQuery { at: 0 })]
fn a_text_that_is_no_template_is_refused_with_its_place(
    #[case] text: &str,
    #[case] expected: TemplateError,
) {
    let expected = if text.starts_with("https") {
        TemplateError::NotRooted
    } else {
        expected
    };
    assert_eq!(PathTemplate::parse(text), Err(expected));
}

#[test]
fn a_name_is_at_most_as_long_as_a_value() {
    let named = |length: usize| PathTemplate::parse(&format!("/{{{}}}", "é".repeat(length)));
    assert!(named(256).is_ok());
    assert_eq!(named(257), Err(TemplateError::BadName { at: 1 }));
}

#[rstest]
#[case("{", TEN_MEBIBYTES)]
#[case("}", TEN_MEBIBYTES)]
#[case("${", TEN_MEBIBYTES / 2)]
#[case("/{}", TEN_MEBIBYTES / 3)]
fn a_template_of_megabytes_is_refused(#[case] unit: &str, #[case] count: usize) {
    assert!(PathTemplate::parse(&format!("/{}", unit.repeat(count))).is_err());
}

#[test]
fn a_literal_of_megabytes_is_over_long() {
    let path = format!("/{}", "a".repeat(TEN_MEBIBYTES));
    assert_eq!(
        refusal(resolve(&path, Value::Null)).rule,
        "segmentMaxLength"
    );
}

#[test]
fn an_expression_is_named_by_its_position() {
    let template = PathTemplate::from_parts([
        proofmark::path::PathPart::Literal("/p/".to_owned()),
        proofmark::path::PathPart::Variable("v".to_owned()),
        proofmark::path::PathPart::Expression,
    ])
    .unwrap();
    let refused = template.interpolate(|slot| match slot.name() {
        Some(_) => Some(std::borrow::Cow::Owned(json!("fine"))),
        None => Some(std::borrow::Cow::Owned(json!("canary/"))),
    });
    assert_eq!(refusal(refused).param, "path expression #1");
}

#[test]
fn a_huge_variable_is_refused_before_it_is_copied() {
    let value = "a".repeat(TEN_MEBIBYTES);
    let refused = resolve_with("/p/${v}", &json!({ "v": value }), Value::Null);
    assert_eq!(refusal(refused).rule, "maxLength");
}
