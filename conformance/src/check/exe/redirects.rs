//! EXE-10: no redirect is followed.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::json;

use super::stage::{Stage, listen, sent_methods, sound};
use crate::outcome::Counterexample;
use crate::recorder::{Recorded, Reply};
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Finding, Judged, Stop, Trial};

/// The path that is redirected.
const SELF: &str = "/items/7";

const STATUSES: &[u16] = &[301, 302, 303, 307, 308];

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let stage = Stage::new(trial)?;
    let control = trial.executor(&stage.env())?;
    stage.control(&control)?;
    let methods = sent_methods(trial, &stage, &control)?;
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
    // Each is used again and again: what is followed may hang on what was done before.
    let mut executors = Vec::new();
    for method in methods {
        executors.push((method, trial.executor(&stage.env())?));
    }
    for status in STATUSES {
        for location in &locations {
            let reply =
                Reply::json(*status, &json!({"ok": true})).header("location", location.as_str());
            stage.backend.answer_with(reply);
            let often = ["GET", "POST"];
            let is_tried = |method: &str| often.contains(&method) || location.ends_with("/taken");
            for (method, executor) in executors.iter().filter(|(method, _)| is_tried(method)) {
                // A request that is repeated is none that follows.
                if location == SELF && trial.profile().retries {
                    continue;
                }
                let call = Call::new(method, SELF)?.with_body(json!({"name": "x"}));
                let observed = stage.observe(executor, &call)?;
                cases += 1;
                let mut requests = observed.requests.iter();
                let went_on = match location == SELF {
                    true => requests.nth(1),
                    false => requests.find(|request| went_on(request)),
                };
                let seen = match went_on {
                    Some(request) => format!("the backend heard: {request}"),
                    None if tripwire.heard().len() > heard => {
                        format!("the tripwire at {host} heard from it")
                    }
                    None => continue,
                };
                let location = location.replace(&host.to_string(), "TRIPWIRE");
                let found = followed(&format!("status {status} to `{location}`"), seen);
                return Ok(Finding::broken(
                    found.step(call.to_string(), observed.told()),
                ));
            }
        }
    }
    Ok(Finding::held(cases))
}

fn followed(redirect: &str, seen: String) -> Counterexample {
    Counterexample::new(format!("{redirect} is followed"))
        .expected("the redirect is an error, or is returned as what it is")
        .seen(seen)
        .twin("answered with status 200, the same request is sent once")
}

/// Where a redirect may lead: to the tripwire under several names, and to the backend itself.
fn locations(tripwire: SocketAddr) -> [String; 8] {
    let port = tripwire.port();
    [
        format!("http://{tripwire}/taken"),
        format!("http://localhost:{port}/taken"),
        format!("//{tripwire}/taken"),
        format!("https://{tripwire}/taken"),
        "/taken".to_owned(),
        "taken".to_owned(),
        "?taken".to_owned(),
        SELF.to_owned(),
    ]
}

/// Whether a request is not the one that was redirected, nor that one repeated.
fn went_on(request: &Recorded) -> bool {
    request.path() != SELF.as_bytes()
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
