//! LAT-01: meet is idempotent, commutative and associative, with a top.

use super::LeashTrial;
use super::asked::{Lattice, law, meeting};
use super::authority::three;
use crate::outcome::Counterexample;
use crate::subject::CaveatSpec;
use crate::trial::{Finding, Judged, Stop};

/// LAT-01.
pub(super) fn hold(trial: &LeashTrial<'_>) -> Judged {
    let lattice = Lattice::of(trial)?;
    if let Some(undecided) = equality(&lattice)? {
        return Ok(undecided);
    }
    trial.for_all(trial.settings().cases, &three(), |(a, b, c)| {
        broken(&lattice, &a, &b, &c)
    })
}

/// The control: the seam's own form tells authorities apart after the leash had them in its hands.
/// Met with everything, what is different stays different, and what is equal equal.
fn equality(lattice: &Lattice<'_>) -> Result<Option<Finding>, Stop> {
    let (a, b) = (
        CaveatSpec::top().exec(["git"]),
        CaveatSpec::top().exec(["ls"]),
    );
    let (first, again) = (
        lattice.meet(&a, &CaveatSpec::top())?,
        lattice.meet(&a, &CaveatSpec::top())?,
    );
    let other = lattice.meet(&b, &CaveatSpec::top())?;
    Ok((first != again || first == other).then(|| {
        Finding::Undecided(
            "the control failed: the leash's answers do not tell two authorities apart, or one from itself".to_owned(),
        )
    }))
}

fn broken(
    lattice: &Lattice<'_>,
    a: &CaveatSpec,
    b: &CaveatSpec,
    c: &CaveatSpec,
) -> Result<Option<Counterexample>, Stop> {
    let top = CaveatSpec::top();
    let twin = "a meet of each operand with everything answers the same twice";
    let unequal =
        |name: &str, axis: &str, left: (String, &CaveatSpec), right: (String, &CaveatSpec)| {
            let headline = format!("{name}, on {axis}");
            law(
                &headline,
                format!("{} = {}", left.0, right.0),
                format!("{} and {}", left.1, right.1),
            )
            .step(left.0.clone(), left.1)
            .step(right.0.clone(), right.1)
            .twin(twin)
        };
    let own = lattice.meet(a, a)?;
    if let Some(axis) = a.differing_axis(&own) {
        return Ok(Some(unequal(
            "a ⊓ a = a",
            axis,
            (meeting(a, a), &own),
            ("a".to_owned(), a),
        )));
    }
    for (one, other, shown) in [(&top, a, "⊤ ⊓ a = a"), (a, &top, "a ⊓ ⊤ = a")] {
        let met = lattice.meet(one, other)?;
        if let Some(axis) = a.differing_axis(&met) {
            let left = (meeting(one, other), &met);
            return Ok(Some(unequal(shown, axis, left, ("a".to_owned(), a))));
        }
    }
    let (ab, ba) = (lattice.meet(a, b)?, lattice.meet(b, a)?);
    if let Some(axis) = ab.differing_axis(&ba) {
        let (left, right) = ((meeting(a, b), &ab), (meeting(b, a), &ba));
        return Ok(Some(unequal("a ⊓ b = b ⊓ a", axis, left, right)));
    }
    let bc = lattice.meet(b, c)?;
    let (left, right) = (lattice.meet(&ab, c)?, lattice.meet(a, &bc)?);
    Ok(left.differing_axis(&right).map(|axis| {
        let first = (format!("meet({}; {c})", meeting(a, b)), &left);
        let second = (format!("meet({a}; {})", meeting(b, c)), &right);
        unequal("(a ⊓ b) ⊓ c = a ⊓ (b ⊓ c)", axis, first, second)
    }))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;
    use crate::subject::{CountSpec, ScopeSpec};

    #[test]
    fn the_toolkits_meet_keeps_the_laws() {
        held("LAT-01");
    }

    #[rstest]
    #[case::the_left_one_wins(|a: &CaveatSpec, b: &CaveatSpec, sound: CaveatSpec| {
        CaveatSpec { net: if b.net.is_restricted() { b.net.clone() } else { a.net.clone() }, ..sound }
    })]
    #[case::counts_add_up(|a: &CaveatSpec, b: &CaveatSpec, sound: CaveatSpec| {
        let max_calls = match (a.max_calls, b.max_calls) {
            (CountSpec::AtMost(a), CountSpec::AtMost(b)) => CountSpec::AtMost(a.saturating_add(b)),
            _ => sound.max_calls,
        };
        CaveatSpec { max_calls, ..sound }
    })]
    #[case::empty_is_top(|a: &CaveatSpec, b: &CaveatSpec, sound: CaveatSpec| {
        match (&a.exec, &b.exec) {
            (ScopeSpec::Only(items), other) if items.is_empty() => {
                CaveatSpec { exec: other.clone(), ..sound }
            }
            _ => sound,
        }
    })]
    #[case::top_is_empty(|a: &CaveatSpec, _: &CaveatSpec, sound: CaveatSpec| {
        let fs_read = if a.fs_read.is_restricted() { sound.fs_read } else { ScopeSpec::none() };
        CaveatSpec { fs_read, ..sound }
    })]
    fn a_meet_that_breaks_a_law_is_convicted(
        #[case] meet: fn(&CaveatSpec, &CaveatSpec, CaveatSpec) -> CaveatSpec,
    ) {
        let row = judged(
            "LAT-01",
            Double {
                meet,
                ..Double::SOUND
            },
        );
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }
}
