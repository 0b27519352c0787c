//! PATH-05 and PATH-07: how long a value may be, by the cap and by what is declared.

use proptest::collection::vec;
use proptest::sample::select;

use super::hostile::CAP;
use super::ordeal::unmet_control;
use super::outline::Outline;
use super::place::{PARAM, Place};
use crate::outcome::Counterexample;
use crate::subject::{Declared, ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Reply, Stop, Trial};

/// A character of each length in bytes. Where a subject takes no such character at all, only its
/// ASCII half is judged.
const KINDS: [char; 4] = ['a', 'é', '字', '😀'];

/// PATH-05. A query as a whole may be held to a length of its own, so that what fits has to come out
/// in the path half only.
pub(super) fn cap(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let taken = taken(trial, &Place::alone(trial.profile()))?;
    let mut cases = 0;
    for &(place, kind) in &taken {
        for length in [255, CAP, CAP + 1, 4_096] {
            if length <= CAP && place.is_in_query() {
                continue;
            }
            cases += 1;
            let value = kind.to_string().repeat(length);
            if let Some(found) = judge(trial, place, &value, length <= CAP, |case| case)? {
                return Ok(Finding::broken(found));
            }
        }
    }
    let kinds: Vec<char> = taken.iter().map(|(_, kind)| *kind).collect();
    let places: Vec<Place> = taken.iter().map(|(place, _)| *place).collect();
    let strategy = (select(places), vec(select(kinds), 200..320));
    let generated = trial.for_all(trial.cases()?, &strategy, |(place, value)| {
        let takes_all = value.iter().all(|kind| taken.contains(&(place, *kind)));
        let fits = value.len() <= CAP;
        let value: String = value.into_iter().collect();
        if !takes_all || (fits && place.is_in_query()) {
            return Ok(None);
        }
        judge(trial, place, &value, fits, |case| case)
    })?;
    Ok(match generated {
        Finding::Held { cases: more } => Finding::Held {
            cases: cases + more,
        },
        found => found,
    })
}

/// PATH-07.
pub(super) fn declared(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let places = Place::alone(trial.profile());
    let taken = taken(trial, &places[..1])?;
    let mut cases = 0;
    for &(place, kind) in &taken {
        for (length, fits) in [(CAP, true), (CAP + 1, false)] {
            let value = kind.to_string().repeat(length);
            if judge(trial, place, &value, fits, |case| case)?.is_some() {
                return Ok(Finding::Undecided(format!(
                    "the control failed: without a declared length the border is not at {CAP} code points"
                )));
            }
        }
        for declared in [0, 1, 4, 255, CAP, CAP + 1, 512, usize::MAX] {
            let border = declared.min(CAP);
            for length in [border.saturating_sub(1), border, border + 1] {
                if length == 0 {
                    continue;
                }
                cases += 1;
                let value = kind.to_string().repeat(length);
                let declare = |case: ResolveCase| {
                    let described = Declared::new(&case.method, &case.template, PARAM);
                    case.declaring(described.max_length(declared))
                };
                if let Some(found) = judge(trial, place, &value, length <= border, declare)? {
                    return Ok(Finding::broken(found));
                }
            }
        }
    }
    Ok(Finding::Held { cases })
}

/// The places, each with every kind of character of which one comes out as it should.
fn taken(trial: &Trial<'_, ResolverSubject>, places: &[Place]) -> Result<Vec<(Place, char)>, Stop> {
    let mut taken = Vec::new();
    let mut unmet = None;
    for &place in places {
        for kind in KINDS {
            match unmet_control(trial, &place.case(kind.to_string()))? {
                None => taken.push((place, kind)),
                Some(reason) => unmet = unmet.or(Some(reason)),
            }
            if taken.last() != Some(&(place, KINDS[0])) && kind == KINDS[0] {
                break;
            }
        }
    }
    match (taken.is_empty(), unmet) {
        (true, Some(reason)) => Err(Stop::Undecided(reason)),
        _ => Ok(taken),
    }
}

/// Asks for one value, which must come out if it fits and must be refused if it does not.
fn judge(
    trial: &Trial<'_, ResolverSubject>,
    place: Place,
    value: &str,
    fits: bool,
    declare: impl Fn(ResolveCase) -> ResolveCase,
) -> Result<Option<Counterexample>, Stop> {
    let case = declare(place.case(value));
    let reply = trial.resolve(&case)?;
    let length = value.chars().count();
    let seen = match (&reply, fits) {
        (Reply::Resolved(resolved), true) => match Outline::of(&case).differs(&resolved.target) {
            None => return Ok(None),
            Some(difference) => difference,
        },
        (Reply::Refused(_), false) => return Ok(None),
        (Reply::Resolved(_), false) => "a target came out".to_owned(),
        (Reply::Refused(refused), true) => format!("refused: {}", refused.message()),
    };
    let declared = case
        .declared
        .first()
        .and_then(|declared| declared.max_length);
    let border = declared.map_or(CAP, |declared| declared.min(CAP));
    let bytes = value.len();
    let one = place.case(value.chars().take(1).collect::<String>());
    let twin = match fits {
        true => format!("`{one}` resolves"),
        false => format!("`{one}` resolves, and the longest value allowed is {border} code points"),
    };
    let outcome = if fits {
        "are not passed on"
    } else {
        "are let through"
    };
    let limit = declared.map_or_else(String::new, |limit| format!(" where {limit} are declared"));
    Ok(Some(
        Counterexample::new(format!(
            "{length} code points ({bytes} bytes) {outcome}{limit}"
        ))
        .step(case.to_string(), short(&reply))
        .expected(format!(
            "{}: the border is at {border} code points",
            if fits {
                "the value comes out"
            } else {
                "refused"
            }
        ))
        .seen(seen)
        .twin(twin),
    ))
}

fn short(reply: &Reply) -> &'static str {
    match reply {
        Reply::Resolved(_) => "resolved",
        Reply::Refused(_) => "refused",
    }
}
