//! PATH-22: bytes that common backends fold into a refused character.

use super::hostile::{Hostile, PLAIN};
use super::ordeal::Ordeal;
use super::place::Place;
use crate::subject::ResolverSubject;
use crate::trial::{Finding, Judged, Trial};

/// PATH-22.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let ordeal = Ordeal::new(trial);
    let places = ordeal.open_places(&Place::in_path(), PLAIN)?;
    let judged = ordeal.judge(&places, &hostile())?;
    if !matches!(judged, Finding::Held { .. }) || !trial.profile().encodes_reserved() {
        return Ok(judged);
    }
    // An encoded separator is no separator, so what folds to one is none either; but whether a
    // backend folds dots once it has decoded them is not to be seen from here.
    for dots in FOLDING_TO_DOTS {
        let case = places[0].case(dots);
        if let Some(resolved) = trial.resolve(&case)?.resolved() {
            return Ok(Finding::Undecided(format!(
                "look-alikes are encoded and not refused (`{case}` -> {resolved}): safe only before backends that fold nothing"
            )));
        }
    }
    Ok(judged)
}

/// Overlong forms of `.`, `/` and `\`, which no text can hold but as escapes.
const OVERLONG: [&str; 8] = [
    "%c0%ae",
    "%C0%AE",
    "%c0%af",
    "%c1%9c",
    "%e0%80%ae",
    "%e0%80%af",
    "%f0%80%80%ae",
    "%f0%80%80%af",
];

/// Characters whose compatibility form is a refused character or text.
const FOLDING: [char; 9] = [
    '\u{FF0E}', '\u{FF0F}', '\u{FF3C}', '\u{FF1F}', '\u{FF03}', '\u{2024}', '\u{2025}', '\u{FE52}',
    '\u{2026}',
];

/// Values that fold to dot segments.
const FOLDING_TO_DOTS: [&str; 5] = [
    "\u{FF0E}",
    "\u{FF0E}\u{FF0E}",
    ".\u{FF0E}",
    "\u{2024}\u{2024}",
    "\u{2025}",
];

fn hostile() -> Vec<Hostile> {
    let mut all = Vec::new();
    for escape in OVERLONG {
        all.push(Hostile::between("", escape, ""));
        all.push(Hostile::between("g", escape, "g"));
    }
    for dots in ["%c0%ae%c0%ae", "%c0%ae.", "%c0%ae%c0%ae%c0%afadmin"] {
        all.push(Hostile::between("", dots, ""));
    }
    for character in FOLDING {
        let raw = character.to_string();
        let escaped: String = raw.bytes().map(|byte| format!("%{byte:02X}")).collect();
        all.push(Hostile::between("", &raw, ""));
        all.push(Hostile::between("g", &raw, "g"));
        all.push(Hostile::between("", &escaped, ""));
        all.push(Hostile::between("g", &escaped.to_lowercase(), "g"));
    }
    let climbing = "\u{FF0E}\u{FF0E}\u{FF0F}admin";
    for steps in FOLDING_TO_DOTS.into_iter().chain([climbing]) {
        all.push(Hostile::between("", steps, ""));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_a_plain_twin() {
        for value in hostile() {
            assert!(value.harmless.is_ascii() && !value.harmless.is_empty());
        }
    }
}
