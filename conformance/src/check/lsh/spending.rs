//! LSH-03: a denied generation charges nothing, and spent stays spent.

use super::LeashTrial;
use crate::outcome::Counterexample;
use crate::subject::{CaveatSpec, GateSpec};
use crate::trial::{Finding, FreshGate, Judged, Stop, authorizing};

const GENERATION: u64 = 7;

/// How many calls a gate is good for.
const BUDGETS: &[u64] = &[1, 2, 5];

/// So many calls are tried on a spent gate: more than a counter of 16 bits holds.
const BEYOND: u64 = 70_000;

/// LSH-03.
pub(super) fn kept(trial: &LeashTrial<'_>) -> Judged {
    let mut cases = 0;
    for budget in BUDGETS {
        let spec = GateSpec::new().generation(GENERATION).budget(*budget);
        let gate = trial.gate(&spec)?;
        let plain = until_denied(&gate, *budget)?;
        if plain != *budget {
            return other_count(&spec, *budget, plain);
        }
        if let Some(found) = stale_between(trial, &spec, *budget)? {
            return Ok(Finding::broken(found));
        }
        cases += budget * 3;
    }
    if let Some(found) = other_generations(trial)? {
        return Ok(Finding::broken(found));
    }
    if let Some(found) = large(trial)? {
        return Ok(Finding::broken(found));
    }
    if let Some(found) = divided(trial)? {
        return Ok(Finding::broken(found));
    }
    let calls = trial.share_of(BEYOND);
    let found = match spent_for_good(trial, calls)? {
        Some(found) => Some(found),
        None => none_at_all(trial)?,
    };
    match found {
        Some(found) => Ok(Finding::broken(found)),
        None => Ok(Finding::Noted {
            cases: cases + calls,
            note: format!("a need of no calls is {}", need_of_none(trial)?),
        }),
    }
}

fn valid() -> CaveatSpec {
    CaveatSpec::top().generations([GENERATION])
}

fn stale() -> CaveatSpec {
    CaveatSpec::top().generations([GENERATION - 1, GENERATION + 1])
}

fn authorised(gate: &FreshGate<'_>, granted: &CaveatSpec) -> Result<bool, Stop> {
    Ok(gate.authorize(granted, &CaveatSpec::top())?.is_ok())
}

/// Each alone is stale: one before, one after, and numbers that come to the gate's own in fewer bits.
fn other_generations(trial: &LeashTrial<'_>) -> Result<Option<Counterexample>, Stop> {
    let spec = GateSpec::new().generation(GENERATION).budget(1);
    let others = [
        GENERATION - 1,
        GENERATION + 1,
        0,
        u64::MAX,
        GENERATION + (1 << 8),
        GENERATION + (1 << 16),
        GENERATION + (1 << 32),
    ];
    for other in others {
        let granted = CaveatSpec::top().generations([other]);
        if authorised(&trial.gate(&spec)?, &granted)? {
            return Ok(Some(
                Counterexample::new("a grant of another generation is authorised")
                    .step(spec.to_string(), "a gate")
                    .step(authorizing(&granted, &CaveatSpec::top()), "authorised")
                    .expected(format!("denied in generation {GENERATION}"))
                    .seen("authorised")
                    .twin(format!("a grant for generation {GENERATION} is authorised")),
            ));
        }
    }
    Ok(None)
}

/// Budgets that a counter of few bits cannot hold.
fn large(trial: &LeashTrial<'_>) -> Result<Option<Counterexample>, Stop> {
    for (budget, calls) in [
        (256, 257),
        ((1 << 8) + 1, 3),
        ((1 << 16) + 1, 3),
        (1 << 32, 3),
        ((1 << 32) + 1, 3),
        (u64::MAX, 3),
    ] {
        let spec = GateSpec::new().generation(GENERATION).budget(budget);
        let gate = trial.gate(&spec)?;
        let mut seen = 0;
        while seen < calls && authorised(&gate, &valid())? {
            seen += 1;
        }
        if seen != calls.min(budget) {
            let found = Counterexample::new(format!(
                "a gate with a budget of {budget} authorises {seen} of {calls} calls"
            ));
            return Ok(Some(
                found
                    .step(spec.to_string(), "a gate")
                    .steps(
                        seen,
                        authorizing(&valid(), &CaveatSpec::top()),
                        "authorised",
                    )
                    .expected(format!("{} authorised", calls.min(budget)))
                    .seen(format!("{seen} authorised"))
                    .twin("budgets of 1, 2 and 5 are kept"),
            ));
        }
    }
    Ok(None)
}

