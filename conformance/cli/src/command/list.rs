//! `list`: the requirements, and which of them have a check.

use proofmark_conformance::catalogue::{Catalogue, RequirementSummary};
use proofmark_conformance::check;
use serde::Serialize;

use super::End;
use crate::args::List;
use crate::error::CliError;
use crate::format::Document;
use crate::format::pretty::{FAINT, Page, STRONG, styled};

/// Prints the list.
pub(super) fn run(asked: &List) -> Result<End, CliError> {
    asked.format.print(&Listing::of(Catalogue::shared()?))?;
    Ok(End::Well)
}

#[derive(Serialize)]
struct Listing<'a> {
    schema: u32,
    suite: &'static str,
    catalogue: &'static str,
    catalogue_digest: &'a str,
    requirements: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    summary: RequirementSummary<'a>,
    /// Whether the suite can judge it: a row without a check is never passed.
    check: bool,
}

impl<'a> Listing<'a> {
    fn of(catalogue: &'a Catalogue) -> Self {
        let entries = catalogue.iter().map(|row| Entry {
            summary: row.summary(),
            check: check::judges(row.id),
        });
        Self {
            schema: 1,
            suite: env!("CARGO_PKG_VERSION"),
            catalogue: catalogue.version(),
            catalogue_digest: catalogue.digest(),
            requirements: entries.collect(),
        }
    }
}

impl Document for Listing<'_> {
    fn pretty(&self, page: Page) -> String {
        let mut text = styled(
            STRONG,
            &format!("{:<7}  {:<6}  {:<5}  title", "id", "level", "check"),
        );
        text.push('\n');
        for Entry { summary, check } in &self.requirements {
            let columns = format!(
                "{:<7}  {:<6}  {:<5}  ",
                summary.id.to_string(),
                summary.level,
                if *check { "yes" } else { "-" }
            );
            text.push_str(&page.labelled(&columns, &columns, summary.title));
        }
        let judged = self.requirements.iter().filter(|entry| entry.check).count();
        let end = format!(
            "{} requirements of catalogue {}, {judged} of them with a check; `proofmark explain ID` shows one in full",
            self.requirements.len(),
            self.catalogue,
        );
        text.push_str(&format!("\n{}\n", styled(FAINT, &end)));
        text
    }
}
