//! LAT-01: meet is idempotent, commutative and associative, with a top.

use super::LeashTrial;
use super::asked::{Lattice, law, meeting};
use super::authority::{nested, overlapping, three};
use crate::outcome::Counterexample;
use crate::subject::CaveatSpec;
use crate::trial::{Finding, Judged, Stop};

/// LAT-01.
pub(super) fn hold(trial: &LeashTrial<'_>) -> Judged {
    let lattice = Lattice::of(trial)?;
    if let Some(undecided) = repeated(&lattice)? {
        return Ok(undecided);
    }
    for (a, b, c) in overlapping().into_iter().chain(nested()) {
        if let Some(found) = broken(&lattice, &a, &b, &c)? {
            return Ok(Finding::broken(found));
        }
    }
    trial.for_all(trial.settings().cases, &three(), |(a, b, c)| {
        broken(&lattice, &a, &b, &c)
    })
}

/// The control: what the leash answers can be compared, for it answers the same twice.
fn repeated(lattice: &Lattice<'_>) -> Result<Option<Finding>, Stop> {
    let (a, b) = (
        CaveatSpec::top().exec(["git"]),
        CaveatSpec::top().exec(["git", "ls"]),
    );
    let (first, again) = (lattice.meet(&a, &b)?, lattice.meet(&a, &b)?);
    Ok((first != again).then(|| {
        Finding::Undecided(
            "the control failed: the leash answers the same question in two ways".to_owned(),
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
    #[case::top_is_empty_for_all(|a: &CaveatSpec, b: &CaveatSpec, sound: CaveatSpec| {
        let same = a.exec.is_restricted() == b.exec.is_restricted();
        if same { sound } else { CaveatSpec { exec: ScopeSpec::none(), ..sound } }
    })]
    #[case::overlaps_are_empty(|a: &CaveatSpec, b: &CaveatSpec, sound: CaveatSpec| {
        let nested = a.net.leq(&b.net) || b.net.leq(&a.net);
        if nested { sound } else { CaveatSpec { net: ScopeSpec::none(), ..sound } }
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
