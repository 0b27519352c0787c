//! Headlines that keep to their line, whatever stands in them.

/// The headline may be this long: the harness and the requirement's id stand before it in a line
/// of 120 columns.
pub(super) const LINE: usize = 105;

/// `before`, `text`, `between` and `other`, in which `text` and `other` give way where the line
/// is too short.
pub(in crate::check) fn line(
    before: &str,
    text: &str,
    between: &str,
    other: &str,
    after: &str,
) -> String {
    let fixed = [before, between, after].map(|part| part.chars().count());
    let room = LINE.saturating_sub(fixed.iter().sum());
    let [text_length, other_length] = [text, other].map(escaped_length);
    format!(
        "{before}{}{between}{}{after}",
        shortened(text, room.saturating_sub(other_length).max(room / 2)),
        shortened(other, room.saturating_sub(text_length).max(room / 2)),
    )
}

fn escaped_length(text: &str) -> usize {
    text.escape_debug().count()
}

/// At most `room` characters: the middle gives way, since both ends tell neighbours apart.
fn shortened(text: &str, room: usize) -> String {
    let characters: Vec<char> = text.escape_debug().collect();
    if characters.len() <= room {
        return characters.into_iter().collect();
    }
    let tail = room / 2;
    let head = room.saturating_sub(tail + 1);
    let start: String = characters[..head].iter().collect();
    let end: String = characters[characters.len() - tail..].iter().collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_keeps_to_its_line_and_shows_both_ends() {
        let long = format!("https://api.example.test/{}", "segment/".repeat(40));
        let other = format!("https://evil.test/{}7", "segment/".repeat(40));

        let line = line(
            "the refused ",
            &long,
            " passes as ",
            &other,
            " (host differs)",
        );

        assert!(line.chars().count() <= LINE, "{line}");
        assert!(line.starts_with("the refused https://api") && line.contains("https://evil"));
        assert!(line.ends_with("/7 (host differs)"));
    }

    #[test]
    fn what_fits_is_shown_whole() {
        assert_eq!(line("", "a\t", " is ", "b", "!"), "a\\t is b!");
    }
}
