//! The resolver under test, with default rules and its variables in a JSON object.

use std::borrow::Cow;

use proofmark::path::{
    Interpolation, PathTemplate, PlaceholderRefusal, PlaceholderRules, Resolution, ResolveError,
};
use serde_json::Value;

pub fn resolve(template: &str, body: Value) -> Result<Resolution, ResolveError> {
    resolve_with(template, &Value::Null, body)
}

/// Resolves with the members of `variables` as variables, and default rules.
pub fn resolve_with(
    template: &str,
    variables: &Value,
    body: Value,
) -> Result<Resolution, ResolveError> {
    let template = PathTemplate::parse(template).expect("a template");
    template.resolve(
        "GET",
        |slot| lookup(variables, slot),
        |_, _, _| PlaceholderRules::default(),
        Some(body),
    )
}

pub fn lookup<'v>(variables: &'v Value, slot: Interpolation<'_>) -> Option<Cow<'v, Value>> {
    variables.get(slot.name()?).map(Cow::Borrowed)
}

pub fn target(template: &str, body: Value) -> Result<String, ResolveError> {
    resolve(template, body).map(|resolution| resolution.target().to_string())
}

pub fn refusal(result: Result<impl std::fmt::Debug, ResolveError>) -> PlaceholderRefusal {
    match result.unwrap_err() {
        ResolveError::Refused(refusal) => refusal,
        other => panic!("refused for another reason: {other:?}"),
    }
}