/// Calls of other tools, for other principals: one budget is for all of them.
fn divided(trial: &LeashTrial<'_>) -> Result<Option<Counterexample>, Stop> {
    let spec = GateSpec::new().generation(GENERATION).budget(2);
    let gate = trial.gate(&spec)?;
    let (git, host) = (
        CaveatSpec::top().exec(["git"]),
        CaveatSpec::top().net(["a.test"]),
    );
    let needs = [CaveatSpec::top(), git.clone(), host.clone()];
    let grants = [valid(), git.meet(&valid()), host.meet(&valid())];
    let mut admitted = 0;
    for granted in &grants {
        for needed in &needs {
            admitted += u64::from(gate.authorize(granted, needed)?.is_ok());
        }
    }
    Ok((admitted > 2).then(|| {
        Counterexample::new("a spent gate authorises calls of another tool or principal")
            .step(spec.to_string(), "a gate")
            .step(
                "authorize 9 calls, each with another grant or need".to_owned(),
                format!("{admitted} authorised"),
            )
            .expected("2 authorised: spent stays spent, whoever calls")
            .seen(format!("{admitted} authorised"))
            .twin("of calls with one grant and one need, 2 are authorised")
    }))
}

/// How many valid calls are authorised before one is denied.
fn until_denied(gate: &FreshGate<'_>, budget: u64) -> Result<u64, Stop> {
    let mut count = 0;
    while count <= budget && authorised(gate, &valid())? {
        count += 1;
    }
    Ok(count)
}

/// With valid calls alone another number than the budget is authorised.
fn other_count(spec: &GateSpec, budget: u64, seen: u64) -> Judged {
    if seen == 0 {
        return Ok(Finding::Undecided(format!(
            "the control failed: a fresh {spec} authorises no valid call"
        )));
    }
    let top = CaveatSpec::top();
    let found = Counterexample::new(format!("a gate with a budget of {budget} authorises {}", {
        if seen > budget {
            "more".to_owned()
        } else {
            format!("only {seen}")
        }
    }))
    .step(spec.to_string(), "a gate")
    .steps(seen, authorizing(&valid(), &top), "authorised")
    .expected(format!(
        "{budget} calls, and the next denied: spent stays spent"
    ))
    .seen(if seen > budget {
        format!("call {seen} was authorised")
    } else {
        format!("call {} was denied", seen + 1)
    })
    .twin("call 1 was authorised, as it should be");
    Ok(Finding::broken(found))
}

/// Stale calls before, between and after the valid ones.
fn stale_between(
    trial: &LeashTrial<'_>,
    spec: &GateSpec,
    budget: u64,
) -> Result<Option<Counterexample>, Stop> {
    for (before, between) in [(1, 0), (0, 1), (3, 2)] {
        let gate = trial.gate(spec)?;
        let top = CaveatSpec::top();
        let start = |headline: &str| {
            Counterexample::new(headline)
                .step(spec.to_string(), "a gate")
                .twin(format!(
                    "without stale calls {budget} valid ones are authorised"
                ))
        };
        let mut admitted = 0;
        for round in 0..=budget {
            for _ in 0..if round == 0 { before } else { between } {
                if authorised(&gate, &stale())? {
                    return Ok(Some(
                        start("a grant of another generation is authorised")
                            .step(authorizing(&stale(), &top), "authorised")
                            .expected(format!("denied in generation {GENERATION}"))
                            .seen("authorised"),
                    ));
                }
            }
            admitted += u64::from(authorised(&gate, &valid())?);
        }
        if admitted != budget {
            return Ok(Some(
                start("calls denied for their generation change what is left of the budget")
                    .steps(before.max(between), authorizing(&stale(), &top), "denied")
                    .steps(
                        budget + 1,
                        authorizing(&valid(), &top),
                        format!("{admitted} authorised"),
                    )
                    .expected(format!(
                        "{budget} authorised: a denied call charges nothing"
                    ))
                    .seen(format!("{admitted} authorised")),
            ));
        }
    }
    Ok(None)
}

/// Asking a spent gate again and again.
fn spent_for_good(trial: &LeashTrial<'_>, calls: u64) -> Result<Option<Counterexample>, Stop> {
    let spec = GateSpec::new().generation(GENERATION).budget(1);
    let gate = trial.gate(&spec)?;
    if !authorised(&gate, &valid())? {
        return Err(Stop::Undecided(format!(
            "the control failed: a fresh {spec} denies a valid call"
        )));
    }
    for call in 2..calls {
        if trial.is_long() {
            break;
        }
        if authorised(&gate, &valid())? {
            let asked = authorizing(&valid(), &CaveatSpec::top());
            return Ok(Some(
                Counterexample::new("a spent gate authorises again")
                    .step(spec.to_string(), "a gate")
                    .step(asked.clone(), "authorised")
                    .steps(call - 2, asked.clone(), "denied")
                    .step(asked, "authorised")
                    .expected("denied: spent stays spent")
                    .seen(format!("call {call} was authorised"))
                    .twin("call 2 was denied, as it should be"),
            ));
        }
    }
    Ok(None)
}

