//! `selftest`: judges the suite by its specimens, its look-alikes and its fixtures.

use std::time::Duration;

use proofmark_conformance::catalogue::{Catalogue, RequirementId};
use proofmark_conformance::check;
use proofmark_conformance::judge::Selection;
use proofmark_conformance::outcome::Outcome;
use proofmark_conformance::trial::Settings;
use proofmark_conformance::worker::Supervisor;
use proofmark_specimens::{
    Fixture, LookAlike, SelfTest, Specimen, fixtures, judge_all, look_alikes, specimens,
};

use super::End;
use crate::args::Selftest;
use crate::error::CliError;
use crate::format::kill_matrix::{Kill, KillMatrix, WrongFixture};
use crate::progress::Progress;
use crate::{lookup, workers};

/// Cases tried unless told otherwise: specimens are made to be found quickly.
const CASES: u32 = 64;

/// The deadline for fixtures that never answer: they do not answer sooner for being waited on.
const SHORT: Duration = Duration::from_secs(1);

/// Judges every specimen, look-alike and fixture and prints the kill matrix.
pub(super) fn run(asked: &Selftest) -> Result<End, CliError> {
    let catalogue = Catalogue::shared()?;
    let without = asked.without.as_deref();
    let judge = Judge {
        catalogue,
        supervisor: workers::supervisor()?,
        without: without
            .map(|text| checked_row(catalogue, text))
            .transpose()?,
        settings: asked.run.settings(CASES),
    };
    let document = judge.matrix()?;
    asked.format.print(&document)?;
    Ok(if document.holds() {
        End::Well
    } else {
        End::Not
    })
}

fn checked_row(catalogue: &Catalogue, text: &str) -> Result<RequirementId, CliError> {
    let id = lookup::requirement(catalogue, text)?.id;
    match check::find(id) {
        Some(_) => Ok(id),
        None => Err(CliError::NoCheck { id }),
    }
}

/// What every subject is judged by.
struct Judge {
    catalogue: &'static Catalogue,
    supervisor: Supervisor<'static>,
    without: Option<RequirementId>,
    settings: Settings,
}

impl Judge {
    /// What is left to judge by. Where a check is left out, that is what says whether its loss is
    /// noticed: the specimens that declare its row, and the fixtures of that row.
    fn subjects(&self) -> (Vec<Specimen>, Vec<LookAlike>, Vec<Fixture>) {
        let (mut specimens, mut look_alikes, mut fixtures) =
            (specimens(), look_alikes(), fixtures());
        if let Some(lost) = self.without {
            specimens.retain(|specimen| specimen.declared().contains(&lost));
            look_alikes.clear();
            fixtures.retain(|fixture| fixture.row == lost);
        }
        (specimens, look_alikes, fixtures)
    }

    fn selection(&self) -> Selection {
        let all = Selection::all();
        self.without.into_iter().fold(all, Selection::without)
    }

    fn matrix(&self) -> Result<KillMatrix, CliError> {
        let (specimens, look_alikes, fixtures) = self.subjects();
        let subjects: Vec<_> = specimens
            .iter()
            .map(|specimen| specimen.subject.clone())
            .chain(look_alikes.iter().map(|alike| alike.subject.clone()))
            .collect();
        let progress = Progress::of(subjects.len() + fixtures.len());
        let reports = judge_all(
            self.catalogue,
            &self.supervisor,
            &subjects,
            &self.selection(),
            self.settings,
            &|report| progress.judged(&report.name),
        )?;
        let fixtures_wrong = self.fixtures(&fixtures, &progress)?;
        // The rows that have a check, whether or not it was left out: a row that lost its check
        // must be missed.
        let judged: Vec<_> = self
            .catalogue
            .iter()
            .filter(|row| check::find(row.id).is_some())
            .filter(|row| self.without.is_none_or(|lost| lost == row.id))
            .collect();
        Ok(KillMatrix {
            selftest: SelfTest::of(&specimens, &look_alikes, &reports, &judged),
            fixtures: fixtures.len(),
            fixtures_wrong,
            suite: env!("CARGO_PKG_VERSION"),
            catalogue: self.catalogue.version(),
            seed: self.settings.seed,
            cases: self.settings.cases,
            matrix: Kill::all(&specimens, &reports),
        })
    }

    /// The fixtures whose row did not come to the declared outcome.
    fn fixtures(
        &self,
        fixtures: &[Fixture],
        progress: &Progress,
    ) -> Result<Vec<WrongFixture>, CliError> {
        let mut wrong = Vec::new();
        for fixture in fixtures {
            let seen = self.fixture(fixture)?;
            if seen != Some(fixture.outcome) {
                wrong.push(WrongFixture {
                    fixture: fixture.subject.name().to_owned(),
                    id: fixture.row,
                    declared: fixture.outcome,
                    seen,
                });
            }
            progress.judged(fixture.subject.name());
        }
        Ok(wrong)
    }

    fn fixture(&self, fixture: &Fixture) -> Result<Option<Outcome>, CliError> {
        let kind = fixture.subject.view().kind();
        let rows = self.selection().rows(self.catalogue, kind);
        let Some(row) = rows.into_iter().find(|row| row.id == fixture.row) else {
            return Ok(None);
        };
        let deadline = match fixture.outcome {
            Outcome::Timeout => SHORT,
            _ => self.settings.deadline,
        };
        let settings = Settings {
            deadline,
            ..self.settings
        };
        let outcomes = self
            .supervisor
            .judge(fixture.subject.name(), &[row], settings)?;
        Ok(outcomes.first().map(|row| row.outcome))
    }
}
