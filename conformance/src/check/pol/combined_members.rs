//! POL-17: a combination that requires all of its members allows only what each of them allows.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::OutboundRequest;

use crate::check::paused::paused;
use crate::outcome::Counterexample;
use crate::subject::{PolicyEnv, RequestCase};
use crate::trial::{Answer, Finding, Judged, Stop, Trial};

/// What one member does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member {
    Allows,
    Refuses,
    RefusesLater,
    RefusesMuchLater,
    Panics,
    PanicsLater,
}

use Member::{Allows, Panics, PanicsLater, Refuses, RefusesLater, RefusesMuchLater};

const ALL: [Member; 5] = [Allows, Refuses, RefusesLater, Panics, PanicsLater];

/// As many different members are combined at most.
const MOST: usize = 3;

/// One member that refuses stands among so many that allow: what votes, or asks only some, allows.
const CROWDS: &[usize] = &[2, 3, 4, 8, 16, 32, 64];

/// For so long a member thinks before it refuses, on a runtime whose time moves by itself when there
/// is nothing else to do.
const MUCH_LATER: Duration = Duration::from_secs(60 * 60);

#[async_trait]
impl RequestPolicy for Member {
    async fn check(&self, _: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        match self {
            Allows => Ok(()),
            Refuses => Err(refusal()),
            RefusesLater => {
                tokio::task::yield_now().await;
                Err(refusal())
            }
            RefusesMuchLater => {
                tokio::time::sleep(MUCH_LATER).await;
                Err(refusal())
            }
            Panics => fail("this member panics"),
            PanicsLater => {
                tokio::task::yield_now().await;
                fail("this member panics after it has waited")
            }
        }
    }
}

fn refusal() -> PolicyRefusal {
    PolicyRefusal::new("this member refuses everything")
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
            RefusesLater => "one that waits and refuses",
            RefusesMuchLater => "one that refuses after an hour",
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
    let different = judge(trial, &base, combinations())?;
    let Finding::Held { cases: different } = different else {
        return Ok(different);
    };
    let crowded = judge(trial, &base, crowds(trial, &base)?)?;
    let Finding::Held { cases: crowded } = crowded else {
        return Ok(crowded);
    };
    // What a combination does while a member thinks can only be told where time is the judge's.
    let paused = paused()?;
    let late = judge(&trial.on(&paused), &base, late())?;
    let Finding::Held { cases: late } = late else {
        return Ok(late);
    };
    Ok(Finding::Held {
        cases: different + crowded + late,
    })
}

fn judge(trial: &Trial<'_>, base: &RequestCase, combinations: Vec<Vec<Member>>) -> Judged {
    let mut cases = 0;
    for members in combinations {
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

/// One that refuses at the beginning, in the middle and at the end of many that allow, as far as the
/// subject combines so many.
fn crowds(trial: &Trial<'_>, base: &RequestCase) -> Result<Vec<Vec<Member>>, Stop> {
    let mut found = Vec::new();
    for &count in CROWDS {
        let allowers = vec![Allows; count + 1];
        if ask(trial, &allowers, base)? != Some(Answer::Allowed) {
            break;
        }
        for at in [count, count / 2, 0] {
            for dissenter in [Refuses, RefusesLater] {
                let mut members = allowers.clone();
                members[at] = dissenter;
                found.push(members);
            }
        }
    }
    Ok(found)
}

/// One that takes long to refuse, alone and beside one that allows.
fn late() -> Vec<Vec<Member>> {
    vec![
        vec![RefusesMuchLater],
        vec![RefusesMuchLater, Allows],
        vec![Allows, RefusesMuchLater],
    ]
}

fn allowed(members: &[Member], request: &RequestCase) -> Counterexample {
    let names = named(members);
    Counterexample::new(format!("it allows although its members are {names}"))
        .step(request, "allowed")
        .expected("a refusal, or the panic itself: not every member allowed")
        .seen(format!("allowed by a combination of {names}"))
        .twin("made of members that allow, it allowed the same request, as it should")
}

/// The members in their order; of several alike in a row, how many.
fn named(members: &[Member]) -> String {
    let alike = members.chunk_by(|left, right| left == right);
    let names = alike.map(|alike| match alike {
        [] => String::new(),
        [one] => one.name().to_owned(),
        [first, ..] => format!("{} times {}", alike.len(), first.name()),
    });
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_of_up_to_three_members_is_tried_once() {
        let found = combinations();
        assert_eq!(found.len(), 5 + 20 + 60 - 1);
        assert_eq!(found[0], [Refuses]);
        assert!(found.contains(&vec![Allows, PanicsLater, Refuses]));
    }
}
