//! PATH-01 to PATH-04: what no value may hold.

use super::beside::together;
use super::hostile::{self, PLAIN};
use super::ordeal::Ordeal;
use super::place::{PARAM, Place};
use crate::subject::ResolverSubject;
use crate::trial::{Finding, Judged, Stop, Trial};

/// PATH-01.
pub(super) fn empty(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let ordeal = Ordeal::new(trial);
    let places = ordeal.open_places(&Place::all(trial.profile()), "a")?;
    ordeal.judge(&places, &hostile::empty())
}

/// PATH-02.
pub(super) fn separators(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let ordeal = Ordeal::new(trial).used_before();
    let places = ordeal.open_places(&Place::all(trial.profile()), PLAIN)?;
    let texts = hostile::reserved().into_iter().map(String::from).collect();
    ordeal.judge_amid(&places, &hostile::separators(), texts)
}

/// PATH-03.
pub(super) fn escapes(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let ordeal = Ordeal::new(trial);
    let places = ordeal.open_places(&Place::all(trial.profile()), PLAIN)?;
    ordeal.judge_amid(&places, &hostile::escaped(), hostile::escapes())
}

/// PATH-04.
pub(super) fn dots(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let ordeal = Ordeal::new(trial);
    let all = Place::all(trial.profile());
    // One that passes on no dot at all passes on no two of them.
    let places = match ordeal.open_places(&all, "a.b") {
        Err(Stop::Undecided(_)) => ordeal.open_places(&all, PLAIN)?,
        opened => opened?,
    };
    let texts = ["..", ".%2e", "%2E.", "%2e%2E"].map(str::to_owned).into();
    let plain = match ordeal.judge_amid(&places, &hostile::dots(), texts)? {
        Finding::Held { cases } if trial.profile().allow_slash => cases,
        found => return Ok(found),
    };
    let allowed = |case: crate::subject::ResolveCase| case.allowing_slash(PARAM);
    let ordeal = Ordeal::new(trial).changing(&allowed);
    let places = ordeal.open_places(&Place::in_path(), "a/b")?;
    let mut steps = hostile::steps(trial.profile().resolves);
    // What an encoding resolver may send, it may send here too.
    let encodes = trial.profile().encodes_reserved();
    let dots = hostile::dots().into_iter();
    steps.extend(dots.filter(|dots| !(encodes && dots.is_encodable)));
    let parts = [
        Ok(Finding::Held { cases: plain }),
        ordeal.judge(&places, &steps),
        whole_values(&ordeal, trial),
    ];
    together(parts)
}

/// A lone dot first or last, where the value is all there is between the author's slashes.
fn whole_values(ordeal: &Ordeal<'_>, trial: &Trial<'_, ResolverSubject>) -> Judged {
    if !trial.profile().resolves {
        return Ok(Finding::held(0));
    }
    let alone = Place::alone(trial.profile()).into_iter();
    let in_path: Vec<Place> = alone.filter(|place| !place.is_in_query()).collect();
    let places = ordeal.open_places(&in_path, "a/b")?;
    ordeal.judge(&places, &hostile::steps_at_ends())
}
