//! The plan executor of Code Mode as a resolver.

use std::sync::{Arc, Mutex, PoisonError};

use pmcp_code_mode::{
    ExecutionConfig, ExecutionError, ExecutionPlan, HttpExecutor, PathPart, PathTemplate,
    PlaceholderRules, PlanExecutor, PlanMetadata, PlanStep, ResolvedPath, ValueExpr,
};
use proofmark_conformance::subject::{Refused, ResolveCase, Resolved, Resolver, awaited};
use serde_json::Value;

/// The plan executor of `pmcp-code-mode` as a resolver: each case is a plan of one call, run
/// against an executor that writes down what it is handed and sends nothing.
///
/// ```
/// use proofmark_conformance::subject::{ResolveCase, Resolver};
///
/// let case = ResolveCase::new("/${kind}/{id}").variable("kind", "items").argument("id", 7);
/// let resolved = proofmark_pmcp::script_resolver().resolve(&case).unwrap();
/// assert_eq!(resolved.target, "/items/7");
/// ```
pub fn script_resolver() -> impl Resolver {
    awaited(|asked: ResolveCase| async move {
        let handed = Handed::default();
        let plan = plan(&asked);
        let backend = Backend {
            asked: asked.clone(),
            handed: handed.clone(),
        };
        let mut executor = PlanExecutor::new(backend, ExecutionConfig::default());
        for (name, value) in asked.variables {
            executor.set_variable(name, value);
        }
        let result = executor.execute(&plan).await;
        let mut sent = handed.take();
        match result {
            Ok(_) => sent
                .pop()
                .ok_or_else(|| Refused::new("the plan ended well and nothing was sent")),
            Err(error) => Err(sent
                .into_iter()
                .fold(Refused::from(error), Refused::having_sent)),
        }
    })
}

/// A plan of one call, as the compiler makes it of a template literal.
fn plan(asked: &ResolveCase) -> ExecutionPlan {
    ExecutionPlan {
        steps: vec![PlanStep::ApiCall {
            result_var: "result".to_owned(),
            method: asked.method.clone(),
            path: PathTemplate {
                parts: parts(&asked.template),
            },
            body: asked.body.clone().map(ValueExpr::Literal),
        }],
        metadata: PlanMetadata {
            api_call_count: 1,
            has_mutations: true,
            endpoints: Vec::new(),
            methods_used: vec![asked.method.clone()],
        },
    }
}

/// The template cut at each `${name}`.
fn parts(template: &str) -> Vec<PathPart> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some((before, from)) = rest.split_once("${") {
        let Some((name, after)) = from.split_once('}') else {
            break;
        };
        if !before.is_empty() {
            parts.push(PathPart::Literal(before.to_owned()));
        }
        parts.push(PathPart::Variable(name.to_owned()));
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(PathPart::Literal(rest.to_owned()));
    }
    parts
}

/// What an executor was handed, in order.
#[derive(Clone, Default)]
struct Handed(Arc<Mutex<Vec<Resolved>>>);

impl Handed {
    fn take(&self) -> Vec<Resolved> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Backend {
    asked: ResolveCase,
    handed: Handed,
}

#[async_trait::async_trait]
impl HttpExecutor for Backend {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let sent = Resolved::new(path.as_str(), body).sent_with(method);
        let mut handed = self.handed.0.lock().unwrap_or_else(PoisonError::into_inner);
        handed.push(sent);
        Ok(Value::Null)
    }

    fn placeholder_rules(
        &self,
        method: &str,
        path_template: &str,
        param: &str,
    ) -> PlaceholderRules<'_> {
        let declared = self.asked.placeholder_rules(method, path_template, param);
        PlaceholderRules::default()
            .with_pattern(declared.declared_pattern)
            .with_max_length(declared.declared_max_length)
            .allowing_slash(declared.allow_slash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_cut_at_its_variables() {
        let shown = format!("{:?}", parts("/a/${x}/{y}?k=${z}"));
        assert_eq!(
            shown,
            r#"[Literal("/a/"), Variable("x"), Literal("/{y}?k="), Variable("z")]"#
        );
    }

    #[test]
    fn what_is_not_closed_stays_text() {
        assert_eq!(format!("{:?}", parts("/a${x")), r#"[Literal("/a${x")]"#);
    }
}
