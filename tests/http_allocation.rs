//! Without a policy nothing is made for one. A binary of its own, for it counts allocations.
#![cfg(test)]

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use allocation_counter::measure;
use proofmark::async_trait;
use proofmark::executor::{
    Attribution, AuthFault, BaseUrl, ExecutionConfig, ExecutionError, ExecutionPlan, HttpExecutor,
    Method, OutgoingRequest, PlanExecutor, PlanStep, PlannedCall, ask_policy,
};
use proofmark::http::{
    AuthSlot, ContributedName, HttpAuthProvider, HttpClient, HttpCodeExecutor, HttpConnector,
    Operation, Parameter, SecretString,
};
use proofmark::path::{PathTemplate, ResolvedPath};
use proofmark::policy::policy_fn;
use proofmark::request::RequestPhase;
use serde_json::{Value, json};

/// Has no credential, so that a call ends where its request would be sent.
struct Dry;

#[async_trait]
impl HttpAuthProvider for Dry {
    fn contributes(&self) -> &[ContributedName] {
        &[]
    }

    async fn authenticate(
        &self,
        _: Option<&SecretString>,
        _: &mut AuthSlot,
    ) -> Result<(), AuthFault> {
        Err(AuthFault::Provider)
    }
}

fn now<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("nothing is waited for here"),
    }
}

fn request() -> OutgoingRequest {
    let base = BaseUrl::parse("https://api.example.test/v1").unwrap();
    let path = ResolvedPath::from_checked("/items/7?x=1").unwrap();
    OutgoingRequest::new(&base, "GET", path, Some(json!({"a": 1}))).unwrap()
}

#[test]
fn asking_no_policy_allocates_nothing() {
    let request = request();
    let attribution = Attribution {
        tool: "t",
        call_id: "c",
    };
    let ask = || {
        now(ask_policy(
            None,
            &request,
            attribution,
            RequestPhase::Execute,
        ))
    };
    assert_eq!(measure(|| ask().unwrap()).count_total, 0);
}

#[test]
fn asking_a_policy_allocates_its_future_alone() {
    let (request, policy) = (request(), policy_fn(|_| Ok(())));
    let ask = || {
        now(ask_policy(
            Some(&policy),
            &request,
            Attribution::default(),
            RequestPhase::Execute,
        ))
    };
    assert_eq!(measure(|| ask().unwrap()).count_total, 1);
}

/// What a call costs up to where it would be sent.
fn allocations(call: impl Fn() -> Result<Value, ExecutionError>) -> u64 {
    // What is kept after the first use is not counted.
    let _ = call();
    let counted = measure(|| assert_eq!(call(), Err(AuthFault::Provider.into())));
    counted.count_total
}

/// Everything a call must do where there is no hook: make the request, its body, and two futures that
/// async traits box.
fn made_without_hook(body: &Value) -> u64 {
    let base = BaseUrl::parse("http://127.0.0.1:9/v1").unwrap();
    let path = ResolvedPath::from_checked("/items/7").unwrap();
    measure(|| {
        let request = OutgoingRequest::new(&base, "POST", path, Some(body.clone())).unwrap();
        let mut bytes = Vec::new();
        serde_json::to_writer(&mut bytes, request.body().unwrap()).unwrap();
    })
    .count_total
        + 2
}

#[tokio::test]
async fn a_surface_without_a_policy_makes_nothing_for_one() {
    let body = json!({"name": "a name of some length", "tags": ["x", "y"]});
    let bare = HttpCodeExecutor::new("http://127.0.0.1:9/v1", Arc::new(Dry)).unwrap();
    let send = |executor: &HttpCodeExecutor| {
        let path = ResolvedPath::from_checked("/items/7").unwrap();
        now(executor.execute_request("POST", path, Some(body.clone())))
    };

    let without = allocations(|| send(&bare));
    let with = bare
        .clone()
        .with_request_policy(Arc::new(policy_fn(|_| Ok(()))));

    assert_eq!(without, made_without_hook(&body));
    assert_eq!(
        allocations(|| send(&with)),
        without + 1,
        "the policy's boxed future"
    );
}

#[tokio::test]
async fn a_curated_call_without_a_policy_makes_no_id() {
    let client = HttpClient::new("http://127.0.0.1:9/v1", Arc::new(Dry)).unwrap();
    let operation = Operation::new("GET", "/items/{id}", [Parameter::path("id")]).unwrap();
    let args = json!({"id": 7});
    let attributed = allocations(|| now(client.execute_for_tool("t", &operation, &args)));
    let unattributed = allocations(|| now(client.execute(&operation, &args)));
    assert_eq!(attributed, unattributed);
    let asked = client.with_request_policy(Arc::new(policy_fn(|_| Ok(()))));
    let with = allocations(|| now(asked.execute_for_tool("t", &operation, &args)));
    assert_eq!(
        with,
        attributed + 2,
        "the policy's boxed future and the call's id"
    );
}

#[tokio::test]
async fn a_script_without_a_policy_makes_nothing_for_one() {
    let path = PathTemplate::static_path("/items/7").unwrap();
    let call = PlannedCall::new(Method::Get, path);
    let result_var = None;
    let plan = ExecutionPlan::new(vec![PlanStep::ApiCall { result_var, call }]);
    let run = |http: HttpCodeExecutor| {
        let call = PlanExecutor::new(http, ExecutionConfig::default());
        now(call.execute(&plan)).map(|result| result.value)
    };
    let bare = HttpCodeExecutor::new("http://127.0.0.1:9/v1", Arc::new(Dry)).unwrap();

    let without = allocations(|| run(bare.for_call("t").unwrap()));
    let unattributed = allocations(|| run(bare.clone().with_tool_label("t")));
    let asked = bare
        .clone()
        .with_request_policy(Arc::new(policy_fn(|_| Ok(()))));
    let with = allocations(|| run(asked.for_call("t").unwrap()));

    assert_eq!(without, unattributed);
    assert_eq!(
        with,
        without + 3,
        "the policy's boxed future, the call's id, and where it is kept"
    );
}
