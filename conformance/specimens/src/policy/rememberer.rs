//! A budget that remembers so many calls, or those of late; and that budget with one fault at a
//! time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use proofmark::async_trait;
use proofmark::clock::SteeredClock;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::{OutboundRequest, RequestPhase};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::{PolicySubject, Takes};

use super::pol;
use crate::Specimen;

const MOST: usize = 200;
const IDLE: Duration = Duration::from_secs(60);

/// What is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Nothing,
    ListsEveryCall,
    ForgetsNobody,
}

pub(super) fn specimens() -> Vec<Specimen> {
    vec![
        Specimen::new(
            pol(14),
            "bounds its accounts, and lists every call that it was asked about",
            bounded("lists_every_call", Fault::ListsEveryCall),
        ),
        Specimen::new(
            pol(14),
            "forgets no call, however long it has been idle",
            PolicySubject::with_env(
                "forgets_no_idle_call",
                profile().idle_ms(60_000),
                Takes::CLOCK,
                |env| Rememberer::new(usize::MAX, env.clock.clone(), Fault::ForgetsNobody),
            ),
        ),
    ]
}

/// The budget without a fault: it refuses new calls when it is full.
pub(super) fn sound(name: &str) -> PolicySubject {
    bounded(name, Fault::Nothing)
}

fn profile() -> PolicyProfile {
    PolicyProfile::new().budget().per_call().requests(3)
}

fn bounded(name: &str, fault: Fault) -> PolicySubject {
    PolicySubject::new(name, profile().max_calls(MOST as u64), move || {
        Rememberer::new(MOST, SteeredClock::new(), fault)
    })
}

#[derive(Debug)]
struct Account {
    spent: u64,
    used: Duration,
}

#[derive(Debug, Default)]
struct Memory {
    accounts: HashMap<String, Account>,
    swept: Duration,
    listed: Vec<String>,
}

struct Rememberer {
    most: usize,
    clock: SteeredClock,
    fault: Fault,
    memory: Mutex<Memory>,
}

impl Rememberer {
    fn new(most: usize, clock: SteeredClock, fault: Fault) -> Self {
        Self {
            most,
            clock,
            fault,
            memory: Mutex::default(),
        }
    }
}

#[async_trait]
impl RequestPolicy for Rememberer {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if request.call_id.is_empty() {
            return Err(PolicyRefusal::new("an unattributed request has no budget"));
        }
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        if self.fault == Fault::ListsEveryCall {
            memory.listed.push(request.call_id.to_owned());
        }
        if self.fault != Fault::ForgetsNobody && now.saturating_sub(memory.swept) > IDLE {
            memory.swept = now;
            memory
                .accounts
                .retain(|_, account| now.saturating_sub(account.used) <= IDLE);
        }
        let full = memory.accounts.len() >= self.most;
        match memory.accounts.get_mut(request.call_id) {
            Some(account) => {
                account.used = now;
                if account.spent >= 3 {
                    return Err(PolicyRefusal::new("the budget is used up"));
                }
                account.spent += u64::from(request.phase == RequestPhase::Execute);
            }
            None if full => return Err(PolicyRefusal::new("too many calls are open")),
            None if request.phase == RequestPhase::Validate => {}
            None => {
                let account = Account {
                    spent: 1,
                    used: now,
                };
                memory.accounts.insert(request.call_id.to_owned(), account);
            }
        }
        Ok(())
    }
}
