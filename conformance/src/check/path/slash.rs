//! PATH-09: what allowing a slash admits, and who may allow it.

use serde_json::json;

use super::beside::{self, Refusable, Unless};
use super::hostile::{self, Hostile};
use super::ordeal::{Elsewhere, Ordeal, unmet_control};
use super::place::{PARAM, Place};
use crate::subject::{Declared, ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Trial};

/// PATH-09.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    // Without its slashes, too: what else is refused there must not be refused for them.
    let plain = |place: Place, value: &str| place.case(value.replace('/', ""));
    let refused = Elsewhere {
        case: &plain,
        differing: "without slashes, where none is allowed,",
    };
    let as_it_is = |place: Place, value: &str| place.case(value);
    let undeclared = Elsewhere {
        case: &as_it_is,
        differing: "where no slash is allowed",
    };
    let allow = |case: ResolveCase| case.allowing_slash(PARAM);
    let ordeal = Ordeal::new(trial)
        .changing(&allow)
        .unless_elsewhere(refused);
    let places = ordeal.open_places(&Place::in_path(), "a/b")?;
    let control = places[0].case("a/b");
    if let (Some(resolved), false) = (
        trial.resolve(&control)?.resolved(),
        trial.profile().encodes_reserved(),
    ) {
        return Ok(Finding::Undecided(format!(
            "the control failed: `{control}` came out as `{resolved}` although no slash is allowed"
        )));
    }
    let mut cases = match ordeal.judge(&places, &with_slash_allowed(trial.profile().resolves))? {
        Finding::Held { cases } => cases,
        found => return Ok(found),
    };
    cases += match beside::judge(trial, &[beside_it()])? {
        Finding::Held { cases } => cases,
        found => return Ok(found),
    };
    for declare in [reserved_allowed, slash_in_pattern, extended] {
        let ordeal = Ordeal::new(trial)
            .changing(&declare)
            .unless_elsewhere(undeclared);
        if unmet_control(trial, &declare(places[0].case("ab")))?.is_some() {
            // A document that is refused as it stands allows nothing.
            continue;
        }
        match ordeal.judge(&places, &[Hostile::between("a", "/", "b")])? {
            Finding::Held { cases: more } => cases += more,
            found => return Ok(found),
        }
    }
    Ok(Finding::Held { cases })
}

/// Everything hostile but the slash itself, with and without slashes beside it.
fn with_slash_allowed(whole_templates: bool) -> Vec<Hostile> {
    let is_slash = |text: &str| text == "/" || text.eq_ignore_ascii_case("%2f");
    let reserved = hostile::reserved().into_iter().map(String::from);
    let texts = reserved.chain(hostile::escapes());
    let mut all = hostile::empty();
    for text in texts.filter(|text| !is_slash(text)) {
        all.push(Hostile::between("g", &text, "g"));
        all.push(Hostile::between("a/g", &text, "g/b"));
    }
    all.extend(
        hostile::dots()
            .into_iter()
            .filter(|dots| !dots.value.contains('/')),
    );
    all.extend(hostile::steps(whole_templates));
    all
}

/// A slash in one parameter where it is allowed in another.
fn beside_it() -> Refusable {
    let case = |other: &str| {
        let case = ResolveCase::new("/items/{id}/parts/{part}").allowing_slash(PARAM);
        case.argument(PARAM, "7").argument("part", other)
    };
    let because = "a slash is allowed in the values of another parameter only";
    Refusable::new(case("a/b"), case("ab"), because).unless(Unless::Spelled)
}

fn declared(case: &ResolveCase) -> Declared {
    Declared::new(&case.method, &case.template, PARAM)
}

fn reserved_allowed(case: ResolveCase) -> ResolveCase {
    let declared = declared(&case).further("allowReserved", true);
    case.declaring(declared)
}

fn slash_in_pattern(case: ResolveCase) -> ResolveCase {
    let declared = declared(&case).pattern("^[a-z/]+$");
    case.declaring(declared)
}

fn extended(case: ResolveCase) -> ResolveCase {
    let declared = declared(&case)
        .further("x-allow-slash", true)
        .further("allow_slash", true)
        .further("x-ms-skip-url-encoding", true)
        .further("explode", true)
        .further("style", json!("simple"));
    case.declaring(declared)
}
