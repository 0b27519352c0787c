//! A policy that meters requests or bytes; and that policy with one fault at a time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use proofmark::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::{FieldPath, OutboundRequest, RequestPhase};
use proofmark_conformance::profile::{PolicyProfile, Scope};
use proofmark_conformance::subject::PolicySubject;

use super::{bud, pol};
use crate::Specimen;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counts {
    Requests,
    Bytes,
}

/// What is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    ChargesPreviews,
    AdmitsOneMore,
    SharesOneBucket,
    ChargesEachAlone,
    ReadsThenWrites,
    CountsCharacters,
    ForgetsKeys,
    PreviewForgives,
    KeysByQuery,
    KeysByTool,
    GivesNamelessABucket,
    ChargesNamelessToLast,
    LocksOutAll,
}

pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = counting();
    specimens.extend(naming());
    specimens
}

fn requests(name: &str, scope: Scope, fault: Fault) -> PolicySubject {
    subject(name, Counts::Requests, 3, scope, fault)
}

fn counting() -> Vec<Specimen> {
    let bytes = |name, fault| subject(name, Counts::Bytes, 4_096, Scope::Call, fault);
    vec![
        Specimen::new(
            bud(1),
            "charges previews like any request",
            bytes("charges_previews", Fault::ChargesPreviews),
        ),
        Specimen::new(
            bud(2),
            "admits one request more than its limit",
            requests("admits_one_more", Scope::Call, Fault::AdmitsOneMore),
        )
        .also(
            bud(5),
            "one more than the limit is admitted concurrently, too",
        ),
        Specimen::new(
            bud(3),
            "keeps one bucket for every call that has a name",
            requests("shares_one_bucket", Scope::Call, Fault::SharesOneBucket),
        )
        .also(
            pol(15),
            "a call that is refused for want of budget has used up every other call's",
        ),
        Specimen::new(
            bud(4),
            "weighs each request alone",
            bytes("weighs_each_alone", Fault::ChargesEachAlone),
        ),
        Specimen::new(
            bud(5),
            "reads what is spent, waits, and writes what it read plus one",
            requests("reads_then_writes", Scope::Call, Fault::ReadsThenWrites),
        ),
        Specimen::new(
            bud(6),
            "counts characters for bytes",
            bytes("counts_characters", Fault::CountsCharacters),
        ),
        Specimen::new(
            bud(6),
            "does not count keys",
            bytes("counts_no_keys", Fault::ForgetsKeys),
        ),
        Specimen::new(
            bud(7),
            "forgets what is spent when a refused request is previewed",
            bytes("preview_forgives", Fault::PreviewForgives),
        ),
    ]
}

fn naming() -> Vec<Specimen> {
    vec![
        Specimen::new(
            bud(12),
            "keeps a bucket for each query",
            requests("keys_by_query", Scope::Tool, Fault::KeysByQuery),
        ),
        Specimen::new(
            bud(12),
            "keeps a bucket for each tool although its budget is per call",
            requests("keys_by_tool", Scope::Call, Fault::KeysByTool),
        ),
        Specimen::new(
            pol(7),
            "gives all requests without a call id one bucket",
            requests(
                "gives_nameless_calls_a_bucket",
                Scope::Call,
                Fault::GivesNamelessABucket,
            ),
        ),
        Specimen::new(
            pol(7),
            "charges a request without a call id to the call that asked last",
            requests(
                "charges_nameless_calls_to_the_last",
                Scope::Call,
                Fault::ChargesNamelessToLast,
            ),
        ),
        Specimen::new(
            pol(15),
            "refuses every call once one has used up its budget",
            requests("locks_out_all_calls", Scope::Call, Fault::LocksOutAll),
        )
        .also(
            bud(3),
            "a call that is exhausted takes their budget from all others",
        ),
    ]
}

fn subject(name: &str, counts: Counts, limit: u64, scope: Scope, fault: Fault) -> PolicySubject {
    let profile = PolicyProfile::new().budget();
    let profile = match counts {
        Counts::Requests => profile.requests(limit),
        Counts::Bytes => profile.bytes(limit),
    };
    let profile = match scope {
        Scope::Call => profile.per_call(),
        Scope::Tool => profile.per_tool(),
        Scope::ToolAndCall => profile.per_tool_and_call(),
        Scope::Global => profile.global(),
    };
    PolicySubject::new(name, profile, move || Meter {
        counts,
        limit,
        scope,
        fault,
        spent: Mutex::default(),
        last: Mutex::default(),
        locked: AtomicBool::new(false),
    })
}

