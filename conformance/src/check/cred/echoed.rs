//! CRED-07: a backend that echoes the credential does not pass it on.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::json;

use crate::check::exe::stage::{Stage, leak, supports};
use crate::outcome::Counterexample;
use crate::recorder::Reply;
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Ending, Finding, Judged, Trial};

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let mut cases = 0;
    for scheme in &trial.profile().schemes {
        let stage = Stage::of(trial, Some(scheme.clone()))?;
        let scanner = stage.scanner()?;
        let executor = trial.executor(&stage.env())?;
        let marker = json!({"ok": true, "items": [1, 2], "note": "nothing secret"});
        stage.backend.answer_with(Reply::json(200, &marker));
        let call = Call::new("GET", "/items/7")?;
        let control = stage.observe(&executor, &call)?;
        if control.ending != Ending::Value(marker.clone()) {
            return Ok(Finding::Undecided(format!(
                "the control failed: an answer without the credential does not come through unchanged: {}",
                control.told()
            )));
        }
        let post = Call::new("POST", "/items/7")?.with_body(json!({"name": "x"}));
        let posts = echoes(stage.on_wire()).into_iter().take(1);
        let posts = posts
            .filter(|_| supports(trial, "POST"))
            .map(|(what, reply)| (&post, what, reply));
        let gets = echoes(stage.on_wire()).into_iter();
        for (call, what, reply) in gets.map(|(what, reply)| (&call, what, reply)).chain(posts) {
            stage.backend.answer_with(reply);
            let observed = stage.observe(&executor, call)?;
            if observed.requests.is_empty() {
                return Ok(Finding::Undecided(format!(
                    "the control failed: {}",
                    observed.told()
                )));
            }
            cases += 1;
            let place = match &observed.ending {
                Ending::Value(value) => {
                    let scan = scanner.scan(value.to_string().as_bytes());
                    let found = scan.findings.first();
                    found.map(|found| {
                        format!("the value holds {} ({})", found.secret, found.encoding)
                    })
                }
                Ending::Failed(shown) => leak(&scanner, shown),
                Ending::Panicked(_) | Ending::Unanswered => None,
            };
            if let Some(place) = place {
                return Ok(Finding::broken(
                    Counterexample::new(format!(
                        "under `{scheme}`, an echo in {what} is passed on"
                    ))
                    .step(call.to_string(), "the backend echoed the credential")
                    .expected(
                        "the value is masked, or the response is an error that quotes nothing",
                    )
                    .seen(place)
                    .twin("a response without the credential came through unchanged"),
                ));
            }
        }
    }
    Ok(Finding::held(cases))
}

fn echoes(secret: &str) -> Vec<(&'static str, Reply)> {
    let header = STANDARD.encode(format!("user:{secret}"));
    let bearer = format!("Bearer {secret}");
    // As JSON may write it: the text is found in the value alone.
    let escaped: String = secret
        .encode_utf16()
        .map(|unit| format!("\\u{unit:04x}"))
        .collect();
    let json_text = |text: String| {
        Reply::new(200)
            .header("content-type", "application/json")
            .body(text)
    };
    let padding = "-".repeat(48 << 10);
    vec![
        (
            "a member",
            Reply::json(200, &json!({"authorization": bearer})),
        ),
        ("a member's name", Reply::json(200, &json!({secret: true}))),
        (
            "a nested list",
            Reply::json(200, &json!({"a": [{"b": [secret]}]})),
        ),
        (
            "a text",
            Reply::json(200, &json!(format!("key={secret}&x=1"))),
        ),
        (
            "base64",
            Reply::json(200, &json!({"token": STANDARD.encode(secret)})),
        ),
        (
            "base64url",
            Reply::json(200, &json!({"token": URL_SAFE_NO_PAD.encode(secret)})),
        ),
        (
            "a Basic header",
            Reply::json(200, &json!({"authorization": header})),
        ),
        (
            "a member whose letters are escaped",
            json_text(format!(r#"{{"token": "{escaped}"}}"#)),
        ),
        (
            "the end of a long answer",
            Reply::json(200, &json!({"a": padding, "token": secret})),
        ),
        ("an error body", Reply::json(500, &json!({"error": secret}))),
        ("a body that is no JSON", Reply::text(200, secret)),
    ]
}
