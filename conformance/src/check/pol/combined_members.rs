//! POL-17: a combination that requires all of its members allows only what each of them allows.

use std::sync::Arc;

use async_trait::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::OutboundRequest;

use crate::outcome::Counterexample;
use crate::subject::{PolicyEnv, RequestCase};
use crate::trial::{Answer, Finding, Judged, Stop, Trial};

/// What one member does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member {
    Allows,
    Refuses,
    Panics,
    PanicsLater,
}

use Member::{Allows, Panics, PanicsLater, Refuses};

const ALL: [Member; 4] = [Allows, Refuses, Panics, PanicsLater];

/// As many allowers as members are combined at most.
const MOST: usize = 3;

#[async_trait]
impl RequestPolicy for Member {
    async fn check(&self, _: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        match self {
            Allows => Ok(()),
            Refuses => Err(PolicyRefusal::new("this member refuses everything")),
            Panics => fail("this member panics"),
            PanicsLater => {
                tokio::task::yield_now().await;
                fail("this member panics after it has waited")
            }
        }
    }
}

#[allow(clippy::panic, reason = "to panic is this member's purpose")]
fn fail(message: &str) -> Result<(), PolicyRefusal> {
    panic!("{message}")
}

impl Member {
    fn name(self) -> &'static str {
        match self {
            Allows => "an allower",
            Refuses => "a refuser",
            Panics => "a panicker",
            PanicsLater => "one that waits and panics",
        }
    }
}

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let base = trial.base();
    for count in 1..=MOST {
        if ask(trial, &[Allows; MOST][..count], &base)? != Some(Answer::Allowed) {
            return Ok(Finding::Undecided(format!(
                "the control failed: made of {count} members that allow everything, the combination does not allow `{base}`; build it from all of `members`"
            )));
        }
    }
    let mut cases = 0;
    for members in combinations() {
        for request in [base.clone(), base.clone().previewed()] {
            cases += 1;
            if ask(trial, &members, &request)? == Some(Answer::Allowed) {
                return Ok(Finding::broken(allowed(&members, &request)));
            }
        }
    }
    Ok(Finding::held(cases))
}

/// The answer of a combination of these members; `None` where it lets a panic through.
fn ask(
    trial: &Trial<'_>,
    members: &[Member],
    request: &RequestCase,
) -> Result<Option<Answer>, Stop> {
    let mut env = PolicyEnv::new(0);
    env.members = members
        .iter()
        .map(|member| Arc::new(*member) as Arc<dyn RequestPolicy>)
        .collect();
    match trial.fresh_in(env)?.ask(request) {
        Ok(answer) => Ok(Some(answer)),
        Err(Stop::Panicked(_)) => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// Every order of up to three different members, not all of which allow: fewest first.
fn combinations() -> Vec<Vec<Member>> {
    let mut found: Vec<Vec<Member>> = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..MOST {
        let until = found.len();
        for index in from..until {
            for member in ALL {
                if !found[index].contains(&member) {
                    let longer = [&found[index][..], &[member]].concat();
                    found.push(longer);
                }
            }
        }
        from = until;
    }
    found.retain(|members| members.iter().any(|member| *member != Allows));
    found
}

fn allowed(members: &[Member], request: &RequestCase) -> Counterexample {
    let names: Vec<&str> = members.iter().map(|member| member.name()).collect();
    let names = names.join(", ");
    Counterexample::new(format!("it allows although its members are {names}"))
        .step(request, "allowed")
        .expected("a refusal, or the panic itself: not every member allowed")
        .seen(format!("allowed by a combination of {names}"))
        .twin("made of members that allow, it allowed the same request, as it should")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_of_up_to_three_members_is_tried_once() {
        let found = combinations();
        assert_eq!(found.len(), 4 + 12 + 24 - 1);
        assert_eq!(found[0], [Refuses]);
        assert!(found.contains(&vec![Allows, PanicsLater, Refuses]));
    }
}
