//! PATH-05 and PATH-07: how long a value may be, by the cap and by what is declared.

use proptest::collection::vec;
use proptest::sample::select;
use serde_json::{Value, json};

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

/// What a counter of 16 bits takes for one.
const LONG: usize = (1 << 16) + 1;

/// PATH-05. A query as a whole may be held to a length of its own, so that what fits has to come out
/// in the path half only.
pub(super) fn cap(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let taken = taken(trial, &Place::alone(trial.profile()))?;
    let mut cases = 0;
    for &(place, kind) in &taken {
        for length in [255, CAP, CAP + 1, 4_096, LONG] {
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
    if let Some(found) = disguised(trial, &taken)? {
        return Ok(Finding::broken(found));
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

/// Texts of more than one code point that somebody may count as one: a letter with its accent, an
/// escape, letters that compose, and blanks that are not counted.
const UNITS: [(&str, &str); 5] = [
    ("", "e\u{301}"),
    ("", "%41"),
    ("", "\u{1112}\u{1161}\u{11ab}"),
    ("", "a\u{200d}"),
    ("", " "),
];

/// A value that is too long only where its code points are counted one by one.
fn disguised(
    trial: &Trial<'_, ResolverSubject>,
    taken: &[(Place, char)],
) -> Result<Option<Counterexample>, Stop> {
    let mut places: Vec<Place> = taken.iter().map(|(place, _)| *place).collect();
    places.dedup();
    for place in places {
        for (before, unit) in UNITS {
            for count in [CAP / unit.chars().count() + 1, CAP] {
                let case = |count: usize| place.case(format!("{before}{}a", unit.repeat(count)));
                let (long, short) = (case(count), case(2));
                let reply = trial.resolve(&long)?;
                if reply.refused().is_some() || trial.resolve(&short)?.refused().is_some() {
                    continue;
                }
                let length = before.len() + unit.chars().count() * count + 1;
                return Ok(Some(
                    Counterexample::new(format!("{length} code points are let through"))
                        .step(long.to_string(), self::short(&reply))
                        .expected(format!("refused: the border is at {CAP} code points"))
                        .seen(format!("a target came out: {count} times {unit:?}"))
                        .twin(format!("`{short}` resolves")),
                ));
            }
        }
    }
    Ok(None)
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
    match typed(trial, places[0])? {
        Some(found) => Ok(Finding::broken(found)),
        None => Ok(Finding::Held { cases: cases + 4 }),
    }
}

/// Values that are no strings have a length, too; and a pattern beside it takes nothing away.
fn typed(trial: &Trial<'_, ResolverSubject>, place: Place) -> Result<Option<Counterexample>, Stop> {
    let values = [json!(12345), json!(true), Value::Null, json!("abcde")];
    for value in values {
        let plain = place.case(value.clone());
        let described = Declared::new(&plain.method, &plain.template, PARAM).max_length(3);
        let described = if trial.profile().patterns {
            described.pattern("^[a-z0-9]+$")
        } else {
            described
        };
        let case = plain.clone().declaring(described);
        let reply = trial.resolve(&case)?;
        if reply.refused().is_some() || trial.resolve(&plain)?.refused().is_some() {
            continue;
        }
        return Ok(Some(
            Counterexample::new(format!(
                "{value} is let through where 3 code points are declared"
            ))
            .step(case.to_string(), &reply)
            .expected("refused: its text has more than 3 code points")
            .seen("a target came out")
            .twin(format!(
                "`{plain}` resolves, and no declaration widens that"
            )),
        ));
    }
    Ok(None)
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
