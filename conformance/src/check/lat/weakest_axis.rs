//! LAT-04: a fence is as strong as its weakest restricted axis.

use super::LeashTrial;
use super::asked::Lattice;
use crate::outcome::Counterexample;
use crate::subject::{FenceSpec, Strength};
use crate::trial::{Finding, Judged};

/// LAT-04.
pub(super) fn counts(trial: &LeashTrial<'_>) -> Judged {
    let lattice = Lattice::of(trial)?;
    for a in Strength::ALL {
        for b in Strength::ALL {
            let (expected, seen) = (a.cmp(&b), lattice.compare(a, b)?);
            if expected != seen {
                return Ok(Finding::broken(
                    Counterexample::new(format!("{a} and {b} compare as {seen:?}"))
                        .step(format!("compare({a}; {b})"), format!("{seen:?}"))
                        .expected(format!("{expected:?}: Advisory < Interceptor < Kernel"))
                        .seen(format!("{seen:?}"))
                        .twin(format!(
                            "{a} and {a} compare as {:?}",
                            lattice.compare(a, a)?
                        )),
                ));
            }
        }
    }
    let mut fences = fences();
    fences.sort_by_key(|fence| restricted(fence).count());
    for fence in &fences {
        // What it means that nothing is restricted, a leash may decide.
        let Some(expected) = fence.weakest() else {
            continue;
        };
        let seen = lattice.fence_strength(fence)?;
        if seen != Some(expected) {
            return other_strength(&lattice, fence, expected, seen);
        }
    }
    Ok(Finding::held(fences.len() + 9))
}

/// Every combination of restricted axes and of what enforces each.
fn fences() -> Vec<FenceSpec> {
    let mut held = vec![None];
    held.extend(Strength::ALL.map(Some));
    let mut fences = Vec::new();
    for fs_read in &held {
        for fs_write in &held {
            for exec in &held {
                for net in &held {
                    fences.push(FenceSpec {
                        fs_read: *fs_read,
                        fs_write: *fs_write,
                        exec: *exec,
                        net: *net,
                    });
                }
            }
        }
    }
    fences
}

fn restricted(fence: &FenceSpec) -> impl Iterator<Item = Strength> {
    let axes = [fence.fs_read, fence.fs_write, fence.exec, fence.net];
    axes.into_iter().flatten()
}

/// Where more than one axis is restricted, the control is each of them alone.
fn other_strength(
    lattice: &Lattice<'_>,
    fence: &FenceSpec,
    expected: Strength,
    seen: Option<Strength>,
) -> Judged {
    let told = |strength: Option<Strength>| strength.map_or("none".to_owned(), |s| s.to_string());
    let alone = FenceSpec {
        exec: Some(expected),
        ..FenceSpec::default()
    };
    let twin = told(lattice.fence_strength(&alone)?);
    Ok(Finding::broken(
        Counterexample::new(format!("a fence with {fence} counts as {}", told(seen)))
            .step(format!("fence_strength({fence})"), told(seen))
            .expected(format!(
                "{expected}, the strength of its weakest restricted axis"
            ))
            .seen(told(seen))
            .twin(format!("a fence with {alone} counts as {twin}")),
    ))
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;

    #[test]
    fn the_toolkit_counts_the_weakest_axis() {
        held("LAT-04");
    }

    #[rstest]
    #[case::the_strongest(|fence: &FenceSpec, _: Option<Strength>| restricted(fence).max())]
    #[case::the_first(|fence: &FenceSpec, _: Option<Strength>| restricted(fence).next())]
    #[case::net_forgotten(|fence: &FenceSpec, _: Option<Strength>| {
        FenceSpec { net: None, ..*fence }.weakest()
    })]
    #[case::unrestricted_counts(|fence: &FenceSpec, sound: Option<Strength>| {
        if restricted(fence).count() < 4 { Some(Strength::Advisory) } else { sound }
    })]
    fn a_fence_that_counts_otherwise_is_convicted(
        #[case] fence: fn(&FenceSpec, Option<Strength>) -> Option<Strength>,
    ) {
        let row = judged(
            "LAT-04",
            Double {
                fence,
                ..Double::SOUND
            },
        );
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }

    #[test]
    fn an_order_of_names_is_convicted() {
        let by_name = Double {
            compare: |a, b, _| -> Ordering { b.to_string().cmp(&a.to_string()) },
            ..Double::SOUND
        };
        assert_eq!(judged("LAT-04", by_name).outcome, Outcome::Fail);
    }
}
