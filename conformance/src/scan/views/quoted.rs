//! The quoted strings of a `Debug` text, which stand next to each other only once the text
//! between them is taken away.

/// Shows what stands between the double quotes, and single characters between single quotes, as
/// it is written, escapes and all.
pub(super) fn quoted<'t>(text: &'t str, mut show: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(offset) = memchr::memchr2(b'"', b'\'', &bytes[at..]) {
        let start = at + offset + 1;
        let quote = bytes[start - 1];
        let Some(length) = length_to(&bytes[start..], quote) else {
            at = start;
            continue;
        };
        let inside = &text[start..start + length];
        // An apostrophe in prose opens nothing.
        let is_string = quote == b'"' || is_character(inside);
        at = if is_string { start + length + 1 } else { start };
        if is_string {
            show(inside);
        }
    }
}

/// The distance to the closing quote, past escaped ones.
fn length_to(rest: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(quote, b'\\', rest.get(at..)?)?;
        if rest[at] == quote {
            return Some(at);
        }
        at += 2;
    }
}

fn is_character(inside: &str) -> bool {
    inside.chars().count() == 1 || (inside.starts_with('\\') && inside.len() <= 10)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(r#"S { a: "x", b: "y\"z" }"#, &["x", r#"y\"z"#])]
    #[case(r#"['t', '\'', 'é', "don't"]"#, &["t", r"\'", "é", "don't"])]
    #[case("it's 'a' word", &["a"])]
    #[case(r#"it's "x"#, &[])]
    #[case(r#"it's "x""#, &["x"])]
    fn strings_and_characters_are_shown_as_written(#[case] text: &str, #[case] inside: &[&str]) {
        let mut shown = Vec::new();
        quoted(text, |inside| shown.push(inside));
        assert_eq!(shown, inside);
    }
}
