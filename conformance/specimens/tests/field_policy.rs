//! Each public fault that a row about policies is for, as a small policy with that very fault: the
//! row convicts it, and not the same policy without the fault.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::collections::{BTreeSet, HashMap};
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use proofmark::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy, policy_fn};
use proofmark::request::{OutboundRequest, RequestPhase};
use proofmark_conformance::catalogue::{Catalogue, Family, RequirementId};
use proofmark_conformance::judge::judge_row;
use proofmark_conformance::outcome::{Outcome, RowOutcome};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::seed::Seed;
use proofmark_conformance::subject::{PolicySubject, Takes};
use proofmark_conformance::trial::{Settings, Watch};
use rstest::rstest;
use url::Url;

/// A fault, the row that is for it, and the subject with and without it.
struct Case {
    fault: &'static str,
    row: u8,
    subject: fn(faulty: bool) -> PolicySubject,
}

/// A headline stands in a line of 120 columns, behind the harness's and the row's names.
const LINE: usize = 105;

const CASES: &[Case] = &[
    case("B01", 20, method_as_written),
    case("B03", 22, prefix_anywhere),
    case("B04", 12, prefix_of_raw_text),
    case("B06", 18, raw_refused_path),
    case("B06", 19, unmerged_slashes),
    case("B07", 19, raw_suffix),
    case("B16", 10, leaked_slot),
    case("B18", 17, allowed_until_refused),
    case("B19", 17, failing_member_skipped),
    case("B31", 16, thousand_parts),
    case("B63", 12, escaped_placeholder),
    case("B70", 12, greedy_placeholder),
];

const fn case(fault: &'static str, row: u8, subject: fn(bool) -> PolicySubject) -> Case {
    Case {
        fault,
        row,
        subject,
    }
}

fn judged(row: u8, subject: &PolicySubject) -> RowOutcome {
    subject.profile().validate().unwrap();
    let id = RequirementId::new(Family::Pol, row);
    let requirement = Catalogue::shared().unwrap().get(id).unwrap();
    let mut settings = Settings::with_seed(Seed::new(7));
    settings.cases = 64;
    judge_row(requirement, subject, settings, &Arc::new(Watch::default())).unwrap()
}

#[test]
fn each_public_fault_is_convicted_by_its_row_and_the_sound_twin_is_not() {
    for case in CASES {
        let faulty = judged(case.row, &(case.subject)(true));
        assert_eq!(faulty.outcome, Outcome::Fail, "{}: {faulty:#?}", case.fault);
        let found = faulty.counterexample.unwrap();
        assert!(found.headline.chars().count() <= LINE, "{}", found.headline);
        assert!(
            !found.twin.is_empty() && !found.steps.is_empty(),
            "{found:#?}"
        );

        let sound = judged(case.row, &(case.subject)(false));
        assert_eq!(sound.outcome, Outcome::Pass, "{}: {sound:#?}", case.fault);
    }
}

#[test]
fn every_fault_that_the_catalogue_names_is_among_the_cases() {
    let rows = Catalogue::shared().unwrap().family(Family::Pol);
    let named: BTreeSet<(String, String)> = rows
        .flat_map(|row| {
            row.field
                .iter()
                .map(|field| (field.to_string(), row.id.to_string()))
        })
        .collect();
    let judged = CASES.iter().map(|case| {
        let row = RequirementId::new(Family::Pol, case.row);
        (case.fault.to_owned(), row.to_string())
    });
    assert_eq!(judged.collect::<BTreeSet<_>>(), named);
}

fn stateless() -> PolicyProfile {
    PolicyProfile::new().stateless()
}

