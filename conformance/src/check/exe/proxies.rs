//! EXE-16: proxy variables in the environment divert nothing.

use serde_json::json;

use super::acts::SHORT;
use super::stage::{Stage, listen, sound, supports};
use crate::outcome::Counterexample;
use crate::subject::ExecutorSubject;
use crate::trial::{Built, Call, Ending, Finding, Judged, Stop, Trial};
use crate::worker::ProxyTripwire;

/// An address that is nobody's.
const NOBODY: &str = "192.0.2.1";

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let Some(tripwire) = ProxyTripwire::of_this_process() else {
        return Ok(Finding::Undecided(
            "the process was not started with proxy variables: judge the row in a worker"
                .to_owned(),
        ));
    };
    let harness = |cause| Stop::Harness(format!("the tripwire cannot be asked: {cause}"));
    let before = tripwire.count().map_err(harness)?;
    tripwire.visit().map_err(harness)?;
    let heard = tripwire.count().map_err(harness)?;
    if heard == before {
        return Ok(Finding::Undecided(
            "the control failed: a client that uses the proxy did not reach the tripwire"
                .to_owned(),
        ));
    }
    let stage = Stage::new(trial)?;
    let plain = stage.backend.base_url();
    // Nobody listens there any more once it is dropped: an executor need not wait for a handshake.
    let encrypted = listen(sound())?.base_url();
    let encrypted = encrypted.replacen("http://", "https://", 1);
    let mut cases = 0;
    // Addresses that are nobody's, for a client that goes round the proxy to what is local.
    let [afar, afar_in_clear] = ["https", "http"].map(|scheme| format!("{scheme}://{NOBODY}"));
    for (base, method) in [
        (&plain, "GET"),
        (&encrypted, "GET"),
        (&plain, "POST"),
        (&afar, "GET"),
        (&afar_in_clear, "GET"),
    ] {
        let Some((call, ending)) = called(trial, &stage, base, method)? else {
            continue;
        };
        cases += 1;
        let after = tripwire.count().map_err(harness)?;
        if after > heard {
            let scheme = base.split(':').next().unwrap_or_default();
            return Ok(Finding::broken(
                Counterexample::new(format!(
                    "a request over {scheme} went to the proxy that the environment names"
                ))
                .step(call.to_string(), &ending)
                .expected("the variables HTTP_PROXY, HTTPS_PROXY and ALL_PROXY change nothing")
                .seen(format!("the tripwire heard {} requests", after - heard))
                .twin("a client of the judge's own that uses the proxy reached the same tripwire"),
            ));
        }
    }
    if cases == 0 {
        return Ok(Finding::Undecided("no executor could be built".to_owned()));
    }
    Ok(Finding::held(cases))
}

/// A call on this base URL, unless nothing can be built on it, and its end.
fn called(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    base: &str,
    method: &str,
) -> Result<Option<(Call, Ending)>, Stop> {
    if !supports(trial, method) {
        return Ok(None);
    }
    let is_far = base.ends_with(NOBODY);
    let mut env = stage.env().with_base_url(base);
    if is_far {
        env = env.with_deadline(SHORT);
    }
    let Built::Executor(executor) = trial.build(&env)? else {
        return Ok(None);
    };
    let mut call = Call::new(method, "/items/7")?;
    if method == "POST" {
        call = call.with_body(json!({"name": "x"}));
    }
    let ending = match is_far {
        // That it does not end is another row's affair.
        true => executor.start(&call)?.wait(executor.brief_patience()),
        false => executor.call(&call)?,
    };
    Ok(Some((call, ending)))
}
