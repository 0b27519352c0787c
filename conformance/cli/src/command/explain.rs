//! `explain`: one requirement in full, with the specimens that show it at work.

use proofmark_conformance::catalogue::{
    Catalogue, FieldId, Requirement, RequirementSummary, Source,
};
use proofmark_conformance::check;
use proofmark_specimens::{Specimen, specimens};
use serde::Serialize;

use super::End;
use crate::args::Explain;
use crate::error::CliError;
use crate::format::Document;
use crate::format::pretty::{Page, STRONG, styled};
use crate::lookup;

/// Prints the requirement.
pub(super) fn run(asked: &Explain) -> Result<End, CliError> {
    let row = lookup::requirement(Catalogue::shared()?, &asked.id)?;
    let specimens = specimens();
    let explanation = Explanation::of(row, &specimens, check::judges(row.id));
    asked.format.print(&explanation)?;
    Ok(End::Well)
}

#[derive(Serialize)]
struct Explanation<'a> {
    schema: u32,
    #[serde(flatten)]
    summary: RequirementSummary<'a>,
    check: bool,
    applies_when: &'a str,
    statement: &'a str,
    attack: &'a str,
    observable: &'a str,
    control: &'a str,
    repair: &'a str,
    field: &'a [FieldId],
    specimens: Vec<Convicted<'a>>,
}

/// A specimen that the requirement must convict.
#[derive(Serialize)]
struct Convicted<'a> {
    name: &'a str,
    fault: &'a str,
    /// Whether the specimen was made for this requirement, rather than breaking it as well.
    primary: bool,
}

impl<'a> Explanation<'a> {
    fn of(row: &'a Requirement, specimens: &'a [Specimen], check: bool) -> Self {
        let convicted = specimens
            .iter()
            .filter(|specimen| specimen.declared().contains(&row.id));
        Self {
            schema: 1,
            summary: row.summary(),
            check,
            applies_when: &row.applies_when,
            statement: &row.statement,
            attack: &row.attack,
            observable: &row.observable,
            control: &row.control,
            repair: &row.repair,
            field: &row.field,
            specimens: convicted
                .map(|specimen| Convicted {
                    name: specimen.subject.name(),
                    fault: specimen.fault,
                    primary: specimen.primary == row.id,
                })
                .collect(),
        }
    }

    fn parts(&self) -> [(&'static str, String); 11] {
        let list = |words: Vec<String>| words.join(", ");
        let sources = self.summary.source.iter().map(|source| origin(*source));
        let check = if self.check {
            "the suite has one".to_owned()
        } else {
            "the suite has none yet, so no subject passes it".to_owned()
        };
        [
            ("applies when", self.applies_when.to_owned()),
            ("statement", self.statement.to_owned()),
            ("attack", self.attack.to_owned()),
            ("observable", self.observable.to_owned()),
            ("control", self.control.to_owned()),
            ("repair", self.repair.to_owned()),
            (
                "subjects",
                list(
                    self.summary
                        .subjects
                        .iter()
                        .map(ToString::to_string)
                        .collect(),
                ),
            ),
            ("sources", sources.collect::<Vec<_>>().join("; ")),
            (
                "faults",
                list(self.field.iter().map(ToString::to_string).collect()),
            ),
            ("check", check),
            (
                "specimens",
                self.specimens
                    .iter()
                    .map(Convicted::line)
                    .collect::<Vec<_>>()
                    .join("\n"),
            ),
        ]
    }
}

impl Convicted<'_> {
    fn line(&self) -> String {
        let as_well = if self.primary {
            ""
        } else {
            " (breaks this as well)"
        };
        format!("{}: {}{as_well}", self.name, self.fault)
    }
}

/// Where a requirement comes from, in words.
fn origin(source: Source) -> &'static str {
    match source {
        Source::Seed000 => "seed 000, on outbound requests and policies",
        Source::Seed001 => "seed 001, on executors and placeholders",
        Source::Seed003 => "seed 003, on the leash",
        Source::Peer => "behaviour measured on the public crates",
        Source::Field => "public fault reports",
        Source::Profile => "what the subject's own profile declares",
    }
}

impl Document for Explanation<'_> {
    fn pretty(&self, page: Page) -> String {
        let mut text = format!(
            "{}  {}  {}\n",
            styled(STRONG, &self.summary.id.to_string()),
            self.summary.level,
            styled(STRONG, self.summary.title)
        );
        for (name, part) in self.parts() {
            if part.is_empty() {
                continue;
            }
            let plain = format!("  {name:<14}");
            text.push('\n');
            text.push_str(&page.labelled(&styled(STRONG, &plain), &plain, &part));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use proofmark_conformance::profile::PolicyProfile;
    use proofmark_conformance::subject::PolicySubject;
    use proofmark_conformance::toolkit::policy::policy_fn;

    use super::*;

    const ROW: &str = r#"{
        "id": "POL-12", "level": "must", "title": "A claim in one line", "subjects": ["policy"],
        "applies_when": "the profile declares `endpoints`", "needs": ["endpoints"],
        "statement": "What must hold, in a sentence that is long enough to be wrapped at the width of the page.",
        "observable": "What the check looks at.", "control": "The twin.",
        "attack": "What it costs.\n\nIn two paragraphs.",
        "repair": "Do this:\n\n    let url = Url::parse(text)?; // code keeps its line, however long it is, since it is code",
        "source": ["field", "000"], "field": ["B04", "B63"], "transports": ["rust"], "mode": "run"
    }"#;

    fn specimen(id: &str, name: &str, fault: &'static str) -> Specimen {
        let subject = PolicySubject::new(name, PolicyProfile::new(), || policy_fn(|_| Ok(())));
        Specimen::new(id.parse().unwrap(), fault, subject)
    }

    #[test]
    fn a_requirement_is_explained_with_all_its_texts() {
        let row: Requirement = serde_json::from_str(ROW).unwrap();
        let specimens = [
            specimen("POL-12", "compares_text", "compares text, not segments"),
            specimen("POL-18", "decodes_late", "decodes after it has compared")
                .also(row.id, "an encoded dot segment leaves the endpoint"),
            specimen("POL-01", "elsewhere", "is about another row"),
        ];
        let told = Explanation::of(&row, &specimens, true).pretty(Page::of_width(80));
        insta::assert_snapshot!(anstream::adapter::strip_str(&told).to_string());
    }

    #[test]
    fn a_requirement_without_a_check_says_that_nothing_passes_it() {
        let row: Requirement = serde_json::from_str(ROW).unwrap();
        let told = Explanation::of(&row, &[], false).pretty(Page::of_width(80));
        assert!(told.contains("no subject passes it"), "{told}");
    }
}