/// What shares a bucket: the tool, the call, and what a fault adds.
type Key = (Option<String>, Option<String>, String);

struct Meter {
    counts: Counts,
    limit: u64,
    scope: Scope,
    fault: Fault,
    spent: Mutex<HashMap<Key, u64>>,
    last: Mutex<String>,
    locked: AtomicBool,
}

#[async_trait]
impl RequestPolicy for Meter {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let call = self.call(request)?;
        let request = &request.with_call_id(&call);
        if self.locked.load(Ordering::Relaxed) {
            return Err(PolicyRefusal::new("a budget is used up"));
        }
        let key = self.key(request);
        let cost = self.cost(request);
        let limit = self.limit + u64::from(self.fault == Fault::AdmitsOneMore);
        let preview = request.phase == RequestPhase::Validate;
        let before = self.spent().get(&key).copied().unwrap_or_default();
        let charged = match self.fault {
            Fault::ChargesEachAlone => 0,
            _ => before,
        };
        let after = charged.saturating_add(cost);
        if after > limit {
            if preview && self.fault == Fault::PreviewForgives {
                self.spent().remove(&key);
            }
            if self.fault == Fault::LocksOutAll {
                self.locked.store(true, Ordering::Relaxed);
            }
            return Err(PolicyRefusal::new("the budget is used up"));
        }
        if preview && self.fault != Fault::ChargesPreviews {
            return Ok(());
        }
        if self.fault == Fault::ReadsThenWrites {
            tokio::task::yield_now().await;
            self.spent().insert(key, after);
            return Ok(());
        }
        self.charge(key, cost, limit)
    }
}

impl Meter {
    fn spent(&self) -> MutexGuard<'_, HashMap<Key, u64>> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The call to charge, if the request is attributed as far as the scope needs it.
    fn call(&self, request: &OutboundRequest<'_>) -> Result<String, PolicyRefusal> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if !request.call_id.is_empty() {
            request.call_id.clone_into(&mut last);
            return Ok(last.clone());
        }
        match self.fault {
            Fault::GivesNamelessABucket => Ok(String::new()),
            Fault::ChargesNamelessToLast if !last.is_empty() => Ok(last.clone()),
            _ if !self.scope.by_call() => Ok(String::new()),
            _ => Err(PolicyRefusal::new("an unattributed request has no budget")),
        }
    }

    /// Reads and writes under one lock.
    fn charge(&self, key: Key, cost: u64, limit: u64) -> Result<(), PolicyRefusal> {
        let mut spent = self.spent();
        let bucket = spent.entry(key).or_default();
        if self.fault == Fault::ChargesEachAlone {
            return Ok(());
        }
        match bucket.checked_add(cost).filter(|after| *after <= limit) {
            Some(after) => {
                *bucket = after;
                Ok(())
            }
            None => Err(PolicyRefusal::new("the budget is used up")),
        }
    }

    fn key(&self, request: &OutboundRequest<'_>) -> Key {
        let by_tool = self.scope.by_tool() || self.fault == Fault::KeysByTool;
        let call = match self.fault {
            Fault::SharesOneBucket => "any",
            _ => request.call_id,
        };
        let more = match self.fault {
            Fault::KeysByQuery => format!("{:?}", request.query),
            _ => String::new(),
        };
        (
            by_tool.then(|| request.tool.to_owned()),
            self.scope.by_call().then(|| call.to_owned()),
            more,
        )
    }

    fn cost(&self, request: &OutboundRequest<'_>) -> u64 {
        if self.counts == Counts::Requests {
            return 1;
        }
        let mut cost = 0;
        request.visit(&mut |field: &FieldPath, text: &str| {
            let field = field.as_str();
            let counted = ["path", "query", "body"]
                .iter()
                .any(|part| field.starts_with(part));
            let key = field.ends_with(".key") || field.ends_with(".(key)");
            if counted && !(key && self.fault == Fault::ForgetsKeys) {
                cost += match self.fault {
                    Fault::CountsCharacters => text.chars().count(),
                    _ => text.len(),
                };
            }
        });
        u64::try_from(cost).unwrap_or(u64::MAX)
    }
}
