//! Prints the medians of both sides for plans and HTTP surfaces, and our share of the peer's time.

use std::error::Error;
use std::sync::Arc;

use pmcp_code_mode::HttpExecutor as _;
use pmcp_code_mode::PathPart as PeerPart;
use pmcp_server_toolkit as peer;
use pmcp_server_toolkit::code_mode::HttpCodeExecutor;
use pmcp_server_toolkit::http::HttpConnector as _;
use pmcp_server_toolkit::http::auth::NoAuth;
use proofmark::executor::{
    ExecutionConfig, ExecutionPlan, HttpExecutor as _, Method, PlanExecutor, PlanStep, PlannedCall,
    ValueExpr,
};
use proofmark::http as ours;
use proofmark::http::HttpConnector as _;
use proofmark::path::PathTemplate;
use proofmark_conformance::recorder::{Recorder, Reply};
use proofmark_peers::answering::{Deaf, Verdict, at_once};
use proofmark_peers::measure::{Comparison, compare};
use proofmark_peers::plan::{one_call, run_deaf};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// What a surface asks before it sends.
#[derive(Clone, Copy)]
enum Policy {
    None,
    Allowing,
    Refusing,
}

const SURFACES: [(&str, Policy); 3] = [
    ("up to its refusal", Policy::Refusing),
    ("over loopback, no policy", Policy::None),
    ("over loopback, a policy", Policy::Allowing),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "{:<44} {:>10} {:>10} {:>7} {:>7}",
        "work", "ours ns", "peer ns", "ratio", "goal"
    );
    let small = json!({"id": "C0018787", "full": true, "limit": 10});
    report("one-call plan on a mock", Some(0.4), plan(small)?);
    let mut large = json!({"id": "C0018787", "full": true});
    for field in 0..20 {
        large[format!("field-{field}")] = json!({"text": "some text", "list": [1, 2, 3]});
    }
    report("one-call plan, 20 nested fields", None, plan(large)?);
    let bench = Bench::new()?;
    for (work, policy) in SURFACES {
        report(
            &format!("curated call {work}"),
            None,
            bench.curated(policy)?,
        );
    }
    for (work, policy) in SURFACES {
        report(
            &format!("script's call {work}"),
            None,
            bench.script(policy)?,
        );
    }
    Ok(())
}

fn report(work: &str, goal: Option<f64>, seen: Comparison) {
    let goal = goal.map_or_else(String::new, |goal| format!("{goal:.2}"));
    println!(
        "{work:<44} {:>10.1} {:>10.1} {:>7.3} {goal:>7}",
        seen.ours,
        seen.peer,
        seen.ratio()
    );
}

/// A plan of one call with one `${kind}` and two `{key}`, each run by an executor of its own.
fn plan(body: Value) -> Result<Comparison, Box<dyn Error>> {
    let call = PlannedCall::new(
        Method::Post,
        PathTemplate::parse("/v1/${kind}/{id}?full={full}")?,
    );
    let our_plan = ExecutionPlan::new(vec![PlanStep::ApiCall {
        result_var: Some("r".to_owned()),
        call: call.with_body(ValueExpr::literal(body.clone())),
    }]);
    let peer_plan = one_call(
        vec![
            PeerPart::Literal("/v1/".to_owned()),
            PeerPart::Variable("kind".to_owned()),
            PeerPart::Literal("/{id}?full={full}".to_owned()),
        ],
        Some(body),
    );
    let kind = json!("items");
    let variables = [("kind", kind.clone())];
    let ours = || {
        let mut executor = PlanExecutor::new(Deaf, ExecutionConfig::default());
        executor.set_variable("kind", kind.clone());
        at_once(executor.execute(&our_plan)).is_some_and(|result| result.is_ok())
    };
    let peer = || at_once(run_deaf(&peer_plan, &variables)).is_some_and(|result| result.is_ok());
    if !ours() || !peer() {
        return Err("a plan has failed".into());
    }
    Ok(compare(ours, peer))
}

/// One backend and one runtime for all surfaces.
struct Bench {
    backend: Recorder,
    runtime: Runtime,
    arguments: Value,
}

