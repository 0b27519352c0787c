//! BUD-14: whether a request that is refused is charged, which is reported and never held against
//! anybody.

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Stop, Trial};

/// So often is the refused request asked.
const REFUSED: u64 = 3;

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let (load, whole) = trial.spent_load()?;
    let Some(refused) = refused_while_budget_is_left(trial)? else {
        return Ok(Finding::NotApplicable(
            "the profile declares nothing that is refused while there is budget left".to_owned(),
        ));
    };
    let refused = refused.with_call(&load.base().call_id);
    let instance = trial.fresh()?;
    for _ in 0..REFUSED {
        instance.ask(&refused)?;
    }
    let left = load.spend(&instance, |request| request)?.admitted;
    if left == whole {
        return Ok(Finding::held(1));
    }
    Ok(Finding::broken(
        Counterexample::new(format!(
            "refused requests are charged: {REFUSED} of them leave {left} of {whole} requests"
        ))
        .steps(REFUSED, &shortened(&refused), "refused")
        .steps(left + 1, &load.request(0), "refused at the last")
        .expected(format!("{whole} requests admitted"))
        .seen(format!("{left} admitted"))
        .twin(format!(
            "without the refused requests {whole} were admitted"
        )),
    ))
}

/// A request that a fresh subject refuses for what it is, or for its size.
fn refused_while_budget_is_left(trial: &Trial<'_>) -> Result<Option<RequestCase>, Stop> {
    let mut candidates = trial.refused_requests();
    if let Some(limit) = trial.profile().bytes {
        let text = "t".repeat(
            usize::try_from(limit)
                .unwrap_or(usize::MAX)
                .saturating_add(1),
        );
        candidates.push(trial.base().with_pair("text", &text));
    }
    for candidate in candidates {
        if !trial.fresh()?.ask(&candidate)?.allows() {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

/// The request as it is printed: what is refused for its size is not shown whole.
fn shortened(request: &RequestCase) -> RequestCase {
    let mut request = request.clone();
    for (_, value) in &mut request.query {
        if value.len() > 200 {
            *value = format!("{} bytes of text", value.len());
        }
    }
    request
}