fn decide(
    name: &str,
    profile: PolicyProfile,
    allows: impl Fn(&OutboundRequest<'_>) -> bool + Clone + Send + Sync + 'static,
) -> PolicySubject {
    PolicySubject::new(name, profile, move || {
        let allows = allows.clone();
        policy_fn(move |request| {
            if allows(request) {
                Ok(())
            } else {
                Err(PolicyRefusal::new("the request is not allowed"))
            }
        })
    })
}

const HOST: &str = "https://api.example.test";

/// The path's segments, if the target lies on the host and is written without disguise.
fn plain_segments(written: &str) -> Option<Vec<String>> {
    let url = Url::parse(written).ok()?;
    let plain = !written.contains([';', '\\', '@', '#']) && !url.path().contains("//");
    let path = url.path().to_ascii_lowercase();
    let plain = plain
        && !["%25", "%2f", "%5c", "%2e"]
            .iter()
            .any(|e| path.contains(e));
    let own = url.origin().ascii_serialization() == HOST;
    let segments = url.path_segments()?.map(str::to_owned).collect();
    (plain && own).then_some(segments)
}

fn method_as_written(faulty: bool) -> PolicySubject {
    let profile = stateless()
        .allow(["https://api.example.test/v1/items/7"])
        .refuse_methods(["DELETE"]);
    decide("method_as_written", profile, move |request| {
        if faulty {
            request.method != "DELETE"
        } else {
            !request.method.eq_ignore_ascii_case("DELETE")
        }
    })
}

fn prefix_anywhere(faulty: bool) -> PolicySubject {
    let profile = stateless().prefixes(["https://api.example.test/models"]);
    decide("prefix_anywhere", profile, move |request| {
        let Some(segments) = plain_segments(request.path) else {
            return false;
        };
        if faulty {
            segments.iter().any(|segment| segment == "models")
        } else {
            segments.first().is_some_and(|segment| segment == "models")
        }
    })
}

fn prefix_of_raw_text(faulty: bool) -> PolicySubject {
    let profile = stateless()
        .prefixes(["https://api.example.test/info/"])
        .allow(["https://api.example.test/info/today"]);
    decide("prefix_of_raw_text", profile, move |request| {
        if faulty {
            request.path.starts_with("https://api.example.test/info/")
        } else {
            plain_segments(request.path).is_some_and(|segments| segments[0] == "info")
        }
    })
}

/// Refuses what lies below `/admin` and allows everything else.
fn admin() -> PolicyProfile {
    stateless()
        .allow(["https://api.example.test/v1/items/7"])
        .refuse(["https://api.example.test/admin/x"])
}

fn is_admin(request: &OutboundRequest<'_>) -> bool {
    plain_segments(request.path).is_none_or(|segments| {
        let first = segments.first().map(|first| unescaped(first));
        first.is_none_or(|first| first == "admin")
    })
}

fn unescaped(segment: &str) -> String {
    let pair = format!("k={}", segment.replace('+', "%2B"));
    let decoded = url::form_urlencoded::parse(pair.as_bytes()).next();
    decoded
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

fn raw_refused_path(faulty: bool) -> PolicySubject {
    decide("raw_refused_path", admin(), move |request| {
        if faulty {
            !request.path.starts_with("https://api.example.test/admin")
        } else {
            !is_admin(request)
        }
    })
}

fn unmerged_slashes(faulty: bool) -> PolicySubject {
    decide("unmerged_slashes", admin(), move |request| {
        if faulty {
            let url = Url::parse(request.path);
            url.is_ok_and(|url| !unescaped(url.path()).starts_with("/admin"))
        } else {
            !is_admin(request)
        }
    })
}

fn raw_suffix(faulty: bool) -> PolicySubject {
    let profile = stateless()
        .allow(["https://api.example.test/users/1/name"])
        .refuse(["https://api.example.test/users/1/credentials"]);
    decide("raw_suffix", profile, move |request| {
        if faulty {
            let url = Url::parse(request.path);
            url.is_ok_and(|url| !unescaped(url.path()).ends_with("/credentials"))
        } else {
            plain_segments(request.path).is_some_and(|segments| {
                segments
                    .last()
                    .is_some_and(|last| unescaped(last) != "credentials")
            })
        }
    })
}

/// A budget of three requests a call, of which one may be under way at a time.
struct OneAtATime {
    faulty: bool,
    calls: Mutex<HashMap<String, (u64, bool)>>,
}

impl OneAtATime {
    fn with<T>(&self, call: &str, change: impl FnOnce(&mut (u64, bool)) -> T) -> T {
        change(
            self.calls
                .lock()
                .unwrap()
                .entry(call.to_owned())
                .or_default(),
        )
    }
}

/// The slot of a request that is under way.
struct Slot<'a>(&'a OneAtATime, &'a str);

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.with(self.1, |(_, under_way)| *under_way = false);
    }
}

#[async_trait]
impl RequestPolicy for OneAtATime {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let taken = self.with(request.call_id, |(spent, under_way)| {
            *spent < 3 && !std::mem::replace(under_way, true)
        });
        if !taken {
            return Err(PolicyRefusal::new("the budget is used up"));
        }
        let slot = Slot(self, request.call_id);
        if self.faulty {
            // Given back below, but not when the caller hangs up.
            std::mem::forget(slot);
            tokio::task::yield_now().await;
            drop(Slot(self, request.call_id));
        } else {
            tokio::task::yield_now().await;
            drop(slot);
        }
        let sent = u64::from(request.phase == RequestPhase::Execute);
        self.with(request.call_id, |(spent, _)| *spent += sent);
        Ok(())
    }
}

