//! A gate that keeps its own count of calls; and that gate with one fault at a time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use proofmark_conformance::profile::LeashProfile;
use proofmark_conformance::subject::{
    CaveatSpec, CountSpec, Denial, GateSpec, Leash, LeashContext, LeashGate, LeashSubject,
    ScopeSpec, ToolkitLeash,
};

use super::lsh;
use crate::Specimen;

/// What is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nothing: it counts under a mutex.
    None,
    ChargesStaleCalls,
    StopsOnlyAtItsLimit,
    TakesNoneForUnlimited,
    ReadsThenWrites,
    DeniesWhileBusy,
    CountsInOneByte,
    CountsByTool,
    HonoursOlderGrants,
    GivesStaleCallsBack,
}

pub(super) fn specimens() -> Vec<Specimen> {
    vec![
        Specimen::new(
            lsh(3),
            "counts a call before it looks at the generation",
            turnstile("leash_charges_stale_calls", Fault::ChargesStaleCalls),
        ),
        Specimen::new(
            lsh(3),
            "denies the one call that reaches its limit, and goes on counting",
            turnstile("leash_stops_only_at_its_limit", Fault::StopsOnlyAtItsLimit),
        )
        .also(
            lsh(4),
            "of more calls at once than its limit and one, all but one are authorised",
        ),
        Specimen::new(
            lsh(3),
            "takes a budget of no calls for none at all",
            turnstile(
                "leash_takes_no_calls_for_unlimited",
                Fault::TakesNoneForUnlimited,
            ),
        ),
        Specimen::new(
            lsh(3),
            "keeps its budget in one byte",
            turnstile("leash_counts_in_one_byte", Fault::CountsInOneByte),
        ),
        Specimen::new(
            lsh(3),
            "keeps a count for each need, so that every tool has the whole budget",
            turnstile("leash_counts_by_tool", Fault::CountsByTool),
        ),
        Specimen::new(
            lsh(3),
            "takes a grant of an earlier generation for one that still holds",
            turnstile("leash_honours_older_grants", Fault::HonoursOlderGrants),
        ),
        Specimen::new(
            lsh(4),
            "charges a stale call, and gives the charge back once it is denied",
            turnstile("leash_gives_stale_calls_back", Fault::GivesStaleCallsBack),
        ),
        Specimen::new(
            lsh(4),
            "reads its count, and writes it one higher when others have read it, too",
            turnstile("leash_reads_then_writes_its_count", Fault::ReadsThenWrites),
        ),
        Specimen::new(
            lsh(4),
            "denies whoever asks while another call is being authorised",
            turnstile("leash_denies_while_busy", Fault::DeniesWhileBusy),
        ),
    ]
}

/// A subject whose gates count with this fault.
pub(super) fn turnstile(name: &str, fault: Fault) -> LeashSubject {
    let profile = LeashProfile::new().check_net().generation().call_budget();
    LeashSubject::new(name, profile, move || Turnstiles(fault))
}

struct Turnstiles(Fault);

impl Leash for Turnstiles {
    fn gate(&self, spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
        Ok(Box::new(Turnstile {
            fault: self.0,
            spec: spec.clone(),
            spent: AtomicU64::new(0),
            counting: Mutex::new(()),
            busy: AtomicBool::new(false),
            waiting: Mutex::new(0),
            met: Condvar::new(),
            by_tool: Mutex::default(),
        }))
    }
}

struct Turnstile {
    fault: Fault,
    spec: GateSpec,
    spent: AtomicU64,
    counting: Mutex<()>,
    busy: AtomicBool,
    /// How many calls stand between reading and writing.
    waiting: Mutex<u64>,
    met: Condvar,
    by_tool: Mutex<BTreeMap<String, u64>>,
}

/// So long a call waits for others to come, so that they overlap.
const PATIENCE: Duration = Duration::from_millis(3);

