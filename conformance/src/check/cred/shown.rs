//! CRED-01 and CRED-02: no policy is shown the credential, whatever the scheme.

use std::sync::Arc;

use serde_json::json;

use crate::check::exe::retries::FailsFirst;
use crate::check::exe::spy::{Asked, Spy, Verdict};
use crate::check::exe::stage::{Stage, sent_methods};
use crate::outcome::Counterexample;
use crate::profile::AuthScheme;
use crate::recorder::Reply;
use crate::scan::{Scanner, ViewError, Views};
use crate::subject::{ExecutorSubject, RequestCase};
use crate::trial::{Call, Finding, Judged, Stop, Trial};

/// CRED-01.
pub(super) fn first_scheme(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let schemes: Vec<&AuthScheme> = trial.profile().schemes.iter().take(1).collect();
    judge(trial, &schemes)
}

/// CRED-02.
pub(super) fn further_schemes(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let is_further =
        |scheme: &&AuthScheme| !matches!(scheme, AuthScheme::Bearer | AuthScheme::TokenEndpoint);
    let schemes: Vec<&AuthScheme> = trial.profile().schemes.iter().filter(is_further).collect();
    judge(trial, &schemes)
}

fn judge(trial: &Trial<'_, ExecutorSubject>, schemes: &[&AuthScheme]) -> Judged {
    if !trial.profile().policy {
        return Ok(Finding::NotApplicable(
            "the profile does not say that a policy is asked".to_owned(),
        ));
    }
    let mut cases = 0;
    for scheme in schemes {
        let stage = Stage::of(trial, Some((*scheme).clone()))?;
        let scanner = stage.scanner()?;
        let spy = Spy::new(Verdict::Allow);
        let executor =
            trial.executor(&stage.env().with_policy(Arc::new(Asked(Arc::clone(&spy)))))?;
        let mut methods = sent_methods(trial, &stage, &executor)?;
        if trial.profile().retries {
            // Once more, and its first attempt fails.
            methods.push("GET");
        }
        let last = methods.len() - 1;
        for (index, method) in methods.into_iter().enumerate() {
            if index == last && trial.profile().retries {
                stage
                    .backend
                    .answer_with(FailsFirst::new(1, Reply::new(503)));
            }
            let call = Call::new(method, "/items/7?own=1")?.with_body(json!({"name": "x"}));
            let observed = stage.observe(&executor, &call)?;
            cases += 1;
            if !observed
                .requests
                .iter()
                .any(|request| stage.times_carried(request) > 0)
            {
                return Ok(Finding::Undecided(format!(
                    "the control failed: under `{scheme}`, `{call}` does not carry the credential: {}",
                    observed.told()
                )));
            }
            if spy.seen().is_empty() {
                return Ok(Finding::Undecided(
                    "the control failed: the policy was not asked".to_owned(),
                ));
            }
            for shown in spy.seen() {
                if let Some(place) = exposed(&scanner, &shown)? {
                    return Ok(Finding::broken(
                        Counterexample::new(format!(
                            "under `{scheme}` the policy is shown the credential"
                        ))
                        .step(call.to_string(), "the policy was asked")
                        .expected(
                            "no field of a request that a policy is shown holds the credential",
                        )
                        .seen(place)
                        .twin("the credential reached the wire, so it was in use"),
                    ));
                }
            }
        }
    }
    Ok(Finding::held(cases))
}

/// Where a request that a policy was shown holds what the scanner looks for.
pub(super) fn exposed(scanner: &Scanner, shown: &RequestCase) -> Result<Option<String>, Stop> {
    let mut views = Views::new(scanner);
    views.source(&shown.view());
    match views.finish() {
        Ok(()) => Ok(None),
        Err(ViewError::Found(found)) => Ok(Some(found.to_string())),
        Err(cause) => Err(Stop::Harness(format!("a view cannot be scanned: {cause}"))),
    }
}
