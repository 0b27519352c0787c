//! The policy is asked first, once, about what is then sent.

use std::future::pending;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use proofmark::async_trait;
use proofmark::executor::{
    ExecutionConfig, ExecutionError, ExecutionPlan, HttpExecutor, Method, PlanExecutor, PlanStep,
    PlannedCall, ValueExpr,
};
use proofmark::http::{HttpAuthProvider, HttpClient, HttpConnector, Operation, Parameter};
use proofmark::path::{PathTemplate, ResolvedPath};
use proofmark::policy::{PolicyRefusal, RequestPolicy, ToolkitHooks, policy_fn};
use proofmark::request::OutboundRequest;
use rstest::rstest;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::backend::Backend;
use crate::subject::{Recorder, bearer, config, executor, said, send};

#[tokio::test]
async fn the_policy_sees_the_whole_url_and_never_a_template() {
    let (backend, policy) = (Backend::answering("{}").await, Recorder::default());
    let http =
        executor(&format!("{}/v1/", backend.url())).with_request_policy(Arc::new(policy.clone()));
    let call = PlannedCall::new(
        Method::Post,
        PathTemplate::parse("/${kind}/{id}?full={full}").unwrap(),
    )
    .with_body(ValueExpr::literal(
        json!({"id": 7, "full": "a b", "name": "x"}),
    ));
    let mut plan = PlanExecutor::new(
        http.for_call("my_tool").unwrap(),
        ExecutionConfig::default(),
    );
    plan.set_variable("kind", json!("items"));

    let step = PlanStep::ApiCall {
        result_var: None,
        call,
    };
    plan.execute(&ExecutionPlan::new(vec![step])).await.unwrap();

    let (view, request) = (policy.view(), backend.request());
    assert_eq!(view.path, format!("{}{}", backend.url(), request.target()));
    assert_eq!(request.target(), "/v1/items/7?full=a%20b");
    assert_eq!(view.body, Some(json!({"name": "x"})));
    assert_eq!(
        (
            view.tool.as_str(),
            view.method.as_str(),
            view.phase.as_str()
        ),
        ("my_tool", "POST", "Execute")
    );
}

#[rstest]
#[case("GET", json!({"a": 1, "tag": ["x", "y"]}))]
#[case("POST", json!({"a": {"b": [1]}}))]
#[case("delete", json!([1]))]
#[tokio::test]
async fn a_preview_shows_what_the_call_shows_and_sends_nothing(
    #[case] method: &str,
    #[case] body: Value,
) {
    let (backend, policy) = (Backend::answering("{}").await, Recorder::default());
    let http = executor(&backend.url()).with_request_policy(Arc::new(policy.clone()));
    let http = http.for_call("execute_code").unwrap();
    let path = ResolvedPath::from_checked("/items/7?x=1").unwrap();

    http.preview(method, path, Some(body.clone()))
        .await
        .unwrap();
    assert_eq!(backend.connections(), 0);
    http.execute_request(method, path, Some(body))
        .await
        .unwrap();

    let [mut preview, sent] = policy.views().try_into().unwrap();
    assert_eq!(preview.phase, "Validate");
    preview.phase = sent.phase.clone();
    preview.texts = sent.texts.clone();
    assert_eq!(preview, sent);
    assert_eq!(sent.body.is_none(), method == "GET");
}

#[rstest]
#[case("GET", "/refused")]
#[case("POST", "/refused/x?y=1")]
#[tokio::test]
async fn a_refused_request_is_not_sent_and_says_so(#[case] method: &str, #[case] path: &str) {
    let (backend, policy) = (Backend::answering("{}").await, Recorder::default());
    let http = executor(&backend.url()).with_request_policy(Arc::new(policy));
    let body = json!({"field": "canary4711"});

    let error = send(&http, method, path, body.clone()).await.unwrap_err();
    let previewed = http
        .preview(
            method,
            ResolvedPath::from_checked(path).unwrap(),
            Some(body.clone()),
        )
        .await;

    assert!(error.is_refusal());
    assert_eq!(previewed, Err(error.clone()));
    assert_eq!(
        error.to_string(),
        "the request was refused by policy: not this one"
    );
    assert!(!said(&error).contains("canary"));
    assert_eq!(backend.connections(), 0);
    send(&http, method, &path.replace("refused", "allowed"), body)
        .await
        .unwrap();
    assert_eq!(backend.requests().len(), 1);
}

#[tokio::test]
async fn all_requests_of_a_call_have_one_id_and_no_other_call_has_it() {
    let (backend, policy) = (Backend::answering("{}").await, Recorder::default());
    let http = executor(&backend.url()).with_request_policy(Arc::new(policy.clone()));
    let steps = ["/a", "/b"].map(|path| PlanStep::ApiCall {
        result_var: None,
        call: PlannedCall::new(Method::Get, PathTemplate::static_path(path).unwrap()),
    });
    let plan = ExecutionPlan::new(steps.to_vec());
    for _ in 0..20 {
        let call = PlanExecutor::new(http.for_call("t").unwrap(), ExecutionConfig::default());
        call.execute(&plan).await.unwrap();
    }
    let ids: Vec<String> = policy
        .views()
        .into_iter()
        .map(|view| view.call_id)
        .collect();
    assert!(
        ids.chunks(2)
            .all(|call| call[0] == call[1] && call[0].len() == 32)
    );
    let distinct: std::collections::HashSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), 20);
    let wire: String = backend
        .requests()
        .iter()
        .map(crate::backend::Request::text)
        .collect();
    assert!(ids.iter().all(|id| !wire.contains(id)));
}

