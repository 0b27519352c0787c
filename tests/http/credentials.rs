//! The credential reaches the wire, once, and nothing else.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proofmark::executor::{AuthFault, BackendFault, ExecutionError, RequestRefusal};
use proofmark::http::{
    ApiKeyAuth, AuthSlot, BasicAuth, BearerAuth, ContributedName, HttpAuthProvider, HttpClient,
    HttpCodeExecutor, HttpConnector, HttpSetupError, OAuthPassthroughAuth, Operation, Parameter,
    SecretString,
};
use proofmark::path::ResolvedPath;
use rstest::rstest;
use serde_json::{Value, json};

use crate::backend::{Backend, Request, Step, ok};
use crate::subject::{CREDENTIAL, Recorder, bearer, config, said, send, with_auth};

#[derive(Clone, Copy, Debug)]
enum Scheme {
    Bearer,
    Basic,
    Header,
    Query,
    Forwarded,
}

fn auth(scheme: Scheme) -> Arc<dyn HttpAuthProvider> {
    match scheme {
        Scheme::Bearer => bearer(),
        Scheme::Basic => Arc::new(BasicAuth::new("reader", CREDENTIAL).unwrap()),
        Scheme::Header => Arc::new(ApiKeyAuth::in_header("X-Api-Key", CREDENTIAL).unwrap()),
        Scheme::Query => Arc::new(ApiKeyAuth::in_query("api_key", CREDENTIAL).unwrap()),
        Scheme::Forwarded => Arc::new(OAuthPassthroughAuth::new()),
    }
}

fn is_in_place(scheme: Scheme, request: &Request) -> bool {
    let basic = format!("Basic {}", STANDARD.encode(format!("reader:{CREDENTIAL}")));
    match scheme {
        Scheme::Bearer | Scheme::Forwarded => {
            request.header("authorization") == [format!("Bearer {CREDENTIAL}")]
        }
        Scheme::Basic => request.header("authorization") == [basic],
        Scheme::Header => request.header("x-api-key") == [CREDENTIAL],
        Scheme::Query => request.target() == format!("/items?a=1&api_key={CREDENTIAL}"),
    }
}

/// The credential in every form that is searched for here.
fn holds_credential(text: &str) -> bool {
    let hex: String = CREDENTIAL
        .bytes()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let forms = [
        CREDENTIAL.to_owned(),
        hex,
        STANDARD.encode(CREDENTIAL),
        STANDARD.encode(format!("reader:{CREDENTIAL}")),
    ];
    let decimal: Vec<String> = CREDENTIAL.bytes().map(|byte| byte.to_string()).collect();
    forms
        .iter()
        .any(|form| text.contains(form.trim_end_matches('=')))
        || text.contains(&decimal.join(", "))
}

#[rstest]
#[tokio::test]
async fn the_credential_is_on_the_wire_and_in_no_view(
    #[values(
        Scheme::Bearer,
        Scheme::Basic,
        Scheme::Header,
        Scheme::Query,
        Scheme::Forwarded
    )]
    scheme: Scheme,
) {
    let (backend, policy) = (Backend::answering("{}").await, Recorder::default());
    let executor = HttpCodeExecutor::with_config(&backend.url(), auth(scheme), config())
        .unwrap()
        .with_inbound_token(Some(SecretString::from(CREDENTIAL)))
        .with_request_policy(Arc::new(policy.clone()));

    executor
        .preview(
            "GET",
            ResolvedPath::from_checked("/items").unwrap(),
            Some(json!({"a": 1})),
        )
        .await
        .unwrap();
    send(&executor, "GET", "/items", json!({"a": 1}))
        .await
        .unwrap();
    let refused = send(&executor, "GET", "/refused", json!({"a": 1}))
        .await
        .unwrap_err();

    assert!(
        is_in_place(scheme, &backend.request()),
        "{:?}",
        backend.request()
    );
    for view in policy.views() {
        assert!(
            !view.texts.iter().any(|text| holds_credential(text)),
            "{view:?}"
        );
    }
    assert_eq!(policy.views().len(), 3);
    assert!(!holds_credential(&said(&refused)));
    assert!(!holds_credential(&format!("{executor:?} {executor:#?}")));
    assert!(!format!("{executor:?}").contains("reader"));
}

