//! Curated calls: each argument goes where it is declared, and nowhere else.

use std::sync::{Arc, Mutex};

use proofmark::executor::{ExecutionError, RequestRefusal};
use proofmark::http::{HttpClient, HttpConnector, NoAuth, Operation, OperationError, Parameter};
use proofmark::policy::{ArgumentRefusal, ToolkitHooks};
use rstest::rstest;
use serde_json::{Value, json};

use crate::backend::{Backend, Request};
use crate::subject::{Recorder, config, said};

async fn call_with(
    client: &HttpClient,
    operation: &Operation,
    args: Value,
) -> Result<Value, ExecutionError> {
    client.execute_for_tool("my_tool", operation, &args).await
}

fn client(backend: &Backend) -> HttpClient {
    HttpClient::with_config(&format!("{}/v1", backend.url()), Arc::new(NoAuth), config()).unwrap()
}

/// The one request that a call leads to.
async fn sent(operation: &Operation, args: Value) -> Request {
    let backend = Backend::answering("{}").await;
    call_with(&client(&backend), operation, args).await.unwrap();
    backend.request()
}

/// The error of a call that sends nothing.
async fn refused(operation: &Operation, args: Value) -> ExecutionError {
    let backend = Backend::tripwire().await;
    let error = call_with(&client(&backend), operation, args)
        .await
        .unwrap_err();
    assert_eq!(backend.connections(), 0);
    assert!(error.is_refusal(), "{error:?}");
    error
}

fn update() -> Operation {
    let parameters = [
        Parameter::path("id").with_pattern("^[a-z0-9]+$"),
        Parameter::query("dry").with_max_length(5),
        Parameter::query("tag"),
        Parameter::header("X-Tenant").with_pattern("^[a-z]+$"),
        Parameter::body("name").required(),
        Parameter::body("meta"),
    ];
    Operation::new("put", "/items/{id}?v=1", parameters).unwrap()
}

#[tokio::test]
async fn each_argument_goes_where_it_is_declared() {
    let args = json!({
        "id": "a7", "dry": true, "tag": ["x&y", "z"], "X-Tenant": "acme", "name": null, "meta": {"k": [1]},
    });
    let request = sent(&update(), args).await;
    assert_eq!(request.method(), "PUT");
    assert_eq!(
        request.target(),
        "/v1/items/a7?v=1&dry=true&tag=x%26y&tag=z"
    );
    assert_eq!(request.header("x-tenant"), ["acme"]);
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body, json!({"name": null, "meta": {"k": [1]}}));
}

