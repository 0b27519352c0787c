//! CRED-12: the token endpoint is asked safely.

use serde_json::json;

use crate::check::exe::acts::SHORT;
use crate::check::exe::stage::{Stage, leak, listen, scanner, sound};
use crate::outcome::Counterexample;
use crate::profile::AuthScheme;
use crate::recorder::{Recorder, Reply, Script};
use crate::scan::Secret;
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Ending, Finding, Judged, Trial};

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let stage = Stage::of(trial, Some(AuthScheme::TokenEndpoint))?;
    let control = stage.control(&trial.executor(&stage.env())?)?;
    let Some(tokens) = stage
        .tokens
        .as_ref()
        .filter(|_| stage.times_carried(&control) == 1)
    else {
        return Ok(Finding::Undecided(format!(
            "the control failed: the backend is not called with the token that the endpoint gave: {control}"
        )));
    };
    let call = Call::new("GET", "/items/7")?;
    let mut cases = match redirected(trial, &stage, tokens, &call)? {
        Finding::Held { cases } => cases,
        other => return Ok(other),
    };
    let answer = stage.canary();
    let scanner = scanner([
        Secret::new("the client's secret", stage.credential.as_str()),
        Secret::new("the endpoint's answer", answer.as_str()),
    ])?;
    for (what, script) in failures(&answer, &stage.credential) {
        tokens.answer_with(script);
        let executor = trial.executor(&stage.env().with_deadline(SHORT))?;
        let ending = executor.call(&call)?;
        cases += 1;
        let Ending::Failed(shown) = ending else {
            continue;
        };
        if let Some(place) = leak(&scanner, &shown) {
            return Ok(Finding::broken(
                Counterexample::new(format!("the token endpoint answers with {what}: {place}"))
                    .step(call.to_string(), "failed")
                    .expected("an error that shows neither the client's secret nor a token nor the answer")
                    .seen(place)
                    .twin("a sound answer yields a token, and the backend is called with it"),
            ));
        }
    }
    Ok(Finding::Held { cases })
}

/// The token endpoint redirects, to a tripwire and to itself.
fn redirected(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    tokens: &Recorder,
    call: &Call,
) -> Judged {
    let tripwire = listen(sound())?;
    let mut cases = 0;
    let elsewhere = format!("{}/token", tripwire.base_url());
    for (status, location) in [301, 302, 303, 307, 308]
        .into_iter()
        .flat_map(|status| [(status, elsewhere.as_str()), (status, "/taken")])
    {
        tokens.answer_with(Reply::new(status).header("location", location));
        let executor = trial.executor(&stage.env().with_deadline(SHORT))?;
        let ending = executor.call(call)?;
        cases += 1;
        let taken = tokens.requests();
        let taken = taken.iter().find(|request| request.path() == b"/taken");
        if !tripwire.is_silent() || taken.is_some() {
            return Ok(Finding::broken(
                Counterexample::new(format!(
                    "the token request follows a redirect of status {status}"
                ))
                .step(call.to_string(), &ending)
                .expected("a redirect of the token endpoint is an error")
                .seen(match taken {
                    Some(request) => format!(
                        "the endpoint heard: {}",
                        request.request_line().escape_ascii()
                    ),
                    None => "the tripwire heard from it".to_owned(),
                })
                .twin("a sound answer yields a token, and the backend is called with it"),
            ));
        }
    }
    Ok(Finding::held(cases))
}

fn failures(answer: &str, secret: &str) -> Vec<(&'static str, Script)> {
    let error = json!({"error": answer, "error_description": format!("{answer} {secret}")});
    let refused = |status| Script::from(Reply::json(status, &error));
    vec![
        ("status 400", refused(400)),
        ("status 401", refused(401)),
        ("status 500", refused(500)),
        ("a text", Reply::text(200, &format!("{answer} {secret}")).into()),
        ("no token", refused(200)),
        ("a token of another type", Reply::json(200, &json!({"access_token": {"t": answer}, "token_type": answer})).into()),
        ("a token that no header can hold", Reply::json(200, &json!({"access_token": format!("{answer}\r\nx: y"), "token_type": "Bearer", "expires_in": 60})).into()),
        ("half an answer", Reply::new(200).body(format!("{{\"access_token\": \"{answer}")).into()),
        ("a reset", Script::new().reset()),
        ("no answer", Script::new()),
    ]
}
