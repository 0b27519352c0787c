//! Combinators under refusal, panic and charging, in every order of their members.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use proofmark::async_trait;
use proofmark::policy::{
    AllOf, AnyOf, ByteBudget, PolicyRefusal, RequestBudget, RequestPolicy, policy_fn,
};
use proofmark::request::{OutboundRequest, RequestPhase};
use rstest::rstest;
use serde_json::json;

type Member = Arc<dyn RequestPolicy>;

fn allower() -> Member {
    Arc::new(policy_fn(|_| Ok(())))
}

fn refuser() -> Member {
    Arc::new(policy_fn(|_| Err(PolicyRefusal::new("refused by rule"))))
}

/// Panics when asked, or only once it has waited.
struct Panicker {
    waits: bool,
}

#[async_trait]
impl RequestPolicy for Panicker {
    async fn check(&self, _: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if self.waits {
            tokio::task::yield_now().await;
        }
        std::panic::resume_unwind(Box::new(7));
    }
}

fn panicker(waits: bool) -> Member {
    Arc::new(Panicker { waits })
}

fn request() -> OutboundRequest<'static> {
    OutboundRequest::new("t", "GET", "https://h.test/", &[], None).with_call_id("a")
}

/// Every order of the members.
fn orders(members: &[Member]) -> Vec<Vec<Member>> {
    if members.is_empty() {
        return vec![vec![]];
    }
    let mut all = vec![];
    for (at, first) in members.iter().enumerate() {
        let rest = [&members[..at], &members[at + 1..]].concat();
        for mut order in orders(&rest) {
            order.insert(0, first.clone());
            all.push(order);
        }
    }
    all
}

#[rstest]
#[tokio::test]
async fn all_of_a_refuser_a_panicker_and_an_allower_never_allows(
    #[values(false, true)] waits: bool,
    #[values(0, 1, 2, 3, 4, 5, 6, 7)] as_budget: u8,
    #[values(RequestPhase::Execute, RequestPhase::Validate)] phase: RequestPhase,
) {
    let request = request().with_phase(phase);
    for dropped in 0..3 {
        // Also without the refuser, and without the panicker.
        let mut members = vec![refuser(), panicker(waits), allower()];
        if dropped < 2 {
            members.remove(dropped);
        }
        for order in orders(&members) {
            let mut all = AllOf::new();
            for (at, member) in order.into_iter().enumerate() {
                let budget = as_budget >> at & 1 == 1;
                all = if budget {
                    all.budget(member)
                } else {
                    all.rule(member)
                };
            }
            assert!(all.check(&request).await.is_err());
        }
    }
}

#[tokio::test]
async fn all_of_allowers_allow_and_the_first_refusal_is_the_answer() {
    let allow = AllOf::new()
        .rule(allower())
        .budget(allower())
        .budget(allower());
    let refuse = AllOf::new()
        .rule(allower())
        .rule(refuser())
        .rule(panicker(false));
    let panic = AllOf::new().rule(panicker(true)).rule(refuser());

    assert_eq!(allow.check(&request()).await, Ok(()));
    let message = |refusal: PolicyRefusal| refusal.message().to_owned();
    assert_eq!(
        refuse.check(&request()).await.map_err(message),
        Err("refused by rule".to_owned())
    );
    let failed = panic.check(&request()).await.map_err(message);
    assert_eq!(failed, Err("a policy failed to decide".to_owned()));
}

#[tokio::test]
async fn without_a_member_nothing_is_allowed() {
    assert!(AllOf::new().check(&request()).await.is_err());
    assert!(AnyOf::new().check(&request()).await.is_err());
}

#[tokio::test]
async fn a_request_that_a_rule_refuses_charges_no_budget() {
    let budget = Arc::new(RequestBudget::new(1));
    let all = AllOf::new().budget(budget.clone()).rule(refuser());

    for _ in 0..5 {
        assert!(all.check(&request()).await.is_err());
    }

    assert!(
        budget.check(&request()).await.is_ok(),
        "the budget is whole"
    );
}

