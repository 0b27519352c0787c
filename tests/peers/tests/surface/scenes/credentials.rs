//! Where a credential goes.

use pmcp_server_toolkit as peer;
use proofmark::http as ours;
use proofmark_conformance::recorder;
use serde_json::json;

use super::{Auth, SECRET, Scene, Side, Stage, started, targets};
use crate::desk;

pub fn scenes() -> Vec<Scene> {
    let mut scenes = beside_the_request();
    scenes.extend(beyond_the_request());
    scenes
}

fn beside_the_request() -> Vec<Scene> {
    vec![
        Scene {
            name: "pair named like the credential, of a script",
            reason: "CRED-11: the wire carries exactly one value, or nothing is sent",
            play: |side| {
                Box::pin(async move {
                    let backend = desk::backend();
                    let stage = Stage::of(&backend, Auth::Pair("key"));
                    stage
                        .script(side, "GET", Some(json!({"key": "mine"})))
                        .await;
                    targets(&backend)
                })
            },
            ours: "",
            peer: "GET /a?key=mine&key=tok_FAKE_9f3A",
        },
        Scene {
            name: "pair named like the credential, of a curated tool",
            reason: "CRED-11, and SUR-02: what the policy was shown is then not what is sent",
            play: |side| {
                Box::pin(async move {
                    let backend = desk::backend();
                    let stage = Stage::of(&backend, Auth::Pair("key"));
                    stage.curated(side, "GET", &[("key", "mine")]).await;
                    targets(&backend)
                })
            },
            ours: "",
            peer: "GET /a?key=tok_FAKE_9f3A",
        },
        Scene {
            name: "line break at the end of the credential",
            reason: "EXE-18: an error without it, and nothing is sent; here both sides agree",
            play: |side| {
                Box::pin(async move {
                    let backend = desk::backend();
                    let stage = Stage::of(&backend, Auth::Bearer("tok_FAKE_9f3A\n"));
                    let told = stage.curated(side, "GET", &[]).await;
                    let leaks = told.contains(SECRET);
                    format!("{} sent, leaks: {leaks}", backend.requests().len())
                })
            },
            ours: "0 sent, leaks: false",
            peer: "0 sent, leaks: false",
        },
    ]
}

fn beyond_the_request() -> Vec<Scene> {
    vec![
        Scene {
            name: "plain http to another machine",
            reason: "EXE-21: a credential does not travel there unencrypted",
            play: |side| {
                Box::pin(async move {
                    // Nothing listens there: an address that is documentation's alone.
                    let base = "http://192.0.2.1";
                    match side {
                        Side::Ours => {
                            let auth = Auth::Bearer(SECRET).ours().expect("a provider");
                            match ours::HttpClient::new(base, auth) {
                                Ok(_) => "built".to_owned(),
                                Err(error) => error.to_string(),
                            }
                        }
                        Side::Peer => {
                            let auth = Auth::Bearer(SECRET).peer();
                            let made =
                                peer::http::HttpClient::new(desk::client(), base.into(), auth);
                            made.map_or_else(|error| error.to_string(), |_| "built".to_owned())
                        }
                    }
                })
            },
            ours: "a credential must not travel over plain http to another machine: use https",
            peer: "built",
        },
        Scene {
            name: "answer that holds the credential",
            reason: "CRED-07: it does not come to the script or the model",
            play: |side| {
                Box::pin(async move {
                    let backend = started(recorder::echo());
                    let stage = Stage::of(&backend, Auth::Bearer(SECRET));
                    let told = stage.curated(side, "GET", &[]).await;
                    format!("told: {}", told.contains(SECRET))
                })
            },
            ours: "told: false",
            peer: "told: true",
        },
        Scene {
            name: "redirect of the token endpoint",
            reason: "CRED-12: the client's secret is not sent on",
            play: |side| Box::pin(token_redirect(side)),
            ours: "the tripwire heard 0",
            peer: "the tripwire heard 1, with the secret: true",
        },
    ]
}

async fn token_redirect(side: Side) -> String {
    let tripwire = started(recorder::token("token"));
    let location = format!("{}/t", tripwire.base_url());
    let endpoint = started(recorder::redirect(307, &location));
    let backend = desk::backend();
    let url = format!("{}/token", endpoint.base_url());
    let stage = Stage::of(&backend, Auth::TokenFrom(url));
    stage.curated(side, "GET", &[]).await;
    match tripwire.requests().as_slice() {
        [] => "the tripwire heard 0".to_owned(),
        heard => {
            let secret = heard
                .iter()
                .any(|request| request.contains(SECRET.as_bytes()));
            format!(
                "the tripwire heard {}, with the secret: {secret}",
                heard.len()
            )
        }
    }
}
