//! POL-11: what the profile declares allowed is allowed, and what it declares refused is refused.

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Trial};

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let profile = trial.profile();
    let allow = profile.allow.iter().map(|sample| (sample, true));
    let refuse = profile.refuse.iter().map(|sample| (sample, false));
    let mut cases = 0;
    let mut behaved: Option<RequestCase> = None;
    for (sample, allowed) in allow.chain(refuse) {
        let request = trial.attribute(sample.request().clone());
        for request in [request.clone(), request.previewed()] {
            cases += 1;
            let answer = trial.fresh()?.ask(&request)?;
            if answer.allows() == allowed {
                behaved = Some(request);
                continue;
            }
            let (declared, opposite) = if allowed {
                ("allowed", "refused")
            } else {
                ("refused", "allowed")
            };
            let twin = behaved.map_or_else(
                || "none is needed: the profile declares this very request".to_owned(),
                |twin| format!("`{twin}` was answered as declared"),
            );
            return Ok(Finding::broken(
                Counterexample::new(format!("a request declared {declared} is {opposite}"))
                    .step(&request, &answer)
                    .expected(format!(
                        "{declared}, as the profile declares, in both phases"
                    ))
                    .seen(answer.to_string())
                    .twin(twin),
            ));
        }
    }
    Ok(Finding::held(cases))
}
