//! LAT-02: meet is the greatest lower bound.

use std::cell::{Cell, RefCell};

use super::LeashTrial;
use super::asked::{Lattice, comparing, law, meeting};
use super::authority::{overlapping, three};
use crate::outcome::Counterexample;
use crate::subject::CaveatSpec;
use crate::trial::{Finding, Judged, Stop};

/// At least one in so many triples has to be about a common lower bound.
const ONE_IN: u64 = 10;

/// LAT-02.
pub(super) fn lower_bound(trial: &LeashTrial<'_>) -> Judged {
    let lattice = Lattice::of(trial)?;
    let premises = Premises::default();
    for (a, b, c) in overlapping() {
        if let Some(found) = broken(&lattice, &premises, &a, &b, &c)? {
            return Ok(Finding::broken(found));
        }
    }
    let judged = trial.for_all(trial.settings().cases, &three(), |(a, b, c)| {
        broken(&lattice, &premises, &a, &b, &c)
    })?;
    match judged {
        Finding::Held { .. } if premises.disagreement.borrow().is_some() => Ok(Finding::Undecided(
            premises.disagreement.take().unwrap_or_default(),
        )),
        Finding::Held { cases } if premises.met.get() * ONE_IN < cases => {
            Ok(Finding::Undecided(format!(
                "the control failed: by the leash's own order, only {} of {cases} triples had a common lower bound",
                premises.met.get()
            )))
        }
        judged => Ok(judged),
    }
}

/// What the controls are read off.
#[derive(Default)]
struct Premises {
    /// How many triples had a common lower bound.
    met: Cell<u64>,
    /// Where order and meet disagree, if they do.
    disagreement: RefCell<Option<String>>,
}

fn broken(
    lattice: &Lattice<'_>,
    premises: &Premises,
    a: &CaveatSpec,
    b: &CaveatSpec,
    c: &CaveatSpec,
) -> Result<Option<Counterexample>, Stop> {
    let meet = lattice.meet(a, b)?;
    for (name, bound) in [("a ⊓ b ≤ a", a), ("a ⊓ b ≤ b", b)] {
        if !lattice.leq(&meet, bound)? {
            return Ok(Some(
                law(name, "true", "false")
                    .step(meeting(a, b), &meet)
                    .step(comparing(&meet, bound), "false")
                    .twin(format!("{} is true", comparing(bound, bound))),
            ));
        }
    }
    // What the judge takes to be common to both is tried, too: a meet that takes away too much is
    // caught by it.
    for candidate in [c, &a.meet(b), &c.meet(a).meet(b)] {
        if !lattice.leq(candidate, a)? || !lattice.leq(candidate, b)? {
            continue;
        }
        premises.met.set(premises.met.get() + 1);
        if !lattice.leq(candidate, &meet)? {
            return Ok(Some(
                law("what is below both is below their meet", "true", "false")
                    .step(comparing(candidate, a), "true")
                    .step(comparing(candidate, b), "true")
                    .step(meeting(a, b), &meet)
                    .step(comparing(candidate, &meet), "false")
                    .twin("the same authority is below each of the two"),
            ));
        }
    }
    if lattice.leq(a, b)? && meet != *a {
        premises.disagreement.replace(Some(format!(
            "the control failed: `{}` is true, and `{}` is {meet}; LAT-03 is about that",
            comparing(a, b),
            meeting(a, b)
        )));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;
    use crate::subject::{CountSpec, ScopeSpec};

    #[test]
    fn the_toolkits_meet_is_the_greatest() {
        held("LAT-02");
    }

    #[rstest]
    #[case::no_lower_bound(|a: &CaveatSpec, _: &CaveatSpec, sound: CaveatSpec| {
        CaveatSpec { max_calls: a.max_calls, ..sound }
    })]
    #[case::union(|a: &CaveatSpec, b: &CaveatSpec, sound: CaveatSpec| {
        match (&a.net, &b.net) {
            (ScopeSpec::Only(a), ScopeSpec::Only(b)) => CaveatSpec {
                net: ScopeSpec::Only(a.union(b).cloned().collect()),
                ..sound
            },
            _ => sound,
        }
    })]
    #[case::too_little(|a: &CaveatSpec, b: &CaveatSpec, sound: CaveatSpec| {
        let same = a.exec == b.exec || !a.exec.is_restricted() || !b.exec.is_restricted();
        if same { sound } else { CaveatSpec { exec: ScopeSpec::none(), ..sound } }
    })]
    #[case::one_call_less(|_: &CaveatSpec, _: &CaveatSpec, sound: CaveatSpec| {
        let max_calls = match sound.max_calls {
            CountSpec::AtMost(count) => CountSpec::AtMost(count.saturating_sub(1)),
            unlimited @ CountSpec::Unlimited => unlimited,
        };
        CaveatSpec { max_calls, ..sound }
    })]
    fn a_meet_that_is_not_the_greatest_is_convicted(
        #[case] meet: fn(&CaveatSpec, &CaveatSpec, CaveatSpec) -> CaveatSpec,
    ) {
        let row = judged(
            "LAT-02",
            Double {
                meet,
                ..Double::SOUND
            },
        );
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }

    #[test]
    fn an_order_in_which_nothing_is_comparable_proves_nothing() {
        let alone = Double {
            leq: |a, b, sound| sound && a == b,
            ..Double::SOUND
        };
        let row = judged("LAT-02", alone);
        assert_ne!(row.outcome, Outcome::Pass, "{row:?}");
    }
}
