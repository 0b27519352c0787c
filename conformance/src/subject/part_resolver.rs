//! Subjects that are only a part of a resolver, made whole by the judge.

use std::fmt::{Debug, Display};

use proofmark::executor::HttpExecutor;
use proofmark::path::{PathTemplate, PlaceholderRules};

use super::resolver::{Resolver, resolver_fn};
use super::{Refused, ResolveCase, Resolved};

/// Where an executor's rules for placeholders come from. Every [`HttpExecutor`] is such a lookup.
///
/// Source: seed 001.
pub trait RuleLookup {
    /// The rules for the value of `param` in `path_template`, called with `method`.
    fn placeholder_rules(
        &self,
        method: &str,
        path_template: &str,
        param: &str,
    ) -> PlaceholderRules<'_>;
}

impl<E: HttpExecutor + ?Sized> RuleLookup for E {
    fn placeholder_rules(
        &self,
        method: &str,
        path_template: &str,
        param: &str,
    ) -> PlaceholderRules<'_> {
        HttpExecutor::placeholder_rules(self, method, path_template, param)
    }
}

/// A validator of single values as a resolver: each value is shown to it with the rules that are
/// declared for it, and the target is put together as plain text.
///
/// ```
/// use proofmark_conformance::subject::{ResolveCase, Resolver, by_value};
///
/// let resolver = by_value(|_param, value: &str, _rules| match value {
///     "" => Err("must not be empty"),
///     _ => Ok(()),
/// });
/// let case = ResolveCase::new("/items/{id}");
/// assert_eq!(resolver.resolve(&case.clone().argument("id", "7")).unwrap().target, "/items/7");
/// assert!(resolver.resolve(&case.argument("id", "")).is_err());
/// ```
pub fn by_value<V, E>(validate: V) -> impl Resolver
where
    V: Fn(&str, &str, &PlaceholderRules<'_>) -> Result<(), E> + Send + Sync,
    E: Debug + Display,
{
    resolver_fn(move |asked| {
        let mut target = String::new();
        let mut rest = asked.template.as_str();
        while let Some((before, from)) = rest.split_once('{') {
            let (name, after) = from
                .split_once('}')
                .ok_or_else(|| Refused::new("a brace has no partner"))?;
            let value = asked
                .argument_text(name)
                .ok_or_else(|| Refused::new(format!("`{name}` has no scalar value")))?;
            let rules = asked.placeholder_rules(&asked.method, &asked.template, name);
            validate(name, &value, &rules).map_err(|error| Refused::telling(&error))?;
            target.push_str(before);
            target.push_str(&value);
            rest = after;
        }
        target.push_str(rest);
        Ok(Resolved::new(target, None))
    })
}

/// A lookup of rules as a resolver: the template is resolved by the toolkit, under the rules that
/// the lookup made for a case returns.
///
/// ```
/// use proofmark_conformance::subject::{ResolveCase, Resolver, RuleLookup, by_rules};
/// use proofmark_conformance::toolkit::path::PlaceholderRules;
/// use serde_json::Value;
///
/// /// Looks rules up in an OpenAPI document.
/// struct Described(Value);
///
/// impl RuleLookup for Described {
///     fn placeholder_rules(&self, method: &str, template: &str, param: &str) -> PlaceholderRules<'_> {
///         let operation = &self.0["paths"][template][method.to_lowercase()];
///         let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
///         let found = parameters.iter().find(|parameter| parameter["name"] == param);
///         let schema = found.map(|parameter| &parameter["schema"]);
///         PlaceholderRules::default().with_pattern(schema.and_then(|schema| schema["pattern"].as_str()))
///     }
/// }
///
/// let resolver = by_rules(|asked| Described(asked.document()));
/// let case = ResolveCase::new("/items/{id}").argument("id", "7");
/// assert_eq!(resolver.resolve(&case).unwrap().target, "/items/7");
/// ```
pub fn by_rules<M, L>(make: M) -> impl Resolver
where
    M: Fn(&ResolveCase) -> L + Send + Sync,
    L: RuleLookup,
{
    resolver_fn(move |asked| {
        let lookup = make(asked);
        resolve_with_toolkit(asked, |method, template, param| {
            lookup.placeholder_rules(method, template, param)
        })
    })
}

/// Resolves a case with the toolkit.
pub(crate) fn resolve_with_toolkit<'r>(
    asked: &ResolveCase,
    rules: impl FnMut(&str, &str, &str) -> PlaceholderRules<'r>,
) -> Result<Resolved, Refused> {
    let resolution = PathTemplate::parse(&asked.template)?.resolve(
        &asked.method,
        |variable| {
            let value = asked.variables.get(variable.name()?)?;
            Some(std::borrow::Cow::Borrowed(value))
        },
        rules,
        asked.body.clone(),
    )?;
    let (target, body) = resolution.into_parts();
    Ok(Resolved::new(target.as_str(), body))
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use proofmark::executor::ExecutionError;
    use proofmark::path::ResolvedPath;
    use serde_json::Value;

    use super::*;

    struct Narrow;

    #[async_trait]
    impl HttpExecutor for Narrow {
        async fn execute_request(
            &self,
            _: &str,
            _: ResolvedPath<'_>,
            _: Option<Value>,
        ) -> Result<Value, ExecutionError> {
            Ok(Value::Null)
        }

        fn placeholder_rules(&self, method: &str, _: &str, _: &str) -> PlaceholderRules<'_> {
            PlaceholderRules::default().with_max_length((method == "GET").then_some(1))
        }
    }

    #[test]
    fn an_executor_is_judged_by_the_rules_it_looks_up() {
        let executor: std::sync::Arc<dyn HttpExecutor> = std::sync::Arc::new(Narrow);
        let resolver = by_rules(move |_| std::sync::Arc::clone(&executor));
        let case = ResolveCase::new("/items/{id}").argument("id", "77");
        assert!(resolver.resolve(&case).is_err());
        assert!(resolver.resolve(&case.method("DELETE")).is_ok());
    }
}
