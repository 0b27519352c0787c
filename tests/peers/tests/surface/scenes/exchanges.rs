//! What becomes of an answer, and of a request that failed.

use proofmark_conformance::recorder::{self, Recorded, Recorder, Reply};
use serde_json::{Value, json};

use super::{Auth, Scene, Side, Stage, started};

pub fn scenes() -> Vec<Scene> {
    let mut scenes = answers();
    scenes.extend(repetitions());
    scenes
}

fn answers() -> Vec<Scene> {
    vec![
        Scene {
            name: "answer larger than is read",
            reason: "EXE-09: an error, and not as many bytes as the backend likes",
            play: |side| {
                Box::pin(async move {
                    let body = Value::from("x".repeat(10 << 20));
                    let backend = started(Reply::json(200, &body));
                    let told = Stage::of(&backend, Auth::None)
                        .curated(side, "GET", &[])
                        .await;
                    told.chars().take(44).collect()
                })
            },
            ours: "the backend's answer is too large",
            peer: "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        },
        Scene {
            name: "answer of spaces",
            reason: "EXE-09: either is an end; to the toolkit nothing but space is nothing",
            play: |side| {
                Box::pin(async move {
                    let backend = started(Reply::text(200, " \n"));
                    Stage::of(&backend, Auth::None)
                        .curated(side, "GET", &[])
                        .await
                })
            },
            ours: "null",
            peer: "http backend error: response body was not valid JSON",
        },
        Scene {
            name: "redirect, of a script whose client is built by default",
            reason: "EXE-10: redirects are not followed; the peer leaves it to the client it is given",
            play: |side| {
                Box::pin(async move {
                    let tripwire = Recorder::tripwire().expect("a tripwire");
                    let location = format!("{}/t", tripwire.base_url());
                    let backend = started(recorder::redirect(307, &location));
                    let stage = Stage::of(&backend, Auth::None);
                    let body = Some(json!({"n": 1}));
                    match side {
                        Side::Ours => stage.script(side, "POST", body).await,
                        Side::Peer => {
                            let client = reqwest::Client::new();
                            stage.peers_script(client, "POST", body).await
                        }
                    };
                    format!("the tripwire heard {}", tripwire.requests().len())
                })
            },
            ours: "the tripwire heard 0",
            peer: "the tripwire heard 1",
        },
    ]
}

fn repetitions() -> Vec<Scene> {
    vec![
        Scene {
            name: "POST that failed with 503",
            reason: "EXE-14: it is not repeated, for the backend may have acted",
            play: |side| Box::pin(unavailable(side, "POST")),
            ours: "1 sent",
            peer: "2 sent",
        },
        Scene {
            name: "GET that failed with 503",
            reason: "EXE-14: the identical request is repeated; here both sides agree",
            play: |side| Box::pin(unavailable(side, "GET")),
            ours: "2 sent",
            peer: "2 sent",
        },
        Scene {
            name: "GET that failed with 429",
            reason: "EXE-14: it may do better later; the peer repeats only what failed with 5xx",
            play: |side| {
                Box::pin(async move {
                    let backend = started(Reply::new(429));
                    let stage = Stage {
                        retries: 1,
                        ..Stage::of(&backend, Auth::None)
                    };
                    stage.curated(side, "GET", &[]).await;
                    format!("{} sent", backend.requests().len())
                })
            },
            ours: "2 sent",
            peer: "1 sent",
        },
    ]
}

async fn unavailable(side: Side, method: &str) -> String {
    let backend = started(|_: &Recorded| Reply::new(503));
    let stage = Stage {
        retries: 1,
        ..Stage::of(&backend, Auth::None)
    };
    stage.curated(side, method, &[]).await;
    format!("{} sent", backend.requests().len())
}
