//! PATH-22: bytes that common backends fold into a refused character.

use super::hostile::{Hostile, PLAIN};
use super::ordeal::Ordeal;
use super::place::Place;
use crate::subject::ResolverSubject;
use crate::trial::{Judged, Trial};

/// PATH-22.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let ordeal = Ordeal::new(trial);
    let places = ordeal.open_places(&Place::in_path(), PLAIN)?;
    ordeal.judge(&places, &hostile())
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
        // Encoding a look-alike hides it from nobody who decodes.
        all.push(Hostile::between("", &raw, "").never_sent());
        all.push(Hostile::between("g", &raw, "g").never_sent());
        all.push(Hostile::between("", &escaped, ""));
        all.push(Hostile::between("g", &escaped.to_lowercase(), "g"));
    }
    for steps in [
        "\u{FF0E}\u{FF0E}",
        "\u{FF0E}\u{FF0E}\u{FF0F}admin",
        ".\u{FF0E}",
        "\u{2024}\u{2024}",
    ] {
        all.push(Hostile::between("", steps, "").never_sent());
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
