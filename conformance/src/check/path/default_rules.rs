//! PATH-26: without rules the floor and the cap remain.

use super::beside::together;
use super::hostile::{self, PLAIN};
use super::ordeal::{Elsewhere, Ordeal};
use super::place::{PARAM, Place};
use crate::profile::ResolverProfile;
use crate::subject::{Declared, ResolveCase, ResolverSubject};
use crate::trial::{Judged, Trial};

/// The operation that a description declares besides the one that is asked: its method, template
/// and parameter. `None` declares nothing.
type Besides = fn(&ResolveCase) -> Option<[String; 3]>;

/// PATH-26.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let profile = trial.profile();
    let found = |place: Place, value: &str| {
        let case = place.case(value);
        let declared = described(profile, &case.method, &case.template, PARAM);
        case.declaring(declared)
    };
    let elsewhere = Elsewhere {
        case: &found,
        differing: "where its rules are found",
    };
    let lacking: [Besides; 4] = [
        |_| None,
        |case| {
            Some([
                case.method.clone(),
                "/another/{id}".to_owned(),
                PARAM.to_owned(),
            ])
        },
        |case| Some(["DELETE".to_owned(), case.template.clone(), PARAM.to_owned()]),
        |case| {
            Some([
                case.method.clone(),
                case.template.clone(),
                "another".to_owned(),
            ])
        },
    ];
    let parts = lacking.map(|operation| {
        let change = |case: ResolveCase| match operation(&case) {
            Some([method, template, param]) => {
                let declared = described(profile, &method, &template, &param);
                case.declaring(declared)
            }
            None => case,
        };
        let ordeal = Ordeal::new(trial)
            .changing(&change)
            .unless_elsewhere(elsewhere);
        let places = ordeal.open_places(&Place::all(profile), PLAIN)?;
        let mut hostile = hostile::samples();
        hostile.extend(hostile::separators());
        hostile.extend(hostile::dots());
        ordeal.judge(&places, &hostile)
    });
    together(parts)
}

/// A description that admits everything the floor does.
fn described(profile: &ResolverProfile, method: &str, template: &str, param: &str) -> Declared {
    let declared = Declared::new(method, template, param);
    match (profile.max_lengths, profile.patterns) {
        (true, _) => declared.max_length(256),
        (false, true) => declared.pattern(r"^[\s\S]*$"),
        (false, false) => declared,
    }
}