#[tokio::test]
async fn each_curated_call_has_an_id_of_its_own_under_its_tools_name() {
    let (backend, policy) = (Backend::answering("{}").await, Recorder::default());
    let hooks = ToolkitHooks::new().with_request_policy(Arc::new(policy.clone()));
    let client = HttpClient::with_config(&backend.url(), bearer(), config())
        .unwrap()
        .with_hooks(&hooks);
    let operation = Operation::new("GET", "/items/{id}", [Parameter::path("id")]).unwrap();
    for tool in ["one", "two", "one"] {
        client
            .execute_for_tool(tool, &operation, &json!({"id": "canary4711"}))
            .await
            .unwrap();
    }
    client.execute(&operation, &json!({"id": 1})).await.unwrap();

    let views = policy.views();
    let tools: Vec<&str> = views.iter().map(|view| view.tool.as_str()).collect();
    assert_eq!(tools, ["one", "two", "one", ""]);
    let ids: std::collections::HashSet<&str> =
        views.iter().map(|view| view.call_id.as_str()).collect();
    assert_eq!(ids.len(), 4);
    assert_eq!(views[3].call_id, "");
    assert!(ids.iter().all(|id| !id.contains("canary")));
}

/// Opens when it is told to.
struct Gate(Semaphore);

#[async_trait]
impl RequestPolicy for Gate {
    async fn check(&self, _: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        self.0.acquire().await.unwrap().forget();
        Ok(())
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_while_its_policy_decides_sends_nothing_later() {
    let backend = Backend::answering("{}").await;
    let gate = Arc::new(Gate(Semaphore::new(0)));
    let http = executor(&backend.url()).with_request_policy(gate.clone());
    {
        let mut call = std::pin::pin!(send(&http, "GET", "/dropped", None));
        for _ in 0..10 {
            let mut context = Context::from_waker(Waker::noop());
            assert!(call.as_mut().poll(&mut context).is_pending());
            tokio::task::yield_now().await;
        }
    }
    gate.0.add_permits(2);
    send(&http, "GET", "/kept", None).await.unwrap();
    assert_eq!(backend.request().target(), "/kept");
}

#[tokio::test]
async fn a_policy_that_never_answers_refuses() {
    struct Never;
    #[async_trait]
    impl RequestPolicy for Never {
        async fn check(&self, _: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
            pending().await
        }
    }
    let backend = Backend::tripwire().await;
    let config = config().with_timeout(Duration::from_millis(100));
    let http =
        proofmark::http::HttpCodeExecutor::with_config(&backend.url(), bearer(), config).unwrap();
    let error = send(
        &http.with_request_policy(Arc::new(Never)),
        "GET",
        "/x",
        None,
    )
    .await
    .unwrap_err();
    assert!(error.is_refusal());
    assert_eq!(backend.connections(), 0);
}

#[tokio::test]
async fn a_policy_that_panics_sends_nothing() {
    let backend = Backend::tripwire().await;
    let http =
        executor(&backend.url()).with_request_policy(Arc::new(policy_fn(|_| panic!("on purpose"))));
    let call = tokio::spawn(async move { send(&http, "GET", "/x", None).await });
    assert!(call.await.unwrap_err().is_panic());
    assert_eq!(backend.connections(), 0);
}

#[tokio::test]
async fn the_credential_is_made_after_the_answer_of_the_policy() {
    use proofmark::executor::AuthFault;
    use proofmark::http::{AuthSlot, ContributedName, SecretString};
    use std::sync::Mutex;

    #[derive(Clone, Default)]
    struct Order(Arc<Mutex<Vec<&'static str>>>);

    #[async_trait]
    impl RequestPolicy for Order {
        async fn check(&self, _: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
            self.0.lock().unwrap().push("asked");
            tokio::task::yield_now().await;
            self.0.lock().unwrap().push("answered");
            Ok(())
        }
    }

    #[async_trait]
    impl HttpAuthProvider for Order {
        fn contributes(&self) -> &[ContributedName] {
            &[]
        }

        async fn authenticate(
            &self,
            _: Option<&SecretString>,
            _: &mut AuthSlot,
        ) -> Result<(), AuthFault> {
            self.0.lock().unwrap().push("authenticated");
            Ok(())
        }
    }

    let backend = Backend::answering("{}").await;
    let order = Order::default();
    let http = proofmark::http::HttpCodeExecutor::with_config(
        &backend.url(),
        Arc::new(order.clone()),
        config(),
    )
    .unwrap()
    .with_request_policy(Arc::new(order.clone()));
    send(&http, "GET", "/x", None).await.unwrap();
    assert_eq!(
        *order.0.lock().unwrap(),
        ["asked", "answered", "authenticated"]
    );
}

#[tokio::test]
async fn without_a_policy_no_id_is_made() {
    let http = executor("http://127.0.0.1:1");
    assert_eq!(http.for_call("t").unwrap().call_id(), "");
    assert_eq!(http.for_call("t").unwrap().tool_label(), "t");
    assert!(matches!(
        http.preview("BREW", ResolvedPath::from_checked("/x").unwrap(), None)
            .await,
        Err(ExecutionError::Unsendable(_))
    ));
}
