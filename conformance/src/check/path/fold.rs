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

/// Overlong forms, of two to four bytes, of characters that are refused and of the dot, which no text
/// can hold but as escapes.
fn overlong() -> Vec<String> {
    let mut all = Vec::new();
    for byte in *b".\\/?#%\0\n\r" {
        let (high, low) = (byte >> 6, 0x80 | (byte & 0x3F));
        for bytes in [
            vec![0xC0 | high, low],
            vec![0xE0, 0x80 | high, low],
            vec![0xF0, 0x80, 0x80 | high, low],
        ] {
            let upper: String = bytes.iter().map(|byte| format!("%{byte:02X}")).collect();
            all.extend([upper.to_ascii_lowercase(), upper]);
        }
    }
    all
}

/// Characters whose compatibility form is a refused character or text, or holds one.
const FOLDING: [char; 24] = [
    '\u{FF0E}', '\u{FF0F}', '\u{FF3C}', '\u{FF1F}', '\u{FF03}', '\u{2024}', '\u{2025}', '\u{FE52}',
    '\u{2026}', '\u{2047}', '\u{2048}', '\u{2049}', '\u{2100}', '\u{2101}', '\u{2105}', '\u{2106}',
    '\u{FE16}', '\u{FE19}', '\u{FE30}', '\u{FE56}', '\u{FE5F}', '\u{FE68}', '\u{FE6A}', '\u{FF05}',
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
    for escape in overlong() {
        all.push(Hostile::between("", &escape, ""));
        all.push(Hostile::between("g", &escape, "g"));
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
    fn the_list_is_what_compatibility_turns_into_refused_text() {
        use unicode_normalization::UnicodeNormalization;
        let folding = |character: &char| {
            let text: String = std::iter::once(*character).nfkc().collect();
            text.contains(['/', '\\', '?', '#', '%']) || text == "." || text.contains("..")
        };
        let mut listed = FOLDING.to_vec();
        listed.sort_unstable();
        let found: Vec<char> = ('\u{80}'..=char::MAX).filter(folding).collect();
        assert_eq!(listed, found);
    }

    #[test]
    fn every_value_has_a_plain_twin() {
        for value in hostile() {
            assert!(value.harmless.is_ascii() && !value.harmless.is_empty());
        }
    }
}
