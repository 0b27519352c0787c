//! One table for each requirement on the two layers and the body.

use std::cell::RefCell;

use proofmark::path::{
    PLACEHOLDER_MAX_LENGTH, PathTemplate, PlaceholderRules, ResolveError, TemplateError,
};
use rstest::rstest;
use serde_json::{Map, Value, json};

use crate::subject::{lookup, refusal, resolve, resolve_with, target};

#[rstest]
#[case(json!({"a": "x{b}y", "b": "zzz"}))]
#[case(json!({"a": "{b}", "b": "zzz"}))]
#[case(json!({"a": "zzz", "b": "{a}"}))]
fn path_12_a_substituted_value_is_never_scanned_again(#[case] body: Value) {
    assert_eq!(
        refusal(target("/p/{a}/q/{b}", body.clone())).rule,
        "pathSegment"
    );
    assert_eq!(refusal(target("/p?a={a}&b={b}", body)).rule, "pathSegment");
}

#[test]
fn path_13_a_refusal_yields_nothing() {
    let refused = resolve("/p/{a}/q/{b}", json!({"a": "fine", "b": "..", "c": 1}));
    assert_eq!(refusal(refused).param, "b");
}

#[rstest]
#[case(json!("x"), "/p/x")]
#[case(json!(5), "/p/5")]
#[case(json!(-1), "/p/-1")]
#[case(json!(1.5), "/p/1.5")]
#[case(json!(1e300), &format!("/p/{}", json!(1e300)))]
#[case(json!(u64::MAX), "/p/18446744073709551615")]
#[case(json!(true), "/p/true")]
#[case(json!(false), "/p/false")]
#[case(json!(null), "/p/null")]
fn path_14_scalars_render(#[case] value: Value, #[case] expected: &str) {
    assert_eq!(target("/p/{a}", json!({ "a": value })).unwrap(), expected);
    let as_variable = resolve_with("/p/${a}", &json!({ "a": value }), Value::Null).unwrap();
    assert_eq!(as_variable.target().as_str(), expected);
}

#[rstest]
#[case(json!([]))]
#[case(json!(["x"]))]
#[case(json!({}))]
#[case(json!({"k": 1}))]
fn path_14_arrays_and_objects_are_refused_by_name(#[case] value: Value) {
    let expected = ResolveError::NotScalar {
        name: "a".to_owned(),
    };
    assert_eq!(
        target("/p/{a}", json!({ "a": value })),
        Err(expected.clone())
    );
    assert_eq!(
        resolve_with("/p/${a}", &json!({ "a": value }), Value::Null),
        Err(expected)
    );
}

/// Resolves while writing down each lookup of rules.
fn lookups(template: &str, variables: &Value, body: Value) -> Vec<(String, String, String)> {
    let seen = RefCell::new(Vec::new());
    let _ = PathTemplate::parse(template).unwrap().resolve(
        "DELETE",
        |slot| lookup(variables, slot),
        |method, template, param| {
            let asked = (method.to_owned(), template.to_owned(), param.to_owned());
            seen.borrow_mut().push(asked);
            PlaceholderRules::default()
        },
        Some(body),
    );
    seen.into_inner()
}

#[test]
fn path_16_rules_are_looked_up_by_method_template_and_parameter() {
    let asked = lookups(
        "/p/{a}/{b}/{a}?x={b}",
        &Value::Null,
        json!({"a": "1", "b": "2"}),
    );
    let expected = ["a", "b"].map(|param| {
        (
            "DELETE".to_owned(),
            "/p/{a}/{b}/{a}?x={b}".to_owned(),
            param.to_owned(),
        )
    });
    assert_eq!(asked, expected);
}

#[rstest]
#[case("GET", true)]
#[case("DELETE", false)]
fn path_16_another_methods_rules_are_not_used(#[case] method: &str, #[case] accepted: bool) {
    let resolution = PathTemplate::parse("/things/{id}").unwrap().resolve(
        method,
        |_| None,
        |method, template, param| match (method, template, param) {
            ("GET", "/things/{id}", "id") => PlaceholderRules::default(),
            _ => PlaceholderRules::default().with_pattern(Some("^[0-9]+$")),
        },
        Some(json!({"id": "seven"})),
    );
    assert_eq!(resolution.is_ok(), accepted);
}

#[test]
fn path_17_the_template_asked_about_is_the_one_between_the_layers() {
    let asked = lookups(
        "/${kind}/{id}",
        &json!({"kind": "items"}),
        json!({"id": "7"}),
    );
    assert_eq!(
        asked,
        [(
            "DELETE".to_owned(),
            "/items/{id}".to_owned(),
            "id".to_owned()
        )]
    );
}

