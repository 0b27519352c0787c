//! POL-15: what one call is refused changes no other call's verdict.

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Answer, Finding, Instance, Judged, Stop, Trial};

/// The call that is refused, and one that is to notice nothing.
const REFUSED: &str = "call-refused";
const OTHER: &str = "call-other";

/// The first call is refused once, and then between so many times, fewer where the subject is slow.
const MANY_TIMES: std::ops::RangeInclusive<u64> = 12..=32;

/// So many further calls ask once each: whoever keeps less apart than calls shows here.
const CROWD: u64 = 256;

/// So many of them may be refused for want of room before no more are looked into.
const MOST_UNEXPLAINED: u32 = 64;

/// So many of the other call's requests are compared at most.
const LONGEST: u64 = 256;

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    if trial.profile().max_calls == Some(1) {
        return Ok(Finding::NotApplicable(
            "the profile lets the policy remember a single call".to_owned(),
        ));
    }
    trial.require_steered()?;
    let sequence = sequence(trial);
    let alone = answers(&trial.fresh()?, &sequence)?;
    if words(&answers(&trial.fresh()?, &sequence)?) != words(&alone) {
        return Ok(Finding::Undecided(
            "two fresh subjects answer one call differently, which POL-02 is about".to_owned(),
        ));
    }
    let mut cases = 0;
    let many = u64::from(trial.cases()? / 8).clamp(*MANY_TIMES.start(), *MANY_TIMES.end());
    for times in [1, many] {
        for refused in refused_requests(trial) {
            if cases > 0 && trial.is_long() {
                break;
            }
            let instance = trial.fresh()?;
            if !is_refused(trial, &instance, &refused, times)? {
                continue;
            }
            cases += 1;
            for (index, request) in sequence.iter().enumerate() {
                let answer = instance.ask(request)?;
                if answer.word() != alone[index].word() {
                    let verdicts = (&alone[index], &answer);
                    return Ok(Finding::broken(changed(&refused, times, request, verdicts)));
                }
                instance.ask(&refused)?;
            }
            if let Some(found) = crowd(trial, &refused, times)? {
                return Ok(Finding::broken(found));
            }
        }
    }
    if cases == 0 {
        return Ok(Finding::Undecided(
            "the control failed: nothing that was asked is refused; declare a request under `refuse`".to_owned(),
        ));
    }
    Ok(Finding::held(cases))
}

/// Further calls ask for what is admitted, once each, as far as so many calls are remembered.
fn crowd(
    trial: &Trial<'_>,
    refused: &RequestCase,
    times: u64,
) -> Result<Option<Counterexample>, Stop> {
    let instance = trial.fresh()?;
    is_refused(trial, &instance, refused, times)?;
    // Beside these the policy remembers the call that is refused.
    let bound = trial.profile().max_calls.unwrap_or(u64::MAX);
    let most = trial.share_of(CROWD).min(bound.saturating_sub(1));
    let mut unexplained = 0;
    for call in 0..trial.affordable(most)? {
        let request = trial.base().with_call(&format!("crowd-{call:04x}"));
        let answer = instance.ask(&request)?;
        let alone = trial.fresh()?.ask(&request)?;
        if answer.word() == alone.word() {
            continue;
        }
        // It may be the crowd that leaves no room: then the refused call alone leaves it.
        let again = trial.fresh()?;
        is_refused(trial, &again, refused, times)?;
        if again.ask(&request)?.word() != alone.word() {
            return Ok(Some(changed(refused, times, &request, (&alone, &answer))));
        }
        unexplained += 1;
        if unexplained > MOST_UNEXPLAINED {
            break;
        }
    }
    Ok(None)
}

/// What the other call asks: its whole budget where there is one, and all that is declared.
fn sequence(trial: &Trial<'_>) -> Vec<RequestCase> {
    let load = trial.load();
    let spent = load.iter().flat_map(|load| {
        let most = load.most_steps().min(LONGEST);
        (0..most).map(|index| load.request(index))
    });
    spent
        .chain(trial.declared_requests())
        .map(|request| request.with_call(OTHER))
        .collect()
}

/// What the first call may be refused: the last of its budget, what is declared refused, and what
/// whoever refuses anything is likely to refuse.
fn refused_requests(trial: &Trial<'_>) -> Vec<RequestCase> {
    let base = trial.base();
    let mut requests = trial.refused_requests();
    requests.extend([
        trial.unrelated(),
        base.clone().with_method("TRACE"),
        trial.unlisted(&base),
        base,
    ]);
    requests
        .into_iter()
        .map(|request| request.with_call(REFUSED))
        .collect()
}

/// Whether the first call is refused so often in a row. A budget is used up where it takes that.
fn is_refused(
    trial: &Trial<'_>,
    instance: &Instance<'_>,
    request: &RequestCase,
    times: u64,
) -> Result<bool, Stop> {
    if trial.fresh()?.ask(request)?.allows() {
        let Some(load) = trial.load() else {
            return Ok(false);
        };
        load.spend(instance, |request| request.with_call(REFUSED))?;
    }
    Ok(instance.admits(times, request)? == 0)
}

fn answers(instance: &Instance<'_>, sequence: &[RequestCase]) -> Result<Vec<Answer>, Stop> {
    sequence
        .iter()
        .map(|request| instance.ask(request))
        .collect()
}

fn words(answers: &[Answer]) -> Vec<&'static str> {
    answers.iter().map(Answer::word).collect()
}

fn changed(
    refused: &RequestCase,
    times: u64,
    request: &RequestCase,
    (alone, found): (&Answer, &Answer),
) -> Counterexample {
    Counterexample::new(format!(
        "what one call is refused makes another call's request {found}"
    ))
    .steps(times, refused, "refused")
    .step(request, found)
    .expected(format!(
        "{alone}: a refusal concerns the call it is given to"
    ))
    .seen(found.to_string())
    .twin(format!(
        "on a fresh subject that never saw the other call, it was {alone}"
    ))
}
