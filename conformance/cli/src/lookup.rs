//! Finds what a user named, or else the names that come nearest.

use std::fmt;

use proofmark_conformance::catalogue::{Catalogue, Requirement};
use std::sync::Arc;

use proofmark_conformance::subject::Subject;

use crate::error::CliError;

/// At most this many names are suggested.
const MOST: usize = 3;

/// Names less alike than this are no help; 1 is equality.
const LEAST_ALIKE: f64 = 0.7;

/// The names that come nearest to one that is not there, as the end of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Nearest(Vec<String>);

impl Nearest {
    fn to(text: &str, names: impl Iterator<Item = String>) -> Self {
        let wanted = text.to_lowercase();
        let alike = names.map(|name| {
            let alike = strsim::jaro_winkler(&wanted, &name.to_lowercase());
            (alike, name)
        });
        let mut near: Vec<(f64, String)> =
            alike.filter(|(alike, _)| *alike > LEAST_ALIKE).collect();
        near.sort_by(|left, right| right.0.total_cmp(&left.0));
        Self(near.into_iter().take(MOST).map(|(_, name)| name).collect())
    }
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted: Vec<String> = self.0.iter().map(|name| format!("`{name}`")).collect();
        match quoted.as_slice() {
            [] => Ok(()),
            [one] => write!(f, "; did you mean {one}?"),
            [first @ .., last] => write!(f, "; did you mean {} or {last}?", first.join(", ")),
        }
    }
}

/// The requirement of this name, in either case.
pub(crate) fn requirement<'c>(
    catalogue: &'c Catalogue,
    text: &str,
) -> Result<&'c Requirement, CliError> {
    let text = text.trim();
    let id = text.parse().ok();
    id.and_then(|id| catalogue.get(id))
        .ok_or_else(|| CliError::UnknownRequirement {
            text: shown(text),
            nearest: Nearest::to(text, catalogue.iter().map(|row| row.id.to_string())),
        })
}

/// The built-in subject of this name.
pub(crate) fn subject(name: &str) -> Result<Arc<dyn Subject>, CliError> {
    proofmark_specimens::find(name).ok_or_else(|| {
        let names = proofmark_specimens::all().map(|subject| subject.name().to_owned());
        CliError::UnknownSubject {
            name: shown(name),
            nearest: Nearest::to(name, names),
        }
    })
}

/// What the user wrote, short and without control characters.
fn shown(text: &str) -> String {
    text.chars()
        .take(40)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::one_digit_wrong("POL-99", "POL-")]
    #[case::a_letter_missing("PL-12", "`POL-12`")]
    #[case::no_dash("pol12", "`POL-12`")]
    fn a_requirement_that_is_not_there_suggests_the_nearest(
        #[case] text: &str,
        #[case] suggested: &str,
    ) {
        let catalogue = Catalogue::shared().unwrap();
        let error = requirement(catalogue, text).unwrap_err().to_string();
        assert!(error.contains("did you mean"), "{error}");
        assert!(error.contains(suggested), "{error}");
    }

    #[test]
    fn a_text_that_resembles_nothing_suggests_nothing() {
        let catalogue = Catalogue::shared().unwrap();
        let error = requirement(catalogue, "\u{1b}[31m§").unwrap_err();
        assert_eq!(error.to_string(), "there is no requirement `\u{fffd}[31m§`");
    }

    #[test]
    fn a_requirement_is_found_in_either_case() {
        let catalogue = Catalogue::shared().unwrap();
        assert_eq!(
            requirement(catalogue, " pol-12").unwrap().id.to_string(),
            "POL-12"
        );
    }

    #[test]
    fn a_subject_that_is_not_there_suggests_the_nearest() {
        let error = subject("endpoint_alowlist").unwrap_err().to_string();
        assert!(error.contains("`endpoint_allowlist`"), "{error}");
    }
}
