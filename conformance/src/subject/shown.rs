//! Texts of any length and content, as part of one line.

/// At most this many characters of one part are shown.
const SHOWN: usize = 160;

/// The text, cut if it is long, with its control characters escaped.
pub(super) fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).flat_map(escaped).collect();
    let rest = text.chars().count().saturating_sub(SHOWN);
    if rest > 0 {
        shown.push_str(&format!("… ({rest} more characters)"));
    }
    shown
}

fn escaped(character: char) -> Box<dyn Iterator<Item = char>> {
    if character.is_control() {
        Box::new(character.escape_default())
    } else {
        Box::new(std::iter::once(character))
    }
}
