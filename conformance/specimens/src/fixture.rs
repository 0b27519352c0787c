//! Subjects that bring about each outcome there is, among them the ones that misbehave badly.

use std::sync::Arc;
use std::time::Duration;

use proofmark::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy, policy_fn};
use proofmark::request::OutboundRequest;
use proofmark_conformance::catalogue::{Family, RequirementId};
use proofmark_conformance::outcome::Outcome;
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::{PolicySubject, Subject};

/// A subject, a row, and the outcome that the row must come to.
#[derive(Debug, Clone)]
pub struct Fixture {
    /// The subject.
    pub subject: Arc<dyn Subject>,
    /// The row.
    pub row: RequirementId,
    /// What the row must come to.
    pub outcome: Outcome,
}

const ALLOWED: &str = "https://api.example.test/v1/items/7";
const REFUSED: &str = "https://api.example.test/admin";

const PANICS: RequirementId = RequirementId::new(Family::Pol, 1);
const HANGS: RequirementId = RequirementId::new(Family::Pol, 9);
const SAMPLES: RequirementId = RequirementId::new(Family::Pol, 11);
const NEIGHBOURS: RequirementId = RequirementId::new(Family::Pol, 12);
const FIRST_REFUSED: RequirementId = RequirementId::new(Family::Bud, 2);

/// One fixture for each outcome, and one for each way to misbehave.
#[must_use]
pub fn fixtures() -> Vec<Fixture> {
    let mut fixtures = plain();
    fixtures.extend(misbehaving());
    fixtures.extend(ending());
    fixtures.extend(crate::resolver::fixtures());
    fixtures.extend(crate::leash::fixtures());
    fixtures
}

fn fixture(
    name: &str,
    row: RequirementId,
    outcome: Outcome,
    policy: fn() -> Arc<dyn RequestPolicy>,
) -> Fixture {
    Fixture {
        subject: Arc::new(PolicySubject::new(name, profile(), policy)),
        row,
        outcome,
    }
}

fn plain() -> Vec<Fixture> {
    vec![
        fixture(
            "fixture_sound",
            SAMPLES,
            Outcome::Pass,
            || Arc::new(sound()),
        ),
        fixture("fixture_allows_all", SAMPLES, Outcome::Fail, || {
            Arc::new(policy_fn(|_| Ok(())))
        }),
        fixture(
            "fixture_without_endpoints",
            NEIGHBOURS,
            Outcome::NotApplicable,
            || Arc::new(sound()),
        ),
        Fixture {
            subject: Arc::new(PolicySubject::new(
                "fixture_refuses_all",
                profile().endpoints([ALLOWED]),
                || policy_fn(|_| Err(PolicyRefusal::new("nothing is allowed"))),
            )),
            row: NEIGHBOURS,
            outcome: Outcome::Inconclusive,
        },
        Fixture {
            subject: Arc::new(PolicySubject::new(
                "fixture_budget_behind_a_list",
                PolicyProfile::new().budget().per_call().requests(3),
                || policy_fn(|_| Err(PolicyRefusal::new("the endpoint is not on the list"))),
            )),
            row: FIRST_REFUSED,
            outcome: Outcome::Inconclusive,
        },
        fixture("fixture_factory_panics", SAMPLES, Outcome::Error, || {
            broken_factory()
        }),
    ]
}

fn misbehaving() -> Vec<Fixture> {
    vec![
        fixture("fixture_panics", PANICS, Outcome::Fail, || {
            Arc::new(policy_fn(misbehave_by_panicking))
        }),
        fixture("fixture_never_answers", HANGS, Outcome::Timeout, || {
            Arc::new(Never)
        }),
        fixture("fixture_blocks", HANGS, Outcome::Timeout, || {
            Arc::new(policy_fn(|_| {
                std::thread::sleep(Duration::from_secs(3_600));
                Ok(())
            }))
        }),
        fixture("fixture_spins", HANGS, Outcome::Timeout, || {
            Arc::new(policy_fn(|_| {
                loop {
                    std::hint::spin_loop();
                }
            }))
        }),
    ]
}

/// Those that take the worker's process with them, or try to drown it.
fn ending() -> Vec<Fixture> {
    vec![
        fixture(
            "fixture_overflows_its_stack",
            PANICS,
            Outcome::Crash,
            || {
                Arc::new(policy_fn(|request| {
                    if deeper(request.path.len()) == 0 {
                        Ok(())
                    } else {
                        Err(PolicyRefusal::new("no"))
                    }
                }))
            },
        ),
        fixture(
            "fixture_allocates_without_end",
            PANICS,
            Outcome::Crash,
            || {
                Arc::new(policy_fn(|_| {
                    let mut kept: Vec<Vec<u8>> = Vec::new();
                    loop {
                        kept.push(std::hint::black_box(Vec::with_capacity(16 << 20)));
                    }
                }))
            },
        ),
        fixture("fixture_exits", PANICS, Outcome::Crash, || {
            Arc::new(policy_fn(|_| std::process::exit(0)))
        }),
        fixture(
            "fixture_ended_from_outside",
            PANICS,
            Outcome::Inconclusive,
            || Arc::new(policy_fn(|_| ended_from_outside())),
        ),
        fixture("fixture_floods", SAMPLES, Outcome::Pass, || {
            Arc::new(policy_fn(|request| {
                for _ in 0..64 {
                    println!("{}", "flood ".repeat(64));
                    eprintln!("{}", "flood ".repeat(64));
                }
                decide(request)
            }))
        }),
    ]
}

fn profile() -> PolicyProfile {
    PolicyProfile::new()
        .stateless()
        .allow([ALLOWED])
        .refuse([REFUSED])
}

fn sound() -> impl RequestPolicy {
    policy_fn(decide)
}

fn decide(request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
    if request.path == ALLOWED {
        Ok(())
    } else {
        Err(PolicyRefusal::new("only one endpoint is allowed"))
    }
}

#[allow(clippy::panic, reason = "to panic is this fixture's purpose")]
fn misbehave_by_panicking(_: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
    panic!("this fixture panics")
}

#[allow(clippy::panic, reason = "to panic is this fixture's purpose")]
fn broken_factory() -> Arc<dyn RequestPolicy> {
    panic!("this fixture cannot be built")
}

/// Does what an operating system does that has run out of memory.
fn ended_from_outside() -> Result<(), PolicyRefusal> {
    let kill = format!("kill -KILL {}", std::process::id());
    let killed = std::process::Command::new("sh")
        .args(["-c", &kill])
        .status();
    Err(PolicyRefusal::new(format!(
        "still there: {}",
        killed.is_ok()
    )))
}

/// The work after the call keeps the compiler from making a loop of it.
#[allow(
    unconditional_recursion,
    reason = "to overflow is this fixture's purpose"
)]
fn deeper(depth: usize) -> usize {
    let frame = std::hint::black_box([depth; 64]);
    deeper(frame[depth % 64] + 1) + std::hint::black_box(frame)[1]
}

struct Never;

#[async_trait]
impl RequestPolicy for Never {
    async fn check(&self, _: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        std::future::pending().await
    }
}
