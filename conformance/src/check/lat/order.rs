//! LAT-03: the order is a partial order and agrees with meet.

use std::cell::Cell;

use super::LeashTrial;
use super::asked::{Lattice, comparing, law, meeting};
use super::authority::{overlapping, three};
use crate::outcome::Counterexample;
use crate::subject::CaveatSpec;
use crate::trial::{Finding, Judged, Stop};

/// How many pairs were comparable, and how many were not.
#[derive(Default)]
struct Seen {
    comparable: Cell<u64>,
    incomparable: Cell<u64>,
}

/// LAT-03.
pub(super) fn partial(trial: &LeashTrial<'_>) -> Judged {
    let lattice = Lattice::of(trial)?;
    let seen = Seen::default();
    for (a, b, c) in overlapping().into_iter().chain([bounds()]) {
        if let Some(found) = broken(&lattice, &seen, &a, &b, &c)? {
            return Ok(Finding::broken(found));
        }
    }
    let judged = trial.for_all(trial.settings().cases, &three(), |(a, b, c)| {
        broken(&lattice, &seen, &a, &b, &c)
    })?;
    let (comparable, incomparable) = (seen.comparable.get(), seen.incomparable.get());
    match judged {
        Finding::Held { .. } if comparable == 0 || incomparable == 0 => {
            Ok(Finding::Undecided(format!(
                "the control failed: {comparable} pairs were comparable and {incomparable} were not, so the laws were hardly tried"
            )))
        }
        judged => Ok(judged),
    }
}

/// No call at all, no bound, and a bound between them: of generated authorities only few have them.
fn bounds() -> (CaveatSpec, CaveatSpec, CaveatSpec) {
    let top = CaveatSpec::top();
    (top.clone().max_calls(0), top.clone(), top.max_calls(1))
}

fn broken(
    lattice: &Lattice<'_>,
    seen: &Seen,
    a: &CaveatSpec,
    b: &CaveatSpec,
    c: &CaveatSpec,
) -> Result<Option<Counterexample>, Stop> {
    if let Some(found) = alone(lattice, a)? {
        return Ok(Some(found));
    }
    for (x, y) in [(a, b), (b, c), (a, c), (c, a), (c, b)] {
        if let Some(found) = pair(lattice, seen, x, y)? {
            return Ok(Some(found));
        }
    }
    for [x, y, z] in [[a, b, c], [c, a, b], [c, b, a]] {
        if lattice.leq(x, y)? && lattice.leq(y, z)? && !lattice.leq(x, z)? {
            return Ok(Some(
                law("a ≤ b and b ≤ c give a ≤ c (transitive)", "true", "false")
                    .step(comparing(x, y), "true")
                    .step(comparing(y, z), "true")
                    .step(comparing(x, z), "false")
                    .twin("each of the first two holds"),
            ));
        }
    }
    Ok(None)
}

fn alone(lattice: &Lattice<'_>, a: &CaveatSpec) -> Result<Option<Counterexample>, Stop> {
    let top = CaveatSpec::top();
    for (name, bound) in [("a ≤ a (reflexive)", a), ("a ≤ ⊤", &top)] {
        if !lattice.leq(a, bound)? {
            return Ok(Some(
                law(name, "true", "false")
                    .step(comparing(a, bound), "false")
                    .twin("the meet of an authority with itself is itself"),
            ));
        }
    }
    Ok(None)
}

fn pair(
    lattice: &Lattice<'_>,
    seen: &Seen,
    a: &CaveatSpec,
    b: &CaveatSpec,
) -> Result<Option<Counterexample>, Stop> {
    let (below, above) = (lattice.leq(a, b)?, lattice.leq(b, a)?);
    if a != b {
        let count = if below || above {
            &seen.comparable
        } else {
            &seen.incomparable
        };
        count.set(count.get() + 1);
    }
    if below && above && a != b {
        return Ok(Some(
            law(
                "a ≤ b and b ≤ a give a = b (antisymmetric)",
                "equal",
                "different",
            )
            .step(comparing(a, b), "true")
            .step(comparing(b, a), "true")
            .twin("an authority is below itself"),
        ));
    }
    // The lists here hold nothing that lies within another, so what is below what is plain.
    if below && !a.leq(b) {
        let axis = a.meet(b).differing_axis(a).unwrap_or("an axis");
        return Ok(Some(
            law(
                "a ≤ b only if a allows nothing that b does not",
                "false",
                "true",
            )
            .step(comparing(a, b), "true")
            .seen(format!("true, although a allows more on {axis}"))
            .twin("an authority is below itself"),
        ));
    }
    let meet = lattice.meet(a, b)?;
    if below == (meet == *a) {
        return Ok(None);
    }
    Ok(Some(
        law(
            "a ≤ b exactly when a ⊓ b = a",
            below.to_string(),
            (meet == *a).to_string(),
        )
        .step(comparing(a, b), below)
        .step(meeting(a, b), &meet)
        .twin("for equal authorities both say so"),
    ))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;

    #[test]
    fn the_toolkits_order_keeps_the_laws() {
        held("LAT-03");
    }

    #[rstest]
    #[case::one_axis_forgotten(|a: &CaveatSpec, b: &CaveatSpec, _: bool| {
        let a = CaveatSpec { net: b.net.clone(), ..a.clone() };
        a.leq(b)
    })]
    #[case::strict(|a: &CaveatSpec, b: &CaveatSpec, sound: bool| sound && a != b)]
    #[case::any_axis(|a: &CaveatSpec, b: &CaveatSpec, sound: bool| sound || a.exec.leq(&b.exec))]
    #[case::the_other_way_round(|a: &CaveatSpec, b: &CaveatSpec, _: bool| b.leq(a))]
    fn an_order_that_breaks_a_law_is_convicted(
        #[case] leq: fn(&CaveatSpec, &CaveatSpec, bool) -> bool,
    ) {
        let row = judged(
            "LAT-03",
            Double {
                leq,
                ..Double::SOUND
            },
        );
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }
}
