//! Tokens are fetched when they are needed, once, and shown to nobody.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proofmark::clock::SteeredClock;
use proofmark::executor::{AuthFault, BackendFault};
use proofmark::http::{
    ClientAuthentication, HttpCodeExecutor, HttpSetupError, OAuth2ClientCredentialsAuth,
};
use rstest::rstest;
use url::form_urlencoded;

use crate::backend::{Backend, Step, ok, response};
use crate::subject::{CREDENTIAL, Recorder, config, said, send, with_auth};

fn oauth(endpoint: &Backend) -> OAuth2ClientCredentialsAuth {
    let url = format!("{}/token", endpoint.url());
    OAuth2ClientCredentialsAuth::with_config(&url, "the client", CREDENTIAL, &config()).unwrap()
}

async fn issuing(life: &'static str) -> Backend {
    Backend::scripted(move |number, _| {
        let life = if life.is_empty() {
            String::new()
        } else {
            format!(",\"expires_in\":{life}")
        };
        vec![ok(format!(
            "{{\"access_token\":\"token-number-{number}\",\"token_type\":\"bearer\"{life}}}"
        ))]
    })
    .await
}

#[tokio::test]
async fn a_token_is_fetched_once_and_used_until_shortly_before_its_end() {
    let (backend, endpoint, clock) = (
        Backend::answering("{}").await,
        issuing("3600").await,
        SteeredClock::new(),
    );
    let auth = oauth(&endpoint)
        .with_scope("items:read")
        .with_clock(clock.clone());
    let executor = with_auth(&backend.url(), auth);
    for wait in [0, 3000, 569, 2] {
        clock.advance(Duration::from_secs(wait));
        send(&executor, "GET", "/x", None).await.unwrap();
    }
    let sent: Vec<_> = backend
        .requests()
        .iter()
        .map(|r| r.header("authorization").concat())
        .collect();
    let number = |n: usize| format!("Bearer token-number-{n}");
    assert_eq!(sent, [number(0), number(0), number(0), number(1)]);
    assert_eq!(endpoint.requests().len(), 2);
}

