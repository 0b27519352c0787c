//! A leak of a few bytes a call is told from a bound that holds. This test is alone in its program:
//! what others allocate meanwhile would be measured, too.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use proofmark::policy::policy_fn;
use proofmark::request::RequestPhase;
use proofmark_conformance::catalogue::{Catalogue, Family, RequirementId};
use proofmark_conformance::judge::judge_row;
use proofmark_conformance::outcome::Outcome;
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::seed::Seed;
use proofmark_conformance::subject::PolicySubject;
use proofmark_conformance::trial::{Settings, Watch};

/// Keeps 80 bytes of each request that is sent, and of so many at most.
fn keeping(most: usize) -> PolicySubject {
    let profile = PolicyProfile::new()
        .budget()
        .per_call()
        .requests(3)
        .max_calls(1_000);
    PolicySubject::new("keeping", profile, move || {
        let kept: Mutex<VecDeque<Box<[u8; 80]>>> = Mutex::default();
        policy_fn(move |request| {
            if request.phase == RequestPhase::Execute {
                let mut kept = kept.lock().unwrap();
                kept.push_back(Box::new([1; 80]));
                if kept.len() > most {
                    kept.pop_front();
                }
            }
            Ok(())
        })
    })
}

#[test]
fn eighty_bytes_a_call_are_seen_and_a_bound_that_holds_is_not() {
    let row = Catalogue::shared()
        .unwrap()
        .get(RequirementId::new(Family::Pol, 14))
        .unwrap();
    for (most, expected) in [(1_000, Outcome::Pass), (usize::MAX, Outcome::Fail)] {
        let settings = Settings::with_seed(Seed::new(7));
        let watch = Arc::new(Watch::default());
        let judged = judge_row(row, &keeping(most), settings, &watch).unwrap();
        assert_eq!(judged.outcome, expected, "{judged:#?}");
    }
}
