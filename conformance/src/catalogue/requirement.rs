//! One row of the catalogue: what must hold, how it is observed, and what a break of it costs.

use serde::{Deserialize, Deserializer, Serialize};

use super::word::words;
use super::{Family, FieldId, RequirementId};

words! {
    /// How binding a requirement is.
    pub enum Level {
        /// A break of it convicts, and nothing certifies without it.
        Must = "must",
        /// A break of it convicts, but only `certified-strict` needs it.
        Should = "should",
        /// Observed and reported; it never convicts.
        May = "may",
    }
}

words! {
    /// What kind of subject a requirement is about.
    pub enum SubjectKind {
        /// A `RequestPolicy`.
        Policy = "policy",
        /// An `HttpExecutor`.
        Executor = "executor",
        /// Whatever turns a template and values into a request target.
        Resolver = "resolver",
        /// A whole server surface: curated tools, or scripts.
        Surface = "surface",
        /// A gate, the contexts it mints, and the authority they carry.
        Leash = "leash",
        /// A searcher for secrets.
        Scanner = "scanner",
        /// A source fixture that must, or must not, compile.
        Compile = "compile",
    }
}

words! {
    /// Where a requirement comes from.
    pub enum Source {
        /// The seed document on outbound requests and policies.
        Seed000 = "000",
        /// The seed document on executors and placeholders.
        Seed001 = "001",
        /// The seed document on the leash.
        Seed003 = "003",
        /// Behaviour measured on the public crates.
        Peer = "peer",
        /// A public fault report.
        Field = "field",
        /// What the subject's own profile declares.
        Profile = "profile",
    }
}

words! {
    /// How a subject can be reached for this requirement to be judged.
    pub enum Transport {
        /// As a Rust value inside a worker.
        Rust = "rust",
        /// As a child process that answers JSON lines.
        Child = "child",
        /// As a running server, seen only through its calls and its wire.
        Server = "server",
    }
}

words! {
    /// Whether the check runs the subject or compiles a fixture.
    pub enum Mode {
        /// The subject is run.
        Run = "run",
        /// A fixture is compiled.
        Compile = "compile",
    }
}

/// One requirement, with the texts that `explain` and failure reports show.
///
/// In the texts, a blank line parts paragraphs and a line that starts with four spaces is code;
/// every other line break of the source file has been folded into a space.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Its name, which never changes meaning.
    pub id: RequirementId,
    /// How binding it is.
    pub level: Level,
    /// The claim in one line of at most 70 characters.
    pub title: String,
    /// The kinds of subject it judges.
    pub subjects: Vec<SubjectKind>,
    /// When it applies, in the words a profile's author writes.
    #[serde(deserialize_with = "prose")]
    pub applies_when: String,
    /// The capabilities a subject must declare; without one of them the row is not applicable.
    pub needs: Vec<String>,
    /// What must hold.
    #[serde(deserialize_with = "prose")]
    pub statement: String,
    /// What the check does and looks at.
    #[serde(deserialize_with = "prose")]
    pub observable: String,
    /// The twin that must behave before a conviction counts.
    #[serde(deserialize_with = "prose")]
    pub control: String,
    /// What an attacker gains where it does not hold.
    #[serde(deserialize_with = "prose")]
    pub attack: String,
    /// How to mend it.
    #[serde(deserialize_with = "prose")]
    pub repair: String,
    /// Where it comes from.
    pub source: Vec<Source>,
    /// The public faults it convicts.
    pub field: Vec<FieldId>,
    /// How a subject can be reached for it to be judged.
    pub transports: Vec<Transport>,
    /// Whether the check runs the subject or compiles a fixture.
    pub mode: Mode,
}

impl Requirement {
    /// The family the requirement belongs to.
    #[must_use]
    pub const fn family(&self) -> Family {
        self.id.family()
    }

    /// The capabilities it needs that are not among `declared`, in catalogue order. When there is
    /// none, the row applies.
    pub fn unmet<'a>(&'a self, declared: &'a [&str]) -> impl Iterator<Item = &'a str> {
        self.needs
            .iter()
            .map(String::as_str)
            .filter(|need| !declared.contains(need))
    }

    /// The entry that stands for it in a machine-readable list.
    ///
    /// ```
    /// use proofmark_conformance::catalogue::{Catalogue, CatalogueError};
    ///
    /// let catalogue = Catalogue::shared()?;
    /// let entries: Vec<_> = catalogue.iter().map(|row| row.summary()).collect();
    /// assert_eq!(entries[0].id.to_string(), "POL-01");
    /// # Ok::<(), CatalogueError>(())
    /// ```
    #[must_use]
    pub fn summary(&self) -> RequirementSummary<'_> {
        RequirementSummary {
            id: self.id,
            family: self.family(),
            level: self.level,
            title: &self.title,
            subjects: &self.subjects,
            source: &self.source,
            transports: &self.transports,
            needs: &self.needs,
            mode: self.mode,
        }
    }
}

/// What a machine-readable list says of one requirement: all but its texts.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RequirementSummary<'a> {
    /// Its name.
    pub id: RequirementId,
    /// Its family.
    pub family: Family,
    /// How binding it is.
    pub level: Level,
    /// The claim in one line.
    pub title: &'a str,
    /// The kinds of subject it judges.
    pub subjects: &'a [SubjectKind],
    /// Where it comes from.
    pub source: &'a [Source],
    /// How a subject can be reached.
    pub transports: &'a [Transport],
    /// The capabilities it needs.
    pub needs: &'a [String],
    /// Whether the check runs the subject or compiles a fixture.
    pub mode: Mode,
}

/// Reads a text and folds the line breaks that only keep the source file narrow.
pub(super) fn prose<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(|text| fold(&text))
}

fn fold(text: &str) -> String {
    const CODE: &str = "    ";
    let mut folded = String::with_capacity(text.len());
    let mut joins = false;
    for line in text.trim_end().lines() {
        let is_code = line.starts_with(CODE);
        let is_prose = !is_code && !line.trim().is_empty();
        if !folded.is_empty() {
            folded.push(if joins && is_prose { ' ' } else { '\n' });
        }
        folded.push_str(if is_code {
            line.trim_end()
        } else {
            line.trim()
        });
        joins = is_prose;
    }
    folded
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::one_paragraph("one\ntwo\n", "one two")]
    #[case::two_paragraphs("one\ntwo\n\nthree\n", "one two\n\nthree")]
    #[case::code_keeps_its_lines(
        "see\n\n    let a;\n    let b;\n\ndone",
        "see\n\n    let a;\n    let b;\n\ndone"
    )]
    #[case::code_is_not_joined_to_prose("see\n    let a;\ndone", "see\n    let a;\ndone")]
    #[case::empty("\n", "")]
    fn only_line_breaks_inside_a_paragraph_are_folded(#[case] text: &str, #[case] folded: &str) {
        assert_eq!(fold(text), folded);
    }
}
