//! How a rate's time is moved where its factory takes no clock, and what is said where it cannot be.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proofmark::policy::{PolicyRefusal, RequestPolicy, policy_fn};
use proofmark::request::{OutboundRequest, RequestPhase};
use proofmark_conformance::catalogue::Catalogue;
use proofmark_conformance::judge::judge_row;
use proofmark_conformance::outcome::{Outcome, RowOutcome};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::seed::Seed;
use proofmark_conformance::subject::PolicySubject;
use proofmark_conformance::trial::{Settings, Watch};
use rstest::rstest;

fn judged(row: &str, subject: &PolicySubject) -> RowOutcome {
    assert_eq!(subject.profile().validate(), Ok(()));
    let requirement = Catalogue::shared().unwrap().get(row.parse().unwrap());
    let mut settings = Settings::with_seed(Seed::new(7));
    settings.cases = 64;
    let watch = Arc::new(Watch::default());
    judge_row(requirement.unwrap(), subject, settings, &watch).unwrap()
}

fn rate(window: Duration) -> PolicyProfile {
    let millis = u64::try_from(window.as_millis()).unwrap();
    PolicyProfile::new().rate().requests(3).window_ms(millis)
}

/// Remembers when three requests were sent, by the readings of `now`, for as long as `window`.
fn log<T: Send + 'static>(
    window: Duration,
    now: impl Fn() -> T + Send + Sync + 'static,
    since: impl Fn(&T) -> Duration + Send + Sync + 'static,
) -> impl RequestPolicy {
    let sent = Mutex::new(VecDeque::<T>::new());
    policy_fn(move |request: &OutboundRequest<'_>| {
        let mut sent = sent.lock().unwrap();
        while sent.front().is_some_and(|at| since(at) >= window) {
            sent.pop_front();
        }
        if sent.len() >= 3 {
            return Err(PolicyRefusal::new("the rate is used up"));
        }
        if request.phase == RequestPhase::Execute {
            sent.push_back(now());
        }
        Ok(())
    })
}

/// A subject that reads `tokio::time`, and counts a window of another length than it declares.
fn on_tokio(declared: Duration, counted: Duration) -> PolicySubject {
    let profile = rate(declared).sliding();
    PolicySubject::new("on_tokio", profile, move || {
        log(
            counted,
            tokio::time::Instant::now,
            tokio::time::Instant::elapsed,
        )
    })
}

/// The same by the machine's own clock.
fn on_std(profile: PolicyProfile, counted: Duration) -> PolicySubject {
    PolicySubject::new("on_std", profile, move || {
        log(
            counted,
            std::time::Instant::now,
            std::time::Instant::elapsed,
        )
    })
}

const HOUR: Duration = Duration::from_secs(3_600);

#[rstest]
#[case::as_declared(HOUR, Outcome::Pass)]
#[case::too_short(Duration::from_secs(3_000), Outcome::Fail)]
fn paused_time_judges_a_window_of_an_hour(#[case] counted: Duration, #[case] outcome: Outcome) {
    let row = judged("BUD-08", &on_tokio(HOUR, counted));
    assert_eq!(row.outcome, outcome, "{row:#?}");
}

const SHORT: Duration = Duration::from_millis(80);

#[rstest]
#[case::as_declared(SHORT, Outcome::Pass)]
#[case::too_short(SHORT / 20, Outcome::Fail)]
#[case::too_long(SHORT * 50, Outcome::Fail)]
fn a_short_window_is_judged_in_real_time(#[case] counted: Duration, #[case] outcome: Outcome) {
    let row = judged("BUD-08", &on_std(rate(SHORT).sliding(), counted));
    assert_eq!(row.outcome, outcome, "{row:#?}");
}

#[rstest]
#[case::long(rate(HOUR).sliding(), Outcome::Inconclusive, "take the clock in the factory")]
#[case::undeclared(
    PolicyProfile::new().rate().requests(3),
    Outcome::NotApplicable,
    "declares no `window_ms`"
)]
#[case::undeclared_and_exceeded(
    PolicyProfile::new().rate().requests(2),
    Outcome::Inconclusive,
    "take the clock in the factory"
)]
fn where_no_time_can_be_moved_the_reason_says_what_to_declare(
    #[case] profile: PolicyProfile,
    #[case] outcome: Outcome,
    #[case] reason: &str,
) {
    let row = judged("BUD-08", &on_std(profile, HOUR));
    assert_eq!(row.outcome, outcome, "{row:#?}");
    assert!(row.reason.as_ref().unwrap().contains(reason), "{row:#?}");
}

/// In a window of an hour nothing comes due while a check runs, so a rate without a clock is
/// judged like any other.
#[rstest]
#[case("BUD-01")]
#[case("BUD-05")]
#[case("BUD-12")]
fn a_long_window_stands_still_by_itself(#[case] row: &str) {
    let sound = judged(row, &on_std(rate(HOUR).sliding(), HOUR));
    assert_eq!(sound.outcome, Outcome::Pass, "{sound:#?}");
}

#[rstest]
#[case::long(rate(HOUR).sliding(), Outcome::Fail)]
#[case::undeclared(PolicyProfile::new().rate().requests(3), Outcome::Inconclusive)]
fn a_charged_preview_convicts_where_nothing_can_have_come_due(
    #[case] profile: PolicyProfile,
    #[case] outcome: Outcome,
) {
    let subject = PolicySubject::new("charges_previews", profile, || {
        let spent = Mutex::new(0);
        policy_fn(move |_| {
            let mut spent = spent.lock().unwrap();
            *spent += 1;
            if *spent > 3 {
                return Err(PolicyRefusal::new("the rate is used up"));
            }
            Ok(())
        })
    });
    let row = judged("BUD-01", &subject);
    assert_eq!(row.outcome, outcome, "{row:#?}");
}
