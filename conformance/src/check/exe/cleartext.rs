//! EXE-21: no credential over plain http to a host that is not local.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};

use super::stage::{Stage, sound};
use crate::outcome::Counterexample;
use crate::recorder::Recorder;
use crate::subject::ExecutorSubject;
use crate::trial::{Built, Call, Finding, Judged, Trial};

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let mut cases = 0;
    for scheme in &trial.profile().schemes {
        match under(trial, Stage::of(trial, Some(scheme.clone()))?)? {
            Finding::Held { cases: more } => cases += more,
            other => return Ok(other),
        }
    }
    Ok(Finding::Held { cases })
}

fn under(trial: &Trial<'_, ExecutorSubject>, mut stage: Stage) -> Judged {
    let control = stage.control(&trial.executor(&stage.env())?)?;
    if stage.times_carried(&control) == 0 {
        return Ok(Finding::Undecided(format!(
            "the control failed: over http to a loopback address, no credential is found in: {control}"
        )));
    }
    let Some(backend) = own_address().and_then(|own| Recorder::start_on(own, sound()).ok()) else {
        return Ok(Finding::Undecided(
            "this machine has no address outside the loopback range to listen on".to_owned(),
        ));
    };
    stage.backend = backend;
    let Built::Executor(executor) = trial.build(&stage.env())? else {
        return Ok(Finding::held(1));
    };
    let call = Call::new("GET", "/items/7")?;
    let observed = stage.observe(&executor, &call)?;
    let exposed = observed
        .requests
        .iter()
        .find(|request| stage.times_carried(request) > 0);
    let Some(request) = exposed else {
        return Ok(Finding::held(1));
    };
    Ok(Finding::broken(
        Counterexample::new("the credential is sent over plain http to another host")
            .step(
                format!("build it on http://{}, and {call}", stage.backend.address()),
                &observed.ending,
            )
            .expected("such a base URL is refused when the executor is built or called")
            .seen(format!("the credential was recorded with: {request}"))
            .twin("on http to a loopback address the credential arrives, as it may"),
    ))
}

/// An address of this machine outside the loopback range.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // Connecting a datagram socket sends nothing; the system says from where it would.
    socket.connect(("192.0.2.1", 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_loopback() && !own.is_unspecified()).then_some(own)
}