fn leaked_slot(faulty: bool) -> PolicySubject {
    let profile = PolicyProfile::new().budget().per_call().requests(3).pends();
    PolicySubject::new("leaked_slot", profile, move || OneAtATime {
        faulty,
        calls: Mutex::default(),
    })
}

/// Asks all members, of which a failing one is what `on_failure` says.
struct All {
    members: Vec<Arc<dyn RequestPolicy>>,
    on_failure: OnFailure,
}

#[derive(Clone, Copy)]
enum OnFailure {
    Refuse,
    KeepVerdict,
    Skip,
}

#[async_trait]
impl RequestPolicy for All {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        for member in &self.members {
            let mut check = Box::pin(async { member.check(request).await });
            let answer = poll_fn(|context| {
                let polled = catch_unwind(AssertUnwindSafe(|| check.as_mut().poll(context)));
                polled.map_or(std::task::Poll::Ready(None), |polled| polled.map(Some))
            });
            match (answer.await, self.on_failure) {
                (Some(answer), _) => answer?,
                (None, OnFailure::Refuse) => return Err(PolicyRefusal::new("a member failed")),
                (None, OnFailure::KeepVerdict) => return Ok(()),
                (None, OnFailure::Skip) => {}
            }
        }
        Ok(())
    }
}

fn all(name: &str, on_failure: OnFailure) -> PolicySubject {
    let profile = stateless().combinator();
    PolicySubject::with_env(name, profile, Takes::NOTHING, move |env| All {
        members: env.members.clone(),
        on_failure,
    })
}

fn allowed_until_refused(faulty: bool) -> PolicySubject {
    let on_failure = if faulty {
        OnFailure::KeepVerdict
    } else {
        OnFailure::Refuse
    };
    all("allowed_until_refused", on_failure)
}

fn failing_member_skipped(faulty: bool) -> PolicySubject {
    let on_failure = if faulty {
        OnFailure::Skip
    } else {
        OnFailure::Refuse
    };
    all("failing_member_skipped", on_failure)
}

fn thousand_parts(faulty: bool) -> PolicySubject {
    let profile = stateless()
        .allow(["https://api.example.test/v1/items/7"])
        .refuse_pairs([("admin", "1")])
        .refuse_segments(["internal"]);
    decide("thousand_parts", profile, move |request| {
        let most = if faulty { 1_000 } else { usize::MAX };
        let Ok(url) = Url::parse(request.path) else {
            return false;
        };
        let written = url.query_pairs().into_owned();
        let mut pairs = request.query.iter().cloned().chain(written).take(most);
        let mut segments = url.path().split('/').take(most);
        !pairs.any(|(key, value)| key == "admin" && value == "1")
            && !segments.any(|segment| segment == "internal")
    })
}

fn escaped_placeholder(faulty: bool) -> PolicySubject {
    let profile = stateless().endpoints(["https://api.example.test/v1/users/%7Bid%7D"]);
    decide("escaped_placeholder", profile, move |request| {
        let Some(segments) = plain_segments(request.path) else {
            return false;
        };
        let [version, users, id] = segments.as_slice() else {
            return false;
        };
        version == "v1" && users == "users" && (faulty || id == "%7Bid%7D")
    })
}

fn greedy_placeholder(faulty: bool) -> PolicySubject {
    let profile = stateless().endpoints(["https://api.example.test/containers/{id}/contents"]);
    decide("greedy_placeholder", profile, move |request| {
        plain_segments(request.path).is_some_and(|segments| {
            let ends = segments.first().is_some_and(|first| first == "containers")
                && segments.last().is_some_and(|last| last == "contents");
            ends && if faulty {
                segments.len() >= 3
            } else {
                segments.len() == 3
            }
        })
    })
}

/// The table above takes one line a fault, so the shape of a verdict is shown once in full.
#[rstest]
#[case(true, Outcome::Fail)]
#[case(false, Outcome::Pass)]
fn a_thousand_and_one_pairs_hide_the_last_only_where_analysis_stops(
    #[case] faulty: bool,
    #[case] expected: Outcome,
) {
    let row = judged(16, &thousand_parts(faulty));
    assert_eq!(row.outcome, expected);
    let steps = row
        .counterexample
        .map(|found| found.steps[0].asked.request().unwrap().query.len());
    assert_eq!(steps, faulty.then_some(1_001));
}
