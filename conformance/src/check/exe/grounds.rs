//! EXE-13: a policy may refuse on any ground that it can be shown: the phase, the method, the pairs
//! or the body.

use std::sync::Arc;

use proofmark::request::{OutboundRequest, RequestPhase};
use serde_json::json;

use super::spy::{Asked, Spy, Verdict};
use super::stage::{Stage, supports};
use crate::outcome::Counterexample;
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Stop, Trial};

/// What a refused value is.
const UNWANTED: &str = "unwanted";

/// What a policy refuses by, a call that it refuses, and the twin that it allows.
struct Ground {
    what: &'static str,
    refuses: fn(&OutboundRequest<'_>) -> bool,
    refused: Call,
    /// Where there is none, the same call is allowed by a policy that allows everything.
    allowed: Option<Call>,
}

fn grounds() -> Result<[Ground; 4], Stop> {
    let post = |name: &str| -> Result<Call, Stop> {
        Ok(Call::new("POST", "/items")?.with_body(json!({"name": name})))
    };
    let get = |name: &str| -> Result<Call, Stop> {
        Ok(Call::new("GET", "/items")?.with_body(json!({"name": name})))
    };
    Ok([
        Ground {
            what: "what is to be sent, whatever is previewed",
            refuses: |request| request.phase == RequestPhase::Execute,
            refused: Call::new("GET", "/items/7")?,
            allowed: None,
        },
        Ground {
            what: "every method but GET",
            refuses: |request| !request.method.eq_ignore_ascii_case("GET"),
            refused: post("x")?,
            allowed: Some(Call::new("GET", "/items/7")?),
        },
        Ground {
            what: "a body with a certain value",
            refuses: |request| {
                let body = request.body.map(ToString::to_string);
                body.is_some_and(|body| body.contains(UNWANTED))
            },
            refused: post(UNWANTED)?,
            allowed: Some(post("x")?),
        },
        Ground {
            what: "a pair with a certain value",
            refuses: |request| {
                let pairs = request.query.iter();
                request.path.contains(UNWANTED)
                    || pairs.into_iter().any(|(_, value)| value == UNWANTED)
            },
            refused: get(UNWANTED)?,
            allowed: Some(get("x")?),
        },
    ])
}

/// A request that went out although the policy refuses it on one of these grounds. The twin goes
/// first, on the same executor: its answer is no answer to what differs from it.
pub(super) fn disregarded(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
) -> Result<Option<Counterexample>, Stop> {
    for ground in grounds()? {
        let methods = [Some(&ground.refused), ground.allowed.as_ref()];
        if methods
            .into_iter()
            .flatten()
            .any(|call| !supports(trial, &call.method))
        {
            continue;
        }
        let allowing = Spy::new(match ground.allowed {
            Some(_) => Verdict::RefuseIf(ground.refuses),
            None => Verdict::Allow,
        });
        let env = stage.env().with_policy(Arc::new(Asked(allowing)));
        let mut executor = trial.executor(&env)?;
        let allowed = ground.allowed.as_ref().unwrap_or(&ground.refused);
        let twin = stage.observe(&executor, allowed)?;
        if twin.requests.is_empty() {
            // What it does not send at all shows nothing here.
            continue;
        }
        if ground.allowed.is_none() {
            let refusing = Spy::new(Verdict::RefuseIf(ground.refuses));
            executor = trial.executor(&stage.env().with_policy(Arc::new(Asked(refusing))))?;
        }
        let refused = stage.observe(&executor, &ground.refused)?;
        if !refused.silent {
            return Ok(Some(
                Counterexample::new(format!(
                    "a request goes out under a policy that refuses {}",
                    ground.what
                ))
                .step(allowed.to_string(), twin.told())
                .step(ground.refused.to_string(), refused.told())
                .expected("the policy is asked about the phase, the method, the pairs and the body of what is sent, and nothing is sent")
                .seen(refused.told())
                .twin("what the policy allows was sent"),
            ));
        }
    }
    Ok(None)
}
