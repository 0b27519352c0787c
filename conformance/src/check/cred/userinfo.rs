//! CRED-10: a credential inside the base URL is refused, or kept out of sight.

use std::sync::Arc;

use serde_json::json;

use crate::check::exe::acts::SHORT;
use crate::check::exe::spy::{Asked, Spy, Verdict};
use crate::check::exe::stage::{Stage, leak, listen, scanner, sound};
use crate::outcome::Counterexample;
use crate::recorder::{Recorded, Reply};
use crate::scan::{Scanner, Secret, ViewError, Views};
use crate::subject::ExecutorSubject;
use crate::trial::{Built, Call, Ending, Finding, Judged, Stop, Trial};

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let mut stage = Stage::new(trial)?;
    stage.control(&trial.executor(&stage.env())?)?;
    let mut cases = 0;
    for form in ["USER@", "USER:PASS@", ":PASS@", "USER:%PASS@", "%USER@"] {
        let [user, password] = [(); 2].map(|()| stage.canary());
        let scanner = scanner([
            Secret::new("the user", user.as_str()),
            Secret::new("the password", password.as_str()),
        ])?;
        let info = form
            .replace("%USER", &escaped(&user))
            .replace("%PASS", &escaped(&password))
            .replace("USER", &user)
            .replace("PASS", &password);
        for shown in exposes(trial, &mut stage, &scanner, &info)? {
            cases += 1;
            if let Some((what, place)) = shown {
                return Ok(Finding::broken(
                    Counterexample::new(format!("a base URL with `{form}`: {what}"))
                        .step(format!("build it on a base URL with `{form}` before the host"), what)
                        .expected("the base URL is refused when the executor is built, or its user and password are shown to nobody")
                        .seen(place)
                        .twin("the same base URL without them is accepted, and its call arrives"),
                ));
            }
        }
    }
    Ok(Finding::held(cases))
}

/// The text with its first character percent-encoded.
fn escaped(text: &str) -> String {
    let first = text.bytes().next().unwrap_or_default();
    format!("%{first:02X}{}", text.get(1..).unwrap_or_default())
}

type Exposed = Option<(&'static str, String)>;

fn exposes(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &mut Stage,
    scanner: &Scanner,
    info: &str,
) -> Result<Vec<Exposed>, Stop> {
    let with = |base: String| base.replacen("http://", &format!("http://{info}"), 1);
    let spy = Spy::new(Verdict::Allow);
    // Nobody listens there any more once it is dropped.
    let closed = listen(sound())?.base_url();
    let repeats = |request: &Recorded| Reply::text(500, &String::from_utf8_lossy(request.bytes()));
    stage.backend = listen(repeats)?;
    let mut exposed = Vec::new();
    for base in [stage.backend.base_url(), closed] {
        let env = stage
            .env()
            .with_base_url(with(base))
            .with_deadline(SHORT)
            .with_policy(Arc::new(Asked(Arc::clone(&spy))));
        let executor = match trial.build(&env)? {
            Built::Refused(shown) => {
                exposed.push(leak(scanner, &shown).map(|place| ("its refusal quotes it", place)));
                continue;
            }
            Built::Executor(executor) => executor,
        };
        let post = Call::new("POST", "/items/7")?.with_body(json!({"name": "x"}));
        for call in [Call::new("GET", "/items/7?own=1")?, post] {
            if let Ending::Failed(shown) = executor.call(&call)? {
                exposed.push(leak(scanner, &shown).map(|place| ("an error quotes it", place)));
            }
        }
        for shown in spy.seen() {
            let mut views = Views::new(scanner);
            views.source(&shown.view());
            exposed.push(match views.finish() {
                Err(ViewError::Found(found)) => Some(("the policy is shown it", found.to_string())),
                _ => None,
            });
        }
    }
    Ok(exposed)
}