#[rstest]
#[case::wide_first(true)]
#[case::narrow_first(false)]
#[tokio::test]
async fn a_request_that_one_budget_refuses_is_not_charged_to_another(#[case] wide_first: bool) {
    let (wide, narrow) = (
        Arc::new(RequestBudget::new(10)),
        Arc::new(ByteBudget::new(30)),
    );
    let all = if wide_first {
        AllOf::new().budget(wide.clone()).budget(narrow.clone())
    } else {
        AllOf::new().budget(narrow.clone()).budget(wide.clone())
    };
    let body = json!("x".repeat(50));
    let large = OutboundRequest::new("t", "POST", "", &[], Some(&body)).with_call_id("a");

    for _ in 0..20 {
        assert!(all.check(&large).await.is_err());
    }

    let mut left = 0;
    while wide.check(&large).await.is_ok() {
        left += 1;
    }
    assert_eq!(left, 10);
}

#[tokio::test]
async fn previews_of_all_of_charge_nothing() {
    let all = AllOf::new()
        .budget(Arc::new(RequestBudget::new(2)))
        .budget(Arc::new(RequestBudget::new(3)));

    for _ in 0..10 {
        let preview = request().with_phase(RequestPhase::Validate);
        assert!(all.check(&preview).await.is_ok());
    }
    assert!(all.check(&request()).await.is_ok());
    assert!(all.check(&request()).await.is_ok());
    assert!(all.check(&request()).await.is_err());
}

#[tokio::test]
async fn rules_and_a_lone_budget_are_asked_once() {
    let asked = Arc::new(AtomicU32::new(0));
    let count = |asked: &Arc<AtomicU32>| -> Member {
        let asked = asked.clone();
        Arc::new(policy_fn(move |request| {
            assert_eq!(request.phase, RequestPhase::Execute);
            asked.fetch_add(1, Ordering::SeqCst);
            Ok(())
        }))
    };
    let all = AllOf::new()
        .rule(count(&asked))
        .rule(count(&asked))
        .budget(count(&asked));

    all.check(&request()).await.unwrap();

    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn any_of_asks_in_order_until_one_allows() {
    let first = Arc::new(RequestBudget::new(1));
    let last = Arc::new(RequestBudget::new(1));
    let any = AnyOf::new()
        .alternative(refuser())
        .alternative(panicker(true))
        .alternative(first.clone())
        .alternative(last.clone());

    assert!(any.check(&request()).await.is_ok());
    assert!(
        first.check(&request()).await.is_err(),
        "the first to allow was charged"
    );
    assert!(last.check(&request()).await.is_ok(), "the next was not");
    let refused = any.check(&request()).await.unwrap_err();
    assert_eq!(refused.message(), "no alternative allows the request");
}

#[tokio::test]
async fn any_of_refusers_and_panickers_never_allows() {
    for order in orders(&[refuser(), panicker(false), panicker(true)]) {
        let any = order.into_iter().fold(AnyOf::new(), AnyOf::alternative);
        assert!(any.check(&request()).await.is_err());
    }
}

/// Two budgets, a pause between their charges, and two requests that race for the last unit.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_race_between_preview_and_charge_never_admits_more() {
    for _ in 0..100 {
        let narrow = Arc::new(RequestBudget::new(5));
        let all = AllOf::new()
            .budget(Arc::new(RequestBudget::new(40)))
            .budget(narrow);
        let (all, start) = (Arc::new(all), Arc::new(tokio::sync::Barrier::new(16)));
        let tasks: Vec<_> = (0..16)
            .map(|_| {
                let (all, start) = (all.clone(), start.clone());
                tokio::spawn(async move {
                    start.wait().await;
                    all.check(&request()).await.is_ok()
                })
            })
            .collect();
        let mut admitted = 0;
        for task in tasks {
            admitted += u32::from(task.await.unwrap());
        }
        assert_eq!(admitted, 5);
    }
}
