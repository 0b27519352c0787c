//! EXE-10: no redirect is followed.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::json;

use super::stage::{Stage, listen, sound, supports};
use crate::outcome::Counterexample;
use crate::recorder::{Recorded, Reply};
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Finding, Judged, Stop, Trial};

const STATUSES: &[u16] = &[301, 302, 303, 307, 308];

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let stage = Stage::new(trial)?;
    stage.control(&trial.executor(&stage.env())?)?;
    let tripwire = listen(sound())?;
    let host = tripwire.address();
    let locations = locations(host);
    let first = locations[0].clone();
    stage
        .backend
        .answer_with(Reply::new(307).header("location", first));
    follow(stage.backend.address())?;
    if tripwire.is_silent() {
        return Err(Stop::Undecided(
            "the control failed: a client that follows redirects did not reach the tripwire"
                .to_owned(),
        ));
    }
    let heard = tripwire.heard().len();
    let mut cases = 0;
    for status in STATUSES {
        for location in &locations {
            let reply =
                Reply::json(*status, &json!({"ok": true})).header("location", location.as_str());
            stage.backend.answer_with(reply);
            for method in ["GET", "POST"]
                .into_iter()
                .filter(|method| supports(trial, method))
            {
                let executor = trial.executor(&stage.env())?;
                let call = Call::new(method, "/items/7")?.with_body(json!({"name": "x"}));
                let observed = stage.observe(&executor, &call)?;
                cases += 1;
                let went_on = observed.requests.iter().find(|request| went_on(request));
                let seen = match went_on {
                    Some(request) => format!("the backend heard: {request}"),
                    None if tripwire.heard().len() > heard => {
                        format!("the tripwire at {host} heard from it")
                    }
                    None => continue,
                };
                let location = location.replace(&host.to_string(), "TRIPWIRE");
                let found =
                    Counterexample::new(format!("status {status} to `{location}` is followed"))
                        .step(call.to_string(), observed.told())
                        .expected("the redirect is an error, or is returned as what it is")
                        .seen(seen)
                        .twin("answered with status 200, the same request is sent once");
                return Ok(Finding::broken(found));
            }
        }
    }
    Ok(Finding::held(cases))
}

/// Where a redirect may lead: to the tripwire under several names, and to the backend itself.
fn locations(tripwire: SocketAddr) -> [String; 7] {
    let port = tripwire.port();
    [
        format!("http://{tripwire}/taken"),
        format!("http://localhost:{port}/taken"),
        format!("//{tripwire}/taken"),
        format!("https://{tripwire}/taken"),
        "/taken".to_owned(),
        "taken".to_owned(),
        "?taken".to_owned(),
    ]
}

/// Whether a request is not the one that was redirected, nor that one repeated.
fn went_on(request: &Recorded) -> bool {
    request.path() != b"/items/7"
        || request
            .query()
            .is_some_and(|query| query.starts_with(b"taken"))
}

/// A client that follows redirects: the first `Location` it is given.
fn follow(backend: SocketAddr) -> Result<(), Stop> {
    let ask = |address: &str, target: &str| -> std::io::Result<String> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        write!(
            stream,
            "GET {target} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    let harness = |cause| Stop::Harness(format!("the following client failed: {cause}"));
    let answer = ask(&backend.to_string(), "/items/7").map_err(harness)?;
    let location = answer
        .lines()
        .find_map(|line| line.strip_prefix("location: http://"));
    if let Some((host, path)) = location.and_then(|location| location.split_once('/')) {
        ask(host, &format!("/{path}")).map_err(harness)?;
    }
    Ok(())
}
