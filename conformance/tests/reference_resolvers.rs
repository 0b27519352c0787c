//! The toolkit's own resolving, certified as any user's is.

use std::borrow::Cow;

use proofmark_conformance::conformance;
use proofmark_conformance::subject::{
    Refused, ResolveCase, Resolved, RuleLookup, awaited, by_rules, by_value, resolver_fn,
};
use proofmark_conformance::toolkit::path::{
    PathTemplate, PlaceholderRules, validate_path_placeholder,
};

fn resolve(asked: &ResolveCase) -> Result<Resolved, Refused> {
    let resolution = PathTemplate::parse(&asked.template)?.resolve(
        &asked.method,
        |variable| asked.variables.get(variable.name()?).map(Cow::Borrowed),
        |method, template, param| asked.placeholder_rules(method, template, param),
        asked.body.clone(),
    )?;
    let (target, body) = resolution.into_parts();
    Ok(Resolved::new(target.as_str(), body))
}

/// What is declared for one operation.
struct Described(ResolveCase);

impl RuleLookup for Described {
    fn placeholder_rules(
        &self,
        method: &str,
        path_template: &str,
        param: &str,
    ) -> PlaceholderRules<'_> {
        self.0.placeholder_rules(method, path_template, param)
    }
}

conformance! {
    /// Both layers, both halves.
    resolver path_template(
        resolves, placeholder_rules, composes_query, interpolates, patterns, max_lengths, allow_slash
    ) = || resolve;

    /// A path alone, behind something asynchronous.
    resolver path_awaited(resolves) = || awaited(|asked| async move { resolve(&asked) });

    /// A closure whose parameter needs no type, and which changes the caller's body in place.
    resolver path_in_place(resolves, refuses, patterns) = || resolver_fn(|asked| {
        let mut body = asked.body.clone();
        match resolve(asked) {
            Ok(resolved) => {
                body.clone_from(&resolved.body);
                Ok(Resolved::new(resolved.target, body))
            }
            Err(refused) => Err(refused.leaving(body)),
        }
    });

    /// The rules of an executor.
    resolver rules(placeholder_rules, patterns, max_lengths) = || by_rules(|asked| Described(asked.clone()));

    /// What every value faces.
    resolver floor(validates, patterns, max_lengths, allow_slash) = || by_value(validate_path_placeholder);
}