/// A budget of none, in the gate and in the grant.
fn none_at_all(trial: &LeashTrial<'_>) -> Result<Option<Counterexample>, Stop> {
    let plain = GateSpec::new().generation(GENERATION);
    let cases = [
        ("the gate", plain.clone().budget(0), valid()),
        ("the grant", plain.clone(), valid().max_calls(0)),
        ("the grant", plain.budget(5), valid().max_calls(0)),
    ];
    for (whose, spec, granted) in cases {
        // A leash may refuse to make a gate that is good for nothing.
        let Ok(gate) = trial.leash()?.gate(&spec)? else {
            continue;
        };
        if authorised(&gate, &granted)? {
            return Ok(Some(
                Counterexample::new(format!(
                    "a call is authorised although {whose} permits none"
                ))
                .step(spec.to_string(), "a gate")
                .step(authorizing(&granted, &CaveatSpec::top()), "authorised")
                .expected("denied from the first call on: at most 0 is none")
                .seen("authorised")
                .twin("a budget of 1 authorises one call and no second"),
            ));
        }
    }
    Ok(None)
}

fn need_of_none(trial: &LeashTrial<'_>) -> Result<&'static str, Stop> {
    let gate = trial.gate(&GateSpec::new().generation(GENERATION))?;
    let need = CaveatSpec::top().max_calls(0);
    Ok(match gate.authorize(&valid(), &need)? {
        Ok(_) => "authorised",
        Err(_) => "denied",
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use rstest::rstest;

    use super::super::double::{held, row_of};
    use super::*;
    use crate::outcome::Outcome;
    use crate::profile::LeashProfile;
    use crate::subject::{
        CountSpec, Denial, Leash, LeashContext, LeashGate, LeashSubject, ToolkitLeash,
    };

    #[test]
    fn the_toolkits_gates_keep_count() {
        held("LSH-03");
    }

    #[derive(Clone, Copy, PartialEq)]
    enum Fault {
        None,
        ChargesFirst,
        Wraps,
        NoneIsNoBound,
        ForgetsGenerations,
        OneMore,
    }

    struct Counting(Fault);

    impl Leash for Counting {
        fn gate(&self, spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
            let plain = GateSpec::new().generation(spec.generation);
            Ok(Box::new(CountingGate {
                fault: self.0,
                spec: spec.clone(),
                spent: AtomicU64::new(0),
                sound: ToolkitLeash.gate(&plain)?,
            }))
        }
    }

    struct CountingGate {
        fault: Fault,
        spec: GateSpec,
        spent: AtomicU64,
        sound: Box<dyn LeashGate>,
    }

    impl CountingGate {
        fn limit(&self) -> Option<u64> {
            match self.spec.budget {
                CountSpec::AtMost(0) if self.fault == Fault::NoneIsNoBound => None,
                CountSpec::AtMost(limit) if self.fault == Fault::OneMore => Some(limit + 1),
                CountSpec::AtMost(limit) => Some(limit),
                CountSpec::Unlimited => None,
            }
        }

        fn charge(&self) -> Result<(), Denial> {
            let spent = match self.fault {
                Fault::Wraps => self.spent.fetch_add(1, Ordering::SeqCst) % (1 << 8),
                _ => self.spent.load(Ordering::SeqCst),
            };
            if self.limit().is_some_and(|limit| spent >= limit) {
                return Err(Denial::new("spent"));
            }
            if self.fault != Fault::Wraps {
                self.spent.store(spent + 1, Ordering::SeqCst);
            }
            Ok(())
        }
    }

    impl LeashGate for CountingGate {
        fn authorize(
            &self,
            granted: &CaveatSpec,
            needed: &CaveatSpec,
        ) -> Result<Box<dyn LeashContext>, Denial> {
            let mut granted = granted.clone();
            if self.fault == Fault::ForgetsGenerations {
                granted.generations = crate::subject::ScopeSpec::All;
            }
            if self.fault == Fault::ChargesFirst {
                self.charge()?;
                return self.sound.authorize(&granted, needed);
            }
            let context = self.sound.authorize(&granted, needed)?;
            self.charge()?;
            Ok(context)
        }
    }

    fn outcome(fault: Fault) -> Outcome {
        let profile = LeashProfile::new().generation().call_budget();
        let subject = LeashSubject::new("counting", profile, move || Counting(fault));
        row_of("LSH-03", &subject).outcome
    }

    #[test]
    fn a_sound_gate_of_another_make_passes() {
        assert_eq!(outcome(Fault::None), Outcome::Pass);
    }

    #[rstest]
    #[case(Fault::ChargesFirst)]
    #[case(Fault::Wraps)]
    #[case(Fault::NoneIsNoBound)]
    #[case(Fault::ForgetsGenerations)]
    #[case(Fault::OneMore)]
    fn a_gate_that_miscounts_is_convicted(#[case] fault: Fault) {
        assert_eq!(outcome(fault), Outcome::Fail);
    }
}
