//! What cannot be built is refused where it is built, and not quoted.

use std::sync::Arc;
use std::time::Duration;

use proofmark::executor::HttpExecutor;
use proofmark::http::{
    ApiKeyAuth, HttpClient, HttpCodeExecutor, HttpConfig, HttpSetupError, NoAuth, Operation,
    Parameter,
};
use proofmark::path::PlaceholderRules;
use rstest::rstest;

use crate::backend::Backend;
use crate::subject::{bearer, config, executor, said, send};

#[rstest]
#[case("https://user:canary4711@api.example.test")]
#[case("https://canary4711@api.example.test")]
#[case("https://api.example.test?key=canary4711")]
#[case("https://api.example.test#canary4711")]
#[case("canary4711")]
#[case("https://canary4711 .example.test")]
#[case("https://canary4711.example.test:port")]
#[case("ftp://canary4711.example.test")]
fn a_base_url_that_cannot_be_used_is_not_quoted(#[case] base: &str) {
    for auth in [bearer(), Arc::new(NoAuth)] {
        let error = HttpCodeExecutor::new(base, auth.clone()).unwrap_err();
        assert!(matches!(error, HttpSetupError::BaseUrl(_)));
        assert!(!said(&error).contains("canary"));
        assert_eq!(HttpClient::new(base, auth).unwrap_err(), error);
    }
}

#[rstest]
#[case("")]
#[case("a\r\nX-Evil: 1")]
#[case("caf\u{e9}")]
fn a_user_agent_that_cannot_be_sent_is_refused(#[case] agent: &str) {
    let config = HttpConfig::default().with_user_agent(agent);
    let built = HttpCodeExecutor::with_config("http://127.0.0.1", Arc::new(NoAuth), config);
    assert_eq!(built.unwrap_err(), HttpSetupError::UserAgent);
}

#[rstest]
#[case("")]
#[case("Host")]
#[case("Cookie")]
#[case("X Key")]
#[case("Content-Length")]
fn a_key_has_a_name_that_can_be_sent(#[case] name: &str) {
    assert!(matches!(
        ApiKeyAuth::in_header(name, "secret"),
        Err(HttpSetupError::Name { .. })
    ));
}

#[rstest]
#[case("")]
#[case("a\nb")]
#[case(" a")]
fn a_query_keys_name_can_be_sent(#[case] name: &str) {
    assert!(matches!(
        ApiKeyAuth::in_query(name, "secret"),
        Err(HttpSetupError::Name { .. })
    ));
}

#[tokio::test]
async fn localhost_is_this_machine() {
    let backend = Backend::answering("7").await;
    let base = format!("http://localhost:{}", backend.address.port());
    let executor = HttpCodeExecutor::with_config(&base, bearer(), config()).unwrap();
    assert!(send(&executor, "GET", "/x", None).await.is_ok());
    assert_eq!(backend.requests().len(), 1);
}

#[tokio::test]
async fn an_https_executor_does_not_speak_plain_text() {
    let backend = Backend::answering("7").await;
    let base = format!("https://{}", backend.address);
    // The backend waits for the end of a head that never comes.
    let config = config().with_connect_timeout(Duration::from_millis(300));
    let executor = match HttpCodeExecutor::with_config(&base, bearer(), config) {
        // A machine without certificates cannot speak https at all.
        Err(HttpSetupError::Tls) => return,
        built => built.unwrap(),
    };
    assert!(send(&executor, "GET", "/x", None).await.is_err());
    assert_eq!(backend.requests().len(), 0);
}

#[test]
fn declared_operations_narrow_by_method_and_path_and_never_admit_a_slash() {
    let parameters = [Parameter::path("id")
        .with_pattern("^[0-9]+$")
        .with_max_length(9)
        .allowing_slash()];
    let operation = Operation::new("GET", "/items/{id}", parameters).unwrap();
    let executor = executor("http://127.0.0.1").with_operations([operation]);

    let rules = executor.placeholder_rules("get", "/items/{id}", "id");
    assert_eq!(
        (rules.declared_pattern, rules.declared_max_length),
        (Some("^[0-9]+$"), Some(9))
    );
    assert!(!rules.allow_slash);
    for (method, path, param) in [
        ("DELETE", "/items/{id}", "id"),
        ("GET", "/items/{key}", "id"),
        ("GET", "/items/{id}", "key"),
        ("BREW", "/items/{id}", "id"),
    ] {
        let rules: PlaceholderRules<'_> = executor.placeholder_rules(method, path, param);
        assert_eq!(
            (rules.declared_pattern, rules.declared_max_length),
            (None, None)
        );
    }
}