#[tokio::test]
async fn what_is_optional_and_absent_or_null_is_left_out() {
    let request = sent(
        &update(),
        json!({"id": 7, "dry": null, "X-Tenant": null, "name": "n"}),
    )
    .await;
    assert_eq!(request.target(), "/v1/items/7?v=1");
    assert_eq!(request.header("x-tenant"), Vec::<&str>::new());
    assert_eq!(request.body, br#"{"name":"n"}"#);
}

#[rstest]
#[case::not_an_object(json!([1]), "the arguments must be an object")]
#[case::undeclared(json!({"id": 7, "name": "n", "admin": true}), "'admin' is not a declared parameter")]
#[case::missing_path(json!({"name": "n"}), "'id' must be given")]
#[case::null_path(json!({"id": null, "name": "n"}), "'id' must be given")]
#[case::missing_body(json!({"id": 7}), "'name' must be given")]
#[case::slash(json!({"id": "a/b", "name": "n"}), "'id'")]
#[case::empty(json!({"id": "", "name": "n"}), "'id'")]
#[case::pattern(json!({"id": "A", "name": "n"}), "'id' must match")]
#[case::container(json!({"id": [1], "name": "n"}), "'id'")]
#[case::query_object(json!({"id": 7, "name": "n", "dry": {"a": 1}}), "'dry'")]
#[case::query_length(json!({"id": 7, "name": "n", "dry": "sixsix"}), "'dry' must be at most 5")]
#[case::header_pattern(json!({"id": 7, "name": "n", "X-Tenant": "ACME"}), "'X-Tenant' must match")]
#[case::header_container(json!({"id": 7, "name": "n", "X-Tenant": ["a"]}), "'X-Tenant'")]
#[tokio::test]
async fn an_argument_that_does_not_fit_is_named_and_nothing_is_sent(
    #[case] args: Value,
    #[case] says: &str,
) {
    let error = refused(&update(), args).await;
    assert!(error.to_string().contains(says), "{error}");
}

#[rstest]
#[case("a\r\nX-Evil: 1")]
#[case("a\nb")]
#[case("a\0b")]
#[case("a\tb")]
#[case(" a")]
#[case("")]
#[case("caf\u{e9}")]
#[tokio::test]
async fn a_value_that_is_no_headers_is_refused(#[case] value: &str) {
    let operation = Operation::new("GET", "/x", [Parameter::header("X-Note")]).unwrap();
    let error = refused(&operation, json!({"X-Note": value})).await;
    let key = "X-Note".to_owned();
    assert_eq!(error, RequestRefusal::HeaderValue { key }.into());
}

#[rstest]
#[case("Host")]
#[case("hoSt")]
#[case("Authorization")]
#[case("Cookie")]
#[case("Content-Length")]
#[case("Transfer-Encoding")]
#[case("Connection")]
#[case("X-HTTP-Method-Override")]
#[case("x-method-override")]
#[case("X_HTTP_Method")]
#[case("X-Forwarded-Host")]
#[case("Proxy-Authorization")]
#[case("bad name")]
fn a_header_that_arguments_must_not_set_cannot_be_declared(#[case] name: &str) {
    let declared = Operation::new("GET", "/x", [Parameter::header(name)]);
    assert!(matches!(
        declared,
        Err(OperationError::ReservedHeader { .. })
    ));
}

#[rstest]
#[tokio::test]
async fn an_argument_of_such_a_name_sets_no_header(
    #[values("Host", "Cookie", "_method", "Content-Length")] name: &str,
) {
    let error = refused(&update(), json!({"id": 7, "name": "n", name: "canary4711"})).await;
    assert!(!said(&error).contains("canary"));
}

#[rstest]
#[case("GET", "/x/{a}", vec![], "the placeholder 'a' has no path parameter")]
#[case("GET", "/x/{a}", vec![Parameter::query("a")], "the placeholder 'a' has no path parameter")]
#[case("GET", "/x", vec![Parameter::path("a")], "the path parameter 'a' has no placeholder")]
#[case("GET", "/x", vec![Parameter::body("a")], "the operation sends no body, but 'a' is a body parameter")]
#[case("GET", "/x", vec![Parameter::query("a"), Parameter::header("a")], "the parameter 'a' is declared twice")]
#[case("GET", "/x", vec![Parameter::header("a"), Parameter::header("A")], "the parameter 'A' is declared twice")]
#[case("GET", "/x", vec![Parameter::query("a").with_pattern("(")], "the pattern of the parameter 'a' cannot be used")]
#[case("BREW", "/x", vec![], "the method must be one of GET, HEAD, OPTIONS, POST, PUT, PATCH and DELETE")]
#[case("GET", "/${x}", vec![], "the path of a declared operation has no `${…}`")]
#[case("GET", "https://evil.test/x", vec![], "a path template must begin with a single `/`")]
fn a_declaration_that_cannot_be_kept_is_refused(
    #[case] method: &str,
    #[case] path: &str,
    #[case] parameters: Vec<Parameter>,
    #[case] says: &str,
) {
    assert_eq!(
        Operation::new(method, path, parameters)
            .unwrap_err()
            .to_string(),
        says
    );
}

#[tokio::test]
async fn a_header_argument_does_not_pass_by_a_policy_unless_it_may() {
    let declare = |parameter| Operation::new("GET", "/x", [parameter]).unwrap();
    let (hidden, open) = (
        declare(Parameter::header("X-Note")),
        declare(Parameter::header("X-Note").past_policy()),
    );
    let (backend, policy) = (Backend::answering("{}").await, Recorder::default());
    let client = client(&backend).with_request_policy(Arc::new(policy.clone()));

    let refused = call_with(&client, &hidden, json!({"X-Note": "n"})).await;
    assert_eq!((backend.connections(), policy.views().len()), (0, 0));
    let key = "X-Note".to_owned();
    assert_eq!(refused, Err(RequestRefusal::UnseenHeader { key }.into()));

    call_with(&client, &hidden, json!({})).await.unwrap();
    call_with(&client, &open, json!({"X-Note": "n"}))
        .await
        .unwrap();
    assert_eq!(backend.requests()[1].header("x-note"), ["n"]);
}

#[rstest]
#[case("/p/{a}/q/{b}", json!({"a": "x{b}y", "b": "zzz"}))]
#[case("/p/{a}/q/{b}", json!({"a": "%c0%ae%c0%ae", "b": "zzz"}))]
#[case("/p/{a}{b}", json!({"a": ".", "b": "."}))]
#[tokio::test]
async fn what_values_compose_is_refused(#[case] path: &str, #[case] args: Value) {
    let operation =
        Operation::new("GET", path, [Parameter::path("a"), Parameter::path("b")]).unwrap();
    refused(&operation, args).await;
}

#[tokio::test]
async fn a_pair_in_the_path_stays_one_pair() {
    let operation = Operation::new("GET", "/p?k={a}", [Parameter::path("a")]).unwrap();
    assert_eq!(
        sent(&operation, json!({"a": "a&b=c"})).await.target(),
        "/v1/p?k=a%26b=c"
    );
}

#[tokio::test]
async fn only_the_operators_word_admits_a_slash() {
    let plain = Operation::new("GET", "/f/{p}", [Parameter::path("p")]).unwrap();
    let open = Operation::new("GET", "/f/{p}", [Parameter::path("p").allowing_slash()]).unwrap();
    refused(&plain, json!({"p": "a/b"})).await;
    assert_eq!(sent(&open, json!({"p": "a/b"})).await.target(), "/v1/f/a/b");
    refused(&open, json!({"p": "a/../b"})).await;
}

#[tokio::test]
async fn the_view_of_a_curated_call_is_what_is_sent() {
    let (backend, policy) = (Backend::answering("{}").await, Recorder::default());
    let client = client(&backend).with_request_policy(Arc::new(policy.clone()));
    call_with(
        &client,
        &update(),
        json!({"id": 7, "tag": ["a", "b"], "name": "n"}),
    )
    .await
    .unwrap();
    let (view, request) = (policy.view(), backend.request());
    assert_eq!(view.path, format!("{}/v1/items/7?v=1", backend.url()));
    assert_eq!(
        view.query,
        [
            ("tag".to_owned(), "a".to_owned()),
            ("tag".to_owned(), "b".to_owned())
        ]
    );
    assert_eq!(
        view.body,
        Some(serde_json::from_slice(&request.body).unwrap())
    );
    assert_eq!(
        (view.tool.as_str(), view.method.as_str()),
        ("my_tool", request.method())
    );
}

#[tokio::test]
async fn a_validator_is_asked_about_its_own_tool_after_the_declaration_and_before_the_policy() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = seen.clone();
    let validator = move |args: &Value| {
        kept.lock().unwrap().push(args.clone());
        match args["name"].as_str() {
            Some("canary4711") => Err(ArgumentRefusal::new("`name` and `id` do not go together")),
            _ => Ok(()),
        }
    };
    let (backend, policy) = (Backend::answering("{}").await, Recorder::default());
    let hooks = ToolkitHooks::new()
        .with_request_policy(Arc::new(policy.clone()))
        .with_argument_validator("my_tool", Arc::new(validator));
    let client = client(&backend).with_hooks(&hooks);

    let unfit = call_with(&client, &update(), json!({"id": "a/b", "name": "n"})).await;
    assert!(unfit.is_err() && seen.lock().unwrap().is_empty());
    let refused = call_with(&client, &update(), json!({"id": 7, "name": "canary4711"}))
        .await
        .unwrap_err();
    assert_eq!(
        (
            seen.lock().unwrap().len(),
            policy.views().len(),
            backend.connections()
        ),
        (1, 0, 0)
    );
    assert!(refused.is_refusal() && !said(&refused).contains("canary"));

    call_with(&client, &update(), json!({"id": 7, "name": "n"}))
        .await
        .unwrap();
    let (operation, args) = (update(), json!({"id": 7, "name": "canary4711"}));
    client
        .execute_for_tool("other", &operation, &args)
        .await
        .unwrap();
    assert_eq!((seen.lock().unwrap().len(), policy.views().len()), (2, 2));
}

#[tokio::test]
async fn arguments_of_megabytes_and_of_great_depth_are_refused() {
    let name = "n".repeat(10 << 20);
    let error = refused(
        &update(),
        json!({"id": 7, "name": "n", "tag": name.clone()}),
    )
    .await;
    assert_eq!(error, RequestRefusal::TargetTooLong.into());
    let error = refused(&update(), json!({name: 1})).await;
    assert!(said(&error).len() < 1000);
    let deep = (1..500).fold(json!([]), |inner, _| Value::Array(vec![inner]));
    let error = refused(&update(), json!({"id": 7, "name": deep})).await;
    assert_eq!(error, RequestRefusal::BodyTooDeep.into());
}
