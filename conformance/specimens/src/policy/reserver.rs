//! A budget that takes its unit before it waits; and that budget with one fault at a time.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use proofmark::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::{OutboundRequest, RequestPhase};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::PolicySubject;

use super::pol;
use crate::Specimen;

/// What it does with the unit of a check that is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dropped {
    /// It gives the unit back.
    GivesBack,
    /// It keeps the unit, as if the request had been sent.
    Keeps,
    /// It gives the unit back, and one more.
    GivesBackTwice,
    /// It stays busy with the call, which waits for itself from then on.
    StaysBusy,
}

pub(super) fn specimens() -> Vec<Specimen> {
    vec![
        Specimen::new(
            pol(10),
            "stays busy with a call whose check was dropped",
            subject("stays_busy_when_dropped", Dropped::StaysBusy),
        ),
        Specimen::new(
            pol(10),
            "gives back more than a dropped check had taken",
            subject("gives_back_twice", Dropped::GivesBackTwice),
        ),
    ]
}

pub(super) fn subject(name: &str, dropped: Dropped) -> PolicySubject {
    let profile = PolicyProfile::new().budget().per_call().requests(3).pends();
    PolicySubject::new(name, profile, move || Reserver {
        dropped,
        calls: Mutex::default(),
    })
}

#[derive(Debug, Default)]
struct Call {
    taken: u64,
    busy: bool,
}

struct Reserver {
    dropped: Dropped,
    calls: Mutex<HashMap<String, Call>>,
}

#[async_trait]
impl RequestPolicy for Reserver {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if request.call_id.is_empty() {
            return Err(PolicyRefusal::new("an unattributed request has no budget"));
        }
        if request.phase == RequestPhase::Validate {
            tokio::task::yield_now().await;
            let taken = self.with(request.call_id, |call| call.taken);
            return self.fits(taken);
        }
        while self.dropped == Dropped::StaysBusy
            && self.with(request.call_id, |call| {
                std::mem::replace(&mut call.busy, true)
            })
        {
            tokio::task::yield_now().await;
        }
        let outcome = self.take(request.call_id).await;
        self.with(request.call_id, |call| call.busy = false);
        outcome
    }
}

impl Reserver {
    /// Takes a unit, waits for whatever it waits for, and keeps the unit.
    async fn take(&self, name: &str) -> Result<(), PolicyRefusal> {
        self.with(name, |call| {
            self.fits(call.taken)?;
            call.taken += 1;
            Ok(())
        })?;
        let taken = Taken { from: self, name };
        tokio::task::yield_now().await;
        std::mem::forget(taken);
        Ok(())
    }

    fn fits(&self, taken: u64) -> Result<(), PolicyRefusal> {
        if taken < 3 {
            Ok(())
        } else {
            Err(PolicyRefusal::new("the budget is used up"))
        }
    }

    fn with<T>(&self, name: &str, change: impl FnOnce(&mut Call) -> T) -> T {
        change(self.lock().entry(name.to_owned()).or_default())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Call>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A unit that is given back unless the check comes to its end.
struct Taken<'a> {
    from: &'a Reserver,
    name: &'a str,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let back = match self.from.dropped {
            Dropped::GivesBack | Dropped::StaysBusy => 1,
            Dropped::Keeps => 0,
            Dropped::GivesBackTwice => 2,
        };
        self.from.with(self.name, |call| {
            call.taken = call.taken.saturating_sub(back)
        });
    }
}
