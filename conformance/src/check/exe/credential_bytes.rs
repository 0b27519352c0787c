//! EXE-18: a credential that no header can hold is refused in silence.

use super::stage::{Stage, leak, scanner};
use crate::outcome::Counterexample;
use crate::recorder::Recorded;
use crate::scan::{Scanner, Secret};
use crate::subject::ExecutorSubject;
use crate::trial::{Built, Call, Ending, Finding, Judged, Shown, Stop, Trial};

/// What no header can hold, and how it is told.
const BYTES: &[(&str, &str)] = &[
    ("\n", "LF"),
    ("\r", "CR"),
    ("\r\n", "CR LF"),
    ("\0", "NUL"),
    ("\r\nx-evil: 1", "a header line"),
];

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let mut cases = 0;
    for scheme in trial
        .profile()
        .schemes
        .iter()
        .filter(|scheme| scheme.is_header())
    {
        let mut stage = Stage::of(trial, Some(scheme.clone()))?;
        if stage.tokens.is_some() {
            continue;
        }
        let [front, back] = [(); 2].map(|()| stage.canary());
        let halves = scanner([
            Secret::new("a part of the credential", front.as_str()),
            Secret::new("a part of the credential", back.as_str()),
        ])?;
        stage.credential = format!("{front}{back}");
        let executor = trial.executor(&stage.env())?;
        let control = stage.control(&executor)?;
        if stage.times_carried(&control) == 0 {
            return Ok(Finding::Undecided(format!(
                "the control failed: the credential is not found under `{scheme}` in: {control}"
            )));
        }
        let whole = stage.credential.clone();
        for (bytes, name) in BYTES {
            let placed = [
                (format!("{bytes}{front}{back}"), "first"),
                (format!("{front}{bytes}{back}"), "in the middle"),
                (format!("{front}{back}{bytes}"), "last"),
            ];
            for (credential, place) in placed {
                stage.credential = credential;
                // Of what comes from a file, the line's end may be taken off.
                let is_line_end = bytes.trim().is_empty() && place != "in the middle";
                let trimmed = is_line_end.then_some(whole.as_str());
                let fault = broken(trial, &stage, &halves, &control, trimmed)?;
                cases += 1;
                if let Some((headline, seen)) = fault {
                    return Ok(Finding::broken(
                        Counterexample::new(format!("`{scheme}` with {name} {place}: {headline}"))
                            .step(format!("build it with a credential that has {name} {place}, and GET /items/7"), headline)
                            .expected("an error that does not show the credential, or a trimmed newline; nothing else is sent")
                            .seen(seen)
                            .twin("the credential without it is sent whole"),
                    ));
                }
            }
        }
    }
    Ok(Finding::held(cases))
}

type Fault = Option<(&'static str, String)>;

fn broken(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    halves: &Scanner,
    control: &Recorded,
    trimmed: Option<&str>,
) -> Result<Fault, Stop> {
    let shows =
        |shown: &Shown| leak(halves, shown).map(|place| ("an error shows the credential", place));
    let executor = match trial.build(&stage.env())? {
        Built::Refused(shown) => return Ok(shows(&shown)),
        Built::Executor(executor) => executor,
    };
    let call = Call::new("GET", "/items/7")?;
    let observed = stage.observe(&executor, &call)?;
    if let Ending::Failed(shown) = &observed.ending
        && let Some(fault) = shows(shown)
    {
        return Ok(Some(fault));
    }
    Ok(observed.requests.iter().find_map(|request| {
        let told = halves.redact(&request.head().escape_ascii().to_string());
        if request.header_lines().count() != control.header_lines().count() {
            return Some(("the header was cut in two, or left out", told));
        }
        // `Basic` may hold any byte; of the others a newline may have been trimmed.
        let as_trimmed = trimmed.is_some_and(|whole| stage.times_carries(request, whole) == 1);
        let carried = stage.times_carried(request) == 1 || as_trimmed;
        (!carried).then_some(("a request was sent with another credential or none", told))
    }))
}
