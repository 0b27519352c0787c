//! The environment diverts nothing. In a process of its own, for the environment is the process's.

use std::process::Command;

use rustls::{ClientConfig, RootCertStore};

use crate::backend::Backend;
use crate::subject::{config, executor, send, with_auth};

/// Set in the process whose environment names a proxy.
const TRIPWIRE: &str = "PROOFMARK_TEST_TRIPWIRE";

/// A client with default settings.
pub fn plain_client() -> reqwest::Client {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_proxy_of_the_environment_hears_nothing() {
    let tripwire = Backend::tripwire().await;
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "proxies::under_a_proxy",
            "--ignored",
            "--nocapture",
        ])
        .env(TRIPWIRE, "1")
        .env_remove("NO_PROXY")
        .env_remove("no_proxy");
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command
            .env(name, tripwire.url())
            .env(name.to_lowercase(), tripwire.url());
    }
    let output = tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap();

    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    let requests = tripwire.requests();
    assert_eq!(
        requests.len(),
        1,
        "the client with default settings alone: {requests:?}"
    );
    assert!(requests[0].target().contains("/control"));
}

#[tokio::test]
#[ignore = "runs in a process of its own, under an environment that names a proxy"]
async fn under_a_proxy() {
    if std::env::var_os(TRIPWIRE).is_none() {
        return;
    }
    let backend =
        Backend::answering("{\"access_token\":\"token-of-tests\",\"token_type\":\"Bearer\"}").await;
    send(&executor(&backend.url()), "GET", "/direct", None)
        .await
        .unwrap();
    let url = format!("{}/token", backend.url());
    let auth = proofmark::http::OAuth2ClientCredentialsAuth::with_config(
        &url,
        "c",
        "secret-of-tests",
        &config(),
    )
    .unwrap();
    let _ = send(&with_auth(&backend.url(), auth), "GET", "/direct", None).await;
    assert_eq!(backend.requests().len(), 3);
    let _ = plain_client()
        .get("http://control.example.test/control")
        .send()
        .await;
}