#[rstest]
#[case(ClientAuthentication::Basic)]
#[case(ClientAuthentication::Form)]
#[tokio::test]
async fn the_client_proves_itself_in_one_place(#[case] authentication: ClientAuthentication) {
    let (backend, endpoint) = (Backend::answering("{}").await, issuing("").await);
    let auth = oauth(&endpoint)
        .with_scope("a b")
        .with_client_authentication(authentication);
    send(&with_auth(&backend.url(), auth), "GET", "/x", None)
        .await
        .unwrap();

    let request = endpoint.request();
    let form: Vec<(String, String)> = form_urlencoded::parse(&request.body).into_owned().collect();
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let mut expected = vec![
        pair("grant_type", "client_credentials"),
        pair("scope", "a b"),
    ];
    let basic = format!(
        "Basic {}",
        STANDARD.encode(format!("the+client:{CREDENTIAL}"))
    );
    if authentication == ClientAuthentication::Form {
        expected.extend([
            pair("client_id", "the client"),
            pair("client_secret", CREDENTIAL),
        ]);
        assert_eq!(request.header("authorization"), Vec::<&str>::new());
    } else {
        assert_eq!(request.header("authorization"), [basic]);
    }
    assert_eq!(form, expected);
    assert_eq!((request.method(), request.target()), ("POST", "/token"));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_calls_wait_for_one_token() {
    let (backend, endpoint) = (Backend::answering("{}").await, issuing("3600").await);
    let executor = with_auth(&backend.url(), oauth(&endpoint));
    let calls = (0..30).map(|_| send(&executor, "GET", "/x", None));
    assert!(
        futures_util::future::join_all(calls)
            .await
            .iter()
            .all(Result::is_ok)
    );
    assert_eq!(
        (endpoint.requests().len(), backend.requests().len()),
        (1, 30)
    );
}

#[tokio::test]
async fn no_token_is_fetched_for_a_refused_request() {
    let (backend, endpoint) = (Backend::answering("{}").await, issuing("3600").await);
    let executor = with_auth(&backend.url(), oauth(&endpoint))
        .with_request_policy(Arc::new(Recorder::default()));

    assert!(
        send(&executor, "GET", "/refused", None)
            .await
            .unwrap_err()
            .is_refusal()
    );
    assert_eq!((endpoint.connections(), backend.connections()), (0, 0));

    send(&executor, "GET", "/allowed", None).await.unwrap();
    assert_eq!(
        (endpoint.requests().len(), backend.requests().len()),
        (1, 1)
    );
}

#[rstest]
#[case::status(vec![response("400 canary4711", "{\"error\":\"canary4711\"}")], AuthFault::TokenStatus(400))]
#[case::unavailable(vec![response("503 canary4711", "")], AuthFault::TokenStatus(503))]
#[case::not_json(vec![ok("canary4711")], AuthFault::TokenEndpoint(BackendFault::NotJson))]
#[case::no_token(vec![ok("{\"token\":\"canary4711\"}")], AuthFault::TokenEndpoint(BackendFault::NotJson))]
#[case::no_object(vec![ok("[\"canary4711\"]")], AuthFault::TokenEndpoint(BackendFault::NotJson))]
#[case::other_kind(vec![ok("{\"access_token\":\"canary4711\",\"token_type\":\"mac\"}")], AuthFault::TokenEndpoint(BackendFault::NotJson))]
#[case::line_break(vec![ok("{\"access_token\":\"canary4711\\r\\nX-Evil: 1\"}")], AuthFault::Unsendable)]
#[case::empty(vec![ok("{\"access_token\":\"\"}")], AuthFault::Unsendable)]
#[case::closed(vec![Step::Close], AuthFault::TokenEndpoint(BackendFault::Broken))]
#[case::reset(vec![Step::Reset], AuthFault::TokenEndpoint(BackendFault::Broken))]
#[case::large(vec![ok(vec![b' '; 70_000])], AuthFault::TokenEndpoint(BackendFault::TooLarge))]
#[case::endless(vec![Step::Send(b"HTTP/1.1 200 OK\r\n\r\n".to_vec()), Step::Endless(vec![b'c'; 9999])], AuthFault::TokenEndpoint(BackendFault::TooLarge))]
#[tokio::test]
async fn a_failing_token_endpoint_is_asked_once_and_not_quoted(
    #[case] steps: Vec<Step>,
    #[case] expected: AuthFault,
) {
    let backend = Backend::tripwire().await;
    let endpoint = Backend::scripted(move |_, _| steps.clone()).await;
    let auth = oauth(&endpoint);
    assert!(!format!("{auth:?}").contains(CREDENTIAL));

    let error = send(&with_auth(&backend.url(), auth), "GET", "/x", None)
        .await
        .unwrap_err();

    assert_eq!(error, expected.into());
    let said = said(&error);
    assert!(
        !said.contains("canary") && !said.contains(CREDENTIAL) && !said.contains("127.0.0.1"),
        "{said}"
    );
    assert_eq!((endpoint.requests().len(), backend.connections()), (1, 0));
}

#[tokio::test]
async fn a_token_endpoint_that_never_answers_is_left_in_time() {
    let backend = Backend::tripwire().await;
    let endpoint = Backend::scripted(|_, _| vec![Step::Hang]).await;
    let config = config().with_timeout(Duration::from_millis(300));
    let executor =
        HttpCodeExecutor::with_config(&backend.url(), Arc::new(oauth(&endpoint)), config).unwrap();
    let error = send(&executor, "GET", "/x", None).await.unwrap_err();
    assert_eq!(error, BackendFault::TimedOut.into());
    assert_eq!(backend.connections(), 0);
}

#[rstest]
#[case("http://id.example.test/token")]
#[case("https://user:k7w2m9x4q8z1v5t3@id.example.test/token")]
#[case("id.example.test/token")]
#[case("https://id.example.test/token#k7w2m9x4q8z1v5t3")]
fn an_endpoint_that_no_secret_may_be_sent_to_is_refused(#[case] url: &str) {
    let error = OAuth2ClientCredentialsAuth::new(url, "client", CREDENTIAL).unwrap_err();
    assert!(matches!(
        error,
        HttpSetupError::Cleartext | HttpSetupError::TokenUrl(_)
    ));
    assert!(!said(&error).contains(CREDENTIAL));
}