impl Bench {
    fn new() -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            backend: Recorder::start(Reply::json(200, &json!({"id": 7})))?,
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?,
            arguments: json!({"id": "C0018787", "fields": "name", "limit": 10, "page": 2}),
        })
    }

    /// As the peer builds its own client, but without a proxy.
    fn client() -> Result<reqwest::Client, reqwest::Error> {
        reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
    }

    fn curated(&self, policy: Policy) -> Result<Comparison, Box<dyn Error>> {
        let base = format!("{}/v1", self.backend.base_url());
        let mut ours = ours::HttpClient::new(&base, Arc::new(ours::NoAuth))?;
        let mut peer = peer::http::HttpClient::new(Self::client()?, base, Arc::new(NoAuth))?;
        if let Some(verdict) = policy.verdict() {
            ours = ours.with_request_policy(verdict.clone());
            peer = peer.with_request_policy(verdict);
        }
        let our_operation = ours::Operation::new(
            "GET",
            "/items/{id}",
            [
                ours::Parameter::path("id"),
                ours::Parameter::query("fields"),
                ours::Parameter::query("limit"),
                ours::Parameter::query("page"),
            ],
        )?;
        let peer_operation = peer_operation();
        let arguments = &self.arguments;
        self.compared(
            policy,
            || {
                let call = ours.execute_for_tool("get_item", &our_operation, arguments);
                self.runtime.block_on(call).is_ok()
            },
            || {
                let call = peer.execute_for_tool("get_item", &peer_operation, arguments);
                self.runtime.block_on(call).is_ok()
            },
        )
    }

    fn script(&self, policy: Policy) -> Result<Comparison, Box<dyn Error>> {
        let base = format!("{}/v1", self.backend.base_url());
        let mut ours = ours::HttpCodeExecutor::new(&base, Arc::new(ours::NoAuth))?;
        let mut peer = HttpCodeExecutor::new(Self::client()?, base, Arc::new(NoAuth));
        if let Some(verdict) = policy.verdict() {
            ours = ours.with_request_policy(verdict.clone());
            peer = peer.with_request_policy(verdict);
        }
        let ours = ours.for_call("execute_code")?;
        let peer = peer.with_tool_label("execute_code").with_call_id("call-1");
        let body = json!({"fields": "name", "limit": 10, "page": 2});
        let our_path = proofmark::path::ResolvedPath::from_checked("/items/C0018787")?;
        let peer_path = pmcp_code_mode::ResolvedPath::from_checked("/items/C0018787")
            .map_err(|refusal| refusal.to_string())?;
        self.compared(
            policy,
            || {
                let call = ours.execute_request("GET", our_path, Some(body.clone()));
                self.runtime.block_on(call).is_ok()
            },
            || {
                let call = peer.execute_request("GET", peer_path, Some(body.clone()));
                self.runtime.block_on(call).is_ok()
            },
        )
    }

    fn compared(
        &self,
        policy: Policy,
        ours: impl Fn() -> bool,
        peer: impl Fn() -> bool,
    ) -> Result<Comparison, Box<dyn Error>> {
        let is_sent = !matches!(policy, Policy::Refusing);
        if ours() != is_sent || peer() != is_sent {
            return Err("a surface did something else than what is measured".into());
        }
        Ok(compare(ours, peer))
    }
}

impl Policy {
    fn verdict(self) -> Option<Arc<Verdict>> {
        match self {
            Self::None => None,
            Self::Allowing => Some(Arc::new(Verdict { allows: true })),
            Self::Refusing => Some(Arc::new(Verdict { allows: false })),
        }
    }
}

fn peer_operation() -> peer::http::Operation {
    use peer::http::{Parameter, ParameterLocation};
    peer::http::Operation {
        method: "GET".to_owned(),
        path: "/items/{id}".to_owned(),
        parameters: vec![
            Parameter::new("id", ParameterLocation::Path, true),
            Parameter::new("fields", ParameterLocation::Query, false),
            Parameter::new("limit", ParameterLocation::Query, false),
            Parameter::new("page", ParameterLocation::Query, false),
        ],
        has_request_body: false,
        base_url: None,
    }
}
