//! The toolkit's own resolving as subjects: whole templates, a lookup of rules, and single values.

use std::borrow::Cow;

use proofmark::path::{PathTemplate, PlaceholderRules, validate_path_placeholder};
use proofmark_conformance::profile::ResolverProfile;
use proofmark_conformance::subject::{
    Refused, ResolveCase, Resolved, ResolverSubject, RuleLookup, by_rules, by_value,
};
use serde_json::Value;

/// Every reference resolver.
#[must_use]
pub fn reference_resolvers() -> Vec<ResolverSubject> {
    let subjects = [path_template(), described_rules(), placeholder_validator()];
    let version = env!("CARGO_PKG_VERSION");
    subjects.map(|subject| subject.version_is(version)).into()
}

fn path_template() -> ResolverSubject {
    let profile = ResolverProfile::new()
        .resolves()
        .placeholder_rules()
        .composes_query()
        .interpolates()
        .patterns()
        .max_lengths()
        .allow_slash();
    ResolverSubject::new("path_template", profile, || resolve)
}

fn resolve(asked: &ResolveCase) -> Result<Resolved, Refused> {
    let template = PathTemplate::parse(&asked.template)?;
    let resolution = template.resolve(
        &asked.method,
        |variable| asked.variables.get(variable.name()?).map(Cow::Borrowed),
        |method, template, param| asked.placeholder_rules(method, template, param),
        asked.body.clone(),
    )?;
    let (target, body) = resolution.into_parts();
    Ok(Resolved::new(target.as_str(), body))
}

fn placeholder_validator() -> ResolverSubject {
    let profile = ResolverProfile::new()
        .validates()
        .patterns()
        .max_lengths()
        .allow_slash();
    ResolverSubject::new("placeholder_validator", profile, || {
        by_value(validate_path_placeholder)
    })
}

/// The rules of an executor over an API description.
fn described_rules() -> ResolverSubject {
    let profile = ResolverProfile::new()
        .placeholder_rules()
        .patterns()
        .max_lengths();
    ResolverSubject::new("described_rules", profile, || {
        by_rules(|asked| Described(asked.document()))
    })
}

struct Described(Value);

impl RuleLookup for Described {
    fn placeholder_rules(
        &self,
        method: &str,
        path_template: &str,
        param: &str,
    ) -> PlaceholderRules<'_> {
        let operation = &self.0["paths"][path_template][method.to_ascii_lowercase()];
        let mut parameters = operation["parameters"].as_array().into_iter().flatten();
        let schema = parameters
            .find(|parameter| parameter["name"] == param)
            .map(|parameter| &parameter["schema"]);
        let length = schema.and_then(|schema| schema["maxLength"].as_u64());
        PlaceholderRules::default()
            .with_pattern(schema.and_then(|schema| schema["pattern"].as_str()))
            .with_max_length(length.map(|length| usize::try_from(length).unwrap_or(usize::MAX)))
    }
}
