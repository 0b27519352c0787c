//! A combination that requires all of its members; and that combination with one fault at a time.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use proofmark::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::OutboundRequest;
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::{PolicySubject, Takes};
use tokio::time::timeout;

use super::pol;
use crate::Specimen;

/// What it does with a member that does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dissent {
    /// A panic is a refusal.
    PanicsRefuse,
    /// A panic is passed on.
    PanicsPass,
    SkipsPanickers,
    AsksTheLast,
    StopsAtFirstAllower,
    Votes,
    AsksTwo,
    StopsWaiting,
}

/// How long a member is waited for by one that stops waiting.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn specimens() -> Vec<Specimen> {
    let faults = [
        (
            Dissent::SkipsPanickers,
            "skips_members_that_panic",
            "goes on to the next member when one panics",
        ),
        (
            Dissent::AsksTheLast,
            "lets_the_last_member_decide",
            "keeps the verdict of the member it asked last",
        ),
        (
            Dissent::StopsAtFirstAllower,
            "stops_at_the_first_allower",
            "allows as soon as one member does",
        ),
        (
            Dissent::Votes,
            "lets_the_majority_decide",
            "allows what more members allow than refuse",
        ),
        (
            Dissent::AsksTwo,
            "asks_two_members",
            "asks the first two members only",
        ),
        (
            Dissent::StopsWaiting,
            "takes_silence_for_consent",
            "goes on to the next member when one takes long to answer",
        ),
    ];
    faults
        .map(|(dissent, name, text)| Specimen::new(pol(17), text, subject(name, dissent)))
        .into()
}

pub(super) fn subject(name: &str, dissent: Dissent) -> PolicySubject {
    let profile = PolicyProfile::new().stateless().combinator();
    PolicySubject::with_env(name, profile, Takes::NOTHING, move |env| Committee {
        members: env.members.clone(),
        dissent,
    })
}

struct Committee {
    members: Vec<Arc<dyn RequestPolicy>>,
    dissent: Dissent,
}

#[async_trait]
impl RequestPolicy for Committee {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let mut verdict = Err(PolicyRefusal::new("there is no member to decide"));
        let asked = match self.dissent {
            Dissent::AsksTwo => 2,
            _ => self.members.len(),
        };
        let mut allowed = 0;
        for member in self.members.iter().take(asked) {
            let answer = match self.dissent {
                Dissent::PanicsPass => Some(member.check(request).await),
                Dissent::StopsWaiting => timeout(PATIENCE, answer(&**member, request))
                    .await
                    .unwrap_or(Some(Ok(()))),
                _ => answer(&**member, request).await,
            };
            allowed += usize::from(matches!(answer, Some(Ok(()))));
            verdict = match (answer, self.dissent) {
                (None, Dissent::SkipsPanickers) => continue,
                (None, _) => Err(PolicyRefusal::new("a member failed to decide")),
                (Some(answer), _) => answer,
            };
            match self.dissent {
                Dissent::AsksTheLast | Dissent::Votes => {}
                Dissent::StopsAtFirstAllower if verdict.is_err() => {}
                Dissent::StopsAtFirstAllower => return verdict,
                _ => verdict.clone()?,
            }
        }
        match self.dissent {
            Dissent::Votes if 2 * allowed > self.members.len() => Ok(()),
            Dissent::Votes => Err(PolicyRefusal::new("most members refuse")),
            _ => verdict,
        }
    }
}

/// What a member answers; nothing where it panics.
async fn answer(
    member: &dyn RequestPolicy,
    request: &OutboundRequest<'_>,
) -> Option<Result<(), PolicyRefusal>> {
    let mut check = Box::pin(async { member.check(request).await });
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| check.as_mut().poll(context)));
        polled.map_or(Poll::Ready(None), |polled| polled.map(Some))
    })
    .await
}