#[test]
fn path_18_consumed_keys_leave_the_body_and_the_others_stay() {
    let deep = json!({"deep": [1, 2, {"x": "{a}"}], "n": null});
    let body = json!({"a": "1", "b": true, "c": deep, "d": "{b}", "": "", "{a}": "odd"});

    let (path, left) = resolve("/p/{a}?x={b}", body).unwrap().into_parts();

    assert_eq!(path.as_str(), "/p/1?x=true");
    assert_eq!(
        left,
        Some(json!({"c": deep, "d": "{b}", "": "", "{a}": "odd"}))
    );
}

#[rstest]
#[case("/p/{a}", json!({"a": "1"}), None)]
#[case("/p", json!({}), None)]
#[case("/p", json!({"a": "1"}), Some(json!({"a": "1"})))]
#[case("/p", json!([1, 2]), Some(json!([1, 2])))]
#[case("/p", json!(null), Some(json!(null)))]
fn path_18_what_is_left_of_the_body(
    #[case] template: &str,
    #[case] body: Value,
    #[case] left: Option<Value>,
) {
    assert_eq!(resolve(template, body).unwrap().into_parts().1, left);
}

#[rstest]
#[case("/p/${v}")]
#[case("/p/x${v}y")]
#[case("/p?k=${v}")]
#[case("/p?${v}=k")]
fn path_20_interpolations_face_the_floor_and_the_cap_wherever_they_stand(#[case] template: &str) {
    let cases = [
        (json!(""), "nonEmpty"),
        (json!("a/b"), "characterFloor"),
        (json!(".."), "characterFloor"),
        (json!("a%00"), "characterFloor"),
        (json!("%25"), "percentEncoding"),
        (json!("a".repeat(PLACEHOLDER_MAX_LENGTH + 1)), "maxLength"),
    ];
    for (value, rule) in cases {
        let refusal = refusal(resolve_with(template, &json!({ "v": value }), Value::Null));
        assert_eq!((refusal.param.as_str(), refusal.rule), ("v", rule));
    }
    assert!(resolve_with(template, &json!({"v": "fine"}), Value::Null).is_ok());
}

#[rstest]
#[case("/items/${v}", "{secret}")]
#[case("/items/${v}", "x{secret}")]
#[case("/items/${v}", "{")]
#[case("/items/${v}", "%7Bsecret%7D")]
#[case("/items/{id}/${v}", "{id}")]
#[case("/items?k=${v}", "{secret}")]
fn path_24_braces_in_a_variable_make_no_placeholder(#[case] template: &str, #[case] value: &str) {
    let variables = json!({ "v": value });
    let body = json!({"secret": "s", "id": "7", "other": 1});

    assert_eq!(lookups(template, &variables, body.clone()), []);
    assert_eq!(refusal(resolve_with(template, &variables, body)).param, "v");
}

#[rstest]
#[case("/items/{${v}}")]
#[case("/items/${{v}}")]
#[case("/items/{${v}")]
fn path_24_braces_around_a_variable_make_no_template(#[case] template: &str) {
    assert!(matches!(
        PathTemplate::parse(template),
        Err(TemplateError::Unbalanced { .. })
    ));
}

#[rstest]
#[case(json!({}))]
#[case(json!({"other": "7"}))]
#[case(json!(["id"]))]
#[case(json!("id"))]
#[case(json!(null))]
fn path_25_a_placeholder_without_an_argument_is_refused(#[case] body: Value) {
    let expected = Err(ResolveError::MissingArgument {
        key: "id".to_owned(),
    });
    assert_eq!(target("/items/{id}", body), expected);
    assert_eq!(
        PathTemplate::parse("/items/{id}")
            .unwrap()
            .resolve("GET", |_| None, |_, _, _| PlaceholderRules::default(), None)
            .map(|resolution| resolution.target().to_string()),
        expected
    );
    assert_eq!(
        target("/items/{id}", json!({"id": "7"})).unwrap(),
        "/items/7"
    );
}

#[test]
fn path_25_an_undefined_variable_is_refused() {
    assert_eq!(
        resolve_with("/items/${id}", &json!({"ID": 7}), json!({"id": 7})),
        Err(ResolveError::UndefinedVariable {
            name: "id".to_owned()
        })
    );
}

#[test]
fn the_order_of_the_remaining_keys_is_kept() {
    let body: Map<String, Value> = ["z", "id", "a", "m"]
        .map(|key| (key.to_owned(), json!(1)))
        .into_iter()
        .collect();
    let before: Vec<String> = body.keys().filter(|key| *key != "id").cloned().collect();

    let (_, left) = resolve("/p/{id}", Value::Object(body))
        .unwrap()
        .into_parts();

    let after: Vec<String> = left.unwrap().as_object().unwrap().keys().cloned().collect();
    assert_eq!(after, before);
}
