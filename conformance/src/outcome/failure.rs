//! A row's outcome as people read it: what happened, where, and what to do next.

use std::error::Error;
use std::fmt;

use super::{Counterexample, Outcome, RowOutcome, Step};
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
        match row.outcome {
            Outcome::Fail | Outcome::Timeout | Outcome::Crash => {
                writeln!(f, "{}: {reason}", row.id)?;
            }
            open => writeln!(f, "{} {open}: {reason}", row.id)?,
        }
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
        match row.counterexample.as_ref().and_then(regression) {
            Some(test) => write!(f, "\n  as a regression test:\n\n{test}"),
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
        part(f, if index == 0 { "done" } else { "" }, &step.to_string())?;
    }
    part(f, "expected", &found.expected)?;
    part(f, "seen", &found.seen)?;
    part(f, "twin", &found.twin)
}

/// Where a part's text begins, and where its lines end.
const INDENT: usize = 15;
const WIDTH: usize = 110;

/// A part's name and its text: prose is wrapped, code keeps its lines.
fn part(f: &mut fmt::Formatter<'_>, name: &str, text: &str) -> fmt::Result {
    if text.is_empty() {
        return Ok(());
    }
    let mut label = format!("  {name:<13}");
    for paragraph in text.lines() {
        if paragraph.starts_with("    ") {
            writeln!(f, "{label}{paragraph}")?;
            label = " ".repeat(INDENT);
            continue;
        }
        let mut line = String::new();
        for word in paragraph.split(' ') {
            let long = line.chars().count() + word.chars().count() + 1 > WIDTH - INDENT;
            if long && !line.is_empty() {
                writeln!(f, "{label}{line}")?;
                label = " ".repeat(INDENT);
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        writeln!(f, "{}", format!("{label}{line}").trim_end())?;
        label = " ".repeat(INDENT);
    }
    Ok(())
}

/// So many requests can be pasted; longer runs are told by their seed.
const MOST_STEPS: usize = 6;

/// A test to paste, where the counterexample is a run of requests that ends in a wrong verdict.
fn regression(found: &Counterexample) -> Option<String> {
    let last = found.steps.last()?;
    let wanted = match last.verdict.as_str() {
        "allowed" => "is_err",
        "refused" => "is_ok",
        _ => return None,
    };
    if found.steps.len() > MOST_STEPS || found.steps.iter().any(too_long) {
        return None;
    }
    let mut code = String::from(
        "    #[tokio::test]\n    async fn regression() {\n        let policy = subject(); // built as in the `conformance!` entry\n",
    );
    for (index, step) in found.steps.iter().enumerate() {
        let last = index + 1 == found.steps.len();
        code.push_str(&step_code(step, last.then_some(wanted)));
    }
    code.push_str("    }\n");
    Some(code)
}

fn too_long(step: &Step) -> bool {
    step.request.path.len() > 300 || step.request.query.len() > 8
}

fn step_code(step: &Step, wanted: Option<&str>) -> String {
    let request = &step.request;
    let pairs = request
        .query
        .iter()
        .map(|(key, value)| format!("({key:?}.into(), {value:?}.into())"));
    let pairs = pairs.collect::<Vec<_>>().join(", ");
    let body = match &request.body {
        Some(body) => format!("Some(&serde_json::json!({body}))"),
        None => "None".to_owned(),
    };
    let tool = request.tool.as_deref().unwrap_or_default();
    let phase = if request.preview {
        ".with_phase(RequestPhase::Validate)"
    } else {
        ""
    };
    let ask = format!(
        "policy.check(&OutboundRequest::new({tool:?}, {:?}, {:?}, &[{pairs}], {body}).with_call_id({:?}){phase}).await",
        request.method, request.path, request.call_id
    );
    match (wanted, step.times) {
        (Some(wanted), 1) => format!("        assert!({ask}.{wanted}());\n"),
        (Some(wanted), times) => format!(
            "        for _ in 1..{times} {{\n            let _ = {ask};\n        }}\n        assert!({ask}.{wanted}());\n"
        ),
        (None, 1) => format!("        let _ = {ask};\n"),
        (None, times) => {
            format!("        for _ in 0..{times} {{\n            let _ = {ask};\n        }}\n")
        }
    }
}
