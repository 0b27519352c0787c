//! A row's outcome as people read it: what happened, where, and what to do next.

use std::error::Error;
use std::fmt;

use super::regression::{as_sample, as_test};
use super::{Counterexample, Outcome, RowOutcome};
use crate::catalogue::Requirement;
use crate::seed::Seed;

/// Why a row did not pass. Its `Debug` is the report, since that is what a test prints that
/// returns it.
pub struct Failure(Box<Cause>);

enum Cause {
    Row {
        requirement: &'static Requirement,
        subject: String,
        row: RowOutcome,
        seed: Seed,
        rerun: String,
    },
    Problem {
        subject: String,
        problem: String,
    },
}

impl Failure {
    /// A row that did not pass.
    #[must_use]
    pub fn of_row(
        requirement: &'static Requirement,
        subject: &str,
        row: RowOutcome,
        seed: Seed,
        rerun: impl Into<String>,
    ) -> Self {
        Self(Box::new(Cause::Row {
            requirement,
            subject: subject.to_owned(),
            row,
            seed,
            rerun: rerun.into(),
        }))
    }

    /// Nothing could be judged: the text says why and what to do about it.
    #[must_use]
    pub fn of_problem(subject: &str, problem: impl Into<String>) -> Self {
        Self(Box::new(Cause::Problem {
            subject: subject.to_owned(),
            problem: problem.into(),
        }))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (requirement, subject, row, seed, rerun) = match self.0.as_ref() {
            Cause::Problem { subject, problem } => {
                return write!(f, "`{subject}` cannot be judged: {problem}");
            }
            Cause::Row {
                requirement,
                subject,
                row,
                seed,
                rerun,
            } => (requirement, subject, row, seed, rerun),
        };
        let reason = row.reason.as_deref().unwrap_or_default();
        let headline = match row.outcome {
            Outcome::Fail | Outcome::Timeout | Outcome::Crash => format!("{}: {reason}", row.id),
            open => format!("{} {open}: {reason}", row.id),
        };
        wrapped(f, "", LINE - HARNESS, &headline)?;
        writeln!(f)?;
        part(f, "subject", subject)?;
        part(
            f,
            "requirement",
            &format!("{} ({})", requirement.title, requirement.level),
        )?;
        if let Some(found) = &row.counterexample {
            counterexample(f, found)?;
        }
        if row.outcome.convicts() {
            part(f, "attack", &requirement.attack)?;
            part(f, "repair", &requirement.repair)?;
        }
        part(f, "seed", &seed.to_string())?;
        part(f, "again", rerun)?;
        match &row.counterexample {
            Some(found) => keep(f, found),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for Failure {}

fn counterexample(f: &mut fmt::Formatter<'_>, found: &Counterexample) -> fmt::Result {
    for (index, step) in found.steps.iter().enumerate() {
        part(f, if index == 0 { "asked" } else { "" }, &step.to_string())?;
    }
    part(f, "expected", &found.expected)?;
    part(f, "seen", &found.seen)?;
    part(f, "twin", &found.twin)
}

/// How the case can be kept after the repair: as a declared sample, and as a test.
fn keep(f: &mut fmt::Formatter<'_>, found: &Counterexample) -> fmt::Result {
    let how = match (as_sample(found), as_test(found).is_some()) {
        (Some(word), true) => format!("the case with {word} in the entry, or as a test:"),
        (Some(word), false) => format!("the case with {word} in the entry"),
        (None, true) => "the case as a test:".to_owned(),
        (None, false) => return Ok(()),
    };
    part(f, "keep", &how)?;
    match as_test(found) {
        Some(test) => write!(f, "\n{test}"),
        None => Ok(()),
    }
}

/// Where a part's text begins, and where its lines end.
const INDENT: usize = 15;
const WIDTH: usize = 110;

/// Where the headline ends, and what the harness prints before it.
const LINE: usize = 120;
const HARNESS: usize = "Error: ".len();

/// A part's name and its text: prose is wrapped, code keeps its lines.
fn part(f: &mut fmt::Formatter<'_>, name: &str, text: &str) -> fmt::Result {
    if text.is_empty() {
        return Ok(());
    }
    wrapped(f, &format!("  {name:<13}"), WIDTH, text)
}

/// The text behind its label, wrapped at spaces; lines of code are kept as they are.
fn wrapped(f: &mut fmt::Formatter<'_>, label: &str, width: usize, text: &str) -> fmt::Result {
    let indent = " ".repeat(if label.is_empty() { 2 } else { INDENT });
    let mut label = label;
    for paragraph in text.lines() {
        let mut line = label.to_owned();
        let mut begun = false;
        let words: Vec<&str> = if paragraph.starts_with("    ") {
            vec![paragraph]
        } else {
            paragraph.split(' ').collect()
        };
        for word in words {
            if begun && line.chars().count() + word.chars().count() + 1 > width {
                writeln!(f, "{line}")?;
                line.clone_from(&indent);
                begun = false;
            }
            if begun {
                line.push(' ');
            }
            line.push_str(word);
            begun = true;
        }
        writeln!(f, "{}", line.trim_end())?;
        label = &indent;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Catalogue, Family, Level, RequirementId};

    fn told(reason: &str) -> String {
        let id = RequirementId::new(Family::Pol, 12);
        let requirement = Catalogue::shared().unwrap().get(id).unwrap();
        let row = RowOutcome::new(id, Level::Must, Outcome::Fail).because(reason);
        Failure::of_row(requirement, "s", row, Seed::new(7), "again").to_string()
    }

    #[test]
    fn a_headline_that_fits_a_terminal_stays_in_one_line() {
        let reason = "word ".repeat(21);

        let text = told(reason.trim_end());

        let first = text.lines().next().unwrap();
        assert_eq!(first, format!("POL-12: {}", reason.trim_end()));
        assert!("Error: ".len() + first.len() <= 120, "{first}");
    }

    #[test]
    fn a_longer_headline_goes_on_in_the_next_line() {
        let text = told("word ".repeat(40).trim_end());

        let lines: Vec<&str> = text.lines().take(3).collect();
        assert!("Error: ".len() + lines[0].len() <= 120, "{}", lines[0]);
        assert!(lines[1].starts_with("  word "), "{}", lines[1]);
        assert_eq!(lines[2], "");
    }
}