#[rstest]
#[tokio::test]
async fn a_curated_call_shows_it_to_nobody_either(
    #[values(
        Scheme::Bearer,
        Scheme::Basic,
        Scheme::Header,
        Scheme::Query,
        Scheme::Forwarded
    )]
    scheme: Scheme,
) {
    let (backend, policy) = (Backend::answering("{}").await, Recorder::default());
    let client = HttpClient::with_config(&backend.url(), auth(scheme), config())
        .unwrap()
        .with_inbound_token(Some(SecretString::from(CREDENTIAL)))
        .with_request_policy(Arc::new(policy.clone()));
    let operation = Operation::new("GET", "/items", [Parameter::query("a")]).unwrap();

    client
        .execute_for_tool("t", &operation, &json!({"a": 1}))
        .await
        .unwrap();

    assert!(
        is_in_place(scheme, &backend.request()),
        "{:?}",
        backend.request()
    );
    assert!(
        !policy
            .view()
            .texts
            .iter()
            .any(|text| holds_credential(text))
    );
    assert!(!holds_credential(&format!("{client:?}")));
}

#[rstest]
#[case(Scheme::Query, "/items", json!({"api_key": "mine"}))]
#[case(Scheme::Query, "/items", json!({"API_KEY": "mine"}))]
#[case(Scheme::Query, "/items", json!({"api_key": ["a", "b"]}))]
#[case(Scheme::Query, "/items?api_key=mine", json!({}))]
#[case(Scheme::Query, "/items?%61pi%5fkey=mine", json!({}))]
#[case(Scheme::Query, "/items?x=1;api_key=mine", json!({}))]
#[tokio::test]
async fn a_pair_of_the_callers_with_the_credentials_name_is_refused(
    #[case] scheme: Scheme,
    #[case] path: &str,
    #[case] body: Value,
) {
    let (backend, policy) = (Backend::tripwire().await, Recorder::default());
    let executor = HttpCodeExecutor::with_config(&backend.url(), auth(scheme), config())
        .unwrap()
        .with_request_policy(Arc::new(policy.clone()));

    let sent = send(&executor, "GET", path, body.clone()).await;
    let previewed = executor
        .preview("GET", ResolvedPath::from_checked(path).unwrap(), Some(body))
        .await;

    let key = "api_key".to_owned();
    assert_eq!(sent, Err(RequestRefusal::ReservedName { key }.into()));
    assert_eq!(previewed, sent.map(|_| ()));
    assert_eq!((backend.connections(), policy.views().len()), (0, 0));
}

#[rstest]
#[case("X-Api-Key")]
#[case("x-api-KEY")]
#[tokio::test]
async fn a_header_of_the_callers_with_the_credentials_name_is_refused(#[case] name: &str) {
    let backend = Backend::tripwire().await;
    let client = HttpClient::with_config(&backend.url(), auth(Scheme::Header), config()).unwrap();
    let operation = Operation::new("GET", "/items", [Parameter::header(name)]).unwrap();
    let result = client
        .execute_for_tool("t", &operation, &json!({name: "mine"}))
        .await;
    assert!(
        matches!(
            result,
            Err(ExecutionError::Unsendable(
                RequestRefusal::ReservedName { .. }
            ))
        ),
        "{result:?}"
    );
    assert_eq!(backend.connections(), 0);
}

#[rstest]
#[case::line("k7w2m9x4\nq8z1v5t3")]
#[case::last("k7w2m9x4q8z1v5t3\n")]
#[case::first("\rk7w2m9x4q8z1v5t3")]
#[case::nul("k7w2m9x4\0q8z1v5t3")]
#[case::header("k7w2m9x4\r\nX-Evil: 1")]
#[case::empty("")]
#[case::not_ascii("k7w2m9x4q8z1v5t3\u{e9}")]
#[case::space(" k7w2m9x4q8z1v5t3")]
fn a_credential_that_cannot_be_sent_is_refused_without_being_quoted(#[case] credential: &str) {
    let mut errors = vec![
        BearerAuth::new(credential).unwrap_err(),
        ApiKeyAuth::in_header("X-Api-Key", credential).unwrap_err(),
    ];
    if credential.is_empty() || credential.contains(char::is_control) {
        errors.push(BasicAuth::new("reader", credential).unwrap_err());
        errors.push(BasicAuth::new(credential, "password").unwrap_err());
        errors.push(ApiKeyAuth::in_query("k", credential).unwrap_err());
    }
    for error in errors {
        assert!(matches!(error, HttpSetupError::Credential { .. }));
        assert!(!said(&error).contains("k7w2"), "{error:?}");
    }
}

#[rstest]
#[case("tok\nen")]
#[case("tok\0en")]
#[case("")]
#[case("tok\r\nX-Evil: 1")]
#[tokio::test]
async fn an_inbound_token_that_cannot_be_sent_is_not(#[case] token: &str) {
    let backend = Backend::tripwire().await;
    let executor = with_auth(&backend.url(), OAuthPassthroughAuth::new())
        .with_inbound_token(Some(SecretString::from(token)));
    assert_eq!(
        send(&executor, "GET", "/x", None).await,
        Err(AuthFault::Unsendable.into())
    );
    assert_eq!(backend.connections(), 0);
}

