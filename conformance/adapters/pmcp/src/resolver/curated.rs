//! The curated surface as a resolver.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use pmcp_server_toolkit as pmcp;
use pmcp_server_toolkit::HttpConnector as _;
use pmcp_server_toolkit::http::auth::NoAuth;
use pmcp_server_toolkit::http::{HttpClient, HttpConfig, Operation, Parameter, ParameterLocation};
use proofmark_conformance::subject::{Refused, ResolveCase, Resolved, Resolver, awaited};
use serde_json::{Map, Value};

/// Every target is joined to this.
const BASE: &str = "https://api.example.test";

/// The curated client of `pmcp-server-toolkit` as a resolver: each case is one operation, and what
/// its policy is shown, after everything is resolved and joined, is what would be sent. The policy
/// then refuses, so nothing is.
///
/// ```
/// use proofmark_conformance::subject::{ResolveCase, Resolver};
///
/// let case = ResolveCase::new("/items/{id}").method("POST").argument("id", 7).argument("n", 1);
/// let resolved = proofmark_pmcp::curated_resolver().resolve(&case).unwrap();
/// assert_eq!(resolved.target, "/items/7");
/// assert_eq!(resolved.body.unwrap()["n"], 1);
/// ```
pub fn curated_resolver() -> impl Resolver {
    awaited(|asked: ResolveCase| async move {
        static CASES: AtomicU64 = AtomicU64::new(0);
        let Some((client, shown)) = &*CLIENT else {
            return Err(Refused::new("no client can be built"));
        };
        let tool = format!("case-{}", CASES.fetch_add(1, Ordering::Relaxed));
        let arguments = asked.body.clone().unwrap_or(Value::Null);
        let ended = client
            .execute_for_tool(&tool, &operation(&asked), &arguments)
            .await;
        match (shown.take(&tool), ended) {
            (Some(resolved), _) => Ok(resolved),
            (None, Err(error)) => Err(Refused::from(error)),
            (None, Ok(_)) => Err(Refused::new("a request was sent past the policy")),
        }
    })
}

/// One client for all cases, since building one reads the system's certificates, and what its
/// policy is shown.
static CLIENT: LazyLock<Option<(HttpClient, Shown)>> = LazyLock::new(|| {
    let shown = Shown::default();
    let client = HttpClient::from_config(BASE.to_owned(), Arc::new(NoAuth), HttpConfig::default());
    let client = client.ok()?.with_request_policy(Arc::new(shown.clone()));
    Some((client, shown))
});

/// The operation that a curated tool declares for the case: what the template names is a path
/// parameter, everything else goes where the method carries it.
fn operation(asked: &ResolveCase) -> Operation {
    let in_path = placeholders(&asked.template);
    let carries_body = matches!(asked.method.as_str(), "POST" | "PUT" | "PATCH");
    let beside = if carries_body {
        ParameterLocation::Body
    } else {
        ParameterLocation::Query
    };
    let arguments = asked.body.as_ref().and_then(Value::as_object);
    let further = arguments.into_iter().flat_map(Map::keys);
    let further = further.filter(|name| !in_path.contains(name.as_str()));
    let parameters = in_path
        .iter()
        .map(|name| declared(asked, name))
        .chain(further.map(|name| Parameter::new(name, beside, false)))
        .collect();
    Operation {
        method: asked.method.clone(),
        path: asked.template.clone(),
        parameters,
        has_request_body: carries_body,
        base_url: None,
    }
}

fn declared(asked: &ResolveCase, name: &str) -> Parameter {
    let rules = asked.placeholder_rules(&asked.method, &asked.template, name);
    Parameter::new(name, ParameterLocation::Path, true).with_rules(
        rules.declared_pattern.map(str::to_owned),
        rules.declared_max_length.map(|length| length as u64),
        rules.allow_slash,
    )
}

/// The names in braces.
fn placeholders(template: &str) -> BTreeSet<&str> {
    let pieces = template.split('{').skip(1);
    pieces
        .filter_map(|piece| piece.split_once('}'))
        .map(|(name, _)| name)
        .collect()
}

/// What the policy was shown, by the tool that each case has of its own.
#[derive(Clone, Default)]
struct Shown(Arc<Mutex<HashMap<String, Resolved>>>);

impl Shown {
    fn take(&self, tool: &str) -> Option<Resolved> {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.remove(tool)
    }
}

#[pmcp::async_trait]
impl pmcp::RequestPolicy for Shown {
    async fn check(&self, request: &pmcp::OutboundRequest<'_>) -> Result<(), pmcp::PolicyRefusal> {
        let target = request.path.strip_prefix(BASE).unwrap_or(request.path);
        let pairs: Map<String, Value> = request
            .query
            .iter()
            .map(|(key, value)| (key.clone(), Value::from(value.as_str())))
            .collect();
        let pairs = (!pairs.is_empty()).then_some(Value::Object(pairs));
        let beside = request.body.cloned().or(pairs);
        let resolved = Resolved::new(target, beside).sent_with(request.method);
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.insert(request.tool.to_owned(), resolved);
        Err(pmcp::PolicyRefusal::new("written down"))
    }
}
