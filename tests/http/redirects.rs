//! No redirect is followed, wherever it leads.

use proofmark::executor::{AuthFault, ExecutionError};
use proofmark::http::{HttpSetupError, OAuth2ClientCredentialsAuth};
use rstest::rstest;
use serde_json::json;

use crate::backend::{Backend, redirect};
use crate::subject::{CREDENTIAL, config, executor, send, with_auth};

#[rstest]
#[tokio::test]
async fn a_redirect_is_an_error_and_the_body_stays_here(
    #[values(301, 302, 303, 307, 308)] status: u16,
    #[values("other", "same", "//", "relative")] place: &str,
    #[values("GET", "POST")] method: &str,
) {
    let tripwire = Backend::tripwire().await;
    let location = match place {
        "other" => format!("{}/there", tripwire.url()),
        "//" => format!("//{}/there", tripwire.address),
        "same" => "/there".to_owned(),
        _ => "there".to_owned(),
    };
    let backend = Backend::scripted(move |_, _| vec![redirect(status, &location)]).await;

    let result = send(
        &executor(&backend.url()),
        method,
        "/x",
        json!({"secret": "s"}),
    )
    .await;

    assert_eq!(result, Err(ExecutionError::Status { status }));
    assert_eq!((backend.requests().len(), tripwire.connections()), (1, 0));
}

#[tokio::test]
async fn a_client_that_follows_does_reach_the_tripwire() {
    let tripwire = Backend::tripwire().await;
    let location = format!("{}/there", tripwire.url());
    let backend = Backend::scripted(move |_, _| vec![redirect(302, &location)]).await;
    crate::proxies::plain_client()
        .get(backend.url())
        .send()
        .await
        .unwrap();
    assert_eq!(tripwire.requests().len(), 1);
}

fn oauth(url: &str) -> Result<OAuth2ClientCredentialsAuth, HttpSetupError> {
    OAuth2ClientCredentialsAuth::with_config(url, "client", CREDENTIAL, &config())
}

#[rstest]
#[tokio::test]
async fn the_token_endpoint_cannot_redirect_either(#[values(301, 302, 303, 307, 308)] status: u16) {
    let (backend, tripwire) = (Backend::tripwire().await, Backend::tripwire().await);
    let location = format!("{}/token", tripwire.url());
    let endpoint = Backend::scripted(move |_, _| vec![redirect(status, &location)]).await;
    let auth = oauth(&format!("{}/token", endpoint.url())).unwrap();

    let result = send(&with_auth(&backend.url(), auth), "GET", "/x", None).await;

    assert_eq!(result, Err(AuthFault::TokenStatus(status).into()));
    assert_eq!((tripwire.connections(), backend.connections()), (0, 0));
}