#[tokio::test]
async fn without_an_inbound_token_nothing_is_forwarded_or_sent() {
    let backend = Backend::tripwire().await;
    let executor = with_auth(&backend.url(), OAuthPassthroughAuth::new());
    assert_eq!(
        send(&executor, "GET", "/x", None).await,
        Err(AuthFault::NoInboundToken.into())
    );
    assert_eq!(backend.connections(), 0);
}

#[tokio::test]
async fn an_inbound_token_is_its_own_callers() {
    let backend = Backend::answering("{}").await;
    let executor = with_auth(
        &backend.url(),
        OAuthPassthroughAuth::in_header("X-User-Token").unwrap(),
    );
    for token in ["first-token", "second-token"] {
        let bound = executor
            .clone()
            .with_inbound_token(Some(SecretString::from(token)));
        send(&bound, "GET", "/x", None).await.unwrap();
    }
    assert!(send(&executor, "GET", "/x", None).await.is_err());
    let tokens: Vec<_> = backend
        .requests()
        .iter()
        .map(|r| r.header("x-user-token").concat())
        .collect();
    assert_eq!(tokens, ["first-token", "second-token"]);
}

#[rstest]
#[case("http://api.example.test")]
#[case("http://192.0.2.1/v1")]
#[case("http://localhost.example.test")]
fn a_credential_over_plain_http_to_elsewhere_is_refused_at_construction(
    #[case] base: &str,
    #[values(
        Scheme::Bearer,
        Scheme::Basic,
        Scheme::Header,
        Scheme::Query,
        Scheme::Forwarded
    )]
    scheme: Scheme,
) {
    let executor = HttpCodeExecutor::new(base, auth(scheme));
    let client = HttpClient::new(base, auth(scheme));
    assert_eq!(executor.unwrap_err(), HttpSetupError::Cleartext);
    assert_eq!(client.unwrap_err(), HttpSetupError::Cleartext);
}

/// Contributes under a name that it did not declare.
struct Liar(ContributedName);

#[proofmark::async_trait]
impl HttpAuthProvider for Liar {
    fn contributes(&self) -> &[ContributedName] {
        std::slice::from_ref(&self.0)
    }

    async fn authenticate(
        &self,
        _: Option<&SecretString>,
        slot: &mut AuthSlot,
    ) -> Result<(), AuthFault> {
        slot.pair("other", &SecretString::from(CREDENTIAL))
    }
}

#[tokio::test]
async fn a_provider_sets_only_what_it_declares() {
    let backend = Backend::tripwire().await;
    let executor = with_auth(
        &backend.url(),
        Liar(ContributedName::Pair("key".to_owned())),
    );
    assert_eq!(
        send(&executor, "GET", "/x", None).await,
        Err(AuthFault::Undeclared.into())
    );
    assert_eq!(backend.connections(), 0);
}

#[tokio::test]
async fn a_query_key_is_encoded_and_last() {
    let backend = Backend::answering("{}").await;
    let executor = with_auth(
        &backend.url(),
        ApiKeyAuth::in_query("api key", "a&b=c#d e").unwrap(),
    );
    send(&executor, "GET", "/x?y=1", None).await.unwrap();
    assert_eq!(backend.request().target(), "/x?y=1&api+key=a%26b%3Dc%23d+e");
}

#[tokio::test]
async fn an_echoed_credential_comes_no_further() {
    let basic = STANDARD.encode(format!("reader:{CREDENTIAL}"));
    let echoes = [
        json!({"headers": {"authorization": format!("Bearer {CREDENTIAL}")}}),
        json!({CREDENTIAL: 1}),
        json!({"b": STANDARD.encode(format!("x{CREDENTIAL}"))}),
        json!([[basic]]),
    ];
    for echo in echoes {
        let answer = echo.to_string();
        let backend = Backend::scripted(move |_, _| vec![ok(&answer)]).await;
        let executor = with_auth(
            &backend.url(),
            BasicAuth::new("reader", CREDENTIAL).unwrap(),
        );
        let error = send(&executor, "GET", "/x", None).await.unwrap_err();
        assert_eq!(error, BackendFault::EchoedCredential.into());
    }
    let backend = Backend::scripted(|_, _| {
        vec![Step::Send(
            format!("HTTP/1.1 500 {CREDENTIAL}\r\nContent-Length: 16\r\n\r\n{CREDENTIAL}")
                .into_bytes(),
        )]
    })
    .await;
    let executor = HttpCodeExecutor::with_config(&backend.url(), bearer(), config()).unwrap();
    let error = send(&executor, "GET", "/x", None).await.unwrap_err();
    assert!(!holds_credential(&said(&error)));
}
