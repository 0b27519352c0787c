//! From the rows' outcomes to the report on a subject.

use super::conclude::{is_about_faults, promote};
use crate::catalogue::{Catalogue, Requirement, RequirementId, SubjectKind};
use crate::check;
use crate::outcome::{NotJudged, Outcome, RowOutcome, SubjectReport, Verdict};
use crate::profile::Profile;
use crate::subject::Identity;

/// Which rows are judged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    only: Option<Vec<RequirementId>>,
    without: Vec<RequirementId>,
}

/// A selected id is not in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no requirement {id}: `proofmark list` shows those there are")]
pub struct UnknownRow {
    id: RequirementId,
}

impl Selection {
    /// Every row.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Only these rows; the verdict is then at best partial.
    ///
    /// # Errors
    ///
    /// [`UnknownRow`] where the catalogue has no such row.
    pub fn only(catalogue: &Catalogue, ids: Vec<RequirementId>) -> Result<Self, UnknownRow> {
        match ids.iter().find(|&&id| catalogue.get(id).is_none()) {
            Some(&id) => Err(UnknownRow { id }),
            None => Ok(Self {
                only: Some(ids),
                without: Vec::new(),
            }),
        }
    }

    /// The same rows without this one, as if it had no check.
    #[must_use]
    pub fn without(mut self, id: RequirementId) -> Self {
        self.without.push(id);
        self
    }

    /// Whether rows were left out on purpose.
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        self.only.is_some() || !self.without.is_empty()
    }

    fn has(&self, id: RequirementId) -> bool {
        !self.without.contains(&id) && self.only.as_ref().is_none_or(|only| only.contains(&id))
    }

    /// The selected rows about subjects of this kind that have a check. Those that other rows
    /// depend on come first: a subject that cannot be asked at all is found out by them.
    #[must_use]
    pub fn rows<'c>(&self, catalogue: &'c Catalogue, kind: SubjectKind) -> Vec<&'c Requirement> {
        let judged = rows_about(catalogue, kind).filter(|row| self.has(row.id));
        let mut rows: Vec<&Requirement> =
            judged.filter(|row| check::find(row.id).is_some()).collect();
        rows.sort_by_key(|row| (!is_about_faults(row.id), row.id));
        rows
    }
}

fn rows_about(catalogue: &Catalogue, kind: SubjectKind) -> impl Iterator<Item = &Requirement> {
    catalogue
        .iter()
        .filter(move |row| row.subjects.contains(&kind))
}

/// The report on `subject` from what its rows came to.
#[must_use]
pub fn report(
    catalogue: &Catalogue,
    subject: &Identity,
    selection: &Selection,
    mut outcomes: Vec<RowOutcome>,
) -> SubjectReport {
    outcomes.sort_by_key(|row| row.id);
    promote(&mut outcomes);
    let kind = subject.kind;
    let mut not_judged: Vec<NotJudged> = rows_about(catalogue, kind)
        .filter(|row| !outcomes.iter().any(|outcome| outcome.id == row.id))
        .map(|row| {
            let reason = match check::find(row.id) {
                None if check::COUNTED.contains(&row.id) => {
                    "it is shown by counting allocations, and not by running a subject"
                }
                None if check::judges(row.id) => {
                    "it is shown by compiling, and not by running a subject"
                }
                None => "the suite has no check for it yet",
                Some(_) if selection.has(row.id) => "no outcome was recorded for it",
                Some(_) => "it was not selected",
            };
            NotJudged {
                id: row.id,
                reason: reason.to_owned(),
            }
        })
        .collect();
    let inapplicable = outcomes
        .iter()
        .filter(|row| row.outcome == Outcome::NotApplicable);
    not_judged.extend(inapplicable.map(|row| NotJudged {
        id: row.id,
        reason: row.reason.clone().unwrap_or_default(),
    }));
    not_judged.sort_by_key(|row| row.id);
    let missing = not_judged.iter().any(|row| {
        check::find(row.id).is_some() && !outcomes.iter().any(|outcome| outcome.id == row.id)
    });
    SubjectReport {
        name: subject.name.clone(),
        kind: kind.to_string(),
        version: subject.version.clone(),
        profile_digest: subject
            .profile
            .as_ref()
            .map_or_else(String::new, Profile::digest),
        verdict: Verdict::of(&outcomes, selection.is_filtered() || missing),
        outcomes,
        not_judged,
    }
}
