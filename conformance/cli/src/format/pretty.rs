//! How text for people is laid out: width, wrapping, colours.

use anstyle::{AnsiColor, Style};
use console::Term;
use textwrap::{Options, WordSplitter};

/// The width where there is no terminal to ask.
const WIDTH: usize = 100;

/// Text is never set narrower than this, however narrow the terminal.
const NARROWEST: usize = 40;

pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const OPEN: Style = AnsiColor::Yellow.on_default();

/// What text is laid out for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    width: usize,
}

impl Page {
    /// A page as wide as the terminal that standard output is.
    pub(crate) fn of_stdout() -> Self {
        let columns = Term::stdout().size_checked().map(|(_, columns)| columns);
        Self::of_width(columns.map_or(WIDTH, usize::from))
    }

    /// A page of this width.
    pub(crate) fn of_width(width: usize) -> Self {
        Self {
            width: width.max(NARROWEST),
        }
    }

    /// A label and its text, which keeps to the right of the label. A line of the text that starts
    /// with four spaces is code and is not wrapped.
    ///
    /// `plain` is the label without its colours, which decides where the text begins.
    pub(crate) fn labelled(self, label: &str, plain: &str, text: &str) -> String {
        let indent = plain.chars().count();
        let room = self.width.saturating_sub(indent).max(NARROWEST / 2);
        let options = Options::new(room)
            .break_words(false)
            .word_splitter(WordSplitter::NoHyphenation);
        let mut lines: Vec<String> = Vec::new();
        for line in text.lines() {
            if line.starts_with("    ") {
                lines.push(line.to_owned());
            } else {
                let wrapped = textwrap::wrap(line, &options);
                lines.extend(wrapped.into_iter().map(std::borrow::Cow::into_owned));
            }
        }
        let mut set = String::new();
        for (index, line) in lines.iter().enumerate() {
            let margin = if index == 0 {
                label.to_owned()
            } else {
                " ".repeat(indent)
            };
            set.push_str(format!("{margin}{line}").trim_end());
            set.push('\n');
        }
        set
    }
}

/// The text in this style.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The text with control characters other than line breaks escaped: what a subject says must not
/// steer the terminal.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() && character != '\n' {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_keeps_to_the_right_of_its_label_and_within_the_page() {
        let text = "a claim of several words that needs more than one line\n\n    code stays as long as it was written, whatever the width\ndone";
        let set = Page::of_width(40).labelled("label  ", "label  ", text);
        let lines: Vec<&str> = set.lines().collect();
        assert_eq!(lines[0], "label  a claim of several words that");
        assert_eq!(lines[1], "       needs more than one line");
        assert_eq!(lines[2], "");
        assert!(lines[3].ends_with("whatever the width"));
        assert_eq!(lines[4], "       done");
    }

    #[test]
    fn what_a_subject_says_cannot_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\nc");
    }
}
