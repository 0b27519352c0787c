//! EXE-16: proxy variables in the environment divert nothing.

use super::stage::{Stage, listen, sound};
use crate::outcome::Counterexample;
use crate::subject::ExecutorSubject;
use crate::trial::{Built, Call, Finding, Judged, Stop, Trial};
use crate::worker::ProxyTripwire;

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
    for base in [plain, encrypted] {
        let Built::Executor(executor) = trial.build(&stage.env().with_base_url(&base))? else {
            continue;
        };
        let call = Call::new("GET", "/items/7")?;
        let ending = executor.call(&call)?;
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
