//! The files of vectors keep to their JSON Schemas, and the schemas do refuse what breaks them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::Path;

use proofmark_conformance::vectors::{FILES, file};
use rstest::rstest;
use serde_json::{Value, json};

/// The schema of a file of vectors.
fn schema(vectors: &str) -> jsonschema::Validator {
    let name = format!(
        "vectors-{}.schema.json",
        vectors.trim_end_matches(".json").replace('_', "-")
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../schemas")
        .join(name);
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    jsonschema::draft202012::new(&schema).unwrap()
}

fn content(name: &str) -> Value {
    serde_json::from_str(file(name).unwrap().text).unwrap()
}

#[test]
fn every_file_keeps_to_its_schema() {
    for file in FILES {
        let validator = schema(file.name);
        let content = content(file.name);
        let errors: Vec<String> = validator
            .iter_errors(&content)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .take(5)
            .collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", file.name);
    }
}

#[rstest]
#[case("path_value.json", "id", json!("value-1"))]
#[case("path_value.json", "requirement", json!("POL-01"))]
#[case("path_value.json", "level", json!("shall"))]
#[case("path_value.json", "result", json!("maybe"))]
#[case("path_value.json", "rule", json!("because"))]
#[case("path_value.json", "encode", json!("ok"))]
#[case("path_value.json", "value", json!(7))]
#[case("path_value.json", "value", json!([["a", 0]]))]
#[case("path_value.json", "rules", json!({"maxLength": 4}))]
#[case("path_value.json", "reason", json!(""))]
#[case("path_value.json", "extra", json!(1))]
#[case("path_value.json", "control", Value::Null)]
#[case("path_target.json", "path_only", json!("ok"))]
#[case("path_target.json", "path_only_rule", json!("because"))]
#[case("path_target.json", "target", json!({}))]
#[case("path_composition.json", "method", json!("get"))]
#[case("path_composition.json", "template", json!(null))]
#[case("path_composition.json", "rules", json!([{"param": "a"}]))]
#[case("path_composition.json", "expect", json!({"segments": []}))]
#[case("path_composition.json", "encode", json!({"result": "one_segment"}))]
#[case("credential_scan.json", "kind", json!("hidden"))]
#[case("credential_scan.json", "expect", json!([{"secret": "token"}]))]
fn a_vector_with_one_wrong_member_is_refused(
    #[case] name: &str,
    #[case] member: &str,
    #[case] wrong: Value,
) {
    let mut content = content(name);
    // The first vector of each file of paths is a refusal.
    let vector = &mut content["vectors"][0];
    match wrong {
        Value::Null if member != "template" => {
            vector.as_object_mut().unwrap().remove(member).unwrap();
        }
        wrong => vector[member] = wrong,
    }
    assert!(!schema(name).is_valid(&content));
}

#[rstest]
#[case("path_value.json", "value")]
#[case("path_target.json", "path_only")]
#[case("path_composition.json", "method")]
#[case("credential_scan.json", "secrets")]
fn a_vector_without_a_member_it_needs_is_refused(#[case] name: &str, #[case] member: &str) {
    let mut content = content(name);
    let vector = content["vectors"][0].as_object_mut().unwrap();
    vector.remove(member).unwrap();
    assert!(!schema(name).is_valid(&content));
}