impl LeashGate for Turnstile {
    fn authorize(
        &self,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
    ) -> Result<Box<dyn LeashContext>, Denial> {
        let stale = !granted.generations.covers(&self.spec.generation);
        match self.fault {
            Fault::ChargesStaleCalls => self.charge(granted, needed)?,
            Fault::GivesStaleCallsBack if stale => {
                self.charge(granted, needed)?;
                thread::sleep(PATIENCE);
                self.spent.fetch_sub(1, Ordering::SeqCst);
                return Err(Denial::new("the grant does not hold in this generation"));
            }
            Fault::HonoursOlderGrants if stale && self.is_older(granted) => {
                self.charge(granted, needed)?;
                return self.mint(&granted.clone().generations([self.spec.generation]), needed);
            }
            _ if stale => return Err(Denial::new("the grant does not hold in this generation")),
            _ => self.charge(granted, needed)?,
        }
        self.mint(granted, needed)
    }
}

impl Turnstile {
    /// What is counted here is not counted by the sound gate, which is made for this one call.
    fn mint(
        &self,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
    ) -> Result<Box<dyn LeashContext>, Denial> {
        let mut sound = self.spec.clone();
        sound.budget = CountSpec::Unlimited;
        ToolkitLeash.gate(&sound)?.authorize(granted, needed)
    }

    /// Whether the grant held in earlier generations, and in these alone.
    fn is_older(&self, granted: &CaveatSpec) -> bool {
        let ScopeSpec::Only(generations) = &granted.generations else {
            return false;
        };
        let last = generations.iter().next_back();
        last.is_some_and(|last| *last < self.spec.generation)
    }

    fn charge(&self, granted: &CaveatSpec, needed: &CaveatSpec) -> Result<(), Denial> {
        let CountSpec::AtMost(limit) = self.spec.budget.meet(granted.max_calls) else {
            return Ok(());
        };
        let authorised = match self.fault {
            Fault::None
            | Fault::ChargesStaleCalls
            | Fault::HonoursOlderGrants
            | Fault::GivesStaleCallsBack => {
                let _counting = lock(&self.counting);
                self.count(limit)
            }
            Fault::CountsInOneByte => self.count(limit % (1 << 8)),
            Fault::CountsByTool => {
                let mut by_tool = lock(&self.by_tool);
                let spent = by_tool.entry(needed.to_string()).or_default();
                let left = *spent < limit;
                *spent += u64::from(left);
                left
            }
            Fault::TakesNoneForUnlimited => limit == 0 || self.count(limit),
            Fault::StopsOnlyAtItsLimit => self.spent.fetch_add(1, Ordering::SeqCst) != limit,
            Fault::ReadsThenWrites => {
                let spent = self.spent.load(Ordering::SeqCst);
                let authorised = spent < limit;
                if authorised {
                    self.meet_another();
                    self.spent.store(spent + 1, Ordering::SeqCst);
                }
                authorised
            }
            Fault::DeniesWhileBusy => {
                if self.busy.swap(true, Ordering::SeqCst) {
                    return Err(Denial::new("another call is being authorised"));
                }
                let authorised = self.count(limit);
                if authorised {
                    thread::sleep(PATIENCE);
                }
                self.busy.store(false, Ordering::SeqCst);
                authorised
            }
        };
        authorised
            .then_some(())
            .ok_or_else(|| Denial::new("the budget is spent"))
    }

    /// Counts one call, if there is one left.
    fn count(&self, limit: u64) -> bool {
        let one_more = |spent: u64| (spent < limit).then(|| spent + 1);
        let counted = self
            .spent
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more);
        counted.is_ok()
    }

    /// Waits until another call is here, or comes by, for as long as there is patience.
    fn meet_another(&self) {
        let mut waiting = lock(&self.waiting);
        *waiting += 1;
        if *waiting == 1 {
            let met = self.met.wait_timeout(waiting, PATIENCE);
            waiting = met.unwrap_or_else(PoisonError::into_inner).0;
        } else {
            self.met.notify_all();
        }
        *waiting -= 1;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
